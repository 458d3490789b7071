import { isObject } from "../../../generated/support.ts";
import { PeerError, isPeerError } from "../../jsonrpc/errors.ts";
import { isOpen } from "../../protocol/session/session.ts";
import type { TaskPort } from "../../tasks/task-handle.ts";
import { isTaskState, type TaskState } from "../../tasks/task.ts";
import type { Responder } from "../input/input-request.ts";
import { respondToAll } from "../input/input-required.ts";
import { findRequestRow } from "../session/requests.ts";
import type { ClientTaskProtocol, ServerTasksHost } from "./task-protocol.ts";

/**
 * Tasks of the tasks extension. The server decides which calls become tasks, so a call requests nothing.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export const extensionTasks: ClientTaskProtocol = {
  hasSubscriptions: true,
  isDeclared(session) {
    const gate = findRequestRow(session.revision, "getTask")?.gate;
    return gate !== undefined && isOpen(gate, session);
  },
  isRequired: () => false,
  requireSupport() {
    // Every call may become a task.
  },
  toRequest: () => ({ params: {}, options: {} }),
  readCreated: readStartedTask,
  readContinued: readStartedTask,
  createPort(host) {
    const { send, outcome } = new ExtensionTaskPort(host);
    return { send, outcome };
  },
};

/** Returns the task as which a request continues, if its result says so. */
export function readStartedTask(result: unknown): TaskState | undefined {
  return isObject(result) && result.resultType === "task" ? toState(result) : undefined;
}

/**
 * Follows a task of the tasks extension. The status of a task is complete, with the input requests in it. Their responses are sent in separate
 * requests.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
class ExtensionTaskPort implements Pick<TaskPort<object>, "send" | "outcome"> {
  readonly #host: Pick<ServerTasksHost, "call"> & { responder(): Responder };
  readonly #details = new WeakMap<TaskState, Readonly<Record<string, unknown>>>();
  /** Keys of input requests with a response: they are not handled again while the server still lists them. */
  readonly #responded = new Set<string>();
  /** Unsent responses: their handlers need not run again. */
  readonly #kept = new Map<string, unknown>();

  constructor(host: Pick<ServerTasksHost, "call"> & { responder(): Responder }) {
    this.#host = host;
  }

  readonly send: TaskPort<object>["send"] = async (handler, taskId, options) => {
    if (handler === "cancelTask") await this.#host.call("cancelTask", { taskId }, options);
    const detail = await this.#host.call("getTask", { taskId }, options);
    const state = toState(detail);
    if (state) this.#details.set(state, detail);
    return state;
  };

  readonly outcome: NonNullable<TaskPort<object>["outcome"]> = async (task, options) => {
    if (task.status === "working") return undefined;
    const detail = this.#details.get(task) ?? (await this.#host.call("getTask", { taskId: task.taskId }, options));
    const { status, result, error, inputRequests } = detail;
    if (status === "completed") return { value: result };
    if (status === "cancelled") throw new Error(`The task was cancelled and has no result: ${task.taskId}`);
    if (status === "failed") throw toPeerError(error);
    if (isObject(inputRequests)) await this.#respond(task.taskId, inputRequests, { detail, signal: options.signal });
    return undefined;
  };

  /** Runs the same handlers as for input requests in a result, by the same rules. */
  async #respond(
    taskId: string,
    requests: Readonly<Record<string, unknown>>,
    { detail, signal }: { readonly detail: object; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const open = Object.entries(requests).filter(([key]) => !this.#responded.has(key));
    if (open.length === 0) return;
    const respondOptions = { responder: this.#host.responder(), options: { signal } };
    const asked = open.filter(([key]) => !this.#kept.has(key));
    const responses = await respondToAll(Object.fromEntries(asked), detail, respondOptions);
    for (const [key, response] of Object.entries(responses)) this.#kept.set(key, response);
    const inputResponses = Object.fromEntries(open.map(([key]) => [key, this.#kept.get(key)]));
    try {
      await this.#host.call("updateTask", { taskId, inputResponses }, signal ? { signal } : {});
    } catch (error) {
      // The server rejected these responses, so the handlers have to run again.
      if (isPeerError(error)) this.#kept.clear();
      throw error;
    }
    this.#kept.clear();
    for (const [key] of open) this.#responded.add(key);
  }
}

function toState({ ttlMs, pollIntervalMs, ...members }: Readonly<Record<string, unknown>>): TaskState | undefined {
  if (!isTaskState(members)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = members;
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttl: typeof ttlMs === "number" ? ttlMs : null,
    ...(typeof pollIntervalMs === "number" && { pollInterval: pollIntervalMs }),
  };
}

function toPeerError(error: unknown): PeerError {
  const { code, message, data } = isObject(error) ? error : {};
  return new PeerError({
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "The task failed",
    ...(data !== undefined && { data }),
  });
}
