import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../client/client.ts";
import type { Opener } from "../client/opener.ts";
import { findMethod, findRow } from "../common/rows.ts";
import type { CallContext, RequestOptions } from "../rpc/call.ts";
import { methodNotFound } from "../rpc/errors.ts";
import type { OnError } from "../rpc/report.ts";
import type { Capabilities, ProgramInfo } from "../rpc/session.ts";
import { readRelatedTask } from "../tasks/task.ts";
import { toServerCapabilitiesOf } from "./shapes.ts";

/** Who is spoken for at the server behind the gateway. */
export interface Principal {
  readonly info: ProgramInfo;
  readonly capabilities: Capabilities;
}

/** For what concerns no client: what the server is, and its changes. */
export const gatewayItself: Principal = { info: { name: "gateway", version: "1.0.0" }, capabilities: {} };

/** Where the server's questions and notifications go. */
export interface Listener {
  /** Puts a question to the client. Rejects where nobody can be asked. */
  ask(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** A notification of the server, by handler name. */
  tell(handler: string, params: object): void;
}

/** What opens connections to the server. */
export interface UpstreamOptions {
  readonly open: Opener;
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** Milliseconds without a word about a client's request after which it fails. */
  readonly silence: number;
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
  /** How long the server may take for what a client asks: as long as the client waits, unless it falls silent. */
  readonly #terms: RequestOptions;
  #listening: AbortController | undefined;

  private constructor(connection: ClientConnection, { level, tasks, silence }: Keeping) {
    this.connection = connection;
    this.#level = level;
    this.#tasks = tasks;
    this.#terms = { timeout: silence, totalTimeout: Infinity };
  }

  /** Connects; what the server says afterwards goes to whoever `listener` names then. */
  static async open(
    { open, revisions, onError, silence, signal }: UpstreamOptions,
    principal: Principal,
    listener: () => Listener | undefined,
  ): Promise<Upstream> {
    const level: { value: string | undefined } = { value: undefined };
    const tasks = new Map<string, Listener>();
    const holder: { upstream?: Upstream } = {};
    const connection = await open({
      info: principal.info,
      revisions,
      capabilities: (revision) => toServerCapabilitiesOf(principal, revision),
      handlers: (revision) => createAnswers(revision, { tasks, listener }),
      logLevel: () => level.value,
      onError,
      signal,
      // What the server asks is for the client to answer, however long that takes.
      timeouts: { request: ownTimeout, total: Infinity, handler: Infinity },
      onNewSession: () => void holder.upstream?.renew(),
      onDeaf() {},
    });
    const upstream = new Upstream(connection, { level, tasks, silence });
    holder.upstream = upstream;
    upstream.#listen();
    await upstream.#learnHeaders(signal);
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
  send(row: RequestRow, params: unknown, options: RequestOptions): Promise<unknown> {
    return this.connection.request(row, params, { ...this.#terms, ...options });
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

  /** Sets again what the server has forgotten with the session. One that refuses is still of use. */
  async renew(): Promise<void> {
    const level = this.#level.value;
    this.#level.value = undefined;
    await this.setLevel(level).catch(() => {});
    for (const uri of this.#uris) await this.#subscribe("subscribe", uri).catch(() => {});
  }

  close(): Promise<void> {
    this.#listening?.abort();
    return this.connection.close();
  }

  async #subscribe(handler: string, uri: string): Promise<unknown> {
    const row = findRow(this.revision.clientRequests, handler);
    if (row) return this.send(row, { uri }, {});
    this.#listen();
    return {};
  }

  /** Where servers tell only those who listen, listens for everything that this one tells of. */
  #listen(): void {
    const row = findRow(this.revision.clientRequests, "subscriptionsListen");
    if (!row) return;
    const { tools, prompts, resources } = this.connection.serverCapabilities;
    const notifications = {
      ...(hears(tools) && { toolsListChanged: true }),
      ...(hears(prompts) && { promptsListChanged: true }),
      ...(hears(resources) && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    const before = this.#listening;
    if (Object.keys(notifications).length > 0) {
      this.#listening = new AbortController();
      const { signal } = this.#listening;
      const options = { signal, timeout: Infinity, totalTimeout: Infinity };
      // A server that stops telling of changes is still of use.
      this.connection.request(row, { notifications }, options).catch(() => {});
    }
    before?.abort();
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
  readonly silence: number;
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
  const tell =
    (handler: string) =>
    (params: unknown): void =>
      find(readTaskId(handler, params, revision))?.tell(handler, toObject(params));
  return Object.fromEntries([
    ...questions.map((row) => [row.handler, ask(row)]),
    ...notices.map(({ handler }) => [handler, tell(handler)]),
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
