import type { RequestRow, Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { checkResult } from "../../protocol/peer/routes.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { readTask } from "../../tasks/task-control.ts";
import { FollowedTask, NoTaskError, type TaskCallOptions } from "../../tasks/task-handle.ts";
import type { AskForTask } from "../feature.ts";
import { readCreatedTask, readTaskParams, taskGate, taskKindOf, withoutTask } from "../../tasks/task.ts";

/** Returns the function to send requests for clients to run as tasks, at revisions where clients have tasks. */
export function createAskForTask(revision: Revision): AskForTask | undefined {
  return taskKindOf(revision) === "core" ? askForTask : undefined;
}

/** Sends a request to be run as a task, if the client can. Otherwise sends a plain request. */
function askForTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const { signal, session } = call;
  // A task that waits for its requestor sends its requests through that wait. A second task would have no requestor to report to.
  const isPossible = !readTask(call) && isOpen(taskGate(row, "client"), session);
  return isPossible ? followTask(call, row, params) : call.request(row, withoutTask(params), { signal });
}

async function followTask(call: CallContext, row: RequestRow, params: object): Promise<unknown> {
  const ended = new AbortController();
  const response = await call.request(row, params, { taskEnded: ended.signal });
  // A client that returns a final result instead of a task has already done the work.
  if (readTaskParams(response) === undefined) return response;
  const created = readCreatedTask(response);
  if (!created) throw new NoTaskError(row.method, response);
  const task = new FollowedTask<unknown>(created, {
    clock: undefined,
    send: (handler, taskId, options) => send(call, handler, { taskId, options }),
    toResult: (value) => checkResult(row, value, { converter: call.session.converter }),
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
