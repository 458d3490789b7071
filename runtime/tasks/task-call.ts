import { isObject, type NotificationRow, type Progress, type RequestRow } from "../../generated/support.ts";
import { asHandled } from "../internal/as-handled.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../protocol/peer/incoming-call.ts";
import { Throttle, toProgress, toProgressToken, type TimerHost } from "../protocol/peer/progress.ts";
import { RelayedCall } from "../protocol/peer/relayed-call.ts";
import type { RunningTask } from "./running-task.ts";
import type { StepRunner } from "./step-recorder.ts";
import type { TaskContext, TaskControl } from "./task-control.ts";

/** A call continued as a task. Its messages belong to the task, and only the end of the task ends it. */
export class TaskCall extends RelayedCall implements TaskContext {
  readonly #task: RunningTask;
  readonly #throttle: Throttle;
  #lastProgress = -Infinity;

  /** Present if the task may be run again. */
  readonly steps: StepRunner | undefined;

  constructor(call: CallContext, task: RunningTask, wheel: TimerHost, steps?: StepRunner) {
    super(call);
    this.#task = task;
    this.steps = steps;
    this.#throttle = new Throttle(wheel, call.progressRate, (report) => this.#notify(report));
  }

  get task(): TaskControl {
    return { id: this.#task.key.id, status: (message) => this.#task.explain(message) };
  }

  get signal(): AbortSignal {
    return this.#task.signal;
  }

  override get origin(): unknown {
    return isObject(this.call.origin) ? { ...this.call.origin, releaseConnection: () => false } : undefined;
  }

  /** Reports progress. The progress token of the request stays valid until the task ends. */
  progress(report: Progress): Promise<void> {
    return asHandled(this.#report(report));
  }

  async #report(report: Progress): Promise<void> {
    const { progress } = report;
    const isWanted = toProgressToken(this.meta.progressToken) !== undefined;
    if (!isWanted || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    await this.#throttle.report(report);
  }

  /** Sends progress when due, and returns the time of the next sweep. */
  sweepProgress(now: number): number {
    return this.#throttle.sweep(now);
  }

  /** Sends the last reported progress before the task ends. */
  finish(): Promise<void> {
    return this.#throttle.flush();
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.#task.notify(row, params);
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.#task.ask(row, params, options);
  }

  async #notify(report: Progress): Promise<void> {
    const { serverNotifications, clientNotifications } = this.revision;
    const row = findRow(this.session.role === "server" ? serverNotifications : clientNotifications, "progress");
    if (row) await this.#task.notify(row, { ...toProgress(report), progressToken: this.meta.progressToken });
  }
}
