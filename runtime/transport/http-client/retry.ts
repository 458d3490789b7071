import { pause, type Clock } from "../../internal/timers.ts";
import { toDelay, type Reconnection } from "./reconnect-delay.ts";

/** Options for sending a message again. */
export interface RepeatOptions {
  readonly reconnection: Reconnection;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Stops the clock of the call that waits, until what is returned is called. */
  readonly hold?: (() => () => void) | undefined;
  /** Milliseconds for which a refusal asks; nothing for what is final. */
  readonly readDelay: (error: unknown) => number | undefined;
}

/**
 * Sends again what was refused for now. Each wait is as long as the server says and a growing, random time more. A server that asks for more than
 * ten seconds is not waited for.
 */
export async function repeat<Result>(
  send: () => Promise<Result>,
  { reconnection, signal, clock, hold, readDelay }: RepeatOptions,
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

/** Milliseconds. A caller learns sooner that a server is busy for long. */
const longestWait = 10_000;
