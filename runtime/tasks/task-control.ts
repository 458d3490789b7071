import type { CallContext } from "../protocol/incoming-call.ts";

/** What a handler learns about the task that its request has become. */
export interface TaskControl {
  readonly id: string;
  /** Tells people how far the task is. */
  status(message: string): Promise<void>;
}

/** A call that has become a task. */
export interface TaskContext extends CallContext {
  readonly task: TaskControl;
}

/** The task that a call has become, if it has. */
export function readTask(call: CallContext): TaskControl | undefined {
  return isTaskContext(call) ? call.task : undefined;
}

function isTaskContext(call: CallContext): call is TaskContext {
  return "task" in call;
}
