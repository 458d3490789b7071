import { pause, type Clock } from "../../internal/timers.ts";
import { toDelay, type Reconnection } from "./reconnect-delay.ts";

/** Options for sending a message again. */
export interface RetryOptions {
  readonly reconnection: Reconnection;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Stops the clock of the waiting call until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
  /** Returns the milliseconds to wait that a rejection names; nothing for a final one. */
  readonly readDelay: (error: unknown) => number | undefined;
}

/**
 * Resends a message that was rejected temporarily. Each wait is the delay that the server names plus a growing, random time. A delay of more than ten
 * seconds, or more than `maxDelay`, is not awaited: the error is thrown.
 */
export async function sendWithRetry<Result>(
  send: () => Promise<Result>,
  { reconnection, signal, clock, hold, readDelay }: RetryOptions,
): Promise<Result> {
  const longest = Math.min(longestWait, reconnection.maxDelay);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const asked = readDelay(error);
      if (asked === undefined || asked > longest || attempt >= reconnection.attempts) throw error;
      const release = hold?.();
      try {
        await pause(asked + toDelay(attempt - 1, { retry: undefined, reconnection }), clock, signal);
      } finally {
        release?.();
      }
    }
  }
}

/** Longest delay of a server that is awaited, in milliseconds. Beyond it the caller learns sooner that the server is busy. */
const longestWait = 10_000;
