import type { CallOptions, Caller, NotificationRow, Progress, RequestRow, Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { Batch } from "../jsonrpc/batch.ts";
import type { NotificationMessage, RequestId } from "../jsonrpc/message.ts";
import { Throttle, type TimerHost } from "../jsonrpc/throttle.ts";
import type { Connection } from "./peer.ts";
import type { Session } from "./session.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";

/** Options of one call, with the bounds that only the runtime knows. */
export interface RequestOptions extends CallOptions {
  /** Milliseconds for the call altogether, however much progress is reported. Default: the connection's. */
  readonly totalTimeout?: number;
  /** Given when the call asks for a task: it is not cancelled by notification, and progress may follow the answer until this is aborted. */
  readonly taskEnded?: AbortSignal;
  /** Names a question where it is kept rather than sent. */
  readonly key?: string | undefined;
  /** Learns the id of the request before it is sent: what belongs to it may name it. */
  readonly onId?: (id: RequestId) => void;
}

/** Every option left to the connection. */
export const noOptions: RequestOptions = Object.freeze({});

/** What a handler knows about the request that it answers. What it sends through the context belongs to that request. */
export interface CallContext extends Caller {
  readonly requestId: RequestId;
  readonly session: Session;
  readonly revision: Revision;
  /** `_meta` of the request; empty when there is none. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Aborted when the peer cancels, the connection closes or the time is up. Made when it is first read. */
  readonly signal: AbortSignal;
  /** What the transport knows about where the request came from, such as who is authenticated. */
  readonly origin: unknown;
  /** For what goes on when the call has been answered. */
  readonly connection: Connection;
  /** How often progress may be reported. */
  readonly progressRate: Rate;
  /** Reports progress, if the peer asked for it. Values that do not grow are dropped, and so are those that come too fast but the newest. */
  progress(progress: Progress): Promise<void>;
  // @part questions, tasks
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
}

/** What a running call needs of its connection. */
export interface CallHost extends Connection, TimerHost {
  readonly progressRate: Rate;
  /** The session; throws while there is none. */
  requireSession(): Session;
  // @part questions, tasks
  request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options?: RequestOptions,
    related?: RequestId,
  ): Promise<Result>;
  notify<Params>(row: NotificationRow<Params>, params: Params, related?: RequestId): Promise<void>;
  sendNotification(message: NotificationMessage, related?: RequestId): Promise<void>;
}

/** A request of the peer that is being answered, which is also the context of its handler. */
export class IncomingCall implements CallContext {
  readonly requestId: RequestId;
  readonly row: RequestRow;
  readonly batch: Batch | undefined;
  readonly origin: unknown;
  /** When the handler has had its time. */
  deadline: number = Infinity;
  /** Answered, cancelled or given up: nothing of it may be sent any more. */
  done: boolean = false;
  readonly #host: CallHost;
  readonly #params: unknown;
  #controller: AbortController | undefined = undefined;
  #abortReason: Error | undefined = undefined;
  #lastProgress: number = -Infinity;
  #throttle: Throttle | undefined = undefined;

  constructor(
    host: CallHost,
    request: { readonly id: RequestId; readonly params: unknown },
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

  // @part changes
  /** Asks the handler to come to an end; its answer is still sent. */
  abortEndless(): void {
    this.#abortReason = new DOMException("The connection is being closed", "AbortError");
    this.#controller?.abort(this.#abortReason);
  }

  /** What its handler has reported last goes out before the answer; nothing does afterwards. */
  finish(): void {
    void this.#throttle?.flush();
    this.done = true;
  }

  /** Ends the call without an answer of its handler. */
  abort(reason: Error): void {
    this.#throttle?.stop();
    this.done = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress */
  async progress(report: Progress): Promise<void> {
    const token = this.meta.progressToken;
    const wanted = typeof token === "string" || typeof token === "number";
    if (this.done || !wanted || !Number.isFinite(report.progress) || report.progress <= this.#lastProgress) return;
    this.#lastProgress = report.progress;
    this.#throttle ??= new Throttle(this.#host, this.progressRate, (paced) => {
      const params = { progressToken: token, ...toProgress(paced) };
      return this.#host.sendNotification({ jsonrpc: "2.0", method: "notifications/progress", params }, this.requestId);
    });
    await this.#throttle.report(report);
  }

  /** Sends the progress that is due, and returns when to look again. */
  sweepProgress(now: number): number {
    return this.#throttle?.sweep(now) ?? Infinity;
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.#host.notify(row, params, this.requestId);
  }

  // @part questions, tasks
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.#host.request(row, params, options, this.requestId);
  }
}

/** Only what a report may say: JSON would make `null` of a total that is no number. */
function toProgress({ progress, total, message }: Progress): Progress {
  return {
    progress,
    ...(total !== undefined && Number.isFinite(total) && { total }),
    ...(message !== undefined && { message }),
  };
}

const noMeta: Readonly<Record<string, unknown>> = Object.freeze({});
