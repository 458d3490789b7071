import type { NotificationRow, Progress, RequestRow, Revision } from "../../../generated/support.ts";
import { isObject } from "../../../generated/support.ts";
import type { Batch } from "../../jsonrpc/batch.ts";
import { asHandled } from "../../internal/as-handled.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { createProgressThrottle, toProgressToken, type ProgressHost, type Throttle } from "./progress.ts";
import type { CallContext } from "../session/call-context.ts";
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

/** Part of the connection that a running call uses. */
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

/** Incoming request that is being processed; also the context of its handler. */
export class IncomingCall implements CallContext {
  readonly requestId: RequestId;
  readonly row: RequestRow;
  readonly batch: Batch | undefined;
  readonly origin: unknown;
  /** Time of the clock at which the handler's timeout expires. */
  deadline: number = Infinity;
  /** True when the response was sent, or the call was cancelled or aborted: nothing more of it may be sent. */
  done: boolean = false;
  readonly #host: CallHost;
  readonly #params: unknown;
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

  onAbort(run: () => void): void {
    this.#onAbort = run;
    if (this.#abortReason) run();
  }

  /** Aborts the handler's signal, so that the handler ends; its result is still sent. */
  abortEndless(): void {
    this.#abort(new DOMException("The connection is closing", "AbortError"));
  }

  /** Ends the call before its response: the last progress report is sent first, and nothing afterwards. */
  finish(): void {
    void this.#throttle?.flush();
    this.done = true;
  }

  /** Ends the call without a result of its handler. */
  abort(reason: Error): void {
    this.#throttle?.stop();
    this.done = true;
    this.#abort(reason);
  }

  #abort(reason: Error): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#onAbort?.();
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
    if (this.done || token === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    this.#throttle ??= createProgressThrottle(this.#host, token, this.requestId);
    await this.#throttle.report(report);
  }

  /** Sends the progress that is due, and returns the time of the next check. */
  sweepProgress(now: number): number {
    return this.#throttle?.sweep(now) ?? Infinity;
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.#host.notify(row, params, this.requestId);
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.#host.request(row, params, options, this.requestId);
  }
}

const noMeta: Readonly<Record<string, unknown>> = Object.freeze({});
