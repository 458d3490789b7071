import { isObject } from "../../generated/support.ts";
import type { RequestOptions } from "../protocol/incoming-call.ts";
import { hasName, isTimeoutError } from "../jsonrpc/errors.ts";
import { SharedPromise } from "../internal/shared-promise.ts";
import { pause, type Clock } from "../internal/timers.ts";
import { isFinal } from "../stores/task-store.ts";
import { isTaskState, type TaskState } from "./task.ts";

/** A task of the peer that was started here, or elsewhere and is known by its id. */
export interface TaskHandle<Result = unknown> {
  readonly taskId: string;
  /** Asks where the task is. */
  status(options?: TaskCallOptions): Promise<TaskState>;
  /** Waits for the end, and gives what the request came to: its result, or its error. */
  result(options?: TaskCallOptions): Promise<Result>;
  /** Cancels the task; fails when it has ended. */
  cancel(options?: TaskCallOptions): Promise<TaskState>;
  /** What the task is now, and then every change until it has ended. */
  readonly updates: AsyncIterable<TaskState>;
}

/** Options of a question about a task. Its signal ends the wait, not the task. */
export type TaskCallOptions = Pick<RequestOptions, "signal" | "timeout">;

/** What a handle needs of its connection. */
export interface TaskPort<Result> {
  readonly clock: Clock | undefined;
  /** Sends the request with this handler name. */
  send(
    handler: "getTask" | "getTaskPayload" | "cancelTask",
    taskId: string,
    options: TaskCallOptions,
  ): Promise<unknown>;
  /** What a task in this state came to, where the state tells; nothing while it goes on. Default: the peer is asked for its result. */
  outcome?(task: TaskState, options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined>;
  /** Checks what a task came to. */
  toResult(value: unknown): Result;
  /** The task has ended: nothing of it is expected any more. */
  ended?(): void;
  /** A wait for a change begins: it may be arranged that the peer tells of it, by `wake`. */
  watch?(): void;
  /** Whether the peer has agreed to tell of changes. */
  isHeard?(): boolean;
}

/** The request that should have become a task was answered at once. The work is done: `result` is the answer. */
export class NoTaskError extends Error {
  readonly result: unknown;

  constructor(method: string, result: unknown) {
    super(`${method} was answered at once, not by a task. Its answer is the member result of this error.`);
    this.name = "NoTaskError";
    this.result = result;
  }
}

/** Whether a value is a `NoTaskError`, also one of another copy of this package. */
export function isNoTaskError(value: unknown): value is NoTaskError {
  return hasName(value, ["NoTaskError"]);
}

/** Reads the answer to a request that asked to become a task. */
export function readCreatedTask(method: string, answer: unknown): TaskState {
  const task = isObject(answer) ? answer.task : undefined;
  if (!isTaskState(task)) throw new NoTaskError(method, answer);
  return task;
}

/**
 * Follows a task by asking for its status at the pace that the peer suggests. However many wait for it, it is asked for once.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#polling
 */
export class FollowedTask<Result> implements TaskHandle<Result> {
  readonly taskId: string;
  readonly #port: TaskPort<Result>;
  #last: TaskState | undefined;
  #result: { readonly whole: Promise<Result>; readonly shared: SharedPromise<Result> } | undefined;
  #next: Promise<TaskState> | undefined;
  #questions = 0;
  #wake: (() => void) | undefined;
  /** Something was told while nobody waited: what is being asked for now may be older. */
  #isWoken = false;

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
    this.#result ??= this.#begin(options);
    return signal ? this.#result.shared.wait(signal) : this.#result.whole;
  }

  async cancel(options: TaskCallOptions = {}): Promise<TaskState> {
    const task = this.#take(await this.#port.send("cancelTask", this.taskId, options));
    this.wake();
    return task;
  }

  /** The peer says that something has changed: ask now. What it says is not relied on. */
  wake(): void {
    if (this.#wake) this.#wake();
    else this.#isWoken = true;
  }

  /** A failed wait is not the end of the task: who asks again waits again. */
  #begin(options: TaskCallOptions): { readonly whole: Promise<Result>; readonly shared: SharedPromise<Result> } {
    const whole = this.#await(options);
    whole.catch(() => (this.#result = undefined));
    return { whole, shared: new SharedPromise(whole) };
  }

  async *#follow(): AsyncGenerator<TaskState, void, undefined> {
    let task = this.#last ?? (await this.status());
    for (yield task; !isFinal(task.status);) {
      const next = await this.#advance();
      if (isSame(next, task)) continue;
      task = next;
      yield task;
    }
  }

  /** Asking for the result opens a way on which the peer can ask what it needs to know. */
  async #await(options: TaskCallOptions): Promise<Result> {
    let task = this.#last ?? (await this.status(options));
    for (;;) {
      const payload = await this.#find(task, options);
      if (payload) return this.#settle(payload.value);
      task = await this.#advance();
    }
  }

  #find(task: TaskState, options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined> {
    if (this.#port.outcome) return this.#port.outcome(task, options);
    return task.status === "working" ? Promise.resolve(undefined) : this.#fetch(options);
  }

  /** Nothing, if the wait was too long: then the status is asked for again. */
  async #fetch(options: TaskCallOptions): Promise<{ readonly value: unknown } | undefined> {
    try {
      return { value: await this.#port.send("getTaskPayload", this.taskId, options) };
    } catch (error) {
      if (isTimeoutError(error)) return undefined;
      this.#port.ended?.();
      throw error;
    }
  }

  #settle(payload: unknown): Result {
    this.#port.ended?.();
    // Whoever waits for a change has waited enough.
    this.wake();
    return this.#port.toResult(payload);
  }

  #advance(): Promise<TaskState> {
    this.#next ??= this.#poll().finally(() => (this.#next = undefined));
    return this.#next;
  }

  async #poll(): Promise<TaskState> {
    this.#port.watch?.();
    if (!this.#isWoken) await this.#rest();
    this.#isWoken = false;
    return this.status();
  }

  async #rest(): Promise<void> {
    const waking = new AbortController();
    this.#wake = () => waking.abort();
    await pause(this.#delay(), this.#port.clock, waking.signal).catch(() => {});
    this.#wake = undefined;
  }

  /** What the peer suggests; without that, the longer the task takes, the less often; and rarely where the peer tells of changes. */
  #delay(): number {
    const suggested = this.#last?.pollInterval;
    if (this.#port.isHeard?.()) return Math.min(Math.max(suggested ?? 0, heardDelay), longestDelay);
    const grown = Math.min(firstDelay * 1.5 ** this.#questions, longestOwnDelay);
    this.#questions += 1;
    return suggested === undefined ? grown : Math.min(Math.max(suggested, shortestDelay), longestDelay);
  }

  #take(answer: unknown): TaskState {
    if (!isTaskState(answer)) throw new Error(`The peer's answer about task ${this.taskId} is no task.`);
    this.#last = answer;
    if (isFinal(answer.status)) this.#port.ended?.();
    return answer;
  }
}

/** Options of a call that asks for a task. */
export interface TaskRequestOptions {
  /** Ask for a task; `ttl` is how many milliseconds it should be kept from its creation. The peer decides. */
  readonly task: true | { readonly ttl?: number };
}

/** The `task` member of a request that asks for a task. */
export function toTaskParams(task: TaskRequestOptions["task"]): { readonly ttl?: number } {
  return task === true ? {} : task;
}

const firstDelay = 500;
const longestOwnDelay = 5_000;

/** A peer that wants no pause at all must not keep us spinning, nor one that wants a long one make us forget it. */
const shortestDelay = 10;
const longestDelay = 300_000;

/** A peer may forget to tell. */
const heardDelay = 30_000;

function isSame(first: TaskState, second: TaskState): boolean {
  return (
    first.status === second.status &&
    first.statusMessage === second.statusMessage &&
    first.lastUpdatedAt === second.lastUpdatedAt
  );
}
