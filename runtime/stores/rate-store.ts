import type { Awaitable } from "../../generated/support.ts";
import { setLimited } from "../internal/set-limited.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Counts events by key: each key keeps a rate. Several processes that serve the same clients can share one store. */
export interface RateStore {
  /**
   * Takes one event of a key. Returns 0; or, when the rate is used up, the milliseconds until an event is possible. Then nothing is taken.
   *
   * @param key - at most 1,000 characters
   */
  take(key: string, rate: Rate): Awaitable<number>;
  /** Returns what `take` would return, without taking an event. */
  check(key: string, rate: Rate): Awaitable<number>;
  /** Counts an event after it has occurred, even if the rate is used up. */
  record(key: string, rate: Rate): Awaitable<void>;
}

/** Limit and clock of rates in memory. */
export interface MemoryRateStoreOptions {
  /** Maximum number of remembered keys; the least recently used one is forgotten first. Default 10,000. */
  readonly maxKeys?: number;
  /** Monotonic clock in milliseconds. Default: the system clock. */
  readonly now?: () => number;
}

/**
 * Rate store in the memory of this process. It remembers one time for each key, as the generic cell rate algorithm does.
 *
 * @example
 * ```ts
 * import { rateLimit } from "mcp-server-runtime";
 * import { MemoryRateStore } from "mcp-server-runtime/stores";
 *
 * const store = new MemoryRateStore({ maxKeys: 100_000 });
 * const limit = rateLimit({ burst: 20, perSecond: 5, store });
 * ```
 */
export class MemoryRateStore implements RateStore {
  /** Times at which the events of each key are compensated. */
  readonly #used = new Map<string, number>();
  readonly #maxKeys: number;
  readonly #now: () => number;

  constructor({ maxKeys = 10_000, now = () => performance.now() }: MemoryRateStoreOptions = {}) {
    checkNumbers({ maxKeys });
    this.#maxKeys = maxKeys;
    this.#now = now;
  }

  take(key: string, rate: Rate): number {
    const { wait, before, after } = this.#count(key, rate);
    this.#keep(key, wait === 0 ? after : before);
    return wait;
  }

  check(key: string, rate: Rate): number {
    return this.#count(key, rate).wait;
  }

  record(key: string, rate: Rate): void {
    this.#keep(key, this.#count(key, rate).after);
  }

  #count(key: string, { burst, perSecond }: Rate): Count {
    const now = this.#now();
    const each = 1_000 / perSecond;
    const before = Math.max(this.#used.get(key) ?? now, now);
    const after = before + each;
    const wait = after - burst * each - now;
    return { wait: wait > tolerance ? wait : 0, before, after };
  }

  #keep(key: string, until: number): void {
    setLimited(this.#used, [key, until], this.#maxKeys);
  }
}

interface Count {
  readonly wait: number;
  readonly before: number;
  readonly after: number;
}

/** Tolerance for sums of fractions, in milliseconds. */
const tolerance = 0.01;
