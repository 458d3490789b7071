import {
  isObject,
  type EmbeddedRow,
  type Progress,
  type RequestRow,
  type Revision,
  type Table,
} from "../../../generated/support.ts";
import { findRequestRow, type ClientRequestName } from "../../client/session/requests.ts";
import { SessionTasks } from "../../client/tasks/session-tasks.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { RpcError, errorCodes, methodNotFound } from "../../jsonrpc/errors.ts";
import type { TaskHandle } from "../../tasks/task-handle.ts";
import { readTask } from "../../tasks/call-scope.ts";
import { withRelatedTask, type TaskState } from "../../tasks/task.ts";
import { toEmbedded, toForwarded, withoutInputRequired } from "../convert-messages.ts";
import type { Listener, Upstream } from "../upstream/upstream.ts";

/**
 * Task of the server that runs a call of the gateway's client. The kinds of tasks may differ on both sides. Requests of the server in
 * between go to the client. The result of the task is the result of the call.
 */
export class RelayedTask implements Listener {
  /** State in which the server named the task. */
  readonly started: TaskState;
  readonly #upstream: Upstream;
  readonly #tasks: SessionTasks;
  readonly #ended: AbortController | undefined;
  /** Resolves when the task no longer needs its connection. */
  readonly over: Promise<void>;
  readonly #leave: () => void;
  readonly #during: Promise<CallContext>;
  #attach: (during: CallContext) => void = () => {};
  #isOver = false;

  /** @param ended - aborted when nothing more is expected of the request which became the task */
  constructor(upstream: Upstream, started: TaskState, ended?: AbortController) {
    this.#upstream = upstream;
    this.started = started;
    this.#ended = ended;
    this.#during = new Promise((resolve) => (this.#attach = resolve));
    const leave = upstream.hearTask(started.taskId, this);
    let end: () => void = () => {};
    this.over = new Promise((resolve) => (end = resolve));
    this.#leave = () => {
      leave();
      end();
    };
    const { connection } = upstream;
    this.#tasks = new SessionTasks({
      clock: undefined,
      connection: () => connection,
      isEnded: () => connection.state === "DISCONNECTED",
      responder: () => ({ connection, handlers: this.#createHandlers() }),
      call: (handler, params, options) => this.#send(handler, params, options),
    });
  }

  /** Follows the task to its end. Aborting the call cancels the task. */
  async run(during: CallContext): Promise<unknown> {
    this.#attach(during);
    const followed = this.#tasks.follow(this.started, toObject, this.#ended);
    const giveUp = (): void => void followed.cancel().catch(() => {});
    during.signal.addEventListener("abort", giveUp, { once: true });
    if (during.signal.aborted) giveUp();
    void this.#explain(followed, during);
    try {
      const { revision } = this.#upstream;
      return toForwarded(withoutInputRequired(await followed.result({ signal: during.signal }), revision), revision);
    } catch (error) {
      const { status } = await followed.status().catch(() => this.started);
      if (status !== "cancelled" || during.signal.aborted) throw error;
      throw new RpcError(errorCodes.internalError, "The server cancelled the task");
    } finally {
      during.signal.removeEventListener("abort", giveUp);
      this.#isOver = true;
      this.#leave();
    }
  }

  /** Cancels the task, which no call will follow. */
  async abandon(): Promise<void> {
    this.#ended?.abort();
    await this.#send("cancelTask", { taskId: this.started.taskId }, {}).catch(() => {});
    this.#leave();
  }

  /** Reports progress to the call which follows the task. */
  report(progress: Progress): void {
    void this.#during.then((during) => during.progress(progress));
  }

  /** Sends a request of the server to the client. Both the request and the response belong to the task. */
  async ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const { revision } = this.#upstream;
    const response = await put(await this.#during, { method, params: toForwarded(params, revision), signal });
    return withRelatedTask(toForwarded(response, revision), revision, this.started.taskId);
  }

  notify(handler: string, params: object): void {
    if (handler === "taskStatus") return this.#tasks.wake(this.started.taskId);
    void this.#during.then((during) => {
      const row = findRow(during.revision.serverNotifications, handler);
      if (handler === "loggingMessage" && row)
        during.notify(row, toForwarded(params, this.#upstream.revision)).catch(() => {});
    });
  }

  closed(): void {
    this.#tasks.wakeAll();
  }

  async #send(
    handler: ClientRequestName,
    params: object | undefined,
    { signal }: RequestOptions = {},
  ): Promise<Record<string, unknown>> {
    const { connection, revision } = this.#upstream;
    const row = findRequestRow(revision, handler);
    if (!row || (this.#isOver && handler !== "cancelTask")) throw methodNotFound(handler);
    // The result of a task arrives when the task has ended.
    const isWait = handler === "getTaskPayload";
    const options = { ...(signal && { signal }), ...(isWait && { timeout: Infinity }) };
    return toObject(await connection.request(row, params, options));
  }

  /** Creates handlers for input requests inside of the task; they work like those for requests of the server. */
  #createHandlers(): object {
    const rows = Object.values(this.#upstream.revision.embeddedRequests);
    const response =
      ({ method }: EmbeddedRow) =>
      async (params: unknown, { signal }: CallContext): Promise<unknown> =>
        toBare(await put(await this.#during, { method, params: toObject(params), signal }));
    return Object.fromEntries(rows.map((row) => [row.handler, response(row)]));
  }

  /** Passes on the status messages of the server. */
  async #explain(followed: TaskHandle, during: CallContext): Promise<void> {
    const control = readTask(during);
    if (!control) return;
    let last = this.started.statusMessage;
    try {
      for await (const { statusMessage } of followed.updates) {
        if (statusMessage === undefined || statusMessage === last) continue;
        last = statusMessage;
        await control.status(statusMessage);
      }
    } catch {
      // The caller that waits for the result receives this error.
    }
  }
}

/** Sends a request to the client, as a message or inside of the task. */
function put(
  during: CallContext,
  { method, params, signal }: { readonly method: string; readonly params: object; readonly signal: AbortSignal },
): Promise<unknown> {
  const { revision } = during;
  const row = findMethod(inputRequestsOf(revision), method);
  if (!row) return Promise.reject(methodNotFound(method));
  const isEmbedded = row.kind === "embedded";
  return during.request({ ...row, kind: "request" }, isEmbedded ? toEmbedded(params) : params, { signal });
}

function inputRequestsOf({ embeddedRequests, serverRequests }: Revision): Table<RequestRow | EmbeddedRow> {
  return { ...embeddedRequests, ...serverRequests };
}

function toBare(response: unknown): object {
  const { _meta, ...rest } = toObject(response);
  return rest;
}

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
