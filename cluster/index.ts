/** Servers on several nodes: clusters, the interfaces of their engines, and an engine in memory for tests. */
export { joinCluster } from "./cluster.ts";
export type { Cluster, ClusterOptions } from "./cluster.ts";
export type { OnListChanged } from "./cluster-broadcasts.ts";

export { createMemoryCluster } from "./memory-engine.ts";
export type { MemoryCluster, MemoryClusterOptions } from "./memory-engine.ts";

export { defaultEngineLimits } from "./engine-limits.ts";
export type { EngineLimits } from "./engine-limits.ts";

export { EngineError } from "../runtime/stores/engine-error.ts";
export type { Engine, EngineStatus } from "./stores/engine.ts";

export type { Broadcast, NodeDirectory, NodeMessage, NodeReceiver } from "./stores/node-directory.ts";

export type {
  SessionAccess,
  SessionChange,
  SessionListener,
  SessionRelease,
  SharedSessionState,
  SharedSession,
  SharedSessionStore,
} from "./stores/shared-session-store.ts";

export type {
  AdoptedStream,
  AppendOutcome,
  SharedEventStore,
  StreamAdoption,
  StreamAppend,
  StreamPart,
  StreamSeal,
} from "./stores/shared-event-store.ts";

export { createSharedCredentials } from "./shared-credentials.ts";
export type { SharedCredentials, SharedCredentialsOptions } from "./shared-credentials.ts";

export type { RevocationStore, StoredRevocation } from "./stores/revocation-store.ts";
export type { SharedParts } from "../runtime/stores/shared-parts.ts";
export type { SharedValueStore, ValueLease } from "../runtime/stores/shared-value-store.ts";
