import type { StatelessHost } from "./stateless-request.ts";
import { notInBatch, type Batch } from "../../jsonrpc/batch.ts";
import { IncomingCall, type CallTable, type IncomingRequest } from "./incoming-call.ts";
import type { Routes } from "./routes.ts";
import { findHandler, type RequestRoutes } from "./find-handler.ts";
import { RpcError, invalidRequest, toErrorObject } from "../../jsonrpc/errors.ts";
import { isEndless, type Limits, type Timeouts } from "../../jsonrpc/limits.ts";
import type { ErrorObject, Message, RequestId } from "../../jsonrpc/message.ts";
import { profileError, readRequest } from "../profile.ts";
import type { ErrorReport } from "../../jsonrpc/error-report.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import type { Session } from "../session/session.ts";
import { shorten } from "../../internal/shorten.ts";
import { SlotMap } from "../../internal/slot-map.ts";
import type { Clock } from "../../internal/timers.ts";

/** Part of the connection used by the table of running calls. */
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
export class IncomingRequests implements CallTable {
  readonly #host: IncomingRequestsHost;
  readonly #running = new SlotMap<RequestId, IncomingCall>();
  /** Cancelled calls whose handlers still run. They count towards the limit until they end, or their timeout expires. */
  #cancelled: Set<IncomingCall> | undefined;
  #first: IncomingCall | undefined;
  #onFree: () => void = () => {};
  /** Called when no call is running, once each. */
  #whenIdle: (() => void)[] | undefined;

  constructor(host: IncomingRequestsHost) {
    this.#host = host;
  }

  /** True if a call is running whose response has to be sent before any later message is read. */
  get isBusy(): boolean {
    return this.#first !== undefined;
  }

  get timeouts(): Timeouts {
    return this.#host.timeouts;
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
    const situation = entry ?? { routes: open, session: this.#host.session };
    const rejection = this.#findRejection(request, situation, source.batch);
    if (rejection) return this.#reject(request, rejection, source.batch);
    const handled = findHandler(request, situation);
    if (handled instanceof RpcError) return this.#reject(request, handled, source.batch);
    const { row, handle, isFirst } = handled;
    const call = entry
      ? entry.createCall(this.#host, entry.session, { request: handled.request, row, origin: source.origin })
      : new IncomingCall(this.#host, handled.request, row, source);
    call.run(handle, handled.request.params, this);
    if (isFirst && this.#running.get(call.requestId) === call) this.#first = call;
  }

  reply(message: Message, batch: Batch | undefined): void {
    this.#host.reply(message, batch);
  }

  report(report: ErrorReport): void {
    this.#host.report(report);
  }

  enter(call: IncomingCall): void {
    this.#running.set(call.requestId, call);
  }

  leave(call: IncomingCall): void {
    this.#cancelled?.delete(call);
    if (this.#running.get(call.requestId) === call) this.#remove(call);
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
    (this.#cancelled ??= new Set()).add(call);
    call.abort(new DOMException(typeof reason === "string" ? shorten(reason) : "Cancelled by the peer", "AbortError"));
    call.batch?.skip();
    this.#host.abandon(id);
  }

  /** Ends calls whose timeout has expired, sends progress when due, and returns the earliest deadline left. */
  sweep(now: number): number {
    let next = Infinity;
    for (const call of this.#running.values()) next = Math.min(next, call.sweep(now, this));
    for (const call of this.#cancelled ?? []) {
      if (call.deadline <= now) this.#cancelled?.delete(call);
      else next = Math.min(next, call.deadline);
    }
    return next;
  }

  /** Aborts all calls; no more responses are sent. */
  abortAll(reason: Error): void {
    for (const call of this.#running.values()) call.abort(reason);
    this.#running.clear();
    this.#reportIdle();
  }

  /** Sets a callback for the end of each call that later messages waited for. */
  whenFree(run: () => void): void {
    this.#onFree = run;
  }

  /** Calls back once, when no call is running. Aborts the signals of endless calls to end them. */
  whenIdle(run: () => void): void {
    for (const call of this.#running.values()) if (isEndless(call.row)) call.abortEndless();
    if (this.#running.size === 0) run();
    else (this.#whenIdle ??= []).push(run);
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

  /** Rejects a request that may not run beside the others, or not in a batch. */
  #findRejection(
    { id, method }: IncomingRequest,
    { routes, session }: RequestRoutes,
    batch: Batch | undefined,
  ): RpcError | undefined {
    if (this.#running.has(id)) return invalidRequest(stillRunning);
    if (this.#running.size + (this.#cancelled?.size ?? 0) >= this.#host.limits.maxCalls && method !== "ping")
      return tooManyCalls(this.#host.limits.maxCalls);
    if (batch && session && session !== this.#host.session) return invalidRequest("Batches are not supported");
    if (batch && routes.neverBatched.has(method)) return invalidRequest(notInBatch(method));
    return undefined;
  }

  #remove(call: IncomingCall): void {
    this.#running.delete(call.requestId);
    if (this.#first === call) {
      this.#first = undefined;
      this.#onFree();
    }
    if (this.#running.size === 0) this.#reportIdle();
  }

  #reportIdle(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = undefined;
    for (const run of waiting ?? []) run();
  }
}

/** Reason for the rejection of a request whose id is not unique. */
export const stillRunning = "The id is already used by a running request";

/** Waits for running calls to finish, for at most this many milliseconds. */
export function drain(
  incomingRequests: Pick<IncomingRequests, "whenIdle">,
  clock: Clock,
  milliseconds: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    // The process must not end before its calls, even if nothing else keeps it alive.
    cancel.hold?.();
    incomingRequests.whenIdle(() => {
      cancel();
      resolve();
    });
  });
}

function tooManyCalls(limit: number): RpcError {
  const message = `Too many concurrent requests; the limit is ${limit}, retry after a response`;
  return new RpcError(rejectionCodes.tooMany, message, { data: { limit } });
}
