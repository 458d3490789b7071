import type { Awaitable } from "../../generated/support.ts";
import { Shares } from "./shares.ts";

/** Remembers what may be used only once and has been. Where several processes serve the same clients they have to share one. */
export interface ReplayStore {
  /**
   * Takes note of a use; `false` when it was there already.
   *
   * @param key - at most 400 characters
   * @param until - milliseconds since 1970: afterwards it may be forgotten
   * @param owner - principal that uses it; absent without authentication. A store that is bounded should bound each owner.
   */
  add(key: string, until: number, owner?: string): Awaitable<boolean>;
}

/** Remembers uses in this process. */
export class MemoryReplayStore implements ReplayStore {
  readonly #shares: Shares;
  readonly #now: () => number;
  readonly #used = new Map<string, Use>();

  /** @param options - `maxKeys`: of all owners together, default 100,000. `now`: milliseconds since 1970. */
  constructor({ maxKeys = 100_000, now = Date.now }: { readonly maxKeys?: number; readonly now?: () => number } = {}) {
    this.#shares = new Shares(maxKeys);
    this.#now = now;
  }

  /** Throws for an owner whose share is used up: forgetting a key that may still be used would let it be used twice. */
  add(key: string, until: number, owner?: string): boolean {
    if (this.#used.has(key)) return false;
    this.#forgetOld();
    if (this.#shares.roomFor(owner) < 1)
      throw new Error("Too much has been used that may be used only once: raise maxKeys");
    this.#used.set(key, { until, owner });
    this.#shares.change(owner, 1);
    return true;
  }

  /** What is used later ends later. */
  #forgetOld(): void {
    const now = this.#now();
    for (const [key, { until, owner }] of this.#used) {
      if (until > now) return;
      this.#used.delete(key);
      this.#shares.change(owner, -1);
    }
  }
}

interface Use {
  readonly until: number;
  readonly owner: string | undefined;
}
