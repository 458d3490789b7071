/** Tasks: control for handlers, handles for callers, and options. */
export type { PreparedToolTask, ToolTask, ToolTaskOptions } from "../server/definition.ts";

export type { TaskControl } from "./call-scope.ts";

export { NoTaskError, isNoTaskError } from "./task-handle.ts";
export type { TaskCallOptions, TaskHandle, TaskRequestOptions } from "./task-handle.ts";

export type { TaskOptions } from "./task-options.ts";

export type { TaskState } from "./task.ts";
