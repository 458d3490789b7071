/** Engines that the nodes of a cluster share: their interfaces, and an implementation in memory for tests. */
export { createMemoryCluster } from "./memory-engine.ts";
export type { MemoryCluster, MemoryClusterOptions } from "./memory-engine.ts";

export { defaultLimits } from "./engine-limits.ts";
export type { EngineLimits } from "./engine-limits.ts";

export { EngineError } from "../stores/engine.ts";
export type { Engine, EngineStatus } from "../stores/engine.ts";

export type { Announcement, NodeDirectory, NodeMessage, NodeReceiver } from "../stores/node-directory.ts";

export type {
  SessionAccess,
  SessionChange,
  SessionListener,
  SessionState,
  SharedSession,
  SharedSessionStore,
} from "../stores/shared-session-store.ts";

export type {
  SharedEventStore,
  StreamAdoption,
  StreamAppend,
  StreamPart,
  StreamSeal,
} from "../stores/shared-event-store.ts";

export type { Agreement, SessionKey, SessionRecord } from "../stores/session-store.ts";
export type { StreamPosition } from "../stores/event-store.ts";
export type { ReplayStore } from "../stores/replay-store.ts";
export type { TaskChange, TaskKey, TaskOutcome, TaskPage, TaskRange, TaskRecord } from "../stores/task-store.ts";
export type { TaskStatus, TaskStore } from "../stores/task-store.ts";
