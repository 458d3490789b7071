import type { Awaitable } from "../../generated/support.ts";

/** Remembers what may be used only once and has been. Where several processes serve the same clients they have to share one. */
export interface ReplayStore {
  /**
   * Takes note of a use; `false` when it was there already.
   *
   * @param key - at most 400 characters
   * @param until - milliseconds since 1970: afterwards it may be forgotten
   */
  add(key: string, until: number): Awaitable<boolean>;
}

/** Remembers uses in this process. */
export class MemoryReplayStore implements ReplayStore {
  readonly #maxKeys: number;
  readonly #now: () => number;
  readonly #used = new Map<string, number>();

  /** @param options - `maxKeys`: default 100,000. `now`: milliseconds since 1970. */
  constructor({ maxKeys = 100_000, now = Date.now }: { readonly maxKeys?: number; readonly now?: () => number } = {}) {
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  /** Throws when it is full: forgetting one that may still be used would let it be used twice. */
  add(key: string, until: number): boolean {
    if (this.#used.has(key)) return false;
    this.#forgetOld();
    if (this.#used.size >= this.#maxKeys)
      throw new Error("Too much has been used that may be used only once: raise maxKeys");
    this.#used.set(key, until);
    return true;
  }

  /** What is used later ends later. */
  #forgetOld(): void {
    const now = this.#now();
    for (const [key, until] of this.#used) {
      if (until > now) return;
      this.#used.delete(key);
    }
  }
}
