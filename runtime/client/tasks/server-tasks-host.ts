import type { Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import type { Responder } from "../input/input-request.ts";
import type { SessionCallOptions } from "../session/session.ts";
import type { TaskListening } from "./task-notifications.ts";

/** Parts of a session that the tasks of a server use. */
export interface ServerTasksHost {
  readonly clock: Clock | undefined;
  /** Sends the request with this handler name. */
  call(handler: string, params: object, options: SessionCallOptions): Promise<Record<string, unknown>>;
  connection(): ClientConnection;
  /** Returns the handlers of input requests of tasks, where these do not arrive as requests. */
  responder(): Responder;
  /** Source of notifications of task changes. Default: tasks are polled. */
  readonly listening?: Pick<TaskListening, "watch" | "forget" | "isHeard">;
}
