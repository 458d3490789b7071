import type { RequestOptions } from "../../protocol/session/request-options.ts";
import { isOpen, type Session } from "../../protocol/session/session.ts";
import { toTaskParams, type TaskPort, type TaskRequestOptions } from "../../tasks/task-handle.ts";
import { readCreatedTask, taskGate, taskKindOf, isTaskState, type TaskState } from "../../tasks/task.ts";
import type { ClientConnection } from "../connect.ts";
import { findRequestRow, type ClientRequestParams, type SendRequest } from "../session/requests.ts";
import type { Responder } from "../input/input-request.ts";
import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import { CapabilityError, PeerError, isPeerError } from "../../jsonrpc/errors.ts";
import { readKnownMember } from "../../protocol/revision/known-members.ts";
import { respondToAll } from "../input/input-required.ts";

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
  toRequest(
    task: TaskRequestOptions["task"],
    ended: AbortSignal,
  ): {
    readonly params: Pick<ClientRequestParams["callTool"], "task">;
    readonly options: Pick<RequestOptions, "taskEnded">;
  };
  /** Returns the task named in the response to such a call, if there is one. */
  readCreated(response: unknown): TaskState | undefined;
  /** Returns the task as which a plain call continues, if its result says so. */
  readContinued(result: unknown): TaskState | undefined;
  /** Creates the part of a handle which sends requests about its task. */
  createPort(host: TaskPortHost): Pick<TaskPort<object>, "send" | "outcome">;
}

/** Parts of a session used to follow one of its tasks. */
export interface TaskPortHost {
  readonly call: SendRequest;
  /** Returns the handlers of input requests of tasks, where these do not arrive as requests. */
  responder(): Responder;
}

/**
 * Returns the protocol of the tasks of a server at a revision. At a revision without tasks, the protocol of the core rejects every request for a
 * task.
 */
export function taskProtocolOf(revision: Revision): ClientTaskProtocol {
  return taskKindOf(revision) === "extension" ? extensionTasks : coreTasks;
}

/**
 * Tasks of the core. The client requests them where servers and tools declare them.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export const coreTasks: ClientTaskProtocol = {
  hasSubscriptions: false,
  isDeclared,
  isRequired: (tool, { revision, session }) => isDeclared(session) && readSupport(tool, revision) === "required",
  requireSupport({ name, listed }, { revision, session }) {
    const row = findToolRow(revision);
    if (!row) throw new Error(`Revision ${revision.id} of the session has no tasks; call "${name}" without a task`);
    const gate = taskGate(row, "server");
    if (!isOpen(gate, session)) throw new CapabilityError("tools/call as a task", gate);
    if (listed && readSupport(listed, revision) === "forbidden") {
      throw new Error(`Tool "${name}" does not declare task support; call it without a task`);
    }
  },
  toRequest: (task, taskEnded) => ({ params: { task: toTaskParams(task) }, options: { taskEnded } }),
  readCreated: readCreatedTask,
  readContinued: () => undefined,
  createPort: (host) => ({ send: (handler, taskId, options) => host.call(handler, { taskId }, options) }),
};

function isDeclared(session: Session): boolean {
  const row = findToolRow(session.revision);
  return row !== undefined && isOpen(taskGate(row, "server"), session);
}

function findToolRow(revision: Revision): RequestRow | undefined {
  return taskKindOf(revision) === "core" ? findRequestRow(revision, "callTool") : undefined;
}

/** Reads `taskSupport`; a missing value means `forbidden`. */
function readSupport(tool: object | undefined, revision: Revision): unknown {
  const execution = readKnownMember(tool, "Tool.execution", revision);
  return isObject(execution) && execution.taskSupport !== undefined ? execution.taskSupport : "forbidden";
}

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
  readonly #host: TaskPortHost;
  readonly #details = new WeakMap<TaskState, Readonly<Record<string, unknown>>>();
  /** Keys of input requests with a response: they are not handled again while the server still lists them. */
  readonly #responded = new Set<string>();
  /** Unsent responses: their handlers need not run again. */
  readonly #kept = new Map<string, unknown>();

  constructor(host: TaskPortHost) {
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
