import type { Awaitable, RequestRow } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { ClosedError, RpcError, SetupError, toError, unknownCursor } from "../jsonrpc/errors.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { CloseOptions, Connection } from "../protocol/session/connection.ts";
import { defaultTimeouts } from "../jsonrpc/limits.ts";
import { inLaterTurn, pause } from "../internal/timers.ts";
import { isFinal, readOpenRequests, type TaskKey, type TaskRecord, type TaskStore } from "../stores/task-store.ts";
import { selectResponses, type CheckStoredResponse, type RequestorChannel } from "./requestor-channel.ts";
import { InputRelay, SessionChannel } from "./session-channel.ts";
import { RunningTask, TaskCall, takenOver } from "./running-task.ts";
import { RunningTasks, type RunningEntry } from "./running-tasks.ts";
import { SessionOwners } from "./session-owners.ts";
import { SharedTasks, isLeased, type TaskFollower } from "./shared-tasks.ts";
import { createStepRecorder } from "./step-recorder.ts";
import { handleTaskRequest, type RestoreTask, type TaskHost, type TaskRequest } from "./task-request.ts";
import {
  toTaskState,
  withRelatedTask,
  alreadyEnded,
  rejectTask,
  serverIsClosing,
  toFailed,
  tooManyTasks,
  unknownTask,
  type TaskState,
} from "./task.ts";
import { toTaskSettings, toTtl, type TaskOptions, type TaskSettings } from "./task-options.ts";

/** Options and dependencies of a task manager. */
export interface TaskManagerOptions extends TaskOptions {
  readonly onError?: OnError | undefined;
  /** Returns the authenticated principal. Tasks without a principal belong to their session, and end with it. */
  principalOf?(call: CallContext): string | undefined;
  /** Called before each use of the tasks: stateless requests open no session, with which the tasks could be shared. Default: nothing. */
  onUse?(): void;
}

/**
 * Runs requests of the peer as tasks, and handles requests about them. Each task belongs to its requestor: for others it does not exist.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export class TaskManager {
  readonly #settings: TaskSettings;
  readonly #options: TaskManagerOptions;
  readonly #running: RunningTasks;
  readonly #owners = new SessionOwners((owner) => this.#forget(owner));
  /** Removals of the tasks of ended sessions, which are in progress. */
  readonly #removals = new Set<Promise<void>>();
  /** Tasks still being stored. */
  readonly #beginnings = new Set<Promise<unknown>>();
  readonly #restorers = new Map<string, RestoreTask>();
  #store: TaskStore;
  #shared: SharedTasks | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: TaskManagerOptions = {}) {
    this.#options = options;
    this.#settings = toTaskSettings(options);
    this.#store = this.#settings.store;
    this.#running = new RunningTasks(this.#settings.clock);
  }

  /**
   * Shares the tasks with other processes: of a cluster, or with the same store. When one of them stops, this process takes over its tasks.
   *
   * @throws {SetupError} when a task has already begun: the other nodes could not find it
   */
  share(host: TaskHost): void {
    const { node } = host;
    const { store = node?.store, ledger = node?.ledger } = this.#options;
    if (this.#shared || this.#closed || !store || !isLeased(store)) return;
    if (store !== this.#store && this.#running.size > 0)
      throw new SetupError("Tasks run outside of the cluster; serve the server with its cluster first");
    this.#store = store;
    this.#shared = new SharedTasks({
      ...host,
      store,
      ledger,
      clock: this.#settings.clock,
      restorers: this.#restorers,
      running: () => this.#running.values(),
      find: (id) => this.#running.get(id),
      run: (record, { call, request }) => this.#run(record, call, request),
      report: (thrown) => this.#report(undefined, thrown),
    });
    this.#shared.leases.start();
  }

  /** Sets the function to restore tasks of a revision. */
  setRestorer(revision: string, restore: RestoreTask): void {
    this.#restorers.set(revision, restore);
  }

  /** Starts a task for a request, and returns the task as its immediate result. */
  async start(call: CallContext, request: TaskRequest): Promise<{ readonly task: TaskState }> {
    return { task: toTaskState(await this.begin(call, request)) };
  }

  /**
   * Starts a task for a request. Resolves when the task can be requested.
   *
   * @throws {RpcError} when the store has no room for another task, or the server is closing.
   */
  begin(call: CallContext, request: TaskRequest): Promise<TaskRecord> {
    const beginning = this.#begin(call, request).finally(() => this.#beginnings.delete(beginning));
    this.#beginnings.add(beginning);
    return beginning;
  }

  async #begin(call: CallContext, request: TaskRequest): Promise<TaskRecord> {
    if (this.#closed) throw serverIsClosing();
    this.#options.onUse?.();
    const now = new Date().toISOString();
    const ttl = toTtl(request.ttl, request.taskOptions, this.#settings);
    const id = crypto.randomUUID();
    const key: TaskKey = { id, owner: request.ownership?.ownerOf(call, id) ?? (await this.#ownerOf(call)) };
    const pollInterval = request.taskOptions.pollInterval ?? this.#settings.pollInterval;
    const principal = this.#options.principalOf?.(call);
    const times = { createdAt: now, updatedAt: now, ttl, pollInterval };
    const record: TaskRecord = {
      ...key,
      ...(principal !== undefined && { principal }),
      status: "working",
      ...times,
      ...this.#shared?.createAttempt(),
      ...(this.#shared?.ledger && request.retry && { retry: request.retry }),
    };
    if (!(await this.#store.add(record))) throw tooManyTasks();
    if (this.#closed) {
      await this.#store.remove(key);
      throw serverIsClosing();
    }
    const isOfSession = request.ownership === undefined && principal === undefined;
    if (isOfSession && this.#owners.hasEnded(call.connection)) {
      // Its tasks were removed before this one was added.
      await this.#store.remove(key);
      throw new ClosedError("The session of the task has ended");
    }
    this.#run(record, call, request);
    return record;
  }

  /**
   * Returns the current record of a task of this owner.
   *
   * @throws {RpcError} when there is no such task.
   */
  async read(key: TaskKey): Promise<TaskRecord> {
    this.#options.onUse?.();
    const record = await this.#store.find(key);
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
    return isFinal(status) || this.#running.get(key.id) !== undefined;
  }

  /** Delivers responses to a task of this owner. If another process runs the task, it finds them in the store, as long as it runs. */
  async respond(key: TaskKey, responses: Readonly<Record<string, unknown>>, check: CheckStoredResponse): Promise<void> {
    const record = await this.read(key);
    const running = this.#running.get(key.id);
    if (running && !record.retry) return running.task.respond(responses);
    if (isFinal(record.status)) return;
    const inputResponses = selectResponses(readOpenRequests(record), responses, check);
    if (Object.keys(inputResponses).length === 0) return;
    const updatedAt = new Date().toISOString();
    await this.#store.change(key, { inputResponses, updatedAt });
    // The responses of a task that may be run again are stored before the client learns that they were accepted.
    if (running) await running.task.poll();
    else this.#shared?.wake(record);
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
    let running = this.#running.get(id);
    let record = await this.#find(call, id);
    const relay = this.#shared && this.#createRelay(call, id, this.#shared);
    const follower = this.#shared?.follow(id, call.signal);
    try {
      while (!isFinal(record.status)) {
        const former = running;
        running = this.#running.get(id);
        if (running) {
          relay?.end();
          await join(running, call);
        } else if (!former) {
          relay?.send(record);
          await this.#waitElsewhere(record, call.signal, follower);
        }
        // Otherwise the task has ended here while its record was read, and its outcome is stored.
        follower?.clear();
        record = await this.#find(call, id);
      }
    } finally {
      follower?.end();
      relay?.end();
    }
    if (record.outcome?.kind === "result") return withRelatedTask(record.outcome.result, call.revision, id);
    if (!record.outcome) throw rejectTask(`The task was cancelled and has no result: ${id}`, id);
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
    const { pageSize } = this.#settings;
    const range = cursor === undefined ? { limit: pageSize } : { from: cursor, limit: pageSize };
    const page = await this.#store.list(await this.#ownerOf(call), range);
    if (!page) throw unknownCursor();
    const tasks = page.tasks.map(toTaskState);
    return page.next === undefined ? { tasks } : { tasks, nextCursor: page.next };
  }

  /**
   * Waits for running tasks as long as the options permit, by default not at all. Then ends them, as this process will not continue them; retryable
   * tasks continue on another node.
   */
  close(options: CloseOptions = {}): Promise<void> {
    return (this.#closed ??= this.#close(options));
  }

  async #close({ drain = 0 }: CloseOptions): Promise<void> {
    this.#shared?.leases.stopTaking();
    await this.#running.drain(drain);
    const end = toFailed("The server that ran the task has ended");
    const running = this.#running.values();
    this.#running.stop();
    this.#closing.abort();
    const [released, ended] = [
      running.filter(({ record }) => record.retry),
      running.filter(({ record }) => !record.retry),
    ];
    await Promise.all([
      ...released.map(({ task, record: { releases = 0 } }) => task.release(releases + 1)),
      ...ended.map(({ task }) => task.end(end).catch((thrown) => this.#report(undefined, thrown))),
    ]);
    await this.#shared?.leases.release(released).catch((thrown) => this.#report(undefined, thrown));
    this.#shared?.leases.stop();
    // A store that does not respond must not keep the server from closing.
    const late = new AbortController();
    const limit = pause(Math.max(drain, defaultTimeouts.drain), this.#settings.clock, late.signal).catch(() => {});
    await Promise.race([limit, Promise.allSettled([...this.#removals, ...this.#beginnings])]);
    late.abort();
  }

  async #find(call: CallContext, id: string): Promise<TaskRecord> {
    return this.read({ id, owner: await this.#ownerOf(call) });
  }

  async #cancel(found: TaskRecord): Promise<TaskRecord | undefined> {
    const task = this.#running.get(found.id)?.task;
    const change = { status: "cancelled", statusMessage: "The task was cancelled by request." } as const;
    if (task && !found.lease) return task.end(change);
    // A cancellation counts at every attempt.
    const record = await this.#store.change(found, { ...change, updatedAt: new Date().toISOString() });
    if (task) await task.poll();
    else this.#shared?.wake(found);
    return record;
  }

  /** Runs a task in this process, from the beginning. */
  #run(record: TaskRecord, call: CallContext, request: TaskRequest): void {
    const { id, owner, pollInterval, attempt, node = "" } = record;
    const key: TaskKey = { id, owner };
    const { clock } = this.#settings;
    const closing = this.#closing.signal;
    const channel = this.#createChannel(record, call, request);
    const changed = (next: TaskRecord): void => this.#shared?.changed(next);
    const host = { store: this.#store, channel, clock, pollInterval, attempt, changed, closing };
    const task = new RunningTask(key, call, host);
    const ledger = record.retry && this.#shared?.ledger;
    const { signal } = task;
    const fenced = (): void => task.abandon(takenOver);
    const during = new TaskCall(
      call,
      task,
      this.#running.timer,
      ledger &&
        request.createSteps?.(createStepRecorder({ ledger, scope: id, attempt: attempt ?? 1, clock, signal, fenced })),
    );
    this.#running.add({ key, node, record, task, channel, during }, () => this.#shared?.forget(id));
    // The work begins after the requestor knows of the task: earlier messages would not make sense to it.
    inLaterTurn(() => void this.#work(task, during, request));
  }

  #createChannel(record: TaskRecord, call: CallContext, { ownership }: TaskRequest): RequestorChannel {
    if (ownership) return ownership.createChannel(call, record.retry && record);
    const { id } = record;
    const publish = (): void =>
      void this.#running
        .get(id)
        ?.task.respond({})
        .catch(() => {});
    const published = record.lease === undefined ? undefined : { record, publish };
    return new SessionChannel(id, call, this.#settings.notify, published);
  }

  /** Sends the input requests of a task on another node through a call waiting for its result. */
  #createRelay(call: CallContext, id: string, shared: SharedTasks): InputRelay {
    return new InputRelay(call, async (key, response) => {
      const record = await this.#find(call, id);
      if (!Object.hasOwn(readOpenRequests(record), key)) return;
      await this.#store.change(record, { inputResponses: { [key]: response }, updatedAt: new Date().toISOString() });
      shared.wake(record);
    });
  }

  #waitElsewhere(record: TaskRecord, signal: AbortSignal, follower: TaskFollower | undefined): Promise<void> {
    return follower?.wait(record) ?? pause(record.pollInterval, this.#settings.clock, signal);
  }

  async #work(task: RunningTask, call: TaskCall, request: TaskRequest): Promise<void> {
    if (task.isOver) return request.spared?.();
    const ending = await handleTaskRequest(task, call, {
      request,
      report: (thrown) => this.#report(request.row, thrown),
    });
    // A slow reader must not keep the task from ending.
    void call.finish();
    await task.end(ending).catch((thrown: unknown) => this.#report(request.row, thrown));
  }

  /**
   * Returns the owner of new tasks: the principal, otherwise the session, as nothing else is known of an unauthenticated requestor. The tasks of a
   * session end with it.
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
      await this.#store.removeAll(owner);
    } catch (thrown) {
      this.#report(undefined, thrown);
    }
  }

  #report(row: RequestRow | undefined, thrown: unknown): void {
    this.#options.onError?.({ kind: "handler", error: toError(thrown), ...(row && { method: row.method }) });
  }
}

/** Waits for the end of a task. Until then, the task can send requests through this call. */
async function join({ task, channel }: RunningEntry, call: CallContext): Promise<void> {
  const close = channel.open?.(call);
  await task.join(call.signal).finally(close);
}
