import type { RequestRow } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { TaskManager } from "./task-manager.ts";
import { withStore } from "./task-errors.ts";
import type { RequestTaskOptions } from "./task-options.ts";
import { readTaskParams, withoutTask } from "./task.ts";

/** Handlers of requests about tasks, by handler name. */
export interface TaskHandlers {
  readonly getTask: (params: TaskParams, call: CallContext) => Promise<object>;
  readonly getTaskPayload: (params: TaskParams, call: CallContext) => Promise<object>;
  readonly cancelTask: (params: TaskParams, call: CallContext) => Promise<object>;
  readonly listTasks: (params: { readonly cursor?: string } | undefined, call: CallContext) => Promise<object>;
}

/** Params with the id of a task. */
export interface TaskParams {
  readonly taskId: string;
}

/** Creates the handlers of requests about tasks for a task manager. */
export function createTaskHandlers(tasks: TaskManager): TaskHandlers {
  return {
    getTask: ({ taskId }, call) => withStore(() => tasks.get(call, taskId)),
    getTaskPayload: ({ taskId }, call) => withStore(() => tasks.result(call, taskId)),
    cancelTask: ({ taskId }, call) => withStore(() => tasks.cancel(call, taskId)),
    listTasks: (params, call) => withStore(() => tasks.list(call, params?.cursor)),
  };
}

/** Wraps a handler: its requests run as tasks if the requestor wants them to. */
export function allowTask(
  row: RequestRow,
  { tasks, taskOptions }: { readonly tasks: TaskManager; readonly taskOptions: RequestTaskOptions },
  response: (params: unknown, call: CallContext) => unknown,
): (params: unknown, call: CallContext) => unknown {
  return (params, call) => {
    const asked = readTaskParams(params);
    if (!asked) return response(params, call);
    return tasks.start(call, {
      row,
      ttl: asked.ttl,
      taskOptions,
      work: (during) => response(withoutTask(params), during),
    });
  };
}
