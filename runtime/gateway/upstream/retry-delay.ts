import { systemClock } from "../../internal/timers.ts";

/** Delays between attempts. Each is twice as long as the last one, unless what was opened has lasted in between. */
export class RetryDelay {
  #next = shortestDelay;
  #openedAt = -Infinity;

  /** Returns the milliseconds before the next attempt. */
  next(): number {
    const delay = this.#next;
    this.#next = Math.min(2 * delay, longestDelay);
    return delay;
  }

  /** Records the success of an attempt. */
  opened(): void {
    this.#openedAt = systemClock.now();
  }

  /**
   * Records a loss of what was opened. The delays continue if it has not lasted: a server which fails at once gets no more attempts than an
   * unreachable one.
   */
  lost(): void {
    if (systemClock.now() - this.#openedAt >= stableAfter) this.#next = shortestDelay;
  }
}

/** Milliseconds before the first attempt; the delay doubles up to the longest. */
const shortestDelay = 500;
const longestDelay = 30_000;

/** Milliseconds a stream or connection must last before the delays start over. */
const stableAfter = 10_000;
