import { isObject, type Gate, type RequestRow, type Revision, type Role } from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { TaskRecord, TaskStatus, TaskChange } from "../stores/task-store.ts";
import { shorten } from "../internal/shorten.ts";
import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import { EngineError } from "../stores/engine-error.ts";

/** Snapshot of a task at the time of the request. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** Text for people about the status. */
  readonly statusMessage?: string;
  /** Time of creation, in ISO 8601. */
  readonly createdAt: string;
  /** Time of the last change, in ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation after which it is removed; `null`: never. */
  readonly ttl: number | null;
  /** Suggested milliseconds between two requests for its status. */
  readonly pollInterval?: number;
}

/** Converts a record to the form for peers. */
export function toTaskState(record: TaskRecord): TaskState {
  const { id, status, statusMessage, createdAt, updatedAt, ttl, pollInterval } = record;
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt: updatedAt,
    ttl,
    pollInterval,
  };
}

/** True if a value has the members of a task. */
export function isTaskState(value: unknown): value is TaskState {
  return isObject(value) && typeof value.taskId === "string" && typeof value.status === "string";
}

/** Kind of tasks: those of the core, which are requested, or those of the tasks extension, on which the server decides. */
export type TaskKind = "core" | "extension";

/** Returns the kind of tasks at a revision, if it has tasks. */
export function taskKindOf({ clientRequests }: Revision): TaskKind | undefined {
  if (findRow(clientRequests, "getTaskPayload")) return "core";
  return findRow(clientRequests, "getTask")?.needs && "extension";
}

/**
 * Returns the receiving side's capability for running this kind of request as a task.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities
 */
export function taskGate(row: RequestRow, side: Role): Gate {
  return { side, path: ["tasks", "requests", ...row.method.split("/")] };
}

/** Returns the task parameters of a request, or undefined if it does not request a task. */
export function readTaskParams(params: unknown): { readonly ttl: number | undefined } | undefined {
  const task = isObject(params) ? params.task : undefined;
  return isObject(task) ? { ttl: typeof task.ttl === "number" ? task.ttl : undefined } : undefined;
}

/** Returns the task named by the response to a request for a task, if any. */
export function readCreatedTask(response: unknown): TaskState | undefined {
  const task = isObject(response) ? response.task : undefined;
  return isTaskState(task) ? task : undefined;
}

/** Returns the params of a request without the `task` member. */
export function withoutTask(params: unknown): unknown {
  if (!isObject(params)) return params;
  const { task: _task, ...rest } = params;
  return rest;
}

/** Returns the `_meta` key to relate messages to a task, if the revision has one. */
function findRelatedKey(revision: Revision): string | undefined {
  return revision.reservedMeta.find(({ type }) => type === "RelatedTaskMetadata")?.key;
}

/**
 * Adds the id of the related task to params or a result.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
 */
export function withRelatedTask(value: unknown, revision: Revision, taskId: string): object {
  const members = isObject(value) ? value : {};
  const key = findRelatedKey(revision);
  if (key === undefined) return members;
  const meta = isObject(members._meta) ? members._meta : {};
  return { ...members, _meta: { ...meta, [key]: { taskId } } };
}

/** Returns the id of a message's task, from its `_meta`. */
export function readRelatedTask(meta: { readonly [key: string]: unknown }, revision: Revision): string | undefined {
  const key = findRelatedKey(revision);
  const related = key === undefined ? undefined : meta[key];
  return isObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}

/** Creates the error for a task unknown to its requestor. */
export function unknownTask(id: string): RpcError {
  return rejectTask(`Task not found: ${id}`, id);
}

/** Creates the error for the cancellation of an ended task. */
export function alreadyEnded({ id, status }: TaskRecord): RpcError {
  return rejectTask(`The task is already in terminal status '${status}': ${id}`, id);
}

/** Creates the error for a request about a task. */
export function rejectTask(message: string, taskId: string): RpcError {
  return new RpcError(errorCodes.invalidParams, shorten(message), { data: { taskId: shorten(taskId) } });
}

/** Creates the error for a task for which the store has no room. */
export function tooManyTasks(): RpcError {
  return new RpcError(rejectionCodes.tooMany, "Too many tasks; retry after earlier tasks have expired");
}

/**
 * Performs a request about tasks.
 *
 * @throws {RpcError} when the store of the tasks cannot be reached: the request may be repeated later
 */
export async function withStore<Result>(perform: () => Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown;
    throw new RpcError(rejectionCodes.unavailable, "The task store cannot be reached; retry later", {
      data: { retryAfter: 1 },
      cause: thrown,
    });
  }
}

/** Creates the error for a new task while the server closes. */
export function serverIsClosing(): RpcError {
  return new RpcError(errorCodes.internalError, "The server is closing; retry the request later");
}

/** End of a task: its final status and outcome. */
export type TaskEnding = Omit<TaskChange, "updatedAt"> & Pick<TaskRecord, "status">;

/** Returns the end of a task, when this node cannot complete it. */
export function toFailed(message: string): TaskEnding {
  const error = { code: errorCodes.internalError, message };
  return { status: "failed", statusMessage: message, outcome: { kind: "error", error } };
}
