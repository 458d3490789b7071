import type { RateStore } from "./rate-store.ts";
import type { ReplayStore } from "./replay-store.ts";
import type { Revocations } from "./revocations.ts";
import type { SharedValueStore } from "./shared-value-store.ts";

/** Stores and keys of a cluster, for the parts of a server that have state or keys of their own. */
export interface SharedParts {
  readonly replays: ReplayStore;
  readonly rates: RateStore;
  readonly revocations: Revocations;
  /** Absent where the engine keeps no secrets. */
  readonly values?: SharedValueStore;
  /** Derives keys of 32 bytes for a purpose, the same on all nodes. The first one is used for new data, all are accepted. */
  deriveKeys(purpose: string): readonly [Uint8Array, ...Uint8Array[]];
}

/** Access of a part to what the cluster of its server shares, once the server has one. */
export interface ClusterAccess {
  shared: SharedParts | undefined;
}
