import { pause, type Clock } from "../../internal/timers.ts";
import { isHttpError, type HttpError } from "./errors.ts";
import { toDelay, type Reconnection } from "./reconnect-delay.ts";

/** Options for sending a message again. */
export interface RetryOptions {
  readonly reconnection: Reconnection;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Stops the clock of the waiting call until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
  /** Returns the milliseconds to wait, as named by a rejection; `undefined` for a final one. */
  readonly readDelay: (error: unknown) => number | undefined;
}

/**
 * Resends a temporarily rejected message. Each wait is the delay named by the server plus a growing, random time. If the delay is more than ten
 * seconds or more than `maxDelay`, the error is thrown at once.
 */
export async function sendWithRetry<Result>(
  send: () => Promise<Result>,
  { reconnection, signal, clock, hold, readDelay }: RetryOptions,
): Promise<Result> {
  const longest = Math.min(longestWait, reconnection.maxDelay);
  for (let retries = 0; ; retries += 1) {
    try {
      return await send();
    } catch (error) {
      const asked = readDelay(error);
      if (asked === undefined || asked > longest || retries >= reconnection.attempts) throw error;
      const release = hold?.();
      try {
        await pause(asked + toDelay(retries, { retry: undefined, reconnection }), clock, signal);
      } finally {
        release?.();
      }
    }
  }
}

/** Longest delay of a server to wait for, in milliseconds. Beyond it the caller learns sooner that the server is busy. */
const longestWait = 10_000;

/** Options for sending a rejected message again. */
export interface RejectionRetryOptions extends Omit<RetryOptions, "readDelay"> {
  /** True for a rejection with the response to the message. It is final, because the server may have run the call. Default: no rejection has one. */
  readonly isResponse?: ((rejection: HttpError) => boolean) | undefined;
}

/**
 * Resends a message rejected by the server with 429 or 503 and a `Retry-After`, before any work on it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryRejected<Result>(
  send: () => Promise<Result>,
  { isResponse = () => false, ...options }: RejectionRetryOptions,
): Promise<Result> {
  const readDelay = (error: unknown): number | undefined =>
    isHttpError(error) && isResponse(error) ? undefined : readRetryAfter(error);
  return sendWithRetry(send, { ...options, readDelay });
}

/** Returns the milliseconds to wait, as named by a rejection; `undefined` for a final one. */
function readRetryAfter(error: unknown): number | undefined {
  if (!isHttpError(error) || error.retryAfter === undefined) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  return parseRetryAfter(error.retryAfter);
}

/** Returns the milliseconds of a `Retry-After`, which is a number of seconds or a date, or `undefined` if it is neither. */
export function parseRetryAfter(value: string): number | undefined {
  const text = value.trim();
  const time = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}
