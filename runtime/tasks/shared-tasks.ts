import type { Clock } from "../internal/timers.ts";
import { toError } from "../jsonrpc/errors.ts";
import type { Ledger } from "../stores/ledger.ts";
import type { TaskMessage } from "../stores/task-node.ts";
import type { TaskKey, TaskRecord, TaskRetry } from "../stores/task-store.ts";
import type { RunningTask } from "./running-task.ts";
import { toFailed } from "./task-errors.ts";
import { TaskLeases, type LeasedTask, type LeasedTaskStore } from "./task-leases.ts";
import type { RestoredTask, RestoreTask, TaskHost } from "./task-request.ts";
import { ChangeSignal } from "../internal/change-signal.ts";

/** Dependencies of shared tasks. */
export interface SharedTasksHost extends TaskHost {
  readonly store: LeasedTaskStore;
  readonly ledger: Ledger | undefined;
  readonly clock: Clock;
  /** Restorers of tasks by revision. */
  readonly restorers: ReadonlyMap<string, RestoreTask>;
  /** Returns the tasks running here. */
  running(): readonly LeasedTask[];
  /** Returns a task running here. */
  find(id: string): (LeasedTask & { readonly task: RunningTask }) | undefined;
  /** Runs a task begun by another node. */
  run(record: TaskRecord, restored: RestoredTask): void;
  report(thrown: unknown): void;
}

/** Tasks known to several nodes: their leases, the messages about them, and the tasks of lost nodes. */
export class SharedTasks {
  readonly ledger: Ledger | undefined;
  readonly #host: SharedTasksHost;
  readonly #leases: TaskLeases;
  /** Name of a process without a cluster. */
  readonly #ownName = crypto.randomUUID();
  /** Nodes waiting for the end of tasks that run here, by task. */
  readonly #listeners = new Map<string, Set<string>>();
  /** Calls waiting for tasks of other nodes, by task. */
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(host: SharedTasksHost) {
    this.#host = host;
    this.ledger = host.ledger;
    this.#leases = new TaskLeases({
      store: host.store,
      clock: host.clock,
      lease: this.#lease,
      name: () => this.#name,
      isTaking: () => host.isOffered() && (host.node?.canTakeOver ?? true),
      running: () => host.running(),
      lost: (key) => void this.#find(key)?.poll(),
      takenOver: (record) => void this.#takeOver(record),
      fail: (thrown) => host.report(thrown),
    });
    host.node?.receive((message) => this.#receive(message));
  }

  start(): void {
    this.#leases.start();
  }

  /** Takes over no more tasks, as the server is closing. */
  stopTaking(): void {
    this.#leases.stopTaking();
  }

  stop(): void {
    this.#leases.stop();
  }

  /** Lets other nodes take over tasks of this one at once. */
  release(tasks: readonly LeasedTask[]): Promise<void> {
    return this.#leases.release(tasks);
  }

  /** Returns the members of the record of a new task. */
  createAttempt(): Required<Pick<TaskRecord, "node" | "attempt" | "lease">> {
    return { node: this.#name, attempt: 1, lease: this.#lease };
  }

  /** Sends a message about a changed record to the nodes waiting for its task. */
  changed({ id, owner }: TaskRecord): void {
    for (const node of this.#listeners.get(id) ?? []) this.#host.node?.send(node, { id, owner });
  }

  /** Forgets the nodes waiting for a task, as it no longer runs here. */
  forget(id: string): void {
    this.#listeners.delete(id);
  }

  /** Sends the node of a task a message: its record has changed. */
  wake({ id, owner, node }: TaskRecord): void {
    if (node !== undefined && node !== this.#name) this.#host.node?.send(node, { id, owner });
  }

  /** Follows a task, which may run on another node. */
  follow(id: string, signal: AbortSignal): TaskFollower {
    const { node, clock } = this.#host;
    return new TaskFollower({
      clock,
      signal,
      longestWait: node && this.#lease,
      register: ({ node: runner, owner }) => {
        if (runner !== undefined && runner !== this.#name) node?.send(runner, { id, owner, from: this.#name });
      },
      receive: (changed) => this.#addWaiter(id, changed),
    });
  }

  #addWaiter(id: string, wake: () => void): () => void {
    const waiters = this.#waiters.get(id) ?? new Set();
    waiters.add(wake);
    this.#waiters.set(id, waiters);
    return () => {
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiters.delete(id);
    };
  }

  get #name(): string {
    return this.#host.node?.name ?? this.#ownName;
  }

  get #lease(): number {
    return this.#host.node?.lease ?? defaultLease;
  }

  #find(key: TaskKey): RunningTask | undefined {
    const running = this.#host.find(key.id);
    return running?.key.owner === key.owner ? running.task : undefined;
  }

  #receive({ id, owner, from }: TaskMessage): void {
    const task = this.#find({ id, owner });
    this.#wake(id);
    // The record may have changed since that node has read it, and the task may have ended.
    if (from !== undefined) this.#host.node?.send(from, { id, owner });
    if (!task) return;
    if (from === undefined) return void task.poll();
    const listeners = this.#listeners.get(id) ?? new Set();
    if (listeners.size < mostListeners) listeners.add(from);
    this.#listeners.set(id, listeners);
  }

  /** Runs a task of a lost node again, or ends it as failed. */
  async #takeOver(record: TaskRecord): Promise<void> {
    this.#find(record)?.abandon("Another attempt runs the task");
    const restored = this.#restore(record);
    if (typeof restored === "string") await this.#fail(record, restored);
    else this.#host.run(record, restored);
    this.#wake(record.id);
  }

  async #fail(record: TaskRecord, reason: string): Promise<void> {
    try {
      const updatedAt = new Date().toISOString();
      await this.#host.store.change(record, { ...toFailed(reason), updatedAt }, record.attempt);
    } catch (thrown) {
      // The lease will be over again.
      this.#host.report(thrown);
    }
  }

  /** Wakes the calls waiting here for a task of another node. */
  #wake(id: string): void {
    for (const wake of this.#waiters.get(id) ?? []) wake();
  }

  /** Restores a task, or returns the reason why it cannot be run again. */
  #restore({ id, retry, attempt = 1, releases = 0 }: TaskRecord): RestoredTask | string {
    if (!retry || !this.ledger) return "The node that ran the task is gone; its effects are unknown";
    if (attempt - releases > mostAttempts)
      return `The ${mostAttempts} nodes that ran the task are gone; its effects are unknown`;
    try {
      return this.#findRestorer(retry)(id, retry, this.#host.written);
    } catch (thrown) {
      this.#host.report(thrown);
      return `The node that ran the task is gone, and it cannot be run again: ${toError(thrown).message}`;
    }
  }

  #findRestorer({ revision }: TaskRetry): RestoreTask {
    const restore = this.#host.restorers.get(revision);
    if (!restore) throw new Error(`Revision ${revision} is not served any more`);
    return restore;
  }
}

/** Maximum number of nodes to run a task, one after the other. */
const mostAttempts = 3;

/** Maximum number of nodes to send messages about one task to. */
const mostListeners = 100;

/** Milliseconds after which another process may take over a task, without a cluster. */
const defaultLease = 6_000;

/** Dependencies of a call waiting for a task of another process. */
interface TaskFollowerHost {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds after which the record is read even though no message has come; absent where processes send no messages. */
  readonly longestWait: number | undefined;
  /** Requests messages about changes from the node of the task. This node sends one at once. */
  register(record: TaskRecord): void;
  /** Adds a receiver of these messages. Returns a function to remove it. */
  receive(changed: () => void): () => void;
}

/** Call waiting for a task of another process. It reads the record after messages from the node of the task, instead of all the time. */
export class TaskFollower {
  readonly #host: TaskFollowerHost;
  readonly #changes = new ChangeSignal();
  readonly #leave: () => void;
  /** Node and attempt from which messages were requested. */
  #registered: string | undefined;

  constructor(host: TaskFollowerHost) {
    this.#host = host;
    this.#leave = host.receive(this.#changes.set);
    host.signal.addEventListener("abort", this.#changes.set);
  }

  /** Waits until the record may have changed since the last `clear`. */
  async wait(record: TaskRecord): Promise<void> {
    const { clock, signal, longestWait = record.pollInterval } = this.#host;
    signal.throwIfAborted();
    const attempt = `${record.node} ${record.attempt}`;
    if (this.#registered !== attempt) this.#host.register(record);
    this.#registered = attempt;
    // Without a message for so long, the node may be gone, or a message was lost.
    if (!(await this.#changes.wait(clock, longestWait))) this.#registered = undefined;
    signal.throwIfAborted();
  }

  /** Called before the record is read: later changes count. */
  clear(): void {
    this.#changes.clear();
  }

  end(): void {
    this.#leave();
    this.#host.signal.removeEventListener("abort", this.#changes.set);
  }
}
