import { isObject, type Revision } from "../../../generated/support.ts";
import { isPeerError, toError } from "../../jsonrpc/errors.ts";
import type { EraCache } from "../../lifecycle/era-cache.ts";
import { toTimeouts } from "../../jsonrpc/limits.ts";
import { toReconnection } from "../../transport/http-client/reconnect-delay.ts";
import type { ListKind } from "../../protocol/methods/list-kinds.ts";
import { checkMeta } from "../../protocol/session/meta-keys.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import {
  findRequestRow,
  requestOf,
  sendOnce,
  type CoreCallOptions,
  type ClientRequestName,
  type ClientRequestParams,
} from "./requests.ts";
import { toClientCapabilities } from "../capabilities.ts";
import type { ClientConnection } from "../connect.ts";
import type { Responder } from "../input/input-request.ts";
import { createElicitation, type Elicitation } from "../input/elicitation.ts";
import type { ClientEvent, RestoredState } from "../events.ts";
import { createClientHandlers, type NotificationSink } from "../handlers.ts";
import { keepAlive } from "../connection/keep-alive.ts";
import { Listening } from "../subscriptions/listen.ts";
import {
  ReconnectingConnection,
  type ReconnectingConnectionHost,
  type CallRunOptions,
  type SendCall,
} from "../connection/reconnecting-connection.ts";
import { Lists } from "../lists/lists.ts";
import type { ConnectionFactory } from "../connection-factory.ts";
import type { Retry, AnyClientOptions } from "../options.ts";
import { ReadCache } from "../resources/read-cache.ts";
import { ResultCache } from "../lists/result-cache.ts";
import type { RootsKeeper } from "../input/roots.ts";
import { isInputRequired, joinProgress, resolveInputRequired } from "../input/input-required.ts";
import { TaskManager } from "../../tasks/task-manager.ts";
import { SessionTasks } from "../tasks/session-tasks.ts";
import { ResourceSubscriptions } from "../subscriptions/resource-subscriptions.ts";
import { TaskListening } from "../tasks/task-listening.ts";

/** Server of a session, and the means to connect to it. */
export interface SessionTarget {
  readonly open: ConnectionFactory;
  /** Cache of the kind of each server: stateless or with sessions. */
  readonly eras?: EraCache;
  /** Aborts the first connection while it is being opened. */
  readonly signal?: AbortSignal | undefined;
}

/** State of a session between its calls. Handles messages of the server, and restores the state of the session after a reconnection. */
export class SessionState implements ReconnectingConnectionHost, NotificationSink {
  readonly source: AnyClientOptions;
  readonly line: ReconnectingConnection;
  readonly lists: Lists;
  readonly reads: ReadCache;
  readonly listening: Listening;
  readonly subscriptions: ResourceSubscriptions;
  readonly tasks: SessionTasks;
  readonly taskListening: TaskListening;
  readonly #ownTasks: TaskManager;
  readonly #roots: RootsKeeper;
  readonly #target: SessionTarget;
  readonly #elicitation: Elicitation;
  readonly #responded = new WeakSet<object>();
  readonly #responders = new WeakMap<ClientConnection, Responder>();
  /** Connections on which the server could not send notifications before they were adopted. */
  readonly #unnotified = new WeakSet<ClientConnection>();
  /** Log level, to be set again in a new session. */
  logLevel: string | undefined;

  constructor(source: AnyClientOptions, roots: RootsKeeper, target: SessionTarget) {
    this.source = source;
    this.#roots = roots;
    this.#target = target;
    this.logLevel = source.logLevel;
    this.line = new ReconnectingConnection(this, {
      reconnect: source.reconnect,
      clock: source.clock,
      timeouts: toTimeouts(source.timeouts),
      profile: source.profile,
      revisions: source.revisions,
    });
    const cache = new ResultCache({ ...source.cache, clock: source.clock });
    this.reads = new ReadCache(cache, (result) => this.#responded.has(result));
    this.lists = new Lists({
      isCached: source.cacheLists ?? true,
      cache,
      onKept: (kind) => this.listening.watch(kind),
      ...(source.maxPages !== undefined && { maxPages: source.maxPages }),
    });
    this.#elicitation = createElicitation(source.elicitation ?? {});
    this.#ownTasks = new TaskManager({
      ...(source.clock && { clock: source.clock }),
      ...source.tasks,
      onError: source.onError,
    });
    const { request: timeout } = toTimeouts(source.timeouts);
    this.taskListening = new TaskListening({ clock: source.clock, timeout, wake: (id) => this.tasks.wake(id) });
    this.tasks = new SessionTasks({
      clock: source.clock,
      listening: this.taskListening,
      call: (handler, params, options) => this.work(handler, params, options),
      connection: () => this.line.last,
      isEnded: () => this.line.isEnded,
      responder: () => this.#toResponder(this.line.last),
    });
    void this.line.closed.then(() => this.tasks.wakeAll());
    this.listening = new Listening({
      clock: source.clock,
      reconnection: toReconnection(source.reconnect),
      timeout,
      wantsLists: source.onListChanged !== undefined,
      notificationsLost: (reason) => {
        this.lists.loseChanges();
        this.notify({ kind: "notificationsLost", reason });
      },
      hearing: () => this.notify({ kind: "hearing" }),
      lost: (what, error) => {
        for (const one of what) {
          if (one.kind === "subscription") this.subscriptions.lose(one.uri);
          this.#emitLost(one, error);
        }
      },
      resume: () => this.subscriptions.resume(),
    });
    this.subscriptions = new ResourceSubscriptions({
      send: (handler, uri, options) => {
        if (!this.listening.isOffered) return this.call(handler, { uri }, { ...options, retry: "never" });
        return handler === "subscribe" ? this.listening.subscribe(uri, options) : this.listening.unsubscribe(uri);
      },
      fail: (error) => this.#report("notifications/resources/updated", error),
    });
  }

  /** Sends the request with this handler name. */
  async call<Name extends ClientRequestName>(
    handler: Name,
    params: ClientRequestParams[Name],
    { meta, retry, around = sendOnce, ...options }: CoreCallOptions = {},
  ): Promise<Record<string, unknown>> {
    const problem = meta && checkMeta(meta);
    if (problem !== undefined) throw new Error(`The _meta of ${handler} is not valid: ${problem}`);
    const sent = meta ? { ...params, _meta: meta } : params;
    const { signal } = options;
    const row = findRequestRow(this.line.last.revision, handler);
    const progress = joinProgress(options);
    const running = {
      retry: retry ?? this.retryOf({ isSafe: row?.safe === true }),
      row,
      options: progress.options,
    };
    const result = await around(() =>
      this.run((connection, remaining) => requestOf(connection, handler, sent, remaining), running),
    );
    if (!isInputRequired(result)) return isObject(result) ? result : {};
    const complete = await resolveInputRequired(result, {
      max: this.source.maxInputRounds ?? 10,
      clock: this.source.clock,
      signal,
      responder: () => this.#toResponder(this.line.last),
      send: (responses, { revision }) => {
        progress.next();
        const send: SendCall<unknown> = async (connection, remaining) => {
          if (connection.revision !== revision) throw new Error("The server has reconnected with another revision");
          return requestOf(connection, handler, { ...sent, ...responses }, remaining);
        };
        return around(() => this.run(send, running));
      },
    });
    if (!isObject(complete)) return {};
    this.#responded.add(complete);
    return complete;
  }

  /** Runs a call with a response. If subscriptions were lost before, its success shows the server to be reachable again. */
  run<Result>(call: SendCall<Result>, options: CallRunOptions): Promise<Result> {
    const outcome = this.line.run(call, options);
    if (this.listening.isLost) void outcome.then(() => this.listening.restore()).catch(() => {});
    return outcome;
  }

  /** Sends a request. The server may reject it until the user has visited a page. */
  async work<Name extends ClientRequestName>(
    handler: Name,
    params: ClientRequestParams[Name],
    options?: CoreCallOptions,
  ): Promise<Record<string, unknown>> {
    try {
      return await this.call(handler, params, options);
    } catch (error) {
      const code = this.line.last.revision.errors.urlElicitationRequired?.code;
      const isRequired = isPeerError(error) && error.code === code;
      if (isRequired && isObject(error.data)) this.#elicitation.expect(error.data.elicitations);
      throw error;
    }
  }

  /** Returns the retry policy of a call without a statement of its own. */
  retryOf({ isSafe }: { readonly isSafe: boolean }): Retry {
    return isSafe ? (this.source.reconnect?.retry ?? "never") : "never";
  }

  /** Notifies the server of changed roots. */
  notifyRootsListChanged(): void {
    if (!this.line.isUp) return;
    const { last } = this.line;
    const row = findRow(last.revision.clientNotifications, "rootsListChanged");
    // A server that reconnects requests the roots again.
    if (row) last.notify(row, undefined).catch(() => {});
  }

  // Members of `LineHost`.

  async open(end: AbortSignal): Promise<ClientConnection> {
    const { info, revisions, lifecycle, onError, onLoss, clock, limits, timeouts, profile } = this.source;
    const { progressRate, metrics, telemetry, middleware } = this.source;
    const { open, eras, signal } = this.#target;
    let areChangesLost = false;
    let stream: "none" | "open" | "interrupted" = "none";
    const connection = await open({
      info,
      revisions,
      ...(lifecycle && { lifecycle }),
      ...(eras && { eras }),
      ...(onError && { onError }),
      ...(onLoss && { onLoss }),
      ...(clock && { clock }),
      ...(limits && { limits }),
      ...(timeouts && { timeouts }),
      ...(profile && { profile }),
      ...(progressRate && { progressRate }),
      ...(metrics && { metrics }),
      ...(telemetry && { telemetry }),
      ...(middleware && { middleware }),
      logLevel: () => this.logLevel,
      signal: signal && !this.line.hasOpened ? AbortSignal.any([end, signal]) : end,
      capabilities: (revision) => toClientCapabilities(this.source, revision),
      handlers: (revision) => this.#createHandlers(revision),
      onNewSession: () => this.#renew(),
      onNotificationsLost: (reason) => {
        areChangesLost = true;
        this.lists.loseChanges();
        if (stream !== "open") return;
        stream = "interrupted";
        this.notify({ kind: "notificationsLost", reason });
      },
      onNotificationsOpened: () => {
        if (areChangesLost) this.lists.resumeChanges();
        areChangesLost = false;
        if (stream === "interrupted") this.notify({ kind: "hearing" });
        stream = "open";
      },
    });
    if (areChangesLost) this.#unnotified.add(connection);
    return connection;
  }

  #createHandlers(revision: Revision): object {
    const parts = { roots: this.#roots, elicitation: this.#elicitation, board: this, tasks: this.#ownTasks };
    return createClientHandlers(this.source, revision, parts);
  }

  #toResponder(connection: ClientConnection): Responder {
    const known = this.#responders.get(connection);
    const responder = known ?? { connection, handlers: this.#createHandlers(connection.revision) };
    this.#responders.set(connection, responder);
    return responder;
  }

  adopt(connection: ClientConnection, { isFirst }: { readonly isFirst: boolean }): void {
    const { keepAlive: pings, clock } = this.source;
    this.lists.reset();
    this.listening.adopt(connection);
    this.taskListening.adopt(connection);
    if (pings) {
      keepAlive(connection, pings, {
        clock,
        missed: (failures, error) => this.notify({ kind: "pingFailed", failures, error }),
        dead: (error) => this.line.drop(connection, error),
      });
    }
    if (isFirst) void this.#restoreLogLevel();
    else this.#renew();
    if (this.#unnotified.has(connection)) this.lists.loseChanges();
  }

  notify(event: ClientEvent): void {
    this.#run("connection", () => this.source.onEvent?.(event));
  }

  // Members of `NotificationSink`.

  listChanged(list: ListKind): void {
    this.lists.forget(list);
    if (list === "resources") this.reads.forgetAll();
    this.#run(`notifications/${list}/list_changed`, () => this.source.onListChanged?.(list));
  }

  resourceUpdated(uri: string): void {
    this.reads.forget(uri);
    this.subscriptions.deliver(uri);
    this.#run("notifications/resources/updated", () => this.source.onResourceUpdated?.(uri));
  }

  log(entry: object): void {
    this.#run("notifications/message", () => this.source.onLog?.(entry));
  }

  taskChanged(taskId: string): void {
    this.tasks.wake(taskId);
  }

  /** Restores the state of the session, which the server has lost. */
  #renew(): void {
    this.lists.reset();
    const restored = Promise.all([
      this.#restoreLogLevel(),
      this.subscriptions.restore((uri, error) => this.#emitLost({ kind: "subscription", uri }, error)),
    ]);
    void restored.then(() => this.notify({ kind: "reconnected" }));
  }

  async #restoreLogLevel(): Promise<void> {
    const level = this.logLevel;
    const { serverCapabilities, revision } = this.line.last;
    // At a revision where each request names its level, there is none to restore.
    if (level === undefined || serverCapabilities.logging === undefined || !knowsLevels(revision)) return;
    await requestOf(this.line.last, "setLevel", { level }).catch((error: unknown) =>
      this.#emitLost({ kind: "logLevel", level }, error),
    );
  }

  #emitLost(what: RestoredState, error: unknown): void {
    this.notify({ kind: "restoreFailed", what, error: toError(error) });
  }

  /** Runs a callback of the user. Reports its error through `onError` instead of throwing it. */
  #run(method: string, callback: () => unknown): void {
    try {
      Promise.resolve(callback()).catch((error: unknown) => this.#report(method, error));
    } catch (error) {
      this.#report(method, error);
    }
  }

  #report(method: string, thrown: unknown): void {
    try {
      this.source.onError?.({ kind: "callback", method, error: toError(thrown) });
    } catch {
      // This hook is the last resort: there is no other place to report to.
    }
  }
}

/** True if servers keep a log level for the session at a revision. */
export function knowsLevels(revision: Revision): boolean {
  return findRequestRow(revision, "setLevel") !== undefined;
}
