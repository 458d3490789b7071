import type { RequestRow, Revision } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { TaskRecord, TaskRetry } from "../stores/task-store.ts";
import type { RequestorChannel } from "./requestor-channel.ts";
import type { StepRecorder, StepRunner } from "./step-recorder.ts";
import type { RequestTaskOptions } from "./task-options.ts";

/** A request that becomes a task. */
export interface TaskRequest {
  readonly row: RequestRow;
  /** Requested `ttl` in milliseconds, if any. */
  readonly ttl: number | undefined;
  readonly taskOptions: RequestTaskOptions;
  /** Ownership and channel of the task. Default: those of the session. */
  readonly keeping?: TaskOwnership | undefined;
  /** Data for another node to run the task again, if the task permits it. */
  readonly retry?: TaskRetry | undefined;
  /** Creates the steps of a retryable task. */
  createSteps?(recorder: StepRecorder): StepRunner;
  /** Handles the request; its outcome becomes the outcome of the task. */
  work(call: CallContext): unknown;
  /** Called instead of `work` if the task has ended before the work begins. */
  spared?(): void;
}

/** Ownership and channel of tasks whose requestors have no session. */
export interface TaskOwnership {
  ownerOf(call: CallContext, id: string): string;
  /** @param record - record of a retryable task, at the beginning of the attempt */
  createOutlet(call: CallContext, record?: TaskRecord): RequestorChannel;
}

/** Task begun on another node, to be run again by this node. */
export interface RestoredTask {
  readonly call: CallContext;
  readonly request: TaskRequest;
}

/** Restores a task at a revision. `written` is the revision the code of the server is written for. Throws when this node cannot run the task. */
export type RestoreTask = (id: string, retry: TaskRetry, written: Revision) => RestoredTask;

/** Server whose tasks other nodes may take over. */
export interface TaskHost {
  /** Node of a cluster; absent for a process of its own. */
  readonly node?: TaskNode | undefined;
  /** Revision the code of the server is written for. */
  readonly written: Revision;
  /** True if the server has tools that run as tasks. */
  isOffered(): boolean;
}
