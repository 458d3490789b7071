import { isObject, type Gate, type RequestRow, type Revision, type Role } from "../../generated/support.ts";
import type { TaskRecord, TaskStatus } from "../stores/task-store.ts";

/** A task as it was when somebody asked. */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** Text for people about the status. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation after which it is forgotten; `null`: never. */
  readonly ttl: number | null;
  /** Milliseconds that should pass between two questions for its status. */
  readonly pollInterval?: number;
}

/** A task as peers see it. */
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

/** Whether the members of a value are those of a task. */
export function isTaskState(value: unknown): value is TaskState {
  return isObject(value) && typeof value.taskId === "string" && typeof value.status === "string";
}

/** Whether requests can become tasks at a revision, by either side. */
export function knowsTasks(revision: Revision): boolean {
  const handlers = Object.values(revision.clientRequests).map(({ handler }) => handler);
  return handlers.includes("getTask") && handlers.includes("getTaskPayload");
}

/**
 * The capability that the side which answers a request declares if the request may become a task.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities
 */
export function taskGate(row: RequestRow, side: Role): Gate {
  return { side, path: ["tasks", "requests", ...row.method.split("/")] };
}

/** The parameters of the task that a request asks to become. */
export function readTaskParams(params: unknown): { readonly ttl: number | undefined } | undefined {
  const task = isObject(params) ? params.task : undefined;
  return isObject(task) ? { ttl: typeof task.ttl === "number" ? task.ttl : undefined } : undefined;
}

/** The params of a request that shall not, or need not, ask for a task. */
export function withoutTask(params: unknown): unknown {
  if (!isObject(params)) return params;
  const { task: _task, ...rest } = params;
  return rest;
}

/** The `_meta` key that ties messages to a task, where the revision has one. */
function findRelatedKey(revision: Revision): string | undefined {
  return revision.reservedMeta.find(({ type }) => type === "RelatedTaskMetadata")?.key;
}

/**
 * Params or a result with the remark that they belong to a task.
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

/** The task that a message belongs to, by its `_meta`. */
export function readRelatedTask(meta: { readonly [key: string]: unknown }, revision: Revision): string | undefined {
  const key = findRelatedKey(revision);
  const related = key === undefined ? undefined : meta[key];
  return isObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}
