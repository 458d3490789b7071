import type { Progress } from "../../generated/support.ts";
import { TokenBucket, checkRate, type Rate } from "./token-bucket.ts";

/** What pacing needs to know of time. */
export interface TimerHost {
  /** Milliseconds that only grow. */
  now(): number;
  /** Makes sure that whoever is paced is looked at after so many milliseconds, and returns when that is. */
  deadlineAfter(milliseconds: number): number;
}

/** So that steps which are worth being told are told one by one, and a loop that reports every item does not flood its reader. */
const defaultRate: Rate = { burst: 100, perSecond: 20 };

/** A given rate of progress reports, or the default. Throws when it lets nothing through. */
export function toProgressRate(given: Rate | undefined): Rate {
  if (given) checkRate("progressRate", given);
  return given ?? defaultRate;
}

/**
 * The progress reports of one call: what comes faster than the rate is kept until there is room, and only the newest of it is sent.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress#implementation-notes
 */
export class Throttle {
  readonly #wheel: TimerHost;
  readonly #send: (report: Progress) => Promise<void>;
  readonly #bucket: TokenBucket;
  #held: Progress | undefined;
  #dueAt = Infinity;

  constructor(wheel: TimerHost, rate: Rate, send: (report: Progress) => Promise<void>) {
    this.#wheel = wheel;
    this.#send = send;
    this.#bucket = new TokenBucket(rate, wheel.now());
  }

  /** Sends a report, or keeps it in place of the one that is kept. Resolves when it is sent or kept. */
  report(report: Progress): Promise<void> {
    const wait = this.#held ? 0 : this.#bucket.take(this.#wheel.now());
    if (!this.#held && wait === 0) return this.#send(report);
    if (!this.#held) this.#dueAt = this.#wheel.deadlineAfter(Math.ceil(wait));
    this.#held = report;
    return Promise.resolve();
  }

  /** Sends what is due, and returns when to look again. */
  sweep(now: number): number {
    if (now < this.#dueAt) return this.#dueAt;
    const wait = this.#bucket.take(now);
    if (wait > 0) return (this.#dueAt = now + Math.ceil(wait));
    void this.flush();
    return Infinity;
  }

  /** Sends what is kept, at once: the call comes to its end. Never rejects, because the handler was told that all is well. */
  async flush(): Promise<void> {
    const report = this.#held;
    this.stop();
    if (report) await this.#send(report).catch(() => {});
  }

  /** Forgets what is kept. */
  stop(): void {
    this.#held = undefined;
    this.#dueAt = Infinity;
  }
}
