import type { Gate } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { TaskRequest } from "../../tasks/task-request.ts";
import type { ReadExtensionFilter } from "../feature.ts";
import type { ServedHandlers } from "../methods/served-handlers.ts";

/** Kind of tasks run by a server at a revision: tasks of the core, which clients request, or tasks of the extension, on which the server decides. */
export interface ServerTaskProtocol {
  /** Capability without which no call of a tool becomes a task. */
  readonly gate: Gate;
  /** Handlers of requests about tasks, by handler name. */
  readonly handlers: ServedHandlers;
  /** Reads task ids in subscription requests, where clients subscribe to tasks. */
  readonly listen?: ReadExtensionFilter;
  /**
   * Starts a task for a request. Returns the response that names the task.
   *
   * @throws {RpcError} when the store has no room for another task
   */
  start(call: CallContext, request: TaskRequest): Promise<object>;
}
