import {
  isObject,
  type NotificationRow,
  type Progress,
  type RequestRow,
  type Revision,
} from "../../generated/support.ts";
import { findRow } from "../common/rows.ts";
import type { CallContext, RequestOptions } from "../rpc/call.ts";
import type { RequestId } from "../rpc/message.ts";
import type { Connection } from "../rpc/peer.ts";
import type { Session } from "../rpc/session.ts";
import type { RunningTask } from "./running-task.ts";

/** What a handler learns about the task that its request has become. */
export interface TaskControl {
  readonly id: string;
  /** Tells people how far the task is. */
  status(message: string): Promise<void>;
}

/** A call that goes on as a task: what it sends belongs to the task, and only the end of the task ends it. */
export class TaskCall implements CallContext {
  readonly #call: CallContext;
  readonly #task: RunningTask;
  #lastProgress = -Infinity;

  constructor(call: CallContext, task: RunningTask) {
    this.#call = call;
    this.#task = task;
  }

  get task(): TaskControl {
    return { id: this.#task.key.id, status: (message) => this.#task.explain(message) };
  }

  get requestId(): RequestId {
    return this.#call.requestId;
  }

  get session(): Session {
    return this.#call.session;
  }

  get revision(): Revision {
    return this.#call.revision;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.#call.meta;
  }

  get signal(): AbortSignal {
    return this.#task.signal;
  }

  get origin(): unknown {
    return isObject(this.#call.origin) ? { ...this.#call.origin, releaseConnection: () => false } : undefined;
  }

  get connection(): Connection {
    return this.#call.connection;
  }

  /** The token of the request stays good until the task ends. */
  async progress(report: Progress): Promise<void> {
    const { progressToken } = this.meta;
    const isWanted = typeof progressToken === "string" || typeof progressToken === "number";
    if (!isWanted || !Number.isFinite(report.progress) || report.progress <= this.#lastProgress) return;
    this.#lastProgress = report.progress;
    const { serverNotifications, clientNotifications } = this.revision;
    const row = findRow(this.session.role === "server" ? serverNotifications : clientNotifications, "progress");
    if (row) await this.#task.notify(row, { ...report, progressToken });
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.#task.notify(row, params);
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.#task.ask(row, params, options);
  }
}

/** The task behind a call, if it is one. */
export function readTask(call: CallContext): TaskControl | undefined {
  return call instanceof TaskCall ? call.task : undefined;
}
