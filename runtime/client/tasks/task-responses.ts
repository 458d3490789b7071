import type { Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";
import type { TaskManager } from "../../tasks/task-manager.ts";
import { readRelatedTask, readTaskParams, taskGate, withRelatedTask, withoutTask } from "../../tasks/task.ts";

/** Handles a request of the server and returns the result. */
export type RespondFunction = (params: unknown, call: CallContext) => unknown;

/** Runs a request of the server as a task, where tasks were declared; otherwise the server's wish for one is ignored. */
export function respondAsTask(
  handler: string,
  response: RespondFunction,
  { revision, tasks }: { readonly revision: Revision; readonly tasks: TaskManager },
): RespondFunction {
  const row = findRow(revision.serverRequests, handler);
  const plain = relateToTask(response);
  if (!row) return plain;
  const gate = taskGate(row, "client");
  return (params, call) => {
    const requested = isOpen(gate, call.session) ? readTaskParams(params) : undefined;
    if (!requested) return plain(params, call);
    const work = (during: CallContext): unknown => plain(withoutTask(params), during);
    return tasks.start(call, { row, ttl: requested.ttl, taskOptions: {}, work });
  };
}

/**
 * If a request belongs to a task of the server, marks its result as belonging to this task too.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
 */
export function relateToTask(response: RespondFunction): RespondFunction {
  return (params, call) => {
    const taskId = readRelatedTask(call.meta, call.revision);
    if (taskId === undefined) return response(params, call);
    return Promise.resolve(response(params, call)).then((result) => withRelatedTask(result, call.revision, taskId));
  };
}
