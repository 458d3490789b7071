import type { Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import type { Responder } from "../input/input-request.ts";
import type { SendRequest } from "../session/requests.ts";

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
