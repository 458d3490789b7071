import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { TaskManager } from "./task-manager.ts";
import { withStore } from "./task.ts";

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
