import type { Clock } from "../../internal/timers.ts";
import type { ReplayStore } from "../../stores/replay-store.ts";
import type { ClusterAccess } from "../../stores/shared-parts.ts";
import { createRequestStates, type RequestStates } from "./request-state.ts";
import { createSigner } from "../signer.ts";
import { checkFinite, checkNumbers, checkPositive } from "../../jsonrpc/check-numbers.ts";

/** Options of calls that need input of the client. All times are in milliseconds. */
export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes or more to sign the request state with: the first one signs, all are accepted. Needed where several processes serve the same
   * clients, or where calls must survive a restart. Default: `cursorKeys`, else the keys of the cluster, else one random secret.
   */
  readonly keys?: readonly Uint8Array[];
  /** Time in which the client has to respond. Default 10 min. */
  readonly lifetime?: number;
  /** Maximum size of the request state in bytes, before compression: earlier responses and results of `once`. Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * Quiet time of a handler waiting for responses, after which its input requests are sent. Operations it then awaits without its context are
   * abandoned, and start again in the next round. Default 10.
   */
  readonly settleTime?: number;
  /**
   * Time an input request waits for a running step of `once` before the call fails: a step with an input request of its own would never end. Default
   * 30 s.
   */
  readonly stepTime?: number;
  /**
   * Store to make clients continue only once from each round, even if their responses are invalid: for handlers whose second run from the same state
   * would do harm. `true`: the store of the cluster; the server must then be part of one. A client that did not receive the result has to begin
   * again, and gets error 503 when the store cannot be reached. Default: a client may repeat a round within the `lifetime`.
   */
  readonly replays?: ReplayStore | true;
  /** Clock for all timers. Default: the clock of the platform. */
  readonly clock?: Clock;
}

/** Settings of rounds, with every default filled in. */
export interface RequestStateSettings {
  readonly states: RequestStates;
  readonly settleTime: number;
  readonly stepTime: number;
  readonly clock: Clock | undefined;
}

/**
 * Fills in the defaults of options.
 *
 * @throws {SetupError} when a bound is not above 0, or when a key is too short
 */
export function toRequestStateSettings(
  { requestState = {}, cursorKeys }: AnyRequestStateOptions,
  cluster: ClusterAccess,
): RequestStateSettings {
  const { keys, lifetime = 600_000, maxBytes = 1024 * 1024 } = requestState;
  const { settleTime = 10, stepTime = 30_000, replays, clock } = requestState;
  checkNumbers({ settleTime });
  checkFinite({ "requestState.lifetime": lifetime });
  for (const [name, value] of Object.entries({ lifetime, maxBytes, stepTime }))
    checkPositive(`requestState.${name}`, value);
  const signer = keys ? createSigner("requestState.keys", keys) : createSigner("cursorKeys", cursorKeys, cluster);
  const store = replays === true ? findReplays(cluster) : replays;
  return { states: createRequestStates(signer, { lifetime, maxBytes, replays: store }), settleTime, stepTime, clock };
}

/** Returns the store of the cluster, which joins the server after its definition. */
function findReplays(cluster: ClusterAccess): ReplayStore {
  return {
    add(...use: Parameters<ReplayStore["add"]>) {
      if (cluster.shared) return cluster.shared.replays.add(...use);
      throw new Error("requestState.replays requires a cluster");
    },
  };
}

/** Members of a definition for rounds. */
export interface AnyRequestStateOptions {
  readonly requestState?: RequestStateOptions;
  readonly cursorKeys?: readonly Uint8Array[];
}
