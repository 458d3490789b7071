import {
  isObject,
  type NotificationRow,
  type Progress,
  type RequestRow,
  type Revision,
} from "../../../generated/support.ts";
import { asHandled } from "../../internal/as-handled.ts";
import { isThenable } from "../../internal/maybe-async.ts";
import type { Batch } from "../../jsonrpc/batch.ts";
import { TimeoutError } from "../../jsonrpc/errors.ts";
import { handlerTimeoutOf, type Timeouts } from "../../jsonrpc/limits.ts";
import type { Message, RequestId } from "../../jsonrpc/message.ts";
import { toErrorResponse, toResponse, toTimeoutResponse, type FailureHost } from "./call-responses.ts";
import { createProgressThrottle, toProgressToken, type ProgressHost, type Throttle } from "./progress.ts";
import type { CallContext, RequestHandler } from "../session/call-context.ts";
import type { Connection } from "../session/connection.ts";
import type { RequestOptions } from "../session/request-options.ts";
import type { Session } from "../session/session.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";

export type { CallContext } from "../session/call-context.ts";
export { noOptions, type RequestOptions } from "../session/request-options.ts";

/** Request as it was received. */
export interface IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
}

/** Part of the connection used by a running call. */
export interface CallHost extends Connection, ProgressHost {
  /**
   * Returns the session.
   *
   * @throws {ClosedError} when there is none
   */
  requireSession(): Session;
  request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options?: RequestOptions,
    related?: RequestId,
  ): Promise<Result>;
  notify<Params>(row: NotificationRow<Params>, params: Params, related?: RequestId): Promise<void>;
}

/** Connection, or table of a connection, on which calls run. */
export interface CallTable extends FailureHost {
  readonly timeouts: Timeouts;
  /** Sends the response of a call. */
  reply(message: Message, batch: Batch | undefined): void;
  /** Called when the handler of a call has returned a promise. */
  enter(call: IncomingCall): void;
  /** Called when a waiting call has its response, or its handler has ended without one. */
  leave(call: IncomingCall): void;
}

/**
 * Incoming request that is being processed; also the context of its handler. It has one response, or none after it was aborted. Only its own methods
 * end it, in the same way on each kind of connection.
 */
export class IncomingCall implements CallContext {
  readonly requestId: RequestId;
  readonly row: RequestRow;
  readonly batch: Batch | undefined;
  readonly origin: unknown;
  readonly #host: CallHost;
  readonly #params: unknown;
  #deadline = Infinity;
  #isOver = false;
  #controller: AbortController | undefined = undefined;
  #abortReason: Error | undefined = undefined;
  #onAbort: (() => void) | undefined = undefined;
  #lastProgress: number = -Infinity;
  #throttle: Throttle | undefined = undefined;

  constructor(
    host: CallHost,
    request: Pick<IncomingRequest, "id" | "params">,
    row: RequestRow,
    origin: { readonly batch: Batch | undefined; readonly origin: unknown },
  ) {
    this.#host = host;
    this.requestId = request.id;
    this.#params = request.params;
    this.row = row;
    this.batch = origin.batch;
    this.origin = origin.origin;
  }

  get session(): Session {
    return this.#host.requireSession();
  }

  get revision(): Revision {
    return this.session.revision;
  }

  get connection(): Connection {
    return this.#host;
  }

  get progressRate(): Rate {
    return this.#host.progressRate;
  }

  get meta(): Readonly<Record<string, unknown>> {
    const params = this.#params;
    return isObject(params) && isObject(params._meta) ? params._meta : noMeta;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason) this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  /** True when the response was sent, or the call was aborted: nothing more of it may be sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Time of the clock at which the handler's timeout expires. */
  get deadline(): number {
    return this.#deadline;
  }

  onAbort(run: () => void): void {
    if (this.#abortReason) return run();
    const earlier = this.#onAbort;
    this.#onAbort = earlier
      ? () => {
          earlier();
          run();
        }
      : run;
  }

  /** Runs the handler, and sends its result or error as the response, unless the call has ended before. */
  run(handle: RequestHandler, params: unknown, table: CallTable): void {
    try {
      const outcome = handle(params, this);
      if (isThenable(outcome)) this.#wait(outcome, table);
      else this.#respond(toResponse(this, outcome, table), table);
    } catch (thrown) {
      this.#respond(toErrorResponse(this, thrown, table), table);
    }
  }

  /** Ends the call if its timeout has expired. Otherwise sends the progress that is due, and returns the time of the next check. */
  sweep(now: number, table: CallTable): number {
    if (this.#deadline > now) return Math.min(this.#deadline, this.#throttle?.sweep(now) ?? Infinity);
    this.#expire(table);
    return Infinity;
  }

  /** Aborts the handler's signal to end the handler; its result is still sent. */
  abortEndless(): void {
    this.#abort(new DOMException("The connection is closing", "AbortError"));
  }

  /** Ends the call without a response. Its handler may still run. */
  abort(reason: Error): void {
    this.#throttle?.stop();
    this.#isOver = true;
    this.#abort(reason);
  }

  #wait(outcome: PromiseLike<unknown>, table: CallTable): void {
    this.#deadline = this.#host.deadlineAfter(handlerTimeoutOf(this.row, table.timeouts));
    table.enter(this);
    Promise.resolve(outcome).then(
      (result) => (this.#isOver ? table.leave(this) : this.#respond(toResponse(this, result, table), table)),
      (thrown: unknown) =>
        this.#isOver ? table.leave(this) : this.#respond(toErrorResponse(this, thrown, table), table),
    );
  }

  /** Sends the last progress report, then the response, and nothing afterwards. */
  #respond(response: Message, table: CallTable): void {
    this.#finish();
    table.reply(response, this.batch);
    table.leave(this);
  }

  #expire(table: CallTable): void {
    const { method } = this.row;
    const error = new TimeoutError(method, table.timeouts.handler);
    this.#finish();
    // The cancellations of requests that the call has sent may have no other way than that of its response.
    this.#abort(error);
    table.reply(toTimeoutResponse(this), this.batch);
    table.leave(this);
    table.report({ kind: "handler", method, id: this.requestId, error });
  }

  #finish(): void {
    void this.#throttle?.flush();
    this.#isOver = true;
  }

  #abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
    const run = this.#onAbort;
    this.#onAbort = undefined;
    run?.();
  }

  /**
   * Reports progress, if the peer sent a token.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
   */
  progress(report: Progress): Promise<void> {
    return asHandled(this.#report(report));
  }

  async #report(report: Progress): Promise<void> {
    const token = toProgressToken(this.meta.progressToken);
    const { progress } = report;
    if (this.#isOver || token === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    this.#throttle ??= createProgressThrottle(this.#host, token, this.requestId);
    await this.#throttle.report(report);
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.#host.notify(row, params, this.requestId);
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.#host.request(row, params, options, this.requestId);
  }
}

const noMeta: Readonly<Record<string, unknown>> = Object.freeze({});
