import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../client/connect.ts";
import { ListenStream } from "../client/subscriptions/listen-stream.ts";
import type { ConnectionFactory } from "../client/connection-factory.ts";
import type { ListenFilter } from "../protocol/subscription-filter.ts";
import { findMethod, findRow } from "../protocol/method-rows.ts";
import type { CallContext, RequestOptions } from "../protocol/incoming-call.ts";
import { readMetaKeys } from "../protocol/request-metadata.ts";
import { methodNotFound, toError } from "../jsonrpc/errors.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Capabilities, ImplementationInfo } from "../protocol/session.ts";
import { readRelatedTask } from "../tasks/task.ts";
import { leaveOutDeep } from "./deep-tools.ts";
import { toServerCapabilitiesOf, withoutRounds } from "./convert-messages.ts";

/** Who is spoken for at the server behind the gateway. */
export interface Principal {
  readonly info: ImplementationInfo;
  readonly capabilities: Capabilities;
}

/** For what concerns no client: what the server is, with its extensions, and its changes. */
export const gatewayItself: Principal = {
  info: { name: "gateway", version: "1.0.0" },
  capabilities: { extensions: {} },
};

/** Where the server's questions and notifications go. */
export interface Listener {
  /** Puts a question to the client. Rejects where nobody can be asked. */
  ask(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** A notification of the server, by handler name. */
  notify(handler: string, params: object): void;
}

/** What opens connections to the server. */
export interface UpstreamOptions {
  readonly open: ConnectionFactory;
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** Milliseconds without a word about a client's request after which it fails. */
  readonly idleTimeout: number;
  /** Levels of a message with a tool in it that is passed on. */
  readonly maxDepth: number;
  /** Aborted when nothing shall be opened any more. */
  readonly signal: AbortSignal;
}

/** A connection to the server behind the gateway, on behalf of one client at a time. */
export class Upstream {
  readonly connection: ClientConnection;
  /** Least severe level that is logged, where each request names it. */
  readonly #level: { value: string | undefined };
  readonly #uris = new Set<string>();
  readonly #tasks: Map<string, Listener>;
  readonly #options: Pick<UpstreamOptions, "maxDepth" | "onError">;
  /** How long the server may take for what a client asks: as long as the client waits, unless it falls silent. */
  readonly #terms: RequestOptions;
  #listening: ListenStream | undefined;

  private constructor(connection: ClientConnection, { level, tasks, options }: Keeping) {
    this.connection = connection;
    this.#options = options;
    this.#level = level;
    this.#tasks = tasks;
    this.#terms = { timeout: options.idleTimeout, totalTimeout: Infinity };
  }

  /** Connects; what the server says afterwards goes to whoever `listener` names then. */
  static async open(
    options: UpstreamOptions,
    principal: Principal,
    listener: () => Listener | undefined,
  ): Promise<Upstream> {
    const { open, revisions, onError, signal } = options;
    const level: { value: string | undefined } = { value: undefined };
    const tasks = new Map<string, Listener>();
    const holder: { upstream?: Upstream } = {};
    const connection = await open({
      info: principal.info,
      revisions,
      capabilities: (revision) => toServerCapabilitiesOf(principal, revision),
      handlers: (revision) => ({
        ...createAnswers(revision, { tasks, listener }),
        subscriptionsAcknowledged(params: unknown) {
          if (!holder.upstream?.acknowledge(params)) listener()?.notify("subscriptionsAcknowledged", toObject(params));
        },
      }),
      logLevel: () => level.value,
      onError,
      signal,
      // What the server asks is for the client to answer, however long that takes.
      timeouts: { request: ownTimeout, total: Infinity, handler: Infinity },
      onNewSession: () => void holder.upstream?.renew(),
      onNotificationsLost() {},
    });
    const upstream = new Upstream(connection, { level, tasks, options });
    holder.upstream = upstream;
    // Not waited for: a client that connects asks for nothing yet that could change.
    void upstream.#listen();
    await upstream.#learnHeaders(signal).catch((thrown: unknown) => {
      if (upstream.connection.state === "DISCONNECTED") throw thrown;
      // Tools that cannot be listed may be called nevertheless.
      onError({ kind: "protocol", error: toError(thrown) });
    });
    return upstream;
  }

  get revision(): Revision {
    return this.connection.revision;
  }

  /** Sends a request of a client, if the server's revision has it. */
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const row = findMethod(this.revision.clientRequests, method);
    return row ? this.send(row, params, options) : Promise.reject(methodNotFound(method));
  }

  /** The same, for a method of the server's revision. */
  async send(row: RequestRow, params: unknown, options: RequestOptions): Promise<unknown> {
    const result = await this.connection.request(row, params, { ...this.#terms, ...options });
    return row.handler === "listTools" ? this.#showTools(result) : withoutRounds(result, this.revision);
  }

  #showTools(result: unknown): unknown {
    const { maxDepth, onError } = this.#options;
    const shown = leaveOutDeep(result, maxDepth);
    for (const name of shown.leftOut) {
      const error = new Error(
        `The tool ${JSON.stringify(name)} is left out: it is nested deeper than ${maxDepth} levels`,
      );
      onError({ kind: "protocol", method: "tools/list", error });
    }
    return shown.result;
  }

  /** Lets somebody hear what belongs to a task of the server, until they no longer want to. */
  hearTask(taskId: string, listener: Listener): () => void {
    this.#tasks.set(taskId, listener);
    return () => void this.#tasks.delete(taskId);
  }

  /** Chooses the least severe level, for this connection. */
  async setLevel(level: string | undefined): Promise<void> {
    const row = findRow(this.revision.clientRequests, "setLevel");
    const isNew = this.#level.value !== level;
    this.#level.value = level;
    if (row && level !== undefined && isNew && this.connection.serverCapabilities.logging !== undefined)
      await this.send(row, { level }, {});
  }

  /** Hears of a resource from now on. */
  subscribe(uri: string): Promise<unknown> {
    this.#uris.add(uri);
    return this.#subscribe("subscribe", uri);
  }

  unsubscribe(uri: string): Promise<unknown> {
    this.#uris.delete(uri);
    return this.#subscribe("unsubscribe", uri);
  }

  /** Takes an acknowledgement of the server; `false` if it is for another subscription than its own. */
  acknowledge(params: unknown): boolean {
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const tag = readMetaKeys(this.revision).subscription;
    if (tag === undefined || !this.#listening?.is(meta[tag])) return false;
    this.#listening.accept(params);
    return true;
  }

  /** Sets again what the server has forgotten with the session. One that refuses is still of use. */
  async renew(): Promise<void> {
    const level = this.#level.value;
    this.#level.value = undefined;
    await this.setLevel(level).catch(() => {});
    for (const uri of this.#uris) await this.#subscribe("subscribe", uri).catch(() => {});
  }

  close(): Promise<void> {
    this.#listening?.end();
    return this.connection.close();
  }

  async #subscribe(handler: string, uri: string): Promise<unknown> {
    const row = findRow(this.revision.clientRequests, handler);
    if (row) return this.send(row, { uri }, {});
    await this.#listen();
    return {};
  }

  /**
   * Opens a subscription to all changes that the server announces, where they need one. Settles when the server has
   * acknowledged it: a change after that is not missed.
   */
  async #listen(): Promise<void> {
    const row = findRow(this.revision.clientRequests, "subscriptionsListen");
    if (!row) return;
    const { tools, prompts, resources } = this.connection.serverCapabilities;
    const filter: ListenFilter = {
      ...(hears(tools) && { toolsListChanged: true }),
      ...(hears(prompts) && { promptsListChanged: true }),
      ...(hears(resources) && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    const before = this.#listening;
    this.#listening = undefined;
    if (Object.keys(filter).length > 0) {
      this.#listening = new ListenStream(this.connection, { row, filter, clock: undefined, timeout: ownTimeout });
      // A server that rejects a subscription is still of use.
      await this.#listening.acknowledged.catch(() => {});
    }
    before?.end();
  }

  /** Over HTTP, arguments of tools may have to be repeated in headers: the lists say which. */
  async #learnHeaders(signal: AbortSignal): Promise<void> {
    const row = findRow(this.revision.clientRequests, "listTools");
    if (this.revision.lifecycle !== "per-request" || !row) return;
    if (this.connection.serverCapabilities.tools !== undefined) await this.connection.request(row, {}, { signal });
  }
}

/** What belongs to a connection, besides itself. */
interface Keeping {
  readonly level: { value: string | undefined };
  readonly tasks: Map<string, Listener>;
  readonly options: UpstreamOptions;
}

/** Milliseconds for what no client asks for: the gateway's own requests. */
const ownTimeout = 30_000;

function hears(capability: unknown): boolean {
  return isObject(capability) && capability.listChanged === true;
}

/** Who hears what a server says. */
interface Listeners {
  /** By the tasks that it belongs to. */
  readonly tasks: ReadonlyMap<string, Listener>;
  listener(): Listener | undefined;
}

/** Everything that a server may ask or tell, passed on. */
function createAnswers(revision: Revision, { tasks, listener }: Listeners): object {
  const questions = Object.values(revision.serverRequests).filter(({ handler }) => handler !== "ping");
  const notices = Object.values(revision.serverNotifications);
  const find = (taskId: string | undefined): Listener | undefined =>
    (taskId === undefined ? undefined : tasks.get(taskId)) ?? listener();
  const ask =
    ({ method }: RequestRow) =>
    async (params: unknown, { meta, signal }: CallContext): Promise<unknown> => {
      const taskId = readRelatedTask(meta, revision);
      // The answer that a task has begun may have come in the same chunk: whoever waits for it knows of it in a moment.
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
    ...questions.map((row) => [row.handler, ask(row)]),
    ...notices.map(({ handler }) => [handler, notify(handler)]),
  ]);
}

/** The task that a notification is about, or belongs to. */
function readTaskId(handler: string, params: unknown, revision: Revision): string | undefined {
  const { taskId, _meta } = isObject(params) ? params : {};
  if (handler === "taskStatus") return typeof taskId === "string" ? taskId : undefined;
  return readRelatedTask(isObject(_meta) ? _meta : {}, revision);
}

function toObject(params: unknown): object {
  return isObject(params) ? params : {};
}
