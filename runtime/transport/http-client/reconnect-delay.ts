import { longestTimer, pause } from "../../internal/timers.ts";

/** Delays between attempts to reconnect. */
export interface ReconnectDelayOptions {
  /** Milliseconds before the first retry, unless the server names a delay. Default 1 s. */
  readonly initialDelay?: number;
  /** Longest wait in milliseconds. Default 30 s. */
  readonly maxDelay?: number;
  /** Factor by which each wait is longer than the previous one. Default 1.5. */
  readonly factor?: number;
  /** Retries in a row without success before giving up. Default 5. */
  readonly attempts?: number;
}

/** Reconnection options with every default filled in. */
export type Reconnection = Required<ReconnectDelayOptions>;

/** Fills in the defaults of reconnection options. */
export function toReconnection(given: ReconnectDelayOptions = {}): Reconnection {
  return { initialDelay: 1_000, maxDelay: 30_000, factor: 1.5, attempts: 5, ...given };
}

/**
 * Returns the milliseconds to wait before the next attempt. The delay grows with each attempt up to a maximum. It is randomized to keep clients from
 * reconnecting all at the same time. A delay named by the server is a lower bound, and counts for no less than half of `initialDelay`.
 *
 * @param fruitless - number of attempts so far without success
 * @param random - number from 0 to 1
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

/** Waits and keeps the process alive. Rejects with the reason of the signal when it aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, signal);
}
