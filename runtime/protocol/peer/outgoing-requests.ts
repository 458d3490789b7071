import type { Progress, RequestRow } from "../../../generated/support.ts";
import { checkResult, checkResultType, type CheckResultOptions } from "./routes.ts";
import { InvalidMessageError, PeerError, TimeoutError, toError, toPeerError } from "../../jsonrpc/errors.ts";
import { withoutUnknownMembers } from "../revision/known-members.ts";
import { isLongRunning, timeoutOf, totalTimeoutOf } from "../../jsonrpc/limits.ts";
import type { ErrorObject, NotificationMessage, RequestId } from "../../jsonrpc/message.ts";
import {
  toStray,
  type OutgoingRequests,
  type OutgoingRequestsHost,
  type ResponseListener,
  type StartOptions,
} from "./request-table.ts";
import { MiddlewareRequests } from "./middleware-requests.ts";
import { readResult } from "../profile.ts";
import { checkParams } from "./outgoing-params.ts";
import { onAbort } from "../../internal/abort-signals.ts";
import { SlotMap } from "../../internal/slot-map.ts";

/** Creates the table of an end that sends requests. */
export function createPendingRequests(host: OutgoingRequestsHost): OutgoingRequests {
  return new PendingRequests(host);
}

/** Outgoing requests. Each has a unique id and is settled exactly once: by a result, an error, a timeout, a signal or the end of the connection. */
class PendingRequests implements OutgoingRequests {
  readonly #host: OutgoingRequestsHost;
  readonly #pending = new SlotMap<RequestId, PendingCall>();
  /** Calls with a response, whose tasks may still report progress. */
  #tasks: Map<RequestId, PendingCall> | undefined;
  /** Listeners for late results, by the ids of calls without a response. */
  #late: Map<RequestId, NonNullable<StartOptions["onLateResult"]>> | undefined;
  /** Requests in middleware, if there is middleware around them. */
  readonly #middleware: MiddlewareRequests | undefined;
  #lastId = 0;
  /** Number of pending calls with a timeout. */
  #timed = 0;
  /** Reported changes of results: each is reported once. */
  readonly #changes = new Set<string>();

  constructor(host: OutgoingRequestsHost) {
    this.#host = host;
    const { sendRequest } = host.steps;
    this.#middleware = sendRequest && new MiddlewareRequests(host, sendRequest);
  }

  get isBusy(): boolean {
    return this.#middleware?.isBusy ?? false;
  }

  whenFree(run: () => void): void {
    this.#middleware?.whenFree(run);
  }

  get size(): number {
    return this.#pending.size;
  }

  start<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    settler: ResponseListener<Result>,
    options: StartOptions,
  ): void {
    if (!this.#middleware) return this.#send(row, params, settler, options);
    this.#middleware.pass({ row, params, options }, settler, (given, listener) =>
      this.#send(row, given, listener, options),
    );
  }

  #send<Params, Result>(
    row: RequestRow<Params, Result>,
    params: unknown,
    settler: ResponseListener<Result>,
    options: StartOptions,
  ): void {
    const { signal } = options;
    signal?.throwIfAborted();
    const id = this.#createId();
    const { method } = row;
    // The id is the token: both are unique among the active outgoing requests.
    const progressToken = options.onProgress !== undefined || isLongRunning(row) ? id : undefined;
    const sendable = this.#host.toOutgoingMessage({ kind: "request", method, params, progressToken });
    checkParams(row, sendable);
    const call = new PendingRequest(id, row, settler, this.#findTiming(row, options));
    this.#pending.set(id, call);
    try {
      options.onId?.(id);
      signal?.throwIfAborted();
      if (call.deadline !== Infinity) this.#watch(call);
      const sent = this.#host.send({ jsonrpc: "2.0", id, method, params: sendable }, options.related);
      sent?.catch((error: unknown) => this.#take(id)?.fail(toError(error)));
    } catch (error) {
      this.#take(id);
      throw error;
    }
    // Its response may have arrived while it was sent.
    if (!signal || this.#pending.get(id) !== call) return;
    if (signal.aborted) this.#abort(call, signal.reason);
    else call.listen(signal, () => this.#abort(call, signal.reason));
  }

  resolve(id: RequestId, result: unknown): void {
    const call = this.#take(id);
    if (!call) return this.#resolveLate(id, result);
    this.#keepProgress(call);
    const { session } = this.#host;
    const revision = session?.revision;
    let known = result;
    known = readResult(result, call.method, { profile: this.#host.routes.profile, revision });
    if (revision) known = withoutUnknownMembers(known, revision);
    const issue = checkResultType(revision, call.row, known);
    if (issue) call.fail(new InvalidMessageError(call.method, "result", issue));
    else call.accept(known, { onChange: (text) => this.#reportChange(call, text), converter: session?.converter });
  }

  reject(id: RequestId | undefined, error: ErrorObject): void {
    if (id === undefined) return this.#host.report({ kind: "protocol", error: new PeerError(error) });
    const call = this.#take(id);
    if (call) call.fail(toPeerError(new PeerError(error), this.#host.session?.revision));
    else this.#reportStray(id);
  }

  discard(id: RequestId, error: Error): boolean {
    const call = this.#take(id);
    call?.fail(error);
    return call !== undefined;
  }

  /**
   * Handles a progress report: the call gets more time, up to its total timeout.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts
   */
  progress(token: RequestId, progress: Progress): void {
    const call = this.#pending.get(token) ?? this.#tasks?.get(token);
    if (!call) return this.#reportStray(token, "progress");
    call.extend(this.#host.now());
    try {
      call.options.onProgress?.(progress);
    } catch (error) {
      this.#host.report({ kind: "callback", method: call.method, id: token, error: toError(error) });
    }
  }

  hold(id: RequestId): () => void {
    const since = this.#host.now();
    const release = this.#pending.get(id)?.hold();
    return () => this.#host.deadlines.watch(release?.(this.#host.now() - since) ?? Infinity);
  }

  sweep(now: number): number {
    let next = Infinity;
    for (const call of this.#pending.values()) {
      if (call.deadline <= now) this.#expire(call);
      else next = Math.min(next, call.deadline);
    }
    return next;
  }

  failUnrelated(error: Error): void {
    for (const { id, options } of [...this.#pending.values()])
      if (options.related === undefined) this.#take(id)?.fail(error);
  }

  failAll(error: Error): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.fail(error);
    this.#tasks?.clear();
    this.#late?.clear();
  }

  #createId(): RequestId {
    this.#lastId += 1;
    const prefix = this.#host.requestIdPrefix;
    return prefix === undefined ? this.#lastId : `${prefix}${this.#lastId}`;
  }

  #findTiming(row: RequestRow, options: StartOptions): Timing {
    const { timeouts } = this.#host;
    const now = this.#host.now();
    const timeout = options.timeout ?? timeoutOf(row, timeouts);
    return { options, timeout, now, cap: now + (options.totalTimeout ?? totalTimeoutOf(row, timeouts)) };
  }

  /** Watches the timeout of a call. The process does not end silently while such a call is pending. */
  #watch(call: PendingCall): void {
    call.isTimed = true;
    this.#timed += 1;
    this.#host.deadlines.watch(call.deadline);
    if (this.#timed === 1) this.#host.deadlines.hold();
  }

  #release(): void {
    this.#timed -= 1;
    if (this.#timed === 0) this.#host.deadlines.release();
  }

  #take(id: RequestId): PendingCall | undefined {
    const call = this.#pending.get(id);
    if (!call) return undefined;
    this.#pending.delete(id);
    if (call.isTimed) this.#release();
    call.unlisten();
    return call;
  }

  /**
   * Keeps a call for the progress of its task, which may follow the response.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-progress-notifications
   */
  #keepProgress(call: PendingCall): void {
    const { taskEnded, onProgress } = call.options;
    if (!taskEnded || !onProgress || taskEnded.aborted) return;
    (this.#tasks ??= new Map()).set(call.id, call);
    taskEnded.addEventListener("abort", () => this.#tasks?.delete(call.id), { once: true });
  }

  /** Keeps the listener of a call for a late result. A peer need not respond to a cancelled request, so the oldest listeners are removed. */
  #keepLate({ id, options }: PendingCall): void {
    if (!options.onLateResult) return;
    this.#late ??= new Map();
    this.#late.set(id, options.onLateResult);
    const [oldest] = this.#late.keys();
    if (this.#late.size > mostLate && oldest !== undefined) this.#late.delete(oldest);
  }

  #resolveLate(id: RequestId, result: unknown): void {
    const resolve = this.#late?.get(id);
    if (!resolve) return this.#reportStray(id);
    this.#late?.delete(id);
    resolve(result);
  }

  #abort(call: PendingCall, reason: unknown): void {
    this.#take(call.id);
    this.#keepLate(call);
    this.#host.failed(call.id, reason);
    call.fail(reason);
    this.#notifyCancelled(call, reason instanceof Error ? reason.message : undefined);
  }

  #expire(call: PendingCall): void {
    this.#take(call.id);
    this.#keepLate(call);
    const error = new TimeoutError(call.method, call.limit);
    this.#host.failed(call.id, error);
    call.fail(error);
    this.#notifyCancelled(call, "Request timed out");
  }

  /**
   * Sends the cancellation of a call. The handshake is never cancelled: the client closes the connection instead. A task is cancelled by a request.
   */
  #notifyCancelled(call: PendingCall, reason: string | undefined): void {
    if (call.row.duration === "initialize" || call.options.taskEnded) return;
    const params = reason === undefined ? { requestId: call.id } : { requestId: call.id, reason };
    const message: NotificationMessage = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    const { related } = call.options;
    const { steps } = this.#host;
    const sent = steps.sendNotification
      ? this.#host.sendNotification(message, related)
      : this.#host.send(message, related);
    sent?.catch((error: unknown) => this.#host.report({ kind: "transport", error: toError(error) }));
  }

  /** Reports the omission of a part of a result. */
  #reportChange({ id, method }: PendingCall, text: string): void {
    if (this.#changes.has(text) || this.#changes.size >= mostChanges) return;
    this.#changes.add(text);
    this.#host.report({ kind: "protocol", method, id, error: new Error(text) });
  }

  /** Reports a response to an unknown request. Responses and progress may cross a cancellation; only an id never used is a fault. */
  #reportStray(id: RequestId, kind: "response" | "progress" = "response"): void {
    const prefix = this.#host.requestIdPrefix ?? "";
    const number = typeof id === "string" && id.startsWith(prefix) ? Number(id.slice(prefix.length)) : id;
    const isOurs = typeof id === (prefix === "" ? "number" : "string") && typeof number === "number";
    if (isOurs && number > 0 && number <= this.#lastId) return;
    this.#host.report(toStray(id, kind));
  }
}

/** Pending call as the table sees it, independent of its types. */
interface PendingCall {
  readonly id: RequestId;
  readonly row: RequestRow;
  readonly method: string;
  readonly deadline: number;
  /** True if a timeout was set for it. */
  isTimed: boolean;
  /** Milliseconds after which it times out, for the error message. */
  readonly limit: number;
  readonly options: StartOptions;
  accept(result: unknown, options: CheckResultOptions): void;
  fail(error: unknown): void;
  extend(now: number): void;
  /** Pauses the timeout. Returns a function to resume it, whose result is the new deadline. */
  hold(): (stood: number) => number;
  unlisten(): void;
}

/** Timeouts of a call; `now` and `cap` are times of the clock. */
interface Timing {
  readonly options: StartOptions;
  readonly timeout: number;
  readonly now: number;
  readonly cap: number;
}

class PendingRequest<Params, Result> implements PendingCall {
  readonly id: RequestId;
  readonly row: RequestRow<Params, Result>;
  deadline: number;
  isTimed = false;
  readonly #settler: ResponseListener<Result>;
  readonly #timing: Timing;
  #held = 0;
  #holds = 0;
  /** Deadline once nothing holds the call, without the time of the last hold. */
  #resumed = 0;
  #unlisten: (() => void) | undefined;

  constructor(id: RequestId, row: RequestRow<Params, Result>, settler: ResponseListener<Result>, timing: Timing) {
    this.id = id;
    this.row = row;
    this.#settler = settler;
    this.#timing = timing;
    this.deadline = Math.min(timing.now + timing.timeout, timing.cap);
  }

  get method(): string {
    return this.row.method;
  }

  get options(): StartOptions {
    return this.#timing.options;
  }

  get limit(): number {
    const { cap, now, timeout } = this.#timing;
    return this.deadline === cap + this.#held ? cap - now : timeout;
  }

  accept(result: unknown, options: CheckResultOptions): void {
    try {
      this.#settler.resolve(checkResult(this.row, result, options));
    } catch (error) {
      this.#settler.reject(error);
    }
  }

  fail(error: unknown): void {
    this.#settler.reject(error);
  }

  extend(now: number): void {
    const deadline = Math.min(now + this.#timing.timeout, this.#timing.cap + this.#held);
    if (this.#holds > 0) this.#resumed = deadline;
    else this.deadline = deadline;
  }

  hold(): (stood: number) => number {
    if (this.#holds === 0) this.#resumed = this.deadline;
    this.#holds += 1;
    this.deadline = Infinity;
    return (stood) => {
      this.#holds -= 1;
      if (this.#holds > 0) return Infinity;
      this.#held += stood;
      return (this.deadline = this.#resumed + stood);
    };
  }

  listen(signal: AbortSignal, abort: () => void): void {
    this.#unlisten = onAbort(signal, abort);
  }

  unlisten(): void {
    this.#unlisten?.();
  }
}

/** Maximum number of listeners for late results. */
const mostLate = 100;

/** Maximum number of changes of results reported by one connection. */
const mostChanges = 100;
