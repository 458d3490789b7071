import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import type { ClientConnection } from "../../client/connect.ts";
import { ListenStream } from "../../client/subscriptions/listen-stream.ts";
import type { ConnectionFactory } from "../../client/connection-factory.ts";
import { withFreshHeaders } from "../../client/connection/fresh-headers.ts";
import type { ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import type { Telemetry } from "../../protocol/session/telemetry.ts";
import { isPeerError, methodNotFound, toError } from "../../jsonrpc/errors.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import { readRelatedTask } from "../../tasks/task.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";
import type { Principal } from "../principal.ts";
import { omitDeepTools } from "./deep-tools.ts";
import { LostNotifications } from "./lost-notifications.ts";
import { ToolList } from "./tool-list.ts";
import { toServerCapabilitiesOf, withoutInputRequired } from "../convert-messages.ts";

/** Receiver of the server's requests and notifications. */
export interface Listener {
  /** Sends a request to the client. Rejects if no client can receive it. */
  ask(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Receives a notification of the server, by handler name. */
  notify(handler: string, params: object): void;
  /** Called when the connection to the server has ended, while the listener hears of a task. */
  closed?(): void;
}

/** Options of connections to the server. */
export interface UpstreamOptions {
  readonly open: ConnectionFactory;
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  readonly telemetry: Telemetry | undefined;
  /** Milliseconds without a response or progress after which a request of a client fails. */
  readonly idleTimeout: number;
  /** Maximum levels of a message with a tool that is passed on. */
  readonly maxDepth: number;
  /** Aborted when no further connection may be opened. */
  readonly signal: AbortSignal;
}

/** Connection to the server behind the gateway, on behalf of one client at a time. */
export class Upstream {
  readonly connection: ClientConnection;
  /** Least severe level that the server logs, where each request names it. */
  readonly #level: { value: string | undefined };
  readonly #uris = new Set<string>();
  readonly #tasks: Map<string, Listener>;
  readonly #options: Pick<UpstreamOptions, "maxDepth" | "onError">;
  /** Timeouts of a client's requests: the server may take as long as the client waits, unless it falls silent. */
  readonly #requestOptions: RequestOptions;
  /** Returns the receiver of messages that belong to no task. */
  readonly #listener: () => Listener | undefined;
  readonly #lost: LostNotifications;
  #listening: ListenStream | undefined;

  private constructor(connection: ClientConnection, { level, tasks, options, listener }: Keeping) {
    this.connection = connection;
    this.#listener = listener;
    const ended = new AbortController();
    void connection.closed.then(() => {
      ended.abort();
      for (const task of tasks.values()) task.closed?.();
    });
    this.#lost = new LostNotifications({
      ended: ended.signal,
      open: () => this.#listenAgain(),
      onRestored: () => this.#reportChanges(),
    });
    this.#options = options;
    this.#level = level;
    this.#tasks = tasks;
    this.#requestOptions = { timeout: options.idleTimeout, totalTimeout: Infinity };
  }

  /** Connects. Later messages of the server go to the listener that `listener` returns at that time. */
  static async open(
    options: UpstreamOptions,
    principal: Principal,
    listener: () => Listener | undefined,
  ): Promise<Upstream> {
    const { open, revisions, onError, telemetry, signal } = options;
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
          if (!holder.upstream?.acknowledge(params)) listener()?.notify("subscriptionsAcknowledged", toObject(params));
        },
      }),
      logLevel: () => level.value,
      onError,
      ...(telemetry && { telemetry }),
      signal,
      // The client responds to requests of the server, however long that takes.
      timeouts: { request: ownTimeout, total: Infinity, handler: Infinity },
      onNewSession: () => void holder.upstream?.renew(),
      onNotificationsLost: (reason) => void holder.upstream?.loseNotifications(reason),
    });
    const upstream = new Upstream(connection, { level, tasks, options, listener });
    holder.upstream = upstream;
    // Not awaited: a client that connects has not requested anything yet that could change.
    void upstream.#listen();
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
    const result = await (row.handler === "callTool" ? withFreshHeaders(send, { revision, list }) : send());
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

  /** Sends messages that belong to a task of the server to a listener, until the returned function is called. */
  hearTask(taskId: string, listener: Listener): () => void {
    this.#tasks.set(taskId, listener);
    return () => void this.#tasks.delete(taskId);
  }

  /** Sets the least severe level that the server logs on this connection. */
  async setLevel(level: string | undefined): Promise<void> {
    const row = findRow(this.revision.clientRequests, "setLevel");
    const isNew = this.#level.value !== level;
    this.#level.value = level;
    if (row && level !== undefined && isNew && this.connection.serverCapabilities.logging !== undefined)
      await this.send(row, { level }, {});
  }

  /** Subscribes to a resource, and again whenever the session is renewed. */
  async subscribe(uri: string): Promise<unknown> {
    const isNew = !this.#uris.has(uri);
    this.#uris.add(uri);
    try {
      return await this.#subscribe("subscribe", uri);
    } catch (error) {
      if (isNew && isPeerError(error)) this.#uris.delete(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): Promise<unknown> {
    this.#uris.delete(uri);
    return this.#subscribe("unsubscribe", uri);
  }

  /** Handles an acknowledgement of the server. Returns `false` if it is not for the subscription of this connection. */
  acknowledge(params: unknown): boolean {
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const tag = readMetaKeys(this.revision).subscription;
    if (tag === undefined || !this.#listening?.is(meta[tag])) return false;
    this.#listening.accept(params);
    return true;
  }

  /** Restores what the server has lost with the session. A server that rejects it can still be used. */
  async renew(): Promise<void> {
    const level = this.#level.value;
    this.#level.value = undefined;
    await this.setLevel(level).catch(() => {});
    for (const uri of this.#uris) await this.#subscribe("subscribe", uri).catch(() => {});
    this.#reportChanges();
  }

  /** Restores notifications that the transport has lost. A server that does not offer the stream for them will not offer it later. */
  loseNotifications(reason: Error | undefined): void {
    if (isPassing(reason)) this.#lost.restore();
  }

  close(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    listening?.end();
    return this.connection.close();
  }

  async #subscribe(handler: string, uri: string): Promise<unknown> {
    const row = findRow(this.revision.clientRequests, handler);
    if (row) return this.send(row, { uri }, {});
    const rejection = await this.#listen();
    if (isPeerError(rejection) && handler === "subscribe") throw rejection;
    return {};
  }

  /**
   * Opens a subscription to all changes that the server announces, at revisions where they need one. Settles when the server has acknowledged
   * it: no change after that is missed. Resolves to the reason if there is no such subscription; the one before stays then, and the server can
   * still be used.
   */
  async #listen(): Promise<Error | undefined> {
    const row = findRow(this.revision.clientRequests, "subscriptionsListen");
    if (!row) return undefined;
    const filter = this.#toFilter();
    const before = this.#listening;
    if (Object.keys(filter).length === 0) {
      this.#listening = undefined;
      before?.end();
      return undefined;
    }
    const stream = new ListenStream(this.connection, { row, filter, clock: undefined, timeout: ownTimeout });
    this.#listening = stream;
    const rejection = await stream.acknowledged.then(() => undefined, toError);
    if (rejection && this.#listening === stream) {
      this.#listening = before;
      if (before) this.#followEnd(before);
      if (isPassing(rejection)) this.#lost.restore();
      return rejection;
    }
    before?.end();
    this.#followEnd(stream);
    return rejection;
  }

  #toFilter(): ListenFilter {
    const { tools, prompts, resources } = this.connection.serverCapabilities;
    return {
      ...(notifiesChanges(tools) && { toolsListChanged: true }),
      ...(notifiesChanges(prompts) && { promptsListChanged: true }),
      ...(notifiesChanges(resources) && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
  }

  /** Opens the subscription again when it ends, unless another one has replaced it. */
  #followEnd(stream: ListenStream): void {
    void stream.ended.then(() => {
      if (this.#listening !== stream) return;
      this.#listening = undefined;
      this.#lost.restore();
    });
  }

  /** Opens the lost stream of notifications. At revisions with sessions, the transport does so when it learns that the server responds again. */
  async #listenAgain(): Promise<Error | undefined> {
    if (this.revision.lifecycle === "per-request") return this.#listen();
    return this.connection.request("ping").then(() => undefined, toError);
  }

  /** Reports all lists and resources that the server notifies of as changed: changes in between are not known. */
  #reportChanges(): void {
    const { serverCapabilities } = this.connection;
    for (const [capability, handler] of listChanges)
      if (notifiesChanges(serverCapabilities[capability])) this.#listener()?.notify(handler, {});
    for (const uri of this.#uris) this.#listener()?.notify("resourceUpdated", { uri });
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

/** Milliseconds for the gateway's own requests, which belong to no client. */
const ownTimeout = 30_000;

/** Notifications of changed lists, by capability. */
const listChanges = [
  ["tools", "toolListChanged"],
  ["prompts", "promptListChanged"],
  ["resources", "resourceListChanged"],
] as const;

function notifiesChanges(capability: unknown): boolean {
  return isObject(capability) && capability.listChanged === true;
}

/** Listeners to the messages of a server. */
interface Listeners {
  /** Listeners by the task that a message belongs to. */
  readonly tasks: ReadonlyMap<string, Listener>;
  listener(): Listener | undefined;
}

/** Creates handlers that pass on all requests and notifications of a server. */
function createResponders(revision: Revision, { tasks, listener }: Listeners): object {
  const inputRequests = Object.values(revision.serverRequests).filter(({ handler }) => handler !== "ping");
  const notices = Object.values(revision.serverNotifications);
  const find = (taskId: string | undefined): Listener | undefined =>
    (taskId === undefined ? undefined : tasks.get(taskId)) ?? listener();
  const ask =
    ({ method }: RequestRow) =>
    async (params: unknown, { meta, signal }: CallContext): Promise<unknown> => {
      const taskId = readRelatedTask(meta, revision);
      // The response that starts the task may be in the same chunk. The code that waits for it registers the task in a moment.
      if (taskId !== undefined && !tasks.has(taskId)) await new Promise((resolve) => setTimeout(resolve));
      const target = find(taskId);
      if (!target) throw methodNotFound(method);
      return target.ask(method, toObject(params), signal);
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

/** Returns the task that a notification is about, or belongs to. */
function readTaskId(handler: string, params: unknown, revision: Revision): string | undefined {
  const { taskId, _meta } = isObject(params) ? params : {};
  if (handler === "taskStatus") return typeof taskId === "string" ? taskId : undefined;
  return readRelatedTask(isObject(_meta) ? _meta : {}, revision);
}

function toObject(params: unknown): object {
  return isObject(params) ? params : {};
}
