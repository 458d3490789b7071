import type { RequestRow } from "../../../generated/support.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { checkResult } from "../../protocol/routes.ts";
import { isOpen } from "../../protocol/session.ts";
import { readTask } from "../../tasks/task-control.ts";
import { FollowedTask, readCreatedTask, type TaskCallOptions } from "../../tasks/task-handle.ts";
import { knowsTasks, readTaskParams, taskGate, withoutTask } from "../../tasks/task.ts";

/** Sends a request that the client runs as a task if it can. Otherwise sends a plain request. */
export function askForTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const { signal, session, revision } = call;
  // A task that waits for its requestor sends its requests through that wait. A second task would have no requestor to report to.
  const isPossible = knowsTasks(revision) && !readTask(call) && isOpen(taskGate(row, "client"), session);
  return isPossible ? followTask(call, row, params) : call.request(row, withoutTask(params), { signal });
}

async function followTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const ended = new AbortController();
  const response = await call.request(row, params, { taskEnded: ended.signal });
  // A client that returns a final result instead of a task has already done the work.
  if (readTaskParams(response) === undefined) return response;
  const task = new FollowedTask<unknown>(readCreatedTask(row.method, response), {
    clock: undefined,
    send: (handler, taskId, options) => send(call, handler, { taskId, options }),
    toResult: (value) => checkResult(row, value),
    ended: () => ended.abort(),
  });
  try {
    return await task.result({ signal: call.signal });
  } catch (error) {
    // The call may have been cancelled before the task began.
    if (call.signal.aborted) task.cancel().catch(() => {});
    throw error;
  }
}

function send(
  call: CallContext,
  handler: string,
  { taskId, options }: { readonly taskId: string; readonly options: TaskCallOptions },
): Promise<unknown> {
  const row = findRow(call.revision.serverRequests, handler);
  if (!row) return Promise.reject(new Error(`Revision ${call.revision.id} has no ${handler} requests`));
  return call.request(row, { taskId }, options);
}
