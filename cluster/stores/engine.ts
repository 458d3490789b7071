import type { Ledger } from "../../runtime/stores/ledger.ts";
import type { NodeDirectory } from "./node-directory.ts";
import type { RateStore } from "../../runtime/stores/rate-store.ts";
import type { ReplayStore } from "../../runtime/stores/replay-store.ts";
import type { RevocationStore } from "./revocation-store.ts";
import type { SharedEventStore } from "./shared-event-store.ts";
import type { SharedSessionStore } from "./shared-session-store.ts";
import type { SharedValueStore } from "../../runtime/stores/shared-value-store.ts";
import type { TaskStore } from "../../runtime/stores/task-store.ts";

/** State of the connection to an engine. */
export interface EngineStatus {
  /** `ready`: everything works. `degraded`: slow, or some operations fail. `lost`: nothing works until the engine is back. */
  readonly state: "ready" | "degraded" | "lost";
  /** Milliseconds since 1970 at which this state began. */
  readonly since: number;
  /** Weaknesses of its settings, and failing operations, each in one sentence. */
  readonly problems: readonly string[];
}

/**
 * Everything shared by the nodes of a cluster. Operations fail with an `EngineError` within 1 s when the engine cannot be reached; they are never
 * queued.
 */
export interface Engine {
  readonly sessions: SharedSessionStore;
  readonly events: SharedEventStore;
  readonly nodes: NodeDirectory;
  readonly tasks: TaskStore;
  /** Steps of tasks, run by several nodes one after the other. */
  readonly ledger: Ledger;
  readonly replays: ReplayStore;
  /** Absent where the engine cannot count: then each node counts on its own. */
  readonly rates?: RateStore;
  /** Absent where the engine keeps no revocations: then a node knows only those of its lifetime. */
  readonly revocations?: RevocationStore;
  /** Absent where the engine keeps no secrets: then nodes cannot share credentials. */
  readonly values?: SharedValueStore;
  /**
   * Derives keys of 32 bytes for a purpose from the keys of the engine, the same on all nodes; the current one first. Absent where the engine has no
   * keys.
   */
  readonly deriveKeys?: (purpose: string) => readonly [Uint8Array, ...Uint8Array[]];
  /** Returns the state of the last seconds, without a request to the engine. */
  status(): EngineStatus;
  /**
   * Connects, and checks the settings of the engine.
   *
   * @throws {SetupError} when the engine cannot be used: wrong address, credentials, version or settings
   */
  open(): Promise<void>;
  close(): Promise<void>;
}
