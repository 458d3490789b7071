/**
 * The tasks extension, `io.modelcontextprotocol/tasks`: names and shapes are those of its specification, the comments are our own.
 */
import type {
  Error as JSONRPCErrorObject,
  InputRequests,
  InputResponses,
  JSONRPCNotification,
  JSONRPCRequest,
  NotificationParams,
  Result,
} from "../../2026-07-28/schema.ts";

/**
 * Where a task is. The last three are final.
 *
 * @category `tasks`
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/**
 * What is known of every task.
 *
 * @category `tasks`
 */
export interface Task {
  /**
   * Names the task in requests about it. Whoever knows it may be all that stands between a task and strangers: it cannot be guessed.
   */
  taskId: string;

  status: TaskStatus;

  /**
   * Text for people about the status: how far the work is, what it waits for, or why it ended.
   */
  statusMessage?: string;

  /**
   * When the task began, in ISO 8601.
   */
  createdAt: string;

  /**
   * When it last changed, in ISO 8601.
   */
  lastUpdatedAt: string;

  /**
   * Milliseconds from its creation after which the server may forget it; `null` if it does not forget it. May change.
   *
   * @nullable
   */
  ttlMs: number | null;

  /**
   * Milliseconds that a client should wait between two questions for the task. May change.
   */
  pollIntervalMs?: number;
}

/**
 * A task that is being worked on.
 *
 * @category `tasks`
 */
export interface WorkingTask extends Task {
  status: "working";
}

/**
 * A task that cannot go on before the client has answered.
 *
 * @category `tasks`
 */
export interface InputRequiredTask extends Task {
  status: "input_required";

  /**
   * Every question that waits for an answer. A key is never used for another question of the same task.
   */
  inputRequests: InputRequests;
}

/**
 * A task whose request has been answered.
 *
 * @category `tasks`
 */
export interface CompletedTask extends Task {
  status: "completed";

  /**
   * What the request would have been answered with. A tool that tells of its failure has completed all the same.
   */
  result: { [key: string]: unknown };
}

/**
 * A task whose request ended in an error of the protocol.
 *
 * @category `tasks`
 */
export interface FailedTask extends Task {
  status: "failed";

  /**
   * The error that the request would have been answered with.
   */
  error: JSONRPCErrorObject;
}

/**
 * A task that was called off before it was done.
 *
 * @category `tasks`
 */
export interface CancelledTask extends Task {
  status: "cancelled";
}

/**
 * A task with what belongs to its status: questions, the result, or the error.
 *
 * @category `tasks`
 */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask;

/**
 * Answers a request that goes on as a task. Sent only when the task can be asked for.
 *
 * @category `tasks`
 */
export interface CreateTaskResult extends Result, Task {
  resultType: "task";
}

/**
 * Asks where a task is.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";
  params: {
    /**
     * The task that is asked for.
     */
    taskId: string;
  };
}

/**
 * Says where a task is.
 *
 * @category `tasks/get`
 */
export type GetTaskResult = Result & DetailedTask & { resultType: "complete" };

/**
 * Answers questions of a task. Some answers may come now and others later.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskRequest extends JSONRPCRequest {
  method: "tasks/update";
  params: {
    /**
     * The task that asks.
     */
    taskId: string;

    /**
     * Answers by the keys of their questions. Those that nobody waits for are ignored.
     */
    inputResponses: InputResponses;
  };
}

/**
 * Acknowledges answers. What they lead to is seen in the task, and not at once.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskResult extends Result {
  resultType: "complete";
}

/**
 * Asks that a task be called off. It may end otherwise all the same.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: "tasks/cancel";
  params: {
    /**
     * The task that nobody needs any more.
     */
    taskId: string;
  };
}

/**
 * Acknowledges a cancellation.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskResult extends Result {
  resultType: "complete";
}

/**
 * The task as it is now.
 *
 * @category `notifications/tasks`
 */
export type TaskStatusNotificationParams = NotificationParams & DetailedTask;

/**
 * Tells a client that listens for a task that it has changed. Whether it is sent is up to the server.
 *
 * @category `notifications/tasks`
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: "notifications/tasks";
  params: TaskStatusNotificationParams;
}

/**
 * What a request to listen may ask for besides.
 *
 * @category `subscriptions/listen`
 */
export interface TaskSubscriptionNotifications {
  /**
   * Tasks of which the client wants to hear.
   */
  taskIds?: string[];
}

/**
 * What the acknowledgement of such a request says besides.
 *
 * @category `notifications/subscriptions/acknowledged`
 */
export interface TaskSubscriptionAcknowledgedNotifications {
  /**
   * Tasks of which the server will tell.
   */
  taskIds?: string[];
}

/**
 * What either side declares. There is nothing to set yet.
 *
 * @category `tasks`
 */
export interface TasksExtensionCapability {}
