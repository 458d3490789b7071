import { shorten } from "../internal/shorten.ts";
import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import { EngineError } from "../stores/engine.ts";
import type { TaskChange, TaskRecord } from "../stores/task-store.ts";

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

/** Returns the end of a task, when this node cannot complete it. */
export function toFailed(message: string): Omit<TaskChange, "updatedAt"> & Pick<TaskRecord, "status"> {
  const error = { code: errorCodes.internalError, message };
  return { status: "failed", statusMessage: message, outcome: { kind: "error", error } };
}
