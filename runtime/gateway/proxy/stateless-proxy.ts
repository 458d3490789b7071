import { isObject, type Progress, type RequestRow, type Revision } from "../../../generated/support.ts";
import { isInputRequired } from "../../client/input/input-required.ts";
import { readStartedTask } from "../../client/tasks/task-protocol.ts";
import { startTimer, type Cancel } from "../../internal/timers.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { listMembers } from "../../protocol/peer/readable-result.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import { ClosedError } from "../../jsonrpc/errors.ts";
import { extensionOf } from "../../protocol/revision/defined-extension.ts";
import { readAuth } from "../../server/context.ts";
import { createLogLevels, type LogLevels } from "../../server/logging/log-levels.ts";
import type { ConnectionLimit } from "../upstream/connection-limit.ts";
import { startCoreTask } from "../tasks/upstream-tasks.ts";
import type { Owners } from "../upstream/owners.ts";
import type { CallConnections } from "../upstream/call-connections.ts";
import type { Lease } from "../upstream/lease.ts";
import { toForwarded, toPrincipal, toCheckedResult, toConversionRejection } from "../convert-messages.ts";
import type { RelayedTask } from "../tasks/relayed-task.ts";
import { unknownState, type PrincipalStates } from "./principal-states.ts";
import { untilVisited } from "./url-elicitation.ts";
import { passedOnOtherwise } from "./session-proxy.ts";
import { SuspendedCall } from "./suspended-call.ts";
import { readWholeList } from "./whole-list.ts";
import type { TaskBridge } from "../tasks/task-bridge.ts";
import { noClientTasks } from "../tasks/client-tasks.ts";
import type { Listener, Upstream } from "../upstream/upstream.ts";

/** Options for clients without a session. */
export interface StatelessOptions {
  /** Milliseconds for a client to return with input responses. */
  readonly inputTimeout: number;
  /** Limit of connections. Each call keeps its connection while it waits for input responses. */
  readonly limit: ConnectionLimit;
  /** True if requests to the server are stateless: it issues request states itself then. */
  readonly hasServerStates: boolean;
  /** Owners of calls: calls of one owner may share connections. */
  readonly owners: Owners;
  readonly states: PrincipalStates;
  /** Log levels of the newest revision of the gateway. Messages of the server carry them, and are converted for clients of other revisions. */
  readonly logLevels: readonly string[];
  readonly onError: OnError;
}

/** Proxy for clients without sessions. Each request is stateless; a call that needs input continues when a request brings the responses. */
export class StatelessProxy {
  readonly #connections: CallConnections;
  readonly #bridge: TaskBridge;
  readonly #options: StatelessOptions;
  readonly #suspended = new Map<string, Waiting>();
  readonly #levels = new Map<Revision, LogLevels>();
  /** End of the states of this gateway: the name of its node in a cluster. */
  #suffix = "";

  constructor(connections: CallConnections, bridge: TaskBridge, options: StatelessOptions) {
    this.#connections = connections;
    this.#bridge = bridge;
    this.#options = options;
  }

  /** Names the node of a cluster in the states of this gateway. Other nodes then relay the requests with such a state. */
  useNode(name: string): void {
    this.#suffix = `.${name}`;
  }

  /** Forwards a request to the server and returns its result. */
  async forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    const tasks = this.#bridge.at(call.revision);
    try {
      await tasks.check(row, params, call);
      const resumed = this.#resume(row, params, call);
      const sent = resumed ? params : await this.#options.states.verify(params, readAuth(call.origin)?.principal);
      const suspended = resumed ?? new SuspendedCall(call, row, params);
      const leave = suspended.follow(call);
      if (!resumed) await this.#begin(suspended, row, sent);
      const result = await this.#continue(suspended).finally(leave);
      await tasks.note(result, call);
      const { revision } = call;
      return toCheckedResult(result, row, { client: revision, server: revision, onError: this.#options.onError });
    } catch (error) {
      throw toConversionRejection(error, row.method, call.revision);
    }
  }

  async close(): Promise<void> {
    for (const state of this.#suspended.keys()) this.#giveUp(state, "The gateway is closing");
    await this.#connections.close();
  }

  /**
   * Returns the call for which a request brings responses. If the gateway did not issue the state, it goes to the server, which may have issued it.
   */
  #resume({ method }: RequestRow, params: unknown, call: CallContext): SuspendedCall | undefined {
    const { requestState, inputResponses } = isObject(params) ? params : {};
    if (typeof requestState !== "string") return undefined;
    const waiting = this.#suspended.get(requestState);
    // A server with request states may be a gateway, whose states look the same.
    if (!waiting && (this.#options.hasServerStates || readOwnState(params) === undefined)) return undefined;
    if (!waiting?.suspended.isSame(call, method, params)) throw unknownState();
    waiting.suspended.respond(inputResponses);
    return this.#take(requestState);
  }

  async #begin(suspended: SuspendedCall, row: RequestRow, params: unknown): Promise<void> {
    const listener: Listener = {
      ask: (method, asked, signal) => suspended.ask(method, asked, signal),
      notify: (handler, told) => this.#notify(suspended.call, handler, told),
    };
    const { call, signal } = suspended;
    const owner = this.#options.owners.of(call);
    const lease = await this.#connections.take({ principal: toPrincipal(call.session), owner, listener, signal });
    let until: Promise<void> | undefined;
    const onStarted = (task: RelayedTask): void => {
      until = task.over;
      lease.listen(task);
    };
    const release = (): void => void (until ?? Promise.resolve()).then(() => lease.release());
    const running = this.#run(lease, row, { params, suspended, onStarted }).then((result) => {
      lease.keep(this.#toDuration(result));
      return result;
    });
    suspended.begin(running.finally(release));
  }

  /** Returns the milliseconds for further requests of the client about an incomplete result. */
  #toDuration(result: unknown): number {
    if (isInputRequired(result)) return this.#options.inputTimeout;
    const started = readStartedTask(result);
    return started ? Math.min(started.ttl ?? Infinity, longestTask) : 0;
  }

  async #run(lease: Lease, row: RequestRow, { params, suspended, onStarted }: Suspending): Promise<unknown> {
    const { upstream } = lease;
    const { revision, meta } = suspended.call;
    const level = revision.reservedMeta.find(({ on, type }) => on === "request" && type === "LoggingLevel");
    const wanted = level && meta[level.key];
    const { signal } = suspended;
    const metadata = await lease.requestLogs(typeof wanted === "string" ? wanted : undefined, signal);
    const sent = withMetadata(toForwarded(params, revision, upstream.revision), metadata);
    const options = {
      signal,
      onProgress: (progress: Progress) => void suspended.call.progress(progress),
      onLateResult: (late: unknown) => cancelStarted(upstream, late),
    };
    const request = (more: object, further: RequestOptions): Promise<unknown> =>
      untilVisited(() => upstream.request(row.method, { ...sent, ...more }, { ...options, ...further }), {
        suspended,
        server: upstream.revision,
      });
    const tasks = row.handler === "callTool" ? this.#bridge.at(revision) : noClientTasks;
    const requested = tasks.readRequested(params, suspended.call);
    const call = (): CallContext => suspended.call;
    if (requested)
      return startCoreTask({ row, upstream, signal: suspended.signal, call, request, onStarted }, requested);
    const member = listMembers.get(row.handler);
    const hasSession = upstream.revision.lifecycle === "handshake";
    return member !== undefined && hasSession ? readWholeList(member, (page) => request(page, {})) : request({}, {});
  }

  /** Waits for the result of a call, or for input requests. */
  async #continue(suspended: SuspendedCall): Promise<unknown> {
    const turn = await suspended.next();
    suspended.signal.throwIfAborted();
    if (turn.kind === "asked") return this.#suspend(suspended);
    return this.#options.states.sign(turn.result, readAuth(suspended.call.origin)?.principal);
  }

  #suspend(suspended: SuspendedCall): object {
    this.#makeRoom();
    const state = `${prefix}${crypto.randomUUID()}${this.#suffix}`;
    const giveUp = (): void => this.#giveUp(state, "The client did not retry the request with input responses in time");
    const stopExpiry = startTimer(this.#options.inputTimeout, giveUp);
    this.#suspended.set(state, { suspended, principal: readAuth(suspended.call.origin)?.principal, stopExpiry });
    return suspended.toResult(state);
  }

  /**
   * Makes room for other calls. Half of the connections of calls may wait for input responses. Beyond it, the principal with the most such calls
   * loses the one with the longest wait: its responses may never arrive.
   */
  #makeRoom(): void {
    if (this.#suspended.size < toHalf(this.#options.limit.shareOfCalls)) return;
    const counts = new Map<string | undefined, number>();
    for (const { principal } of this.#suspended.values()) counts.set(principal, (counts.get(principal) ?? 0) + 1);
    const [most] = [...counts].sort(([, one], [, other]) => other - one);
    if (most) this.#giveUpOldest(most[0]);
  }

  /** Makes room for a call when its principal has no connection left. Half of its connections may wait for input responses. */
  makeRoomFor(principal: string | undefined): void {
    const own = [...this.#suspended.values()].filter((waiting) => waiting.principal === principal).length;
    const isOver = principal !== undefined && own >= toHalf(this.#options.limit.held(principal));
    if (isOver) this.#giveUpOldest(principal);
    else this.#makeRoom();
  }

  #giveUpOldest(principal: string | undefined): void {
    const oldest = [...this.#suspended].find(([, waiting]) => waiting.principal === principal);
    const reason =
      "The client did not retry the request with input responses; the limit of waiting requests is reached";
    if (oldest) this.#giveUp(oldest[0], reason);
  }

  #giveUp(state: string, reason: string): void {
    this.#take(state)?.abort(new ClosedError(reason));
  }

  #take(state: string): SuspendedCall | undefined {
    const waiting = this.#suspended.get(state);
    waiting?.stopExpiry();
    this.#suspended.delete(state);
    return waiting?.suspended;
  }

  /**
   * Passes on log messages at the wanted levels, and notifications of extensions: without a subscription, a client receives only notifications related
   * to a request.
   */
  #notify(call: CallContext, handler: string, params: object): void {
    const row = findRow(call.revision.serverNotifications, handler);
    if (!row || passedOnOtherwise.has(handler)) return;
    if (extensionOf(row) !== undefined) return void call.notify(row, params).catch(() => {});
    const level = "level" in params ? params.level : undefined;
    if (handler !== "loggingMessage" || typeof level !== "string") return;
    if (!this.#options.logLevels.includes(level)) return;
    if (this.#levelsAt(call.revision).wants(call, level)) call.notify(row, params).catch(() => {});
  }

  #levelsAt(revision: Revision): LogLevels {
    const rate = { burst: 1_000, perSecond: 100 };
    const levels = this.#levels.get(revision) ?? createLogLevels(revision, { written: this.#options.logLevels, rate });
    this.#levels.set(revision, levels);
    return levels;
  }
}

interface Suspending {
  readonly params: unknown;
  readonly suspended: SuspendedCall;
  /** Called when the call continues as a task. */
  onStarted(task: RelayedTask): void;
}

interface Waiting {
  readonly suspended: SuspendedCall;
  readonly principal: string | undefined;
  readonly stopExpiry: Cancel;
}

function withMetadata(params: Record<string, unknown>, metadata: object): Record<string, unknown> {
  if (Object.keys(metadata).length === 0) return params;
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), ...metadata } };
}

function toHalf(count: number): number {
  return Math.max(1, Math.floor(count / 2));
}

/** Milliseconds after which no further request about a task is expected. */
const longestTask = 24 * 3_600_000;

/** Returns the state brought back by a request, if a gateway has issued it. */
export function readOwnState(params: unknown): string | undefined {
  const { requestState } = isObject(params) ? params : {};
  return typeof requestState === "string" && requestState.startsWith(prefix) ? requestState : undefined;
}

/** Prefix of the gateway's own request states. The random rest cannot be guessed, and has no meaning elsewhere. */
const prefix = "gateway:";

/** Cancels the task of a cancelled call. The response with the task came too late for the call itself. */
function cancelStarted(upstream: Upstream, late: unknown): void {
  const started = readStartedTask(late);
  if (started) upstream.request("tasks/cancel", { taskId: started.taskId }, {}).catch(() => {});
}
