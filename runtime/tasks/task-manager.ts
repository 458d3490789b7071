import { isObject, type Awaitable, type RequestRow } from "../../generated/support.ts";
import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { InvalidMessageError, RpcError, errorCodes, toError, toErrorObject } from "../jsonrpc/errors.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { CloseOptions, Connection } from "../protocol/session/connection.ts";
import { shorten } from "../internal/shorten.ts";
import { DeadlineTimer, pause, type Cancel } from "../internal/timers.ts";
import { isFinal, type TaskKey, type TaskRecord } from "../stores/task-store.ts";
import { selectResponses, type CheckStored } from "./stored-input-requests.ts";
import { SessionChannel, type RequestorChannel } from "./requestor-channel.ts";
import { RunningTask } from "./running-task.ts";
import { SessionOwners } from "./session-owners.ts";
import { TaskCall } from "./task-call.ts";
import { toTaskState, withRelatedTask, type TaskState } from "./task.ts";
import { toTaskSettings, toTtl, type TaskOptions, type TaskSettings, type TaskTerms } from "./task-options.ts";

/** Options and dependencies of a task manager. */
export interface TaskManagerOptions extends TaskOptions {
  readonly onError?: OnError | undefined;
  /** Returns the authenticated principal. Tasks without a principal belong to their session, and end with it. */
  principalOf?(call: CallContext): string | undefined;
}

/** A request that becomes a task. */
export interface TaskRequest {
  readonly row: RequestRow;
  /** Requested `ttl` in milliseconds, if any. */
  readonly ttl: number | undefined;
  readonly terms: TaskTerms;
  /** Ownership and channel of the task. Default: those of the session. */
  readonly keeping?: TaskKeeping;
  /** Handles the request; its outcome becomes that of the task. */
  work(call: CallContext): unknown;
  /** Called instead of `work` if the task has ended before the work begins. */
  spared?(): void;
}

/** Ownership and channel of tasks whose requestors have no session. */
export interface TaskKeeping {
  ownerOf(call: CallContext, id: string): string;
  createOutlet(call: CallContext): RequestorChannel;
}

/**
 * Runs requests of the peer as tasks, and handles requests about them. Each task belongs to its requestor: for others it does not exist.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export class TaskManager {
  readonly #settings: TaskSettings;
  readonly #options: TaskManagerOptions;
  readonly #running = new Map<string, Running>();
  readonly #owners = new SessionOwners((owner) => this.#forget(owner));
  readonly #deadlines: DeadlineTimer;
  /** Removals of the tasks of ended sessions, which are in progress. */
  readonly #removals = new Set<Promise<void>>();
  #isPolling = false;

  constructor(options: TaskManagerOptions = {}) {
    this.#options = options;
    this.#settings = toTaskSettings(options);
    this.#deadlines = new DeadlineTimer(this.#settings.clock, (now) => this.#sweep(now));
  }

  /** Starts a task for a request, and returns the task as its immediate result. */
  async start(call: CallContext, request: TaskRequest): Promise<{ readonly task: TaskState }> {
    return { task: toTaskState(await this.begin(call, request)) };
  }

  /**
   * Starts a task for a request. Resolves when the task can be requested.
   *
   * @throws {RpcError} when the store has no room for another task.
   */
  async begin(call: CallContext, request: TaskRequest): Promise<TaskRecord> {
    const now = new Date().toISOString();
    const ttl = toTtl(request.ttl, request.terms, this.#settings);
    const id = crypto.randomUUID();
    const key: TaskKey = { id, owner: request.keeping?.ownerOf(call, id) ?? (await this.#ownerOf(call)) };
    const pollInterval = request.terms.pollInterval ?? this.#settings.pollInterval;
    const principal = this.#options.principalOf?.(call);
    const times = { createdAt: now, updatedAt: now, ttl, pollInterval };
    const record: TaskRecord = { ...key, ...(principal !== undefined && { principal }), status: "working", ...times };
    if (!(await this.#settings.store.add(record))) throw tooMany();
    const { store, notify, clock } = this.#settings;
    const outlet = request.keeping?.createOutlet(call) ?? new SessionChannel(id, call, notify);
    const task = new RunningTask(key, call, { store, outlet, clock, pollInterval });
    const expiresAt = this.#deadlineAfter(ttl ?? Infinity);
    const pollPeriod = Math.min(pollInterval * pollFactor, longestPollPeriod);
    const pollsAt = this.#deadlineAfter(pollPeriod);
    const during = new TaskCall(call, task, {
      now: () => clock.now(),
      deadlineAfter: (wait) => this.#deadlineAfter(wait),
    });
    this.#running.set(key.id, { task, outlet, during, expiresAt, pollPeriod, pollsAt });
    void task.ended.then(() => this.#running.delete(key.id));
    // The work begins after the requestor knows of the task: earlier messages would not make sense to it.
    setTimeout(() => void this.#work(task, during, request));
    return record;
  }

  /**
   * Returns the current record of a task of this owner.
   *
   * @throws {RpcError} when there is no such task.
   */
  async read(key: TaskKey): Promise<TaskRecord> {
    const record = await this.#settings.store.find(key);
    if (!record) throw unknownTask(key.id);
    return record;
  }

  /** Removes the tasks of a session at its end, even if requests about them reach other processes only. */
  watch(connection: Connection): void {
    this.#owners.watch(connection);
  }

  /** True if changes of a task are known here immediately. Changes in another process are not. */
  async isHeard(key: TaskKey): Promise<boolean> {
    const { status } = await this.read(key);
    return isFinal(status) || this.#running.has(key.id);
  }

  /** Delivers responses to a task of this owner. If another process runs the task, it finds them in the store, as long as it runs. */
  async respond(key: TaskKey, responses: Readonly<Record<string, unknown>>, check: CheckStored): Promise<void> {
    const { status, inputRequests, inputResponses: earlier } = await this.read(key);
    const running = this.#running.get(key.id);
    if (running) return running.task.respond(responses);
    if (isFinal(status)) return;
    const inputResponses = selectResponses(inputRequests, responses, check);
    if (Object.keys(inputResponses).length === 0) return;
    const updatedAt = new Date().toISOString();
    await this.#settings.store.change(key, { inputResponses: { ...earlier, ...inputResponses }, updatedAt });
  }

  /** Cancels a task of this owner if it has not ended. */
  async stop(key: TaskKey): Promise<void> {
    const record = await this.read(key);
    if (!isFinal(record.status)) await this.#cancel(record);
  }

  async get(call: CallContext, id: string): Promise<TaskState> {
    return toTaskState(await this.#find(call, id));
  }

  /**
   * Waits for the outcome of the request and returns it. Until then, requests can reach the requestor through this call.
   *
   * @throws {RpcError} when the request failed, the task was cancelled, or there is no such task.
   */
  async result(call: CallContext, id: string): Promise<object> {
    let record = await this.#find(call, id);
    while (!isFinal(record.status)) {
      const running = this.#running.get(id);
      // Tasks of another process can only be polled.
      await (running ? join(running, call) : pause(record.pollInterval, this.#settings.clock, call.signal));
      record = await this.#find(call, id);
    }
    if (record.outcome?.kind === "result") return withRelatedTask(record.outcome.result, call.revision, id);
    if (!record.outcome) throw reject(`The task was cancelled and has no result: ${id}`, id);
    const { code, message, data } = record.outcome.error;
    throw new RpcError(code, message, { data });
  }

  /**
   * Cancels a task. It stays cancelled even if its work still finishes.
   *
   * @throws {RpcError} when there is no such task, or when it has already ended.
   */
  async cancel(call: CallContext, id: string): Promise<TaskState> {
    const found = await this.#find(call, id);
    if (isFinal(found.status)) throw alreadyEnded(found);
    const record = await this.#cancel(found);
    if (!record) throw unknownTask(id);
    if (record.status !== "cancelled") throw alreadyEnded(record);
    return toTaskState(record);
  }

  async list(call: CallContext, cursor: string | undefined): Promise<object> {
    const { store, pageSize } = this.#settings;
    const range = cursor === undefined ? { limit: pageSize } : { from: cursor, limit: pageSize };
    const page = await store.list(await this.#ownerOf(call), range);
    if (!page) throw new RpcError(errorCodes.invalidParams, "Invalid cursor; request the list without a cursor");
    const tasks = page.tasks.map(toTaskState);
    return page.next === undefined ? { tasks } : { tasks, nextCursor: page.next };
  }

  /** Waits for running tasks as long as the options permit, by default not at all. Then ends them, as this process will not continue them. */
  async close({ drain = 0 }: CloseOptions = {}): Promise<void> {
    if (drain > 0 && this.#running.size > 0) await this.#drain(drain);
    const error = { code: errorCodes.internalError, message: "The server that ran the task has ended" };
    const end = { status: "failed", statusMessage: error.message, outcome: { kind: "error", error } } as const;
    const running = [...this.#running.values()];
    this.#deadlines.stop();
    await Promise.all(running.map(({ task }) => task.end(end).catch((thrown) => this.#report(undefined, thrown))));
    await Promise.all(this.#removals);
  }

  async #find(call: CallContext, id: string): Promise<TaskRecord> {
    return this.read({ id, owner: await this.#ownerOf(call) });
  }

  /** Waits until no task runs, but no longer than this number of milliseconds. Keeps the process alive meanwhile. */
  async #drain(milliseconds: number): Promise<void> {
    const ended = Promise.all([...this.#running.values()].map(({ task }) => task.ended));
    let cancel: Cancel = () => {};
    const timedOut = new Promise<void>((resolve) => {
      cancel = this.#settings.clock.after(milliseconds, resolve);
      cancel.hold?.();
    });
    await Promise.race([ended, timedOut]);
    cancel();
  }

  async #cancel(found: TaskRecord): Promise<TaskRecord | undefined> {
    const task = this.#running.get(found.id)?.task;
    const change = { status: "cancelled", statusMessage: "The task was cancelled by request." } as const;
    const updatedAt = new Date().toISOString();
    return task ? task.end(change) : this.#settings.store.change(found, { ...change, updatedAt });
  }

  async #work(task: RunningTask, call: TaskCall, request: TaskRequest): Promise<void> {
    if (task.isOver) return request.spared?.();
    const ending = await this.#respond(task, call, request);
    await call.finish();
    await task.end(ending).catch((thrown: unknown) => this.#report(request.row, thrown));
  }

  async #respond(task: RunningTask, call: TaskCall, { row, work }: TaskRequest): Promise<TaskEnding> {
    try {
      const { converter } = call.session;
      const respond: unknown = await work(call);
      const value = respond instanceof StaticResult ? respond.value : respond;
      const result = converter ? converter.result(row.method, value) : value;
      const issue = row.result(result);
      if (issue || !isObject(result)) throw new InvalidMessageError(row.method, "result", issue ?? notAnObject);
      const failure = explainFailure(result);
      return { status: failure ? "failed" : "completed", ...failure, outcome: { kind: "result", result } };
    } catch (thrown) {
      const error = RpcError.from(thrown);
      if (!task.isOver && error !== thrown) this.#report(row, thrown);
      return {
        status: "failed",
        statusMessage: error.message,
        outcome: { kind: "error", error: toErrorObject(error) },
      };
    }
  }

  /**
   * Returns the owner of new tasks: the principal, otherwise the session, which is all that is known of an unauthenticated requestor. Its tasks end
   * with it.
   */
  #ownerOf(call: CallContext): Awaitable<string> {
    const principal = this.#options.principalOf?.(call);
    return principal === undefined ? this.#owners.of(call.connection) : `principal:${principal}`;
  }

  #forget(owner: string): void {
    for (const { task } of this.#running.values()) if (task.key.owner === owner) task.abandon("The session has ended");
    const removal = this.#removeAll(owner).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  async #removeAll(owner: string): Promise<void> {
    try {
      await this.#settings.store.removeAll(owner);
    } catch (thrown) {
      this.#report(undefined, thrown);
    }
  }

  #sweep(now: number): number {
    let next = Infinity;
    const due: RunningTask[] = [];
    for (const running of this.#running.values()) {
      const { task, during, expiresAt } = running;
      if (expiresAt <= now) {
        task.abandon("The task has expired");
        continue;
      }
      if (running.pollsAt <= now) {
        running.pollsAt = now + running.pollPeriod;
        due.push(task);
      }
      next = Math.min(next, expiresAt, running.pollsAt, during.sweepProgress(now));
    }
    void this.#poll(due);
    return next;
  }

  /** Reads the records of running tasks, as another process may have cancelled them. Tasks that are due while others are read wait for their next turn. */
  async #poll(due: readonly RunningTask[]): Promise<void> {
    if (this.#isPolling || due.length === 0) return;
    this.#isPolling = true;
    for (let index = 0; index < due.length; index += pollsAtOnce) {
      await Promise.all(due.slice(index, index + pollsAtOnce).map((task) => task.poll()));
    }
    this.#isPolling = false;
  }

  #deadlineAfter(milliseconds: number): number {
    const deadline = this.#settings.clock.now() + milliseconds;
    this.#deadlines.watch(deadline);
    return deadline;
  }

  #report(row: RequestRow | undefined, thrown: unknown): void {
    this.#options.onError?.({ kind: "handler", error: toError(thrown), ...(row && { method: row.method }) });
  }
}

type TaskEnding = Parameters<RunningTask["end"]>[0];

interface Running {
  readonly task: RunningTask;
  readonly outlet: RequestorChannel;
  readonly during: TaskCall;
  readonly expiresAt: number;
  /** Milliseconds between two reads of the record. */
  readonly pollPeriod: number;
  /** Time of the clock at which the record is read next. */
  pollsAt: number;
}

/** Number of poll intervals of a task after which its own process reads its record. */
const pollFactor = 5;

/** Milliseconds after which the record of a task is read, however long its poll interval is. */
const longestPollPeriod = 30_000;

/** Number of records that are read at the same time. */
const pollsAtOnce = 20;

/** Waits for the end of a task. Until then, the task can send requests through this call. */
async function join({ task, outlet }: Running, call: CallContext): Promise<void> {
  const close = outlet.open?.(call);
  await task.join(call.signal).finally(close);
}

const notAnObject = { path: "", expected: "object" } as const;

/** Returns the status message of a failed tool, which reports the failure in its result. */
function explainFailure(result: Record<string, unknown>): { readonly statusMessage: string } | undefined {
  if (result.isError !== true) return undefined;
  const [block]: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const text = isObject(block) && typeof block.text === "string" ? block.text : "The tool failed";
  return { statusMessage: text.slice(0, longestExplanation) };
}

const longestExplanation = 500;

function unknownTask(id: string): RpcError {
  return reject(`Task not found: ${id}`, id);
}

function alreadyEnded({ id, status }: TaskRecord): RpcError {
  return reject(`The task is already in terminal status '${status}': ${id}`, id);
}

function reject(message: string, taskId: string): RpcError {
  return new RpcError(errorCodes.invalidParams, shorten(message), { data: { taskId: shorten(taskId) } });
}

function tooMany(): RpcError {
  return new RpcError(rejectionCodes.tooMany, "Too many tasks; retry after earlier tasks have expired");
}
