import type { RequestOptions } from "../../protocol/session/request-options.ts";
import type { Session } from "../../protocol/session/session.ts";
import type { TaskPort, TaskRequestOptions } from "../../tasks/task-handle.ts";
import type { TaskState } from "../../tasks/task.ts";
import type { ClientConnection } from "../connect.ts";
import type { ClientRequestParams, SendRequest } from "../session/requests.ts";
import type { Clock } from "../../internal/timers.ts";
import type { Responder } from "../input/input-request.ts";

/** Kind of tasks of a server: those of the core, which its clients request, or those of the tasks extension, on which the server decides. */
export interface ClientTaskProtocol {
  /** True if a client can subscribe to the changes of its tasks. */
  readonly hasSubscriptions: boolean;
  /** True if the server declares tasks for calls of tools. */
  isDeclared(session: Session): boolean;
  /** True if a tool, as the server lists it, only runs as a task and the client has to request it. */
  isRequired(tool: object | undefined, connection: ClientConnection): boolean;
  /**
   * Checks that a tool may be called as a task.
   *
   * @throws {CapabilityError} when the server declares no tasks for tool calls
   * @throws {Error} when the revision has no tasks, or the tool does not run as one
   */
  requireSupport(
    tool: { readonly name: string; readonly listed: object | undefined },
    connection: ClientConnection,
  ): void;
  /** Returns what the call of a task has in addition to a plain call. */
  toRequest(task: TaskRequestOptions["task"], ended: AbortSignal): TaskRequestParams;
  /** Returns the task named in the response to such a call, if there is one. */
  readCreated(response: unknown): TaskState | undefined;
  /** Returns the task as which a plain call continues, if its result says so. */
  readContinued(result: unknown): TaskState | undefined;
  /** Creates the part of a handle which sends requests about its task. */
  createPort(host: ServerTasksHost): Pick<TaskPort<object>, "send" | "outcome">;
}

/** Additional params and options of a call to become a task. */
export interface TaskRequestParams {
  readonly params: Pick<ClientRequestParams["callTool"], "task">;
  readonly options: Pick<RequestOptions, "taskEnded">;
}

/** Parts of a session used by the tasks of a server. */
export interface ServerTasksHost {
  readonly clock: Clock | undefined;
  readonly call: SendRequest;
  connection(): ClientConnection;
  /** True if the session has ended, or is closing: no call can succeed any more. */
  isEnded(): boolean;
  /** Returns the handlers of input requests of tasks, where these do not arrive as requests. */
  responder(): Responder;
  /** Source of notifications of task changes. Default: tasks are polled. */
  readonly listening?: TaskSubscriptions;
}

/** Subscriptions to changes of tasks. */
export interface TaskSubscriptions {
  /** Called when a caller waits for a task. */
  watch(taskId: string): void;
  /** Called when no caller waits for a task. */
  forget(taskId: string): void;
  /** True if the server has agreed to notify of a task. */
  isHeard(taskId: string): boolean;
}
