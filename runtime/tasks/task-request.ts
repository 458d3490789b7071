import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { TaskRecord, TaskRetry } from "../stores/task-store.ts";
import type { RequestorChannel } from "./requestor-channel.ts";
import type { StepRecorder, StepRunner } from "./step-recorder.ts";
import type { RequestTaskOptions } from "./task-options.ts";
import { InvalidMessageError, RpcError, toErrorObject } from "../jsonrpc/errors.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import type { RunningTask, TaskCall } from "./running-task.ts";
import { toFailed, type TaskEnding } from "./task.ts";

/** A request that becomes a task. */
export interface TaskRequest {
  readonly row: RequestRow;
  /** Requested `ttl` in milliseconds, if any. */
  readonly ttl: number | undefined;
  readonly taskOptions: RequestTaskOptions;
  /** Ownership and channel of the task. Default: those of the session. */
  readonly ownership?: TaskOwnership | undefined;
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
  createChannel(call: CallContext, record?: TaskRecord): RequestorChannel;
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
  readonly node: TaskNode | undefined;
  /** Revision the code of the server is written for. */
  readonly written: Revision;
  /** True if the server has tools that run as tasks. */
  isOffered(): boolean;
}

/** Request of a task, and the receiver of its failures. */
interface TaskWork {
  readonly request: TaskRequest;
  report(thrown: unknown): void;
}

/** Handles the request of a task. Failures are reported unless the task has ended. */
export async function handleTaskRequest(task: RunningTask, call: TaskCall, work: TaskWork): Promise<TaskEnding> {
  const ending = await runWork(task, call, work);
  try {
    // No store can keep an outcome that is not JSON (cycles, big integers), and the task would never end.
    JSON.stringify(ending.outcome);
    return ending;
  } catch (thrown) {
    if (!task.isOver) work.report(thrown);
    return toFailed("Internal error");
  }
}

async function runWork(
  task: RunningTask,
  call: TaskCall,
  { request: { row, work }, report }: TaskWork,
): Promise<TaskEnding> {
  try {
    const { converter } = call.session;
    const respond: unknown = await work(call);
    const value = respond instanceof StaticResult ? respond.value : respond;
    const result = converter ? converter.result(row.method, value) : value;
    const issue = row.result(result);
    if (issue || !isObject(result)) throw new InvalidMessageError(row.method, "result", issue ?? notAnObject);
    const failure = explainFailure(result);
    return { status: failure ? "failed" : "completed", ...failure, outcome: { kind: "result", result } };
  } catch (thrown) {
    const error = RpcError.from(thrown);
    if (!task.isOver && error !== thrown) report(thrown);
    return {
      status: "failed",
      statusMessage: error.message,
      outcome: { kind: "error", error: toErrorObject(error) },
    };
  }
}

const notAnObject = { path: "", expected: "object" } as const;

/** Returns the status message of a failed tool, which reports the failure in its result. */
function explainFailure(result: Record<string, unknown>): { readonly statusMessage: string } | undefined {
  if (result.isError !== true) return undefined;
  const [block]: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = isObject(block) && typeof block.text === "string" ? block.text : "The tool failed";
  return { statusMessage: text.slice(0, longestExplanation) };
}

const longestExplanation = 500;
