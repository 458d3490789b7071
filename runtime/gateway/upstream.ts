import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../client/client.ts";
import type { Opener } from "../client/opener.ts";
import { findMethod, findRow } from "../common/rows.ts";
import type { CallContext, RequestOptions } from "../rpc/call.ts";
import { methodNotFound } from "../rpc/errors.ts";
import type { OnError } from "../rpc/report.ts";
import type { Capabilities, ProgramInfo } from "../rpc/session.ts";
import { toServerCapabilitiesOf } from "./shapes.ts";

/** Who is spoken for at the server behind the gateway. */
export interface Principal {
  readonly info: ProgramInfo;
  readonly capabilities: Capabilities;
}

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
}

/** A connection to the server behind the gateway, on behalf of one client at a time. */
export class Upstream {
  readonly connection: ClientConnection;
  /** Least severe level that is logged, where each request names it. */
  readonly #level: { value: string | undefined };
  readonly #uris = new Set<string>();
  #listening: AbortController | undefined;

  private constructor(connection: ClientConnection, level: { value: string | undefined }) {
    this.connection = connection;
    this.#level = level;
  }

  /** Connects; what the server says afterwards goes to whoever `listener` names then. */
  static async open(
    { open, revisions, onError }: UpstreamOptions,
    principal: Principal,
    listener: () => Listener | undefined,
  ): Promise<Upstream> {
    const level: { value: string | undefined } = { value: undefined };
    const connection = await open({
      info: principal.info,
      revisions,
      capabilities: (revision) => toServerCapabilitiesOf(principal, revision),
      handlers: (revision) => createAnswers(revision, listener),
      logLevel: () => level.value,
      onError,
      timeouts: { work: Infinity, request: 60_000, total: Infinity },
      onNewSession() {},
      onDeaf() {},
    });
    const upstream = new Upstream(connection, level);
    upstream.#listen();
    await upstream.#learnHeaders();
    return upstream;
  }

  get revision(): Revision {
    return this.connection.revision;
  }

  /** Sends a request that the server's revision has. */
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const row = findMethod(this.revision.clientRequests, method);
    return row ? this.connection.request(row, params, options) : Promise.reject(methodNotFound(method));
  }

  /** Chooses the least severe level, for this connection. */
  async setLevel(level: string | undefined): Promise<void> {
    const row = findRow(this.revision.clientRequests, "setLevel");
    const isNew = this.#level.value !== level;
    this.#level.value = level;
    if (row && level !== undefined && isNew && this.connection.serverCapabilities.logging !== undefined)
      await this.connection.request(row, { level });
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

  close(): Promise<void> {
    this.#listening?.abort();
    return this.connection.close();
  }

  async #subscribe(handler: string, uri: string): Promise<unknown> {
    const row = findRow(this.revision.clientRequests, handler);
    if (row) return this.connection.request(row, { uri });
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
  async #learnHeaders(): Promise<void> {
    const row = findRow(this.revision.clientRequests, "listTools");
    if (this.revision.lifecycle !== "per-request" || !row) return;
    if (this.connection.serverCapabilities.tools !== undefined) await this.connection.request(row, {});
  }
}

function hears(capability: unknown): boolean {
  return isObject(capability) && capability.listChanged === true;
}

/** Everything that a server may ask or tell, passed on. */
function createAnswers(revision: Revision, listener: () => Listener | undefined): object {
  const questions = Object.values(revision.serverRequests).filter(({ handler }) => handler !== "ping");
  const notices = Object.values(revision.serverNotifications);
  const ask =
    ({ method }: RequestRow) =>
    (params: unknown, { signal }: CallContext): Promise<unknown> => {
      const target = listener();
      return target ? target.ask(method, toObject(params), signal) : Promise.reject(methodNotFound(method));
    };
  return Object.fromEntries([
    ...questions.map((row) => [row.handler, ask(row)]),
    ...notices.map(({ handler }) => [handler, (params: unknown): void => listener()?.tell(handler, toObject(params))]),
  ]);
}

function toObject(params: unknown): object {
  return isObject(params) ? params : {};
}
