import { isDeepStrictEqual } from "node:util";
import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../../runtime/client/connect.ts";
import type { ConnectionFactory, ConnectionFactoryOptions } from "../../runtime/client/connection-factory.ts";
import { SessionView } from "../../runtime/client/session/session-view.ts";
import { merge } from "../../runtime/internal/merge.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { toMetadata } from "../../runtime/lifecycle/discover-client.ts";
import { resolve } from "../../runtime/lifecycle/initialize-routes.ts";
import type { RequestOptions } from "../../runtime/protocol/peer/incoming-call.ts";
import type { State } from "../../runtime/protocol/session/connection.ts";
import type { Capabilities, ImplementationInfo, Session } from "../../runtime/protocol/session/session.ts";

/** Client as a program sees it. */
export interface ProgramClient {
  readonly info: ImplementationInfo;
  readonly capabilities: Capabilities;
}

/**
 * Shares one process of a program between connections: a person at the page expects one server, whose state stays. A server with sessions reads the
 * capabilities of its client once, so a connection with other capabilities gets its own process.
 *
 * @param declare - client of a process whose first connection declares no capabilities
 */
export function shareProgram(
  open: ConnectionFactory,
  declare: (revision: Revision) => ProgramClient,
): ConnectionFactory {
  const programs = new Set<Program>();
  const find = async (options: ConnectionFactoryOptions): Promise<ClientConnection> => {
    for (const program of programs) if (program.suits(options)) return program.join(options);
    const program = new Program();
    const connection = await program.start(open, options, declare);
    programs.add(program);
    void connection.closed.then(() => programs.delete(program));
    return program.join(options);
  };
  let last: Promise<unknown> = Promise.resolve();
  return (options) => {
    // One after the other: the next one may share the process of the last.
    const opening = last.then(() => find(options));
    last = opening.catch(() => {});
    return opening;
  };
}

/** Process of a program, and the connections to it. */
class Program {
  readonly #views = new Set<View>();
  #connection: ClientConnection | undefined;
  /** Capabilities of the client, as the process knows them. */
  #declared: Capabilities = {};

  async start(
    open: ConnectionFactory,
    options: ConnectionFactoryOptions,
    declare: (revision: Revision) => ProgramClient,
  ): Promise<ClientConnection> {
    const own = (revision: Revision): ProgramClient =>
      declaresNothing(capabilitiesOf(options, revision)) ? declare(revision) : clientOf(options, revision);
    const connection = await open({
      ...options,
      info: (revision) => own(revision).info,
      capabilities: (revision) => own(revision).capabilities,
      handlers: (revision) => this.#createHandlers(revision, options),
    });
    this.#connection = connection;
    this.#declared = own(connection.revision).capabilities;
    return connection;
  }

  /** True if a connection with these options may use the process: requests without a session declare the capabilities of their client themselves. */
  suits(options: ConnectionFactoryOptions): boolean {
    const { revision, state } = this.#opened;
    if (state === "DISCONNECTED") return false;
    if (revision.lifecycle === "per-request") return true;
    const capabilities = capabilitiesOf(options, revision);
    return declaresNothing(capabilities) || isPart(capabilities, this.#declared);
  }

  join(options: ConnectionFactoryOptions): ClientConnection {
    const connection = this.#opened;
    const view = new View(connection, options, () => {
      this.#views.delete(view);
      return this.#views.size === 0 ? connection.close() : Promise.resolve();
    });
    this.#views.add(view);
    return view;
  }

  get #opened(): ClientConnection {
    if (!this.#connection) throw new Error("The program has not been started");
    return this.#connection;
  }

  /**
   * Requests and log messages of the server go to one connection, the last one with a request in progress if there is one. Notifications go to all,
   * or to the subscribed one.
   */
  #createHandlers(revision: Revision, options: ConnectionFactoryOptions): object {
    const names = Object.keys(resolve(options.handlers, revision) ?? {});
    const requests = new Set(Object.values(revision.serverRequests).map(({ handler }) => handler));
    const tag = revision.reservedMeta.find(({ on, type }) => on === "notification" && type === "RequestId")?.key ?? "";
    const handle = (name: string, args: readonly unknown[]): unknown => {
      if (requests.has(name) || name === "loggingMessage") return this.#latest?.handle(name, args);
      const [params] = args;
      const id = isObject(params) && isObject(params._meta) ? params._meta[tag] : undefined;
      for (const view of this.#views) if (id === undefined || view.hasSent(id)) view.handle(name, args);
      return undefined;
    };
    return Object.fromEntries(names.map((name) => [name, (...args: readonly unknown[]) => handle(name, args)]));
  }

  get #latest(): View | undefined {
    const views = [...this.#views];
    return views.findLast(({ isBusy }) => isBusy) ?? views.at(-1);
  }
}

/** Connection to a shared process. */
class View extends SessionView implements ClientConnection {
  readonly closed: Promise<Error | undefined>;
  readonly #connection: ClientConnection;
  readonly #options: ConnectionFactoryOptions;
  readonly #leave: () => Promise<void>;
  #end: () => void = () => {};
  #isClosed = false;
  readonly #running = new Set<RequestId>();
  /** Number of requests in progress, apart from subscriptions, which do not end. */
  #calls = 0;

  constructor(connection: ClientConnection, options: ConnectionFactoryOptions, leave: () => Promise<void>) {
    super();
    this.#connection = connection;
    this.#options = options;
    this.#leave = leave;
    const left = new Promise<undefined>((resolveEnd) => (this.#end = () => resolveEnd(undefined)));
    this.closed = Promise.race([connection.closed, left]);
  }

  get session(): Session {
    return this.#connection.session;
  }

  get state(): State {
    return this.#isClosed ? "DISCONNECTED" : this.#connection.state;
  }

  /** True while requests are in progress, except endless ones. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** True for the id of a request in progress. */
  hasSent(id: unknown): boolean {
    return [...this.#running].some((running) => running === id);
  }

  /** Handles a message of the server. */
  handle(name: string, args: readonly unknown[]): unknown {
    const handler: unknown = Reflect.get(resolve(this.#options.handlers, this.revision) ?? {}, name);
    return typeof handler === "function" ? Reflect.apply(handler, undefined, args) : undefined;
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  async request(target: RequestRow | string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    const ids: RequestId[] = [];
    const onId = (id: RequestId): void => {
      ids.push(id);
      this.#running.add(id);
      options?.onId?.(id);
    };
    const row = typeof target === "string" ? this.revision.clientRequests[target] : target;
    const weight = row?.duration === "endless" ? 0 : 1;
    this.#calls += weight;
    try {
      const [sent, further] = [this.#withMetadata(params), { ...options, onId }];
      return await (typeof target === "string"
        ? this.#connection.request(target, sent, further)
        : this.#connection.request(target, sent, further));
    } finally {
      this.#calls -= weight;
      for (const id of ids) this.#running.delete(id);
    }
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  notify(method: string, params?: unknown): Promise<void>;
  notify(target: NotificationRow | string, params?: unknown): Promise<void> {
    return typeof target === "string"
      ? this.#connection.notify(target, params)
      : this.#connection.notify(target, params);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end();
    await this.#leave();
  }

  /** Adds the client of this connection to a request. */
  #withMetadata(params: unknown): unknown {
    const { revision } = this;
    if (revision.lifecycle !== "per-request") return params;
    const metadata = toMetadata(revision, clientOf(this.#options, revision), this.#options.logLevel?.());
    const given = isObject(params) ? params : {};
    return merge(given, { _meta: merge(metadata, isObject(given._meta) ? given._meta : {}) });
  }
}

function clientOf(options: ConnectionFactoryOptions, revision: Revision): ProgramClient {
  return { info: resolve(options.info, revision), capabilities: capabilitiesOf(options, revision) };
}

function capabilitiesOf({ capabilities }: ConnectionFactoryOptions, revision: Revision): Capabilities {
  return resolve(capabilities, revision) ?? {};
}

/** True if capabilities are the declared ones, apart from extensions: a gateway passes on the ones of the server. */
function isPart(
  { extensions = {}, ...wanted }: Capabilities,
  { extensions: known, ...declared }: Capabilities,
): boolean {
  const isKnown = ([id, settings]: [string, unknown]): boolean =>
    isDeepStrictEqual(settings, isObject(known) ? known[id] : undefined);
  return isDeepStrictEqual(wanted, declared) && Object.entries(extensions ?? {}).every(isKnown);
}

/** True for capabilities other than extensions, which any connection of a gateway declares. */
function declaresNothing({ extensions: _extensions, ...capabilities }: Capabilities): boolean {
  return Object.keys(capabilities).length === 0;
}
