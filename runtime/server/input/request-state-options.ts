import { SetupError } from "../../jsonrpc/errors.ts";
import type { Clock } from "../../internal/timers.ts";
import type { ReplayStore } from "../../stores/replay-store.ts";
import { createRequestStates, type RequestStates } from "./request-state.ts";
import { createSealer } from "./sealing.ts";

/** How calls go on that need input of the client. All times are in milliseconds. */
export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes or more that sign what clients carry from round to round: the first signs, all are accepted. Needed where several
   * processes serve the same clients, or calls shall outlive a restart. Default: `cursorKeys`, or a random one.
   */
  readonly keys?: readonly Uint8Array[];
  /** How long the client may take for its answers. Default 10 min. */
  readonly lifetime?: number;
  /** Most bytes of what clients carry: earlier answers and results of `once`, before they are compressed. Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * How long a handler must have done nothing new while it waits for answers, before they are asked for: whatever else it waits for without
   * its context is given up then, and begun again in the next round. Default 10.
   */
  readonly settleTime?: number;
  /**
   * How long a question waits for a step of `once` that is still running before the call fails: a step that asks something itself would
   * never end. Default 30 s.
   */
  readonly stepTime?: number;
  /**
   * Lets a client go on only once from each round, whether or not its answers fit: for handlers that must not be led twice over the same
   * ground. A client that did not get the result has to begin again. Default: until its `lifetime` is over, the same client may repeat a round.
   */
  readonly replays?: ReplayStore;
  /** Default: the clock of the platform. */
  readonly clock?: Clock;
}

/** How rounds go, with every default filled in. */
export interface RequestStateSettings {
  readonly states: RequestStates;
  readonly settleTime: number;
  readonly stepTime: number;
  readonly clock: Clock | undefined;
}

/** Given options over the defaults. */
export function toRequestStateSettings({ rounds = {}, cursorKeys }: AnyRequestStateOptions): RequestStateSettings {
  const { keys, lifetime = 600_000, maxBytes = 1024 * 1024 } = rounds;
  const { settleTime = 10, stepTime = 30_000, replays, clock } = rounds;
  for (const [name, value] of Object.entries({ lifetime, maxBytes, stepTime })) checkPositive(name, value);
  const sealer = keys ? createSealer("rounds.keys", keys) : createSealer("cursorKeys", cursorKeys);
  return { states: createRequestStates(sealer, { lifetime, maxBytes, replays }), settleTime, stepTime, clock };
}

/** As much of a server as is about rounds. */
export interface AnyRequestStateOptions {
  readonly rounds?: RequestStateOptions;
  readonly cursorKeys?: readonly Uint8Array[];
}

function checkPositive(name: string, value: number): void {
  if (value > 0) return;
  throw new SetupError(`rounds.${name} is ${value}: use a number above 0, or leave it out for the default.`);
}
