import { pause } from "../../internal/timers.ts";

/** How long to wait between attempts to reconnect. */
export interface ReconnectOptions {
  /** Milliseconds before the second attempt, unless the server names a delay. Default 1 s. */
  readonly initialDelay?: number;
  /** The longest wait, in milliseconds. Default 30 s. */
  readonly maxDelay?: number;
  /** How much longer each wait is than the one before. Default 1.5. */
  readonly factor?: number;
  /** How often to try without success before giving up. Default 5. */
  readonly attempts?: number;
}

/** Reconnection with every default filled in. */
export type Reconnection = Required<ReconnectOptions>;

/** Given delays over the defaults. */
export function toReconnection(given: ReconnectOptions = {}): Reconnection {
  return { initialDelay: 1_000, maxDelay: 30_000, factor: 1.5, attempts: 5, ...given };
}

/**
 * Milliseconds to wait before the next attempt: grows from attempt to attempt up to a bound, and differs between clients, so that they do not
 * all come back at once. A delay that the server names is not undercut, and counts for no less than the shortest own delay.
 *
 * @param fruitless - attempts so far that brought nothing
 * @param random - from 0 to 1
 */
export function toDelay(
  fruitless: number,
  { retry, reconnection }: { readonly retry: number | undefined; readonly reconnection: Reconnection },
  random: number = Math.random(),
): number {
  const { initialDelay, maxDelay, factor } = reconnection;
  const ceiling = Math.min(maxDelay, initialDelay * factor ** fruitless);
  const own = ceiling * (0.5 + random / 2);
  if (retry === undefined) return own;
  return Math.min(longestTimer, Math.max(initialDelay / 2, retry, fruitless === 0 ? 0 : own));
}

/** Waits, unless the signal ends it: then it rejects with the reason. Keeps the process alive. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, signal);
}

/** Longer delays make `setTimeout` fire at once. */
const longestTimer = 2_147_483_647;
