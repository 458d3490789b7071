import type { RequestRow } from "../../../generated/support.ts";
import type { StatelessHost } from "./stateless-request.ts";
import { isThenable } from "../../internal/maybe-async.ts";
import { notInBatch, type Batch } from "../../jsonrpc/batch.ts";
import { IncomingCall, type IncomingRequest } from "./incoming-call.ts";
import { withoutNulls, type Entry, type RequestRoute, type Routes } from "./routes.ts";
import {
  InvalidMessageError,
  RpcError,
  TimeoutError,
  errorCodes,
  invalidParams,
  invalidRequest,
  methodNotFound,
  toError,
  toErrorObject,
} from "../../jsonrpc/errors.ts";
import { handlerTimeoutOf, isEndless, type Limits, type Timeouts } from "../../jsonrpc/limits.ts";
import { StaticResult, type ErrorObject, type Message, type RequestId } from "../../jsonrpc/message.ts";
import { profileError, readRequest } from "../profile.ts";
import type { ErrorReport } from "../../jsonrpc/error-report.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { isOpen, type Session } from "../session/session.ts";
import { shorten } from "../../internal/shorten.ts";
import { SlotMap } from "../../internal/slot-map.ts";
import type { Clock } from "../../internal/timers.ts";

/** Part of the connection that the table of running calls uses. */
export interface IncomingRequestsHost extends StatelessHost {
  readonly routes: Routes;
  readonly session: Session | undefined;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  reply(message: Message, batch: Batch | undefined): void;
  abandon(id: RequestId): void;
  report(report: ErrorReport): void;
}

/** Requests of the peer. Each gets exactly one response, or none after it was cancelled. */
export class IncomingRequests {
  readonly #host: IncomingRequestsHost;
  readonly #running = new SlotMap<RequestId, IncomingCall>();
  /** Cancelled calls whose handlers still run. They count towards the limit until they end, or their timeout expires. */
  readonly #cancelled = new Set<IncomingCall>();
  #first: IncomingCall | undefined;
  #onFree: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(host: IncomingRequestsHost) {
    this.#host = host;
  }

  /** True if a call is running whose response has to be sent before any later message is read. */
  get isBusy(): boolean {
    return this.#first !== undefined;
  }

  /** Number of calls that wait for their handler. */
  get size(): number {
    return this.#running.size;
  }

  /** Checks a request, runs its handler and sends the response. */
  accept(given: IncomingRequest, source: { readonly batch: Batch | undefined; readonly origin: unknown }): void {
    const { routes: open } = this.#host;
    let request = given;
    request = readRequest(given, open.profile);
    if (open.isSilent) return this.#ignore(request);
    const entry = open.enter?.(request);
    if (entry instanceof RpcError) return this.#reject(request, entry, source.batch);
    const { routes, session } = entry ?? { routes: open, session: this.#host.session };
    const route = routes.requests.get(request.method);
    const rejection = this.#findRejection(request, route, { routes, session, isBatched: source.batch !== undefined });
    if (route?.handle === undefined || rejection) {
      const params = rejection && route && withoutNulls(route.row, request.params);
      if (params) return this.accept({ ...request, params }, source);
      return this.#reject(request, rejection ?? methodNotFound(request.method), source.batch);
    }
    const call = entry
      ? entry.createCall(this.#host, entry.session, { request, row: route.row, origin: source.origin })
      : new IncomingCall(this.#host, request, route.row, source);
    try {
      const outcome = route.handle(request.params, call);
      if (!isThenable(outcome)) return this.#finish(call, outcome);
      if (route.isFirst) this.#first = call;
      this.#wait(call, outcome);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  /**
   * Cancels a call: the peer no longer wants the response.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
   */
  cancel(id: RequestId, reason: unknown): void {
    const call = this.#running.get(id);
    if (!call) return;
    this.#remove(call);
    this.#cancelled.add(call);
    call.abort(new DOMException(typeof reason === "string" ? shorten(reason) : "Cancelled by the peer", "AbortError"));
    call.batch?.skip();
    this.#host.abandon(id);
  }

  /** Ends calls whose timeout has expired, sends the progress that is due, and returns the earliest deadline left. */
  sweep(now: number): number {
    let next = Infinity;
    for (const call of this.#running.values()) {
      if (call.deadline <= now) this.#expire(call);
      else next = Math.min(next, call.deadline, call.sweepProgress(now));
    }
    for (const call of this.#cancelled) {
      if (call.deadline <= now) this.#cancelled.delete(call);
      else next = Math.min(next, call.deadline);
    }
    return next;
  }

  /** Aborts all calls; no more responses are sent. */
  abortAll(reason: Error): void {
    for (const call of this.#running.values()) call.abort(reason);
    this.#running.clear();
    this.#onIdle?.();
  }

  /** Sets a callback that runs after each call that later messages waited for. */
  whenFree(run: () => void): void {
    this.#onFree = run;
  }

  /** Calls back once when no call is running. Aborts the signals of endless calls, so that they end. */
  whenIdle(run: () => void): void {
    for (const call of this.#running.values()) if (isEndless(call.row)) call.abortEndless();
    if (this.#running.size === 0) run();
    else this.#onIdle = run;
  }

  #ignore({ id, method }: IncomingRequest): void {
    const error = new Error(`The request ${shorten(method)} of the peer is ignored; only this side may send requests`);
    this.#host.report({ kind: "protocol", method, id, error });
  }

  #reject(request: IncomingRequest, rejection: RpcError, batch: Batch | undefined): void {
    const error = toErrorObject(rejection);
    const { profile } = this.#host.routes;
    if (profile) return this.#rejectAs(profileError(error, request.method, profile), request, batch);
    this.#rejectAs(error, request, batch);
  }

  #rejectAs(error: ErrorObject, { id }: IncomingRequest, batch: Batch | undefined): void {
    this.#host.reply({ jsonrpc: "2.0", id, error }, batch);
  }

  #findRejection(
    { id, method, params }: IncomingRequest,
    route: RequestRoute | undefined,
    { routes, session, isBatched }: Situation,
  ): RpcError | undefined {
    if (this.#running.size > 0 && this.#running.has(id)) return invalidRequest(stillRunning);
    if (this.#running.size + this.#cancelled.size >= this.#host.limits.maxCalls && method !== "ping")
      return tooManyCalls(this.#host.limits.maxCalls);
    if (isBatched && session && session !== this.#host.session) return invalidRequest("Batches are not supported");
    if (isBatched && routes.neverBatched.has(method)) return invalidRequest(notInBatch(method));
    if (!route) return routes.reject(method);
    const { row } = route;
    if (!route.handle || (row.gate && session && !isOpen(row.gate, session))) return methodNotFound(method);
    if (params === undefined && row.paramsOptional) return undefined;
    const issue = row.params(params);
    return issue && invalidParams(issue);
  }

  #wait(call: IncomingCall, outcome: PromiseLike<unknown>): void {
    this.#running.set(call.requestId, call);
    call.deadline = this.#host.deadlineAfter(handlerTimeoutOf(call.row, this.#host.timeouts));
    Promise.resolve(outcome).then(
      (result) => this.#finish(call, result),
      (thrown: unknown) => this.#fail(call, thrown),
    );
  }

  #finish(call: IncomingCall, result: unknown): void {
    if (call.done) return void this.#cancelled.delete(call);
    const problem = findResultProblem(call.row, result);
    if (problem) {
      this.#reportFailure("result", call.row, call.requestId, problem);
      this.#respond(call, { jsonrpc: "2.0", id: call.requestId, error: internalError });
      return;
    }
    this.#respond(call, { jsonrpc: "2.0", id: call.requestId, result });
  }

  #fail(call: IncomingCall, thrown: unknown): void {
    if (call.done) return void this.#cancelled.delete(call);
    const error = RpcError.from(thrown);
    if (error !== thrown || error.cause !== undefined) this.#reportFailure("handler", call.row, call.requestId, thrown);
    this.#respond(call, { jsonrpc: "2.0", id: call.requestId, error: toErrorObject(error) });
  }

  #expire(call: IncomingCall): void {
    const error = new TimeoutError(call.row.method, this.#host.timeouts.handler);
    const message = "Request timed out";
    this.#respond(call, { jsonrpc: "2.0", id: call.requestId, error: { ...internalError, message } });
    call.abort(error);
    this.#reportFailure("handler", call.row, call.requestId, error);
  }

  #respond(call: IncomingCall, message: Message): void {
    call.finish();
    this.#host.reply(message, call.batch);
    this.#remove(call);
  }

  #remove(call: IncomingCall): void {
    if (this.#running.size === 0 || this.#running.get(call.requestId) !== call) return;
    this.#running.delete(call.requestId);
    if (this.#first === call) {
      this.#first = undefined;
      this.#onFree?.();
    }
    if (this.#running.size === 0) this.#onIdle?.();
  }

  #reportFailure(kind: "handler" | "result", row: RequestRow, id: RequestId, thrown: unknown): void {
    this.#host.report({ kind, method: row.method, id, error: toError(thrown) });
  }
}

/** Reason for the rejection of a request whose id is not unique. */
export const stillRunning = "The id is already used by a running request";

/** Waits for running calls to finish, for at most this many milliseconds. */
export function drain(incomingRequests: IncomingRequests, clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    incomingRequests.whenIdle(() => {
      cancel();
      resolve();
    });
  });
}

/** Routes and session that apply to a request: the connection's, or its own. */
interface Situation {
  readonly routes: Entry["routes"];
  readonly session: Session | undefined;
  readonly isBatched: boolean;
}

/** Checks a result. Its getters and proxies may throw while it is read. */
function findResultProblem(row: RequestRow, result: unknown): Error | undefined {
  try {
    const issue = result instanceof StaticResult ? result.check(row.result) : row.result(result);
    return issue && new InvalidMessageError(row.method, "result", issue);
  } catch (thrown) {
    return toError(thrown);
  }
}

function tooManyCalls(limit: number): RpcError {
  const message = `Too many concurrent requests; the limit is ${limit}, retry after a response`;
  return new RpcError(rejectionCodes.tooMany, message, { data: { limit } });
}

const internalError: { readonly code: number; readonly message: string } = {
  code: errorCodes.internalError,
  message: "Internal error",
};
