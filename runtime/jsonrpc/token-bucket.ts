import { SetupError } from "./errors.ts";

/** Rate limit with room for a burst. */
export interface Rate {
  /** Maximum number of events at the same time. */
  readonly burst: number;
  /** Number of events per second in the long run. */
  readonly perSecond: number;
}

/** Token bucket: permits a burst, and then as many events as the rate allows. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number;

  /** @param now - monotonic time in milliseconds, as in every call */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(now: number): number {
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return ((1 - this.#tokens) / perSecond) * 1_000;
    this.#tokens -= 1;
    return 0;
  }
}

/**
 * Checks a rate.
 *
 * @throws {SetupError} when the rate is invalid or permits nothing
 */
export function checkRate(name: string, { burst, perSecond }: Rate): void {
  if (burst >= 1 && perSecond > 0) return;
  throw new SetupError(
    `${name} has burst ${burst} and perSecond ${perSecond}; use a burst of 1 or more and a perSecond above 0`,
  );
}
