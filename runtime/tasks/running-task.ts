import {
  isObject,
  type Awaitable,
  type NotificationRow,
  type RequestRow,
  type Progress,
} from "../../generated/support.ts";
import type { CallContext, RequestOptions } from "../protocol/peer/incoming-call.ts";
import { toWrittenRow } from "../protocol/session/written-row.ts";
import { checkResult } from "../protocol/peer/routes.ts";
import { CapabilityError } from "../jsonrpc/errors.ts";
import { isOpen } from "../protocol/session/session.ts";
import { SharedPromise } from "../internal/shared-promise.ts";
import { followSignals } from "../internal/abort-signals.ts";
import { isFinal, type TaskChange, type TaskKey, type TaskRecord, type TaskStore } from "../stores/task-store.ts";
import { pause, type Clock } from "../internal/timers.ts";
import { EngineError } from "../stores/engine-error.ts";
import { repeatWhileLost } from "../stores/repeat-while-lost.ts";
import { toFailed, type TaskEnding } from "./task.ts";
import type { RequestorChannel } from "./requestor-channel.ts";
import { asHandled } from "../internal/as-handled.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import { Throttle, toProgress, toProgressToken, type TimerHost } from "../protocol/peer/progress.ts";
import { RelayedCall } from "../protocol/peer/relayed-call.ts";
import type { StepRunner } from "./step-recorder.ts";
import type { TaskContext, TaskControl } from "./call-scope.ts";

/** Reason for which the work of an earlier attempt is aborted. */
export const takenOver = "Another node runs the task";

/** Dependencies of a running task. */
interface RunningTaskHost {
  readonly store: TaskStore;
  readonly clock: Clock;
  /** Milliseconds between two reads of the store for responses accepted by another process. */
  readonly pollInterval: number;
  readonly channel: RequestorChannel;
  /** Attempt at a task, if other nodes may take it over. Changes by earlier attempts have no effect. */
  readonly attempt: number | undefined;
  /** Aborted when the server closes: the end of the task is then no longer tried again while the store is lost. */
  readonly closing: AbortSignal | undefined;
  /** Called with the changed record. */
  changed(record: TaskRecord): void;
}

/** A task whose work runs in this process: sends its messages and updates its record. */
export class RunningTask {
  readonly key: TaskKey;
  /** Resolves when the task has ended or was abandoned. */
  readonly ended: Promise<void>;
  readonly #host: RunningTaskHost;
  readonly #call: CallContext;
  readonly #controller = new AbortController();
  #openInputRequests = 0;
  #isCollecting = false;
  #isOver = false;
  #last: Promise<TaskRecord | undefined> = Promise.resolve(undefined);
  #resolveEnded: () => void = () => {};
  readonly #joined: SharedPromise<void>;

  constructor(key: TaskKey, call: CallContext, host: RunningTaskHost) {
    this.key = key;
    this.#call = call;
    this.#host = host;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#joined = new SharedPromise(this.ended);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True if the task has ended. It must not send further messages then. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sets the status message of the task. */
  async explain(statusMessage: string): Promise<void> {
    if (!this.#isOver) await this.#change({ statusMessage });
  }

  /** Ends the task, with the outcome of its work or without one. Only the first call counts. */
  async end(change: TaskEnding): Promise<TaskRecord | undefined> {
    if (this.#isOver) return this.#last;
    this.#isOver = true;
    try {
      return await this.#change(change);
    } catch (error) {
      if (change.outcome && !(error instanceof EngineError)) await this.#failUnstored();
      throw error;
    } finally {
      this.#controller.abort(new DOMException(`The task is ${change.status}`, "AbortError"));
      this.#resolveEnded();
    }
  }

  /** Ends a task whose outcome the store has rejected, such as a result too long for a database: it would seem to run until its time is up. */
  async #failUnstored(): Promise<void> {
    // The first error is reported.
    await this.#change(toFailed("The outcome of the task could not be stored")).catch(() => {});
  }

  /** Abandons a task for the next node to run again. Its record says that its node was not lost. */
  async release(releases: number): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#change({ releases }).catch(() => undefined);
    this.abandon("The server is closing");
  }

  /** Abandons a task when it can no longer be requested, or has ended in another process. Its record is not changed. */
  abandon(reason: string): void {
    this.#isOver = true;
    this.#controller.abort(new DOMException(reason, "AbortError"));
    this.#resolveEnded();
  }

  /** Waits until the task has ended. Rejects if the signal is aborted first. */
  join(signal: AbortSignal): Promise<void> {
    return this.#joined.wait(signal);
  }

  /** Sends a notification of the task, or drops it if it cannot be delivered or the task has ended. */
  async notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    if (!this.#isOver) await this.#host.channel.notify(row, params);
  }

  /**
   * Sends a request to the requestor. The status of the task is `input_required` until the response arrives.
   *
   * @throws {CapabilityError} when the requestor has not declared the required capability.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
   */
  async ask<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options: RequestOptions = {},
  ): Promise<Result> {
    if (row.gate && !isOpen(row.gate, this.#call.session)) throw new CapabilityError(row.method, row.gate);
    this.signal.throwIfAborted();
    const stop = new AbortController();
    const leave = followSignals(stop, [options.signal, this.signal]);
    const put = this.#host.channel.ask(row, params, { ...options, signal: stop.signal });
    try {
      await this.#count(1);
      void this.#collect();
      // The response may have been converted already.
      const { session } = this.#call;
      return checkResult(session.revision.received ? toWrittenRow(row, session) : row, await put());
    } catch (error) {
      // The request may not have been sent: the record could not be changed.
      stop.abort(error);
      throw error;
    } finally {
      leave();
      await this.#count(-1);
    }
  }

  /** Accepts responses to the input requests in the record, and updates the record. */
  async respond(responses: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#isOver) return;
    this.#host.channel.respond?.(responses);
    await this.#change({});
  }

  /** Polls the store while the task waits for responses: another process may have received them, or may have cancelled the task. */
  async #collect(): Promise<void> {
    const { channel, clock, pollInterval } = this.#host;
    if (this.#isCollecting || !channel.respond) return;
    this.#isCollecting = true;
    while (this.#openInputRequests > 0 && !this.#isOver) {
      await pause(pollInterval, clock, this.signal).catch(() => {});
      await this.poll();
    }
    this.#isCollecting = false;
  }

  /** Reads the record from the store, and takes over what another process has changed: responses to input requests, or the end of the task. */
  async poll(): Promise<void> {
    if (this.#isOver) return;
    try {
      this.#take(await this.#host.store.find(this.key));
    } catch {
      // The store may work again at the next poll. Invalid responses were rejected where they arrived.
    }
  }

  #take(record: TaskRecord | undefined): void {
    if (this.#isOver) return;
    if (!record) return this.abandon("The task was removed");
    if (this.#isFenced(record)) return this.abandon(takenOver);
    if (record.inputResponses && !isFinal(record.status)) this.#host.channel.respond?.({ ...record.inputResponses });
    if (!isFinal(record.status)) return;
    this.abandon(`The task is ${record.status}`);
    this.#host.channel.notifyStatus(record);
    this.#host.changed(record);
  }

  /** True if a later attempt runs the task. */
  #isFenced(record: TaskRecord): boolean {
    const { attempt } = this.#host;
    return attempt !== undefined && (record.attempt ?? 1) > attempt;
  }

  async #count(step: 1 | -1): Promise<void> {
    const before = this.#openInputRequests;
    this.#openInputRequests += step;
    const isSame = before > 0 && this.#openInputRequests > 0 && this.#host.channel.inputRequests === undefined;
    if (!this.#isOver && !isSame)
      await this.#change({ status: this.#openInputRequests > 0 ? "input_required" : "working" });
  }

  /** Changes the record. Changes run one after the other; a failed one does not block the following ones. */
  #change(change: Omit<TaskChange, "updatedAt">): Promise<TaskRecord | undefined> {
    const changed = this.#last
      .catch(() => undefined)
      .then(() => {
        const { inputRequests, settledRequests, inputResponses } = this.#host.channel;
        const updatedAt = new Date().toISOString();
        return this.#store({
          ...(inputRequests && { inputRequests }),
          ...(settledRequests && { settledRequests }),
          ...(inputResponses && { inputResponses }),
          ...change,
          updatedAt,
        });
      });
    this.#last = changed;
    return changed.then((record) => {
      if (record && this.#isFenced(record)) this.abandon(takenOver);
      else if (record && (!this.#isOver || isFinal(record.status))) {
        this.#host.channel.notifyStatus(record);
        this.#host.changed(record);
      }
      return record;
    });
  }

  #store(change: TaskChange): Awaitable<TaskRecord | undefined> {
    const { store, attempt, clock, closing } = this.#host;
    if (attempt === undefined) return store.change(this.key, change);
    const perform = async (): Promise<TaskRecord | undefined> => store.change(this.key, change, attempt);
    return change.status && isFinal(change.status) ? repeatWhileLost(perform, { clock, signal: closing }) : perform();
  }
}

/** A call continued as a task. Its messages belong to the task, and only the end of the task ends it. */
export class TaskCall extends RelayedCall implements TaskContext {
  readonly #task: RunningTask;
  readonly #throttle: Throttle;
  #lastProgress = -Infinity;

  /** Present if the task may be run again. */
  readonly steps: StepRunner | undefined;

  constructor(call: CallContext, task: RunningTask, timer: TimerHost, steps?: StepRunner) {
    super(call);
    this.#task = task;
    this.steps = steps;
    this.#throttle = new Throttle(timer, call.progressRate, (report) => this.#notify(report));
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
