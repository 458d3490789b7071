import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import type { ClientConnection } from "../../client/connect.ts";
import type { ConnectionFactory } from "../../client/connection-factory.ts";
import { withFreshHeaders } from "../../client/connection/fresh-headers.ts";
import { inLaterTurn } from "../../internal/timers.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import { SharedPromise } from "../../internal/shared-promise.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { MessageMiddleware } from "../../protocol/peer/message-middleware.ts";
import type { Telemetry } from "../../protocol/session/telemetry.ts";
import { isPeerError, methodNotFound, toError } from "../../jsonrpc/errors.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { readRelatedTask } from "../../tasks/task.ts";
import { isDiscoverRejection } from "../../lifecycle/discover-client.ts";
import { isHttpError } from "../../transport/http-client/errors.ts";
import { readStreamOrigin } from "../../transport/http-client/stream-origin.ts";
import type { Principal } from "../principal.ts";
import { omitDeepTools } from "./deep-tools.ts";
import { ownRequest, ownTimeout } from "./own-request.ts";
import { ToolList } from "./tool-list.ts";
import { UpstreamSubscriptions } from "./upstream-subscriptions.ts";
import { toServerCapabilitiesOf, withoutInputRequired } from "../convert-messages.ts";

/** Receiver of the server's requests and notifications. */
export interface Listener {
  /**
   * Sends a request to the client. Rejects if no client can receive it.
   *
   * @param related - id of the related request to the server, where the transport says so
   */
  ask(method: string, params: object, signal: AbortSignal, related?: RequestId): Promise<unknown>;
  /** Receives a notification of the server, by handler name. */
  notify(handler: string, params: object): void;
  /** Called when the connection to the server has ended, while the listener hears of a task. */
  closed?(): void;
  /** Called when the server no longer notifies of a subscribed resource. */
  unsubscribed?(uri: string): void;
}

/** Options of connections to the server. */
export interface UpstreamOptions {
  readonly open: ConnectionFactory;
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  readonly telemetry: Telemetry | undefined;
  readonly middleware?: readonly MessageMiddleware[] | undefined;
  /** Milliseconds without a response or progress after which a request of a client fails. */
  readonly idleTimeout: number;
  /** Maximum levels of a message with a tool, to be passed on. */
  readonly maxDepth: number;
  /** Maximum number of subscribed resources of one connection. Default 1000, as for sessions of servers of this package. */
  readonly maxSubscriptions?: number;
  /** Aborted when no further connection may be opened. */
  readonly signal: AbortSignal;
  /** Called when a response suggests that the server no longer serves stateless requests. */
  onMismatch?(): void;
}

/** Connection to the server behind the gateway, on behalf of one client at a time. */
export class Upstream {
  readonly connection: ClientConnection;
  readonly subscriptions: UpstreamSubscriptions;
  /** Least severe level for the server to log, where each request names it. */
  readonly #level: { value: string | undefined };
  readonly #tasks: Map<string, Listener>;
  readonly #options: Pick<UpstreamOptions, "maxDepth" | "onError" | "onMismatch">;
  /** Timeouts of a client's requests: the server may take as long as the client waits, unless it falls silent. */
  readonly #requestOptions: RequestOptions;
  #checking: Promise<void> | undefined;
  /** Settles when the level is not being set. */
  #settingLevel: Promise<unknown> = Promise.resolve();

  private constructor(connection: ClientConnection, { level, tasks, options, listener }: Keeping) {
    this.connection = connection;
    void connection.closed.then(() => {
      for (const task of tasks.values()) task.closed?.();
    });
    this.subscriptions = new UpstreamSubscriptions(connection, {
      maxSubscriptions: options.maxSubscriptions ?? 1_000,
      send: (row, params, requestOptions) => this.send(row, params, requestOptions),
      notify: (handler, params) => listener()?.notify(handler, params),
      unsubscribed: (uri) => listener()?.unsubscribed?.(uri),
    });
    this.#options = options;
    this.#level = level;
    this.#tasks = tasks;
    this.#requestOptions = { timeout: options.idleTimeout, totalTimeout: Infinity };
  }

  /** Connects. Later messages of the server go to the listener which `listener` returns then. */
  static async open(
    options: UpstreamOptions,
    principal: Principal,
    listener: () => Listener | undefined,
  ): Promise<Upstream> {
    const { open, revisions, onError, telemetry, middleware, signal } = options;
    const level: { value: string | undefined } = { value: undefined };
    const tasks = new Map<string, Listener>();
    const holder: { upstream?: Upstream } = {};
    const connection = await open({
      info: principal.info,
      revisions,
      capabilities: (revision) => toServerCapabilitiesOf(principal, revision),
      handlers: (revision) => ({
        ...createResponders(revision, { tasks, listener }),
        subscriptionsAcknowledged(params: unknown) {
          if (!holder.upstream?.subscriptions.acknowledge(params))
            listener()?.notify("subscriptionsAcknowledged", toObject(params));
        },
        cancelled(params: unknown) {
          holder.upstream?.subscriptions.cancelled(params);
          listener()?.notify("cancelled", toObject(params));
        },
      }),
      logLevel: () => level.value,
      onError,
      ...(telemetry && { telemetry }),
      ...(middleware && { middleware }),
      signal,
      // The client responds to requests of the server, however long that takes.
      timeouts: { request: ownTimeout, total: Infinity, handler: Infinity },
      onNewSession: () => void holder.upstream?.renew(),
      onNotificationsOpened: () => holder.upstream?.subscriptions.opened(),
      onNotificationsLost: (reason) => void holder.upstream?.subscriptions.lose(reason),
    });
    const upstream = new Upstream(connection, { level, tasks, options, listener });
    holder.upstream = upstream;
    await upstream.#learnHeaders(signal).catch((thrown: unknown) => {
      if (upstream.connection.state === "DISCONNECTED") throw thrown;
      // Tools that cannot be listed may still be called.
      onError({ kind: "protocol", error: toError(thrown) });
    });
    return upstream;
  }

  get revision(): Revision {
    return this.connection.revision;
  }

  /** Sends a request of a client. Rejects if the server's revision does not have the method. */
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const row = findMethod(this.revision.clientRequests, method);
    return row ? this.send(row, params, options) : Promise.reject(methodNotFound(method));
  }

  /** Sends a request by its row in the server's revision. */
  async send(row: RequestRow, params: unknown, options: RequestOptions): Promise<unknown> {
    const send = (): Promise<unknown> => this.connection.request(row, params, { ...this.#requestOptions, ...options });
    const { revision } = this;
    const list = (): Promise<void> => this.#learnHeaders(options.signal);
    const sent = row.handler === "callTool" ? withFreshHeaders(send, { revision, list }) : send();
    const result = await sent.catch((error: unknown) => {
      if (this.#isMismatch(error)) this.#reportMismatch();
      throw error;
    });
    return row.handler === "listTools" ? this.#showTools(result) : withoutInputRequired(result, this.revision);
  }

  #showTools(result: unknown): unknown {
    const { maxDepth, onError } = this.#options;
    const shown = omitDeepTools(result, maxDepth);
    for (const name of shown.leftOut) {
      const error = new Error(
        `The tool ${JSON.stringify(name)} is omitted; it is nested deeper than ${maxDepth} levels`,
      );
      onError({ kind: "protocol", method: "tools/list", error });
    }
    return shown.result;
  }

  /** Closes a connection without a session if the server no longer serves its revision. It is then opened again. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** True if it is not known whether the server still serves the revision of this connection. */
  get isChecking(): boolean {
    return this.#checking !== undefined;
  }

  #reportMismatch(): void {
    void this.check();
    this.#options.onMismatch?.();
  }

  async #check(): Promise<void> {
    const row = findRow(this.revision.clientRequests, "discover");
    if (!row) return;
    const failure = await this.connection.request(row, {}, { timeout: ownTimeout }).then(() => undefined, toError);
    if (this.#isMismatch(failure)) await this.close();
  }

  /** True if a server rejected a stateless request as servers with sessions do: with an HTTP status, and without a response to the request. */
  #isMismatch(error: unknown): boolean {
    return this.revision.lifecycle === "per-request" && isHttpError(error) && isDiscoverRejection(error);
  }

  /** Sends messages related to a task of the server to a listener, until the returned function is called. */
  hearTask(taskId: string, listener: Listener): () => void {
    this.#tasks.set(taskId, listener);
    return () => void this.#tasks.delete(taskId);
  }

  /** Sets the least severe level for the server to log on this connection. */
  async setLevel(level: string | undefined, options: RequestOptions): Promise<void> {
    const row = findRow(this.revision.clientRequests, "setLevel");
    if (!row || level === undefined || this.connection.serverCapabilities.logging === undefined) {
      this.#level.value = level;
      return;
    }
    const earlier = this.#settingLevel;
    const setting = new SharedPromise(earlier).wait(options.signal).then(() => this.#sendLevel(row, level, options));
    // A caller that stops waiting must not let the next one overtake those before it.
    this.#settingLevel = Promise.allSettled([earlier, setting]);
    await setting;
  }

  async #sendLevel(row: RequestRow, level: string, options: RequestOptions): Promise<void> {
    const before = this.#level.value;
    if (level === before) return;
    // Without a response the level is unknown: the next request that names it sets it again.
    this.#level.value = undefined;
    try {
      await this.send(row, { level }, options);
      this.#level.value = level;
    } catch (error) {
      if (isPeerError(error)) this.#level.value = before;
      throw error;
    }
  }

  /** Restores what the server has lost with the session. If the server rejects it, the connection can still be used. */
  async renew(): Promise<void> {
    const level = this.#level.value;
    this.#level.value = undefined;
    await this.setLevel(level, ownRequest).catch(() => {});
    await this.subscriptions.renew();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Lists all tools, because over HTTP their arguments may have to be repeated in headers: the lists say which. */
  async #learnHeaders(signal: AbortSignal | undefined): Promise<void> {
    if (this.revision.lifecycle !== "per-request") return;
    await new ToolList(() => this.connection).read(signal && { signal });
  }
}

/** State of a connection, apart from the connection itself. */
interface Keeping {
  readonly level: { value: string | undefined };
  readonly tasks: Map<string, Listener>;
  readonly options: UpstreamOptions;
  listener(): Listener | undefined;
}

/** Listeners to the messages of a server. */
interface Listeners {
  /** Listeners by the task of a message. */
  readonly tasks: ReadonlyMap<string, Listener>;
  listener(): Listener | undefined;
}

/** Creates handlers to pass on all requests and notifications of a server. */
function createResponders(revision: Revision, { tasks, listener }: Listeners): object {
  const inputRequests = Object.values(revision.serverRequests).filter(({ handler }) => handler !== "ping");
  const notices = Object.values(revision.serverNotifications);
  const find = (taskId: string | undefined): Listener | undefined =>
    (taskId === undefined ? undefined : tasks.get(taskId)) ?? listener();
  const ask =
    ({ method }: RequestRow) =>
    async (params: unknown, { meta, signal, origin }: CallContext): Promise<unknown> => {
      const taskId = readRelatedTask(meta, revision);
      // The response that starts the task may be in the same chunk. The code that waits for it registers the task in a moment.
      if (taskId !== undefined && !tasks.has(taskId)) await new Promise<void>(inLaterTurn);
      const target = find(taskId);
      if (!target) throw methodNotFound(method);
      return target.ask(method, toObject(params), signal, readStreamOrigin(origin));
    };
  const notify =
    (handler: string) =>
    (params: unknown): void =>
      find(readTaskId(handler, params, revision))?.notify(handler, toObject(params));
  return Object.fromEntries([
    ...inputRequests.map((row) => [row.handler, ask(row)]),
    ...notices.map(({ handler }) => [handler, notify(handler)]),
  ]);
}

/** Returns the task of a notification: it is about this task, or belongs to it. */
function readTaskId(handler: string, params: unknown, revision: Revision): string | undefined {
  const { taskId, _meta } = isObject(params) ? params : {};
  if (handler === "taskStatus") return typeof taskId === "string" ? taskId : undefined;
  return readRelatedTask(isObject(_meta) ? _meta : {}, revision);
}

function toObject(params: unknown): object {
  return isObject(params) ? params : {};
}
