import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../generated/support.ts";
import type { RequestOptions } from "../rpc/call.ts";
import { ClosedError, InvalidMessageError, isPeerError, toError } from "../rpc/errors.ts";
import type { State } from "../rpc/peer.ts";
import type { Capabilities, ProgramInfo, Session } from "../rpc/session.ts";
import type { ListKind } from "../server/definitions.ts";
import { findRow } from "../server/rows.ts";
import { requestOf, safeHandlers } from "./calls.ts";
import { toClientCapabilities } from "./capabilities.ts";
import type { ClientConnection } from "./client.ts";
import { createElicitation, type Elicitation } from "./elicitation.ts";
import type { ClientEvent } from "./events.ts";
import { createClientHandlers, type NoticeBoard } from "./handlers.ts";
import { keepAlive } from "./keep-alive.ts";
import { Line, type LineHost } from "./line.ts";
import { Lists, readPageItems, type AnyPage, type ListOptions } from "./lists.ts";
import type { Opener } from "./opener.ts";
import type { Retry } from "./options.ts";
import type { ListName } from "./protocol.ts";
import type { RootsKeeper } from "./roots.ts";
import type { ListCallOptions, SessionCallOptions } from "./session.ts";
import type { ClientSource } from "./source.ts";
import { Subscriptions, type ResourceListener } from "./subscriptions.ts";
import { checkToolOutput, isRepeatable } from "./tool-output.ts";

/** A session of a client with one server: the calls, and what is kept between them. */
export class LiveSession implements ClientConnection, LineHost, NoticeBoard, AsyncDisposable {
  readonly roots: RootsKeeper;
  readonly #source: ClientSource;
  readonly #open: Opener;
  readonly #signal: AbortSignal | undefined;
  readonly #line: Line;
  readonly #lists: Lists;
  readonly #elicitation: Elicitation;
  readonly #subscriptions: Subscriptions;
  #logLevel: string | undefined;

  constructor(
    source: ClientSource,
    roots: RootsKeeper,
    target: { readonly open: Opener; readonly signal?: AbortSignal | undefined },
  ) {
    this.roots = roots;
    this.#source = source;
    this.#open = target.open;
    this.#signal = target.signal;
    this.#logLevel = source.logLevel;
    this.#line = new Line(this, { reconnect: source.reconnect, clock: source.clock });
    this.#lists = new Lists({
      isCached: source.cacheLists ?? true,
      ...(source.maxPages !== undefined && { maxPages: source.maxPages }),
    });
    this.#elicitation = createElicitation(source.elicitation ?? {});
    this.#subscriptions = new Subscriptions({
      send: (handler, uri, options) => this.#call(handler, { uri }, { ...options, retry: "never" }),
      fail: (error) => this.#report("notifications/resources/updated", error),
    });
  }

  /** Opens the first connection. */
  start(): Promise<void> {
    return this.#line.start();
  }

  get state(): State {
    if (this.#line.isUp) return this.#line.last.state;
    return this.#line.isEnded ? "DISCONNECTED" : "INITIALIZING";
  }

  get closed(): Promise<Error | undefined> {
    return this.#line.closed;
  }

  get session(): Session {
    return this.#line.last.session;
  }

  get revision(): Revision {
    return this.session.revision;
  }

  get serverInfo(): ProgramInfo {
    return this.session.peer.info;
  }

  get serverCapabilities(): Capabilities {
    return this.session.peer.capabilities;
  }

  get instructions(): string | undefined {
    return this.session.instructions;
  }

  request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options?: SessionCallOptions,
  ): Promise<Result>;
  request(method: string, params?: unknown, options?: SessionCallOptions): Promise<unknown>;
  request(target: RequestRow | string, params?: unknown, options: SessionCallOptions = {}): Promise<unknown> {
    const row = typeof target === "string" ? this.revision.clientRequests[target] : target;
    return this.#line.run(
      (connection) =>
        typeof target === "string"
          ? connection.request(target, params, options)
          : connection.request(target, params, options),
      this.#retryOf(row?.handler, options),
    );
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  notify(method: string, params?: unknown): Promise<void>;
  notify(target: NotificationRow | string, params?: unknown): Promise<void> {
    return this.#line.run(
      (connection) =>
        typeof target === "string" ? connection.notify(target, params) : connection.notify(target, params),
      "never",
    );
  }

  listTools(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("tools", options);
  }

  listResources(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("resources", options);
  }

  listResourceTemplates(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("resourceTemplates", options);
  }

  listPrompts(options?: ListCallOptions): Promise<readonly object[]> {
    return this.#list("prompts", options);
  }

  async *pages(list: ListName, options: ListOptions = {}): AsyncGenerator<AnyPage> {
    const connection = await this.#line.run((ready) => Promise.resolve(ready), "never");
    yield* this.#lists.pages(list, connection, options);
  }

  async *items(list: ListName, options: ListOptions = {}): AsyncGenerator<object> {
    for await (const page of this.pages(list, options)) yield* readPageItems(list, page);
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools */
  async callTool(name: string, args?: object, options: SessionCallOptions = {}): Promise<object> {
    const { validator } = this.#source;
    const tool = validator ? await this.#findTool(name, options) : this.#findKnownTool(name);
    const retry = isRepeatable(tool) ? this.#retryOf(undefined, options, "safe") : "never";
    const result = await this.#work("callTool", { name, ...(args && { arguments: args }) }, { ...options, retry });
    if (!Object.hasOwn(result, "content")) {
      throw new InvalidMessageError("tools/call", "result", {
        path: "content",
        expected: "present: no task was asked for",
      });
    }
    if (validator && tool) checkToolOutput(tool, result, validator);
    return result;
  }

  readResource(uri: string, options?: SessionCallOptions): Promise<object> {
    return this.#work("readResource", { uri }, options);
  }

  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: SessionCallOptions): Promise<object> {
    return this.#work("getPrompt", { name, ...(args && { arguments: args }) }, options);
  }

  async complete(params: object, options?: SessionCallOptions): Promise<object> {
    const { completion } = await this.#call("complete", params, options);
    return isObject(completion) ? completion : {};
  }

  async ping(options?: SessionCallOptions): Promise<void> {
    await this.#call("ping", undefined, options);
  }

  subscribe(uri: string, listener: ResourceListener, options: RequestOptions = {}): Promise<() => Promise<void>> {
    return this.#subscriptions.add(uri, listener, options);
  }

  async setLogLevel(level: string, options: SessionCallOptions = {}): Promise<void> {
    await this.#call("setLevel", { level }, options);
    this.#logLevel = level;
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Tells the server that the roots are others now. */
  announceRoots(): void {
    if (!this.#line.isUp) return;
    const row = findRow(this.revision.clientNotifications, "rootsListChanged");
    // A server that goes away asks again when it comes back.
    if (row) this.#line.last.notify(row, undefined).catch(() => {});
  }

  // What the line needs.

  open(end: AbortSignal): Promise<ClientConnection> {
    const { info, revisions, onError, clock, limits, timeouts } = this.#source;
    const parts = { roots: this.roots, elicitation: this.#elicitation, board: this };
    return this.#open({
      info,
      revisions,
      ...(onError && { onError }),
      ...(clock && { clock }),
      ...(limits && { limits }),
      ...(timeouts && { timeouts }),
      signal: this.#signal && !this.#line.hasOpened ? AbortSignal.any([end, this.#signal]) : end,
      capabilities: (revision) => toClientCapabilities(this.#source, revision),
      handlers: (revision) => createClientHandlers(this.#source, revision, parts),
      onNewSession: () => this.#renew(),
      onDeaf: () => this.#lists.deafen(),
    });
  }

  adopt(connection: ClientConnection, { isFirst }: { readonly isFirst: boolean }): void {
    const { keepAlive: pings, clock } = this.#source;
    this.#lists.reset();
    if (pings) {
      keepAlive(connection, pings, {
        clock,
        missed: (failures, error) => this.tell({ kind: "pingFailed", failures, error }),
        dead: (error) => this.#line.drop(connection, error),
      });
    }
    if (isFirst) void this.#restoreLogLevel();
    else this.#renew();
  }

  tell(event: ClientEvent): void {
    this.#run("connection", () => this.#source.onEvent?.(event));
  }

  // Where notifications go.

  listChanged(list: ListKind): void {
    this.#lists.forget(list);
    this.#run(`notifications/${list}/list_changed`, () => this.#source.onListChanged?.(list));
  }

  resourceUpdated(uri: string): void {
    this.#subscriptions.deliver(uri);
    this.#run("notifications/resources/updated", () => this.#source.onResourceUpdated?.(uri));
  }

  log(entry: object): void {
    this.#run("notifications/message", () => this.#source.onLog?.(entry));
  }

  #list(list: ListName, { retry, refresh = false, ...options }: ListCallOptions = {}): Promise<readonly object[]> {
    return this.#line.run(
      async (connection) => {
        const kept = refresh ? undefined : this.#lists.find(list, connection);
        return kept ?? this.#lists.read(list, connection, options);
      },
      this.#retryOf(undefined, { retry }, "safe"),
    );
  }

  /** A list that was read once is enough here: a server that changes its tools ought to say so. */
  async #findTool(name: string, { signal }: RequestOptions): Promise<object | undefined> {
    if (!this.#lists.latest("tools")) await this.#list("tools", signal ? { signal } : {});
    return this.#findKnownTool(name);
  }

  #findKnownTool(name: string): object | undefined {
    return this.#lists.latest("tools")?.find((tool) => Reflect.get(tool, "name") === name);
  }

  /** Calls that the server may refuse until the user has visited a page. */
  async #work(handler: string, params: object, options?: SessionCallOptions): Promise<Record<string, unknown>> {
    try {
      return await this.#call(handler, params, options);
    } catch (error) {
      const code = this.revision.errors.urlElicitationRequired?.code;
      if (isPeerError(error) && error.code === code && isObject(error.data))
        this.#elicitation.expect(error.data.elicitations);
      throw error;
    }
  }

  async #call(
    handler: string,
    params: object | undefined,
    { meta, ...options }: SessionCallOptions = {},
  ): Promise<Record<string, unknown>> {
    const sent = meta ? { ...params, _meta: meta } : params;
    const result = await this.#line.run(
      (connection) => requestOf(connection, handler, sent, options),
      this.#retryOf(handler, options),
    );
    return isObject(result) ? result : {};
  }

  #retryOf(handler: string | undefined, options: { readonly retry?: Retry | undefined }, own?: Retry): Retry {
    if (options.retry) return options.retry;
    const isSafe = own === "safe" || (handler !== undefined && safeHandlers.has(handler));
    return isSafe ? (this.#source.reconnect?.retry ?? "never") : "never";
  }

  /** The server knows nothing any more of what was asked for. */
  #renew(): void {
    this.#lists.reset();
    const restored = Promise.all([
      this.#restoreLogLevel(),
      this.#subscriptions.restore((uri, error) => this.#tellLost({ kind: "subscription", uri }, error)),
    ]);
    void restored.then(() => this.tell({ kind: "reconnected" }));
  }

  async #restoreLogLevel(): Promise<void> {
    const level = this.#logLevel;
    if (level === undefined || this.serverCapabilities.logging === undefined) return;
    await requestOf(this.#line.last, "setLevel", { level }).catch((error: unknown) =>
      this.#tellLost({ kind: "logLevel", level }, error),
    );
  }

  #tellLost(what: Extract<ClientEvent, { readonly kind: "restoreFailed" }>["what"], error: unknown): void {
    this.tell({ kind: "restoreFailed", what, error: toError(error) });
  }

  /** What a callback of the user throws is theirs. */
  #run(method: string, callback: () => unknown): void {
    try {
      Promise.resolve(callback()).catch((error: unknown) => this.#report(method, error));
    } catch (error) {
      this.#report(method, error);
    }
  }

  #report(method: string, thrown: unknown): void {
    try {
      this.#source.onError?.({ kind: "callback", method, error: toError(thrown) });
    } catch {
      // The hook is the last resort: there is nobody left to tell.
    }
  }
}
