import type { RequestOptions } from "../protocol/peer/incoming-call.ts";
import { hasName, isPeerError, isTimeoutError } from "../jsonrpc/errors.ts";
import { SharedPromise } from "../internal/shared-promise.ts";
import { pause, type Clock } from "../internal/timers.ts";
import { isFinal } from "../stores/task-store.ts";
import { isTaskState, type TaskState } from "./task.ts";

/** Handle of a task of the peer. The task was started here, or elsewhere and is known by its id. */
export interface TaskHandle<Result = unknown> {
  readonly taskId: string;
  /** Requests the status of the task. */
  status(options?: TaskCallOptions): Promise<TaskState>;
  /** Waits for the end of the task. Returns the result of the request, or rejects with its error. */
  result(options?: TaskCallOptions): Promise<Result>;
  /** Cancels the task. Rejects if it has already ended. */
  cancel(options?: TaskCallOptions): Promise<TaskState>;
  /** Current state of the task, then every change until it has ended. */
  readonly updates: AsyncIterable<TaskState>;
}

/** Options of a request about a task. The signal ends the wait, not the task. */
export type TaskCallOptions = Pick<RequestOptions, "signal" | "timeout">;

/** Dependencies of a handle on its connection. */
export interface TaskPort<Result> {
  readonly clock: Clock | undefined;
  /** Sends the request with this handler name. */
  send(
    handler: "getTask" | "getTaskPayload" | "cancelTask",
    taskId: string,
    options: TaskCallOptions,
  ): Promise<unknown>;
  /**
   * Returns the outcome of a task in this state, if the state contains it, and undefined while the task runs. Default: the result is requested from
   * the peer.
   */
  outcome?(task: TaskState, options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined>;
  /** Checks the outcome of a task. */
  toResult(value: unknown): Result;
  /** Called when the task has ended and no more messages are expected for it. */
  ended(): void;
  /** Called when a wait for a change begins. The connection may subscribe to changes and then call `wake`. */
  watch?(): void;
  /** Called when no caller waits for a change any more. */
  unwatch?(): void;
  /** True if the peer has agreed to send notifications of changes. */
  isHeard?(): boolean;
  /** True if there is no connection: the next poll fails, or waits for the next connection. */
  isDown?(): boolean;
  /** True if a failed poll may be repeated after this error. Default: never. */
  isTemporary?(error: unknown): boolean;
}

/** Error for a request whose result came immediately, instead of a task. The work is done: `result` is that result. */
export class NoTaskError extends Error {
  readonly result: unknown;

  constructor(method: string, result: unknown) {
    super(`${method} returned a result instead of a task; read the member result of this error`);
    this.name = "NoTaskError";
    this.result = result;
  }
}

/** True if a value is a `NoTaskError`, also one of another copy of this package. */
export function isNoTaskError(value: unknown): value is NoTaskError {
  return hasName(value, ["NoTaskError"]);
}

/**
 * Follows a task by polling its status at the interval suggested by the peer. Any number of waiting callers share one poll.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#getting-tasks
 */
export class FollowedTask<Result> implements TaskHandle<Result> {
  readonly taskId: string;
  readonly #port: TaskPort<Result>;
  #last: TaskState | undefined;
  #wait: ResultWait<Result> | undefined;
  /** Callers following the task: without one, it is not polled. */
  readonly #followers = new Set<object>();
  #next: Promise<TaskState> | undefined;
  #polls = 0;
  #wake: (() => void) | undefined;
  /** True if a change was announced while no delay was running: the pending response may be older. */
  #isPollDue = false;

  constructor(task: Pick<TaskState, "taskId"> | TaskState, port: TaskPort<Result>) {
    this.taskId = task.taskId;
    this.#port = port;
    this.#last = "status" in task ? task : undefined;
  }

  get updates(): AsyncIterable<TaskState> {
    return { [Symbol.asyncIterator]: () => this.#follow() };
  }

  async status(options: TaskCallOptions = {}): Promise<TaskState> {
    return this.#take(await this.#port.send("getTask", this.taskId, options));
  }

  result({ signal, ...options }: TaskCallOptions = {}): Promise<Result> {
    const wait = (this.#wait ??= this.#begin(options));
    if (!signal) {
      wait.isKept = true;
      return wait.whole;
    }
    wait.callers += 1;
    return wait.shared.wait(signal).catch((error: unknown) => {
      this.#leave(wait);
      throw error;
    });
  }

  async cancel(options: TaskCallOptions = {}): Promise<TaskState> {
    try {
      return this.#take(await this.#port.send("cancelTask", this.taskId, options));
    } finally {
      this.wake();
    }
  }

  /** Polls now, because the peer has announced a change. The content of the announcement is not used. */
  wake(): void {
    if (this.#wake) this.#wake();
    else this.#isPollDue = true;
  }

  /** Begins to wait for the result. A failed wait does not end the task: the next call waits again. */
  #begin(options: TaskCallOptions): ResultWait<Result> {
    const stop = new AbortController();
    const whole = this.#await({ ...options, signal: stop.signal });
    const wait = { whole, shared: new SharedPromise(whole), stop, callers: 0, isKept: false };
    this.#followers.add(wait);
    const end = (): void => this.#unfollow(wait);
    whole.then(end, () => {
      end();
      if (this.#wait === wait) this.#wait = undefined;
    });
    return wait;
  }

  /** Ends a wait when no caller is interested in it any more. */
  #leave(wait: ResultWait<Result>): void {
    wait.callers -= 1;
    if (wait.callers > 0 || wait.isKept || this.#wait !== wait) return;
    this.#wait = undefined;
    this.#unfollow(wait);
    wait.stop.abort(new DOMException("No caller waits for the result any more", "AbortError"));
    this.wake();
  }

  async *#follow(): AsyncGenerator<TaskState, void, undefined> {
    let task = this.#last ?? (await this.status());
    const follower = {};
    try {
      for (yield task; !isFinal(task.status);) {
        this.#followers.add(follower);
        const next = await this.#advance();
        if (isSame(next, task)) continue;
        task = next;
        yield task;
      }
    } finally {
      this.#unfollow(follower);
    }
  }

  #unfollow(follower: object): void {
    if (this.#followers.delete(follower) && this.#followers.size === 0) this.#port.unwatch?.();
  }

  /** Waits for the result. During the request for the result, the peer can also send requests to this side. */
  async #await(options: TaskCallOptions & { readonly signal: AbortSignal }): Promise<Result> {
    let task = this.#last ?? (await this.status(options));
    for (;;) {
      const payload = await this.#find(task, options);
      if (payload) return this.#settle(payload.value);
      task = await this.#advance();
      options.signal.throwIfAborted();
    }
  }

  #find(task: TaskState, options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined> {
    if (this.#port.outcome) return this.#port.outcome(task, options);
    return task.status === "working" ? Promise.resolve(undefined) : this.#fetch(options);
  }

  /** Requests the result. Returns undefined after a timeout: the status is then requested again. */
  async #fetch(options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined> {
    try {
      return { value: await this.#port.send("getTaskPayload", this.taskId, options) };
    } catch (error) {
      if (isTimeoutError(error)) return undefined;
      if (isPeerError(error)) this.#port.ended();
      throw error;
    }
  }

  #settle(payload: unknown): Result {
    this.#port.ended();
    // Pending waits for a change end as well.
    this.wake();
    return this.#port.toResult(payload);
  }

  #advance(): Promise<TaskState> {
    this.#next ??= this.#poll().finally(() => (this.#next = undefined));
    return this.#next;
  }

  /** Polls once. A temporary failure does not end the wait of the callers: the poll is repeated a few times. */
  async #poll(): Promise<TaskState> {
    this.#port.watch?.();
    if (!this.#isPollDue && this.#port.isDown?.() !== true) await this.#rest(this.#delay());
    for (let failures = 0; ;) {
      this.#isPollDue = false;
      if (this.#last && this.#followers.size === 0) return this.#last;
      try {
        return await this.status();
      } catch (error) {
        failures += 1;
        if (failures > mostRetries || this.#port.isTemporary?.(error) !== true) throw error;
      }
      await this.#rest(Math.min(firstDelay * 2 ** failures, longestOwnDelay));
    }
  }

  async #rest(delay: number): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    await pause(delay, this.#port.clock, waking.signal).catch(() => {});
    this.#wake = undefined;
  }

  /**
   * Returns the delay before the next poll: the one suggested by the peer, otherwise a delay growing with the number of polls. If the peer announces
   * changes, the delay is long.
   */
  #delay(): number {
    const suggested = this.#last?.pollInterval;
    if (this.#port.isHeard?.()) return Math.min(Math.max(suggested ?? 0, heardDelay), longestDelay);
    const grown = Math.min(firstDelay * 1.5 ** this.#polls, longestOwnDelay);
    this.#polls += 1;
    return suggested === undefined ? grown : toPollInterval(suggested);
  }

  #take(response: unknown): TaskState {
    if (!isTaskState(response)) throw new Error(`The response for task ${this.taskId} is not a task`);
    this.#last = response;
    if (isFinal(response.status)) this.#port.ended();
    return response;
  }
}

/** Wait for the result of a task, which callers share. */
interface ResultWait<Result> {
  readonly whole: Promise<Result>;
  readonly shared: SharedPromise<Result>;
  /** Ends the wait. */
  readonly stop: AbortController;
  /** Number of callers that may still give up. */
  callers: number;
  /** True if a caller waits without a signal. */
  isKept: boolean;
}

/** Options of a call with a request for a task. */
export interface TaskRequestOptions {
  /** Requests a task; `ttl` is the number of milliseconds to keep it from its creation. The peer decides. */
  readonly task: true | { readonly ttl?: number };
}

/** Returns the `task` member of a request for a task. */
export function toTaskParams(task: TaskRequestOptions["task"]): { readonly ttl?: number } {
  return task === true ? {} : task;
}

/** Returns the interval suggested by the peer, in milliseconds, within bounds. */
export function toPollInterval(suggested: number): number {
  return Math.min(Math.max(suggested, shortestDelay), longestDelay);
}

const firstDelay = 500;
const longestOwnDelay = 5_000;

/** Maximum number of temporary failures in a row after which a poll is repeated. */
const mostRetries = 4;

/**
 * Bounds in milliseconds for the interval suggested by the peer: too short a pause must not cause a busy loop, and too long a pause must not stall
 * the task.
 */
const shortestDelay = 10;
const longestDelay = 300_000;

/** Delay in milliseconds if the peer announces changes: it may fail to do so. */
const heardDelay = 30_000;

function isSame(first: TaskState, second: TaskState): boolean {
  return (
    first.status === second.status &&
    first.statusMessage === second.statusMessage &&
    first.lastUpdatedAt === second.lastUpdatedAt
  );
}
