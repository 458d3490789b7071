import type { Progress } from "../../../generated/support.ts";
import type { NotificationMessage, RequestId } from "../../jsonrpc/message.ts";
import { TokenBucket, checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

/** Clock and timer of a throttle. */
export interface TimerHost {
  /** Returns a monotonic time in milliseconds. */
  now(): number;
  /** Schedules a sweep after a number of milliseconds, and returns its time. */
  deadlineAfter(milliseconds: number): number;
}

/** Part of the connection used by progress notifications. */
export interface ProgressHost extends TimerHost {
  readonly progressRate: Rate;
  sendNotification(message: NotificationMessage, related?: RequestId): Promise<void>;
}

/** Rate for reports: single steps pass one by one, but a loop with a report for every item cannot flood the reader. */
const defaultRate: Rate = { burst: 100, perSecond: 20 };

/**
 * Returns the given rate of progress reports, or the default.
 *
 * @throws {SetupError} when the rate permits nothing
 */
export function toProgressRate(given: Rate | undefined): Rate {
  if (given) checkRate("progressRate", given);
  return given ?? defaultRate;
}

/** Token of the requester, by which it recognizes the progress of its request. */
export type ProgressToken = string | number;

/**
 * Returns the token of the requester, if it wants progress notifications. An unsafe integer has lost digits: it may be the token of another request.
 */
export function toProgressToken(given: unknown): ProgressToken | undefined {
  if (typeof given === "string") return given;
  return typeof given === "number" && Math.abs(given) <= Number.MAX_SAFE_INTEGER ? given : undefined;
}

/** Creates the throttle of a request, which sends its progress notifications. */
export function createProgressThrottle(host: ProgressHost, token: ProgressToken, requestId: RequestId): Throttle {
  return new Throttle(host, host.progressRate, (report) => {
    const params = { progressToken: token, ...toProgress(report) };
    return host.sendNotification({ jsonrpc: "2.0", method: "notifications/progress", params }, requestId);
  });
}

/** Removes invalid members of a report: JSON would write an infinite total as `null`, and a message is text. */
export function toProgress({ progress, total, message }: Progress): Progress {
  return {
    progress,
    ...(Number.isFinite(total) && { total }),
    ...(typeof message === "string" && { message }),
  };
}

/**
 * Limits the progress reports of one call. Reports above the rate are held until there is room, and only the newest of them is sent.
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

  /** Sends a report, or holds it in place of an earlier held one. Resolves when it is sent or held. */
  report(report: Progress): Promise<void> {
    const wait = this.#held ? 0 : this.#bucket.take(this.#wheel.now());
    if (!this.#held && wait === 0) return this.#send(report);
    if (!this.#held) this.#dueAt = this.#wheel.deadlineAfter(Math.ceil(wait));
    this.#held = report;
    return Promise.resolve();
  }

  /** Sends the held report if it is due, and returns the time of the next check. */
  sweep(now: number): number {
    if (now < this.#dueAt) return this.#dueAt;
    const wait = this.#bucket.take(now);
    if (wait > 0) return (this.#dueAt = now + Math.ceil(wait));
    void this.flush();
    return Infinity;
  }

  /** Sends the held report immediately, because the call ends. Never rejects, because its `report` has already resolved for the handler. */
  async flush(): Promise<void> {
    const report = this.#held;
    this.stop();
    if (report) await this.#send(report).catch(() => {});
  }

  /** Discards the held report. */
  stop(): void {
    this.#held = undefined;
    this.#dueAt = Infinity;
  }
}
