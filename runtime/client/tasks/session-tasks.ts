import { FollowedTask, NoTaskError, type TaskHandle, type TaskRequestOptions } from "../../tasks/task-handle.ts";
import { isTaskState, type TaskState } from "../../tasks/task.ts";
import type { Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import { readItems, readNextCursor, type Page } from "../lists/pages.ts";
import type { SessionCallOptions } from "../session/client-session.ts";
import type { CoreCallOptions } from "../session/requests.ts";
import { taskProtocolOf, type ClientTaskProtocol, type TaskPortHost } from "./task-protocol.ts";
import type { TaskListening } from "./task-listening.ts";
import { isClosedError, isPeerError, isTimeoutError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { isSessionExpiredError } from "../../transport/http-client/errors.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";

/** Call of a tool, to become a task. */
export interface ToolTaskCall {
  readonly name: string;
  readonly args: object | undefined;
  /** Tool as the server lists it, if known. */
  readonly tool: object | undefined;
  /** Wraps the sending of the call. Default: it is sent once. */
  readonly around?: CoreCallOptions["around"];
  /** Checks and returns the result of the tool. */
  toResult(value: unknown): object;
}

/** Parts of a session used by its tasks on the server. */
interface SessionTasksHost extends TaskPortHost {
  readonly clock: Clock | undefined;
  connection(): ClientConnection;
  /** True if the session has ended, or is closing: no call can succeed any more. */
  isEnded(): boolean;
  /** Source of notifications of task changes. Default: tasks are polled. */
  readonly listening?: Pick<TaskListening, "watch" | "forget" | "isHeard">;
}

/** Tasks of this session on the server. */
export class SessionTasks {
  readonly #host: SessionTasksHost;
  /**
   * Tasks without a known end, held weakly. A caller may never request the end. Only code which holds a task, or waits for it, keeps it in memory.
   */
  readonly #followed = new Map<string, Set<Entry>>();
  /** Removes dropped tasks. Not every runtime has `FinalizationRegistry`: without it, tasks are kept as long as the session. */
  readonly #dropped =
    typeof FinalizationRegistry === "function"
      ? new FinalizationRegistry<Entry>((entry) => this.#remove(entry))
      : undefined;

  constructor(host: SessionTasksHost) {
    this.#host = host;
  }

  /** True if a tool only runs as a task and its server supports tasks. */
  isRequired(tool: object | undefined): boolean {
    return this.#protocol.isRequired(tool, this.#host.connection());
  }

  /**
   * Starts a tool as a task. Sends nothing without a declaration by the server and the tool.
   *
   * @throws {CapabilityError} when the server declares no tasks for tool calls
   * @throws {NoTaskError} when the server responds without a task
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#creating-tasks
   */
  async start(call: ToolTaskCall, options: SessionCallOptions & TaskRequestOptions): Promise<TaskHandle<object>> {
    const { task, signal, ...rest } = options;
    const { name, args, tool, toResult, around } = call;
    signal?.throwIfAborted();
    const ended = new AbortController();
    const protocol = this.#protocol;
    protocol.requireSupport({ name, listed: tool }, this.#host.connection());
    const request = protocol.toRequest(task, ended.signal);
    const params = { name, ...(args && { arguments: args }), ...request.params };
    const starting = this.#host
      .call("callTool", params, { ...rest, ...request.options, ...(around && { around }), retry: "never" })
      .then((response) => {
        const created = protocol.readCreated(response);
        if (!created) throw new NoTaskError("tools/call", response);
        return this.follow(created, toResult, ended);
      });
    return signal ? rejectOnAbort(signal, starting) : starting;
  }

  /** Runs a tool as if it were a plain call, although it only runs as a task: aborting the call cancels the task. */
  async run(call: ToolTaskCall, options: SessionCallOptions): Promise<object> {
    return this.#await(await this.start(call, { ...options, task: true }), options);
  }

  /** Returns the result of a call. Waits for the task if the server has decided to continue the call as one. */
  async complete(result: unknown, { toResult }: ToolTaskCall, options: SessionCallOptions): Promise<object> {
    const started = this.#protocol.readContinued(result);
    return started ? this.#await(this.follow(started, toResult), options) : toResult(result);
  }

  /** Cancels the task as which a call continues. The call was cancelled before its response named the task. */
  abandon(result: unknown): void {
    const started = this.#protocol.readContinued(result);
    if (started) {
      const task = this.follow(started, () => ({}));
      task.cancel().catch(() => {});
    }
  }

  async #await(task: TaskHandle<object>, { signal }: SessionCallOptions): Promise<object> {
    try {
      return await task.result(signal ? { signal } : {});
    } catch (error) {
      if (signal?.aborted) task.cancel().catch(() => {});
      throw error;
    }
  }

  /** Follows a task of which at least the id is known. */
  follow(
    task: TaskState | Pick<TaskState, "taskId">,
    toResult: (value: unknown) => object,
    ended?: AbortController,
  ): TaskHandle<object> {
    const { taskId } = task;
    const followed: Followed = new FollowedTask<object>(task, {
      clock: this.#host.clock,
      ...this.#protocol.createPort(this.#host),
      watch: () => {
        entry.isWatched = true;
        this.#host.listening?.watch(taskId);
      },
      unwatch: () => this.#unwatch(entry),
      isHeard: () => this.#host.listening?.isHeard(taskId) ?? false,
      isDown: () => this.#host.connection().state === "DISCONNECTED",
      isTemporary: (error) => !this.#host.isEnded() && isTemporary(error),
      toResult,
      ended: () => {
        ended?.abort();
        this.#remove(entry);
      },
    });
    const entry: Entry = { taskId, held: toHeld(followed), isWatched: false };
    const others = this.#followed.get(taskId) ?? new Set();
    this.#followed.set(taskId, others.add(entry));
    this.#dropped?.register(followed, entry);
    return followed;
  }

  /** Called when the server reports a change of a task; wakes its followers. */
  wake(taskId: string): void {
    for (const { held } of this.#followed.get(taskId) ?? []) held.deref()?.wake();
  }

  /** Wakes all followers, as the connection has ended: they need not wait for their next poll to learn it. */
  wakeAll(): void {
    for (const taskId of this.#followed.keys()) this.wake(taskId);
  }

  /** Reads all tasks the server keeps for this client. */
  async list(options: SessionCallOptions): Promise<readonly TaskState[]> {
    const tasks: TaskState[] = [];
    const items = readItems(
      async (page) => toPage(await this.#host.call("listTasks", page, options)),
      (page) => page.tasks,
    );
    for await (const task of items) tasks.push(task);
    return tasks;
  }

  get #protocol(): ClientTaskProtocol {
    return taskProtocolOf(this.#host.connection().revision);
  }

  #remove(entry: Entry): void {
    const others = this.#followed.get(entry.taskId);
    others?.delete(entry);
    if (others?.size === 0) this.#followed.delete(entry.taskId);
    this.#unwatch(entry);
  }

  /** Ends the subscription to a task for which no handle waits. */
  #unwatch(entry: Entry): void {
    const { taskId } = entry;
    entry.isWatched = false;
    const entries = [...(this.#followed.get(taskId) ?? [])];
    if (!entries.some(({ isWatched }) => isWatched)) this.#host.listening?.forget(taskId);
  }
}

type Followed = FollowedTask<object>;

interface Entry {
  readonly taskId: string;
  readonly held: Held;
  /** True while a caller waits for a change. */
  isWatched: boolean;
}

type Held = Pick<WeakRef<Followed>, "deref">;

function toHeld(followed: Followed): Held {
  return typeof WeakRef === "function" ? new WeakRef(followed) : { deref: () => followed };
}

/** Rejects when the signal aborts. A start cannot be undone: if the task starts nevertheless, it is cancelled. */
function rejectOnAbort(signal: AbortSignal, starting: Promise<TaskHandle<object>>): Promise<TaskHandle<object>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason);
      starting.then((task) => task.cancel()).catch(() => {});
    };
    signal.addEventListener("abort", stop, { once: true });
    starting.finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
  });
}

function toPage(result: Record<string, unknown>): Page & { readonly tasks: readonly TaskState[] } {
  const tasks = Array.isArray(result.tasks) ? result.tasks.filter(isTaskState) : [];
  return { tasks, ...readNextCursor(result) };
}

/**
 * True if a request about a task may succeed when it is sent again: the connection was lost, no response came in time, or the server is busy. Any
 * other error response of the server is final.
 */
export function isTemporary(error: unknown): boolean {
  if (isPeerError(error)) return error.code === rejectionCodes.tooMany || error.code === rejectionCodes.unavailable;
  return isPassing(error) || isTimeoutError(error) || isClosedError(error) || isSessionExpiredError(error);
}
