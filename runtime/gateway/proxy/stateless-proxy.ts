import { isObject, type Progress, type RequestRow, type Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { ClosedError, RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { createLogLevels, type LogLevels } from "../../server/logging/log-levels.ts";
import type { ConnectionLimit } from "../upstream/connection-limit.ts";
import { startCoreTask } from "../tasks/core-upstream-tasks.ts";
import type { Owners } from "../upstream/owners.ts";
import type { Lease, Pool } from "../upstream/pool.ts";
import { toForwarded, toPrincipal, toConversionRejection, toResult } from "../convert-messages.ts";
import type { RelayedTask } from "../tasks/relayed-task.ts";
import { untilVisited } from "./url-elicitation.ts";
import { SuspendedCall } from "./suspended-call.ts";
import type { TaskBridge } from "../tasks/task-bridge.ts";
import { noClientTasks } from "../tasks/client-tasks.ts";
import type { Listener } from "../upstream/upstream.ts";

/** Options for clients without a session. */
export interface StatelessOptions {
  /** Milliseconds that a client may take to return with input responses. */
  readonly inputTimeout: number;
  /** Limit of connections. Each call that waits for input responses keeps its connection. */
  readonly limit: ConnectionLimit;
  /** Owners of calls: calls of one owner may share connections. */
  readonly owners: Owners;
}

/** Proxy for clients without sessions. Each request is stateless; a call that needs input continues when a request brings the responses. */
export class StatelessProxy {
  readonly #pool: Pool;
  readonly #bridge: TaskBridge;
  readonly #options: StatelessOptions;
  readonly #suspended = new Map<string, Waiting>();
  readonly #levels = new Map<Revision, LogLevels>();
  /** End of the states of this gateway: the name of its node in a cluster. */
  #suffix = "";

  constructor(pool: Pool, bridge: TaskBridge, options: StatelessOptions) {
    this.#pool = pool;
    this.#bridge = bridge;
    this.#options = options;
    options.limit.onFull = () => this.#makeRoom();
  }

  /** Names the node of a cluster in the states of this gateway, so that other nodes relay the requests that bring them back. */
  useNode(name: string): void {
    this.#suffix = `.${name}`;
  }

  /** Forwards a request to the server and returns its result. */
  async forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    const tasks = this.#bridge.at(call.revision);
    try {
      await tasks.check(row, params, call);
      const resumed = this.#resume(row, params, call);
      const suspended = resumed ?? new SuspendedCall(call, row, params);
      const leave = suspended.follow(call);
      if (!resumed) await this.#begin(suspended, row, params);
      const result = await this.#continue(suspended).finally(leave);
      await tasks.note(result, call);
      return toResult(result, row.handler, call.revision);
    } catch (error) {
      throw toConversionRejection(error, row.method, call.revision);
    }
  }

  async close(): Promise<void> {
    for (const state of this.#suspended.keys()) this.#giveUp(state, "The gateway is closing");
    await this.#pool.close();
  }

  /** Returns the call for which a request brings responses. A state that the gateway did not issue goes to the server, which may have issued it. */
  #resume({ method }: RequestRow, params: unknown, call: CallContext): SuspendedCall | undefined {
    const requestState = readOwnState(params);
    if (requestState === undefined || !isObject(params)) return undefined;
    const { inputResponses } = params;
    const waiting = this.#suspended.get(requestState);
    if (!waiting?.suspended.isSame(call, method, params)) {
      throw new RpcError(
        errorCodes.invalidParams,
        "Invalid params: requestState is unknown or expired; send the request again without it",
      );
    }
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
    const lease = await this.#pool.take({ principal: toPrincipal(call.session), owner, listener, signal });
    let until: Promise<void> | undefined;
    const onStarted = (task: RelayedTask): void => {
      until = task.over;
      lease.listen(task);
    };
    const release = (): void => void (until ?? Promise.resolve()).then(() => lease.release());
    suspended.begin(this.#run(lease, row, { params, suspended, onStarted }).finally(release));
  }

  async #run({ upstream }: Lease, row: RequestRow, { params, suspended, onStarted }: Suspending): Promise<unknown> {
    const { revision, meta } = suspended.call;
    const level = revision.reservedMeta.find(({ on, type }) => on === "request" && type === "LoggingLevel");
    const wanted = level && meta[level.key];
    await upstream.setLevel(typeof wanted === "string" ? wanted : undefined);
    const sent = toForwarded(params, revision);
    const options = {
      signal: suspended.signal,
      onProgress: (progress: Progress) => void suspended.call.progress(progress),
    };
    const request = (more: object, further: RequestOptions): Promise<unknown> =>
      untilVisited(() => upstream.request(row.method, { ...sent, ...more }, { ...options, ...further }), {
        suspended,
        server: upstream.revision,
      });
    const tasks = row.handler === "callTool" ? this.#bridge.at(revision) : noClientTasks;
    const requested = tasks.readRequested(params, suspended.call);
    const call = (): CallContext => suspended.call;
    return requested
      ? startCoreTask({ row, upstream, signal: suspended.signal, call, request, onStarted }, requested)
      : request({}, {});
  }

  /** Waits for the result of a call, or for input requests. */
  async #continue(suspended: SuspendedCall): Promise<unknown> {
    const turn = await suspended.next();
    suspended.signal.throwIfAborted();
    return turn.kind === "done" ? turn.result : this.#suspend(suspended);
  }

  #suspend(suspended: SuspendedCall): object {
    this.#makeRoom();
    const state = `${prefix}${crypto.randomUUID()}${this.#suffix}`;
    const giveUp = (): void => this.#giveUp(state, "The client did not retry the request with input responses in time");
    const expire = setTimeout(giveUp, this.#options.inputTimeout);
    this.#suspended.set(state, { suspended, expire });
    return suspended.toResult(state);
  }

  /**
   * Makes room for other calls. Half of the connections of calls may wait for input responses: the responses of the call that has waited longest
   * may never arrive.
   */
  #makeRoom(): void {
    const most = Math.max(1, Math.floor(this.#options.limit.shareOfCalls / 2));
    const [oldest] = this.#suspended.keys();
    if (oldest === undefined || this.#suspended.size < most) return;
    this.#giveUp(
      oldest,
      "The client did not retry the request with input responses; the limit of waiting requests is reached",
    );
  }

  #giveUp(state: string, reason: string): void {
    this.#take(state)?.abort(new ClosedError(reason));
  }

  #take(state: string): SuspendedCall | undefined {
    const waiting = this.#suspended.get(state);
    clearTimeout(waiting?.expire);
    this.#suspended.delete(state);
    return waiting?.suspended;
  }

  /** Passes on log messages at the wanted levels: without a subscription, a client receives only notifications that belong to a request. */
  #notify(call: CallContext, handler: string, params: object): void {
    const row = findRow(call.revision.serverNotifications, handler);
    const level = "level" in params ? params.level : undefined;
    if (handler !== "loggingMessage" || !row || typeof level !== "string") return;
    if (this.#levelsAt(call.revision).wants(call, level)) call.notify(row, params).catch(() => {});
  }

  #levelsAt(revision: Revision): LogLevels {
    const rate = { burst: 1_000, perSecond: 100 };
    const levels = this.#levels.get(revision) ?? createLogLevels(revision, { initial: "info", rate });
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
  readonly expire: NodeJS.Timeout;
}

/** Returns the state that a request brings back, if a gateway has issued it. */
export function readOwnState(params: unknown): string | undefined {
  const { requestState } = isObject(params) ? params : {};
  return typeof requestState === "string" && requestState.startsWith(prefix) ? requestState : undefined;
}

/** Prefix of the gateway's own request states. The random rest cannot be guessed, and has no meaning elsewhere. */
const prefix = "gateway:";
