import { SetupError } from "./errors.ts";

/** How much is let through. */
export interface Rate {
  /** So many at once. */
  readonly burst: number;
  /** So many a second in the long run. */
  readonly perSecond: number;
}

/** Lets a burst through, and then as many as time brings. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number;

  /** @param now - milliseconds that only grow, as in every call */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one again. */
  take(now: number): number {
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return ((1 - this.#tokens) / perSecond) * 1_000;
    this.#tokens -= 1;
    return 0;
  }
}

/** Throws for a rate that would let nothing through, or that is none. */
export function checkRate(name: string, { burst, perSecond }: Rate): void {
  if (burst >= 1 && perSecond > 0) return;
  throw new SetupError(`${name}: burst is ${burst}, use 1 or more; perSecond is ${perSecond}, use more than 0.`);
}
