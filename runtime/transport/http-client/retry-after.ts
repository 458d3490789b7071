import { isHttpError } from "./errors.ts";
import { sendWithRetry, type RetryOptions } from "./retry.ts";

/**
 * Resends a message that the server rejected with 429 or 503 and a `Retry-After`, before any work on it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryRejected<Result>(
  send: () => Promise<Result>,
  options: Omit<RetryOptions, "readDelay">,
): Promise<Result> {
  return sendWithRetry(send, { ...options, readDelay: readRetryAfter });
}

/** Returns the milliseconds to wait that a rejection names; nothing for a final one. */
function readRetryAfter(error: unknown): number | undefined {
  if (!isHttpError(error) || error.retryAfter === undefined) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  const text = error.retryAfter.trim();
  const time = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}
