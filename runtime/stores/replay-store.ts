import type { Awaitable } from "../../generated/support.ts";
import { Shares } from "./shares.ts";

/** Remembers values for one use only. Several processes that serve the same clients have to share one store. */
export interface ReplayStore {
  /**
   * Records a use. Returns `false` when the key is recorded already.
   *
   * @param key - at most 400 characters
   * @param until - milliseconds since 1970 after which the key may be forgotten
   * @param owner - principal using the key; absent without authentication. A bounded store should bound each owner.
   */
  add(key: string, until: number, owner?: string): Awaitable<boolean>;
}

/**
 * Replay store in the memory of this process.
 *
 * @example
 * ```ts
 * import { MemoryReplayStore } from "mcp-server-runtime/stores";
 *
 * const requestState = { keys: [crypto.getRandomValues(new Uint8Array(32))], replay: new MemoryReplayStore() };
 * defineServer({ name: "orders", version: "1.0.0", requestState });
 * ```
 */
export class MemoryReplayStore implements ReplayStore {
  readonly #shares: Shares;
  readonly #now: () => number;
  readonly #used = new Map<string, Use>();

  /** @param options - `maxKeys`: keys of all owners together, default 100,000. `now`: returns milliseconds since 1970, default `Date.now`. */
  constructor({ maxKeys = 100_000, now = Date.now }: { readonly maxKeys?: number; readonly now?: () => number } = {}) {
    this.#shares = new Shares(maxKeys);
    this.#now = now;
  }

  /** @throws {Error} when the share of the owner is used up: forgetting a valid key would permit a second use */
  add(key: string, until: number, owner?: string): boolean {
    if (this.#used.has(key)) return false;
    this.#forgetOld();
    if (this.#shares.roomFor(owner) < 1) throw new Error("The replay store is full; increase maxKeys");
    this.#used.set(key, { until, owner });
    this.#shares.change(owner, 1);
    return true;
  }

  /** Removes expired keys. Stops at the first valid one: keys used later expire later. */
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
