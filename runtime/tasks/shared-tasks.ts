import type { Clock, Cancel } from "../internal/timers.ts";
import { toError } from "../jsonrpc/errors.ts";
import type { Ledger } from "../stores/ledger.ts";
import type { TaskMessage } from "../stores/task-node.ts";
import type { TaskKey, TaskRecord, TaskRetry, TaskStore } from "../stores/task-store.ts";
import type { RunningTask } from "./running-task.ts";
import { toFailed } from "./task.ts";
import type { RestoredTask, RestoreTask, TaskHost } from "./task-request.ts";
import { ChangeSignal } from "../internal/change-signal.ts";

/** Dependencies of shared tasks. */
interface SharedTasksHost extends TaskHost {
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
  readonly leases: TaskLeases;
  readonly #host: SharedTasksHost;
  /** Name of a process without a cluster. */
  readonly #ownName = crypto.randomUUID();
  /** Nodes waiting for the end of tasks that run here, by task. */
  readonly #listeners = new Map<string, Set<string>>();
  /** Calls waiting for tasks of other nodes, by task. */
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(host: SharedTasksHost) {
    this.#host = host;
    this.ledger = host.ledger;
    this.leases = new TaskLeases({
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

/** Task store of several nodes. */
export type LeasedTaskStore = TaskStore & Required<Pick<TaskStore, "renew" | "takeOver">>;

/** True if a store is made for several nodes. */
export function isLeased(store: TaskStore): store is LeasedTaskStore {
  return store.renew !== undefined && store.takeOver !== undefined;
}

/** Dependencies of the leases of a node. */
interface TaskLeasesHost {
  readonly store: LeasedTaskStore;
  readonly clock: Clock;
  /** Milliseconds after which another node may take over a task. */
  readonly lease: number;
  name(): string;
  /** True if this node can take over tasks. */
  isTaking(): boolean;
  /** Returns the tasks running here, with the names of the node under which they began. */
  running(): readonly LeasedTask[];
  /** Called with a task that this node must not run any more. */
  lost(key: TaskKey): void;
  /** Called with a task this node has taken over. */
  takenOver(record: TaskRecord): void;
  fail(thrown: unknown): void;
}

/** Task under the lease of a node. */
export interface LeasedTask {
  readonly key: TaskKey;
  readonly node: string;
}

/** Leases of the tasks of a node: renews them three times in their duration, and takes over tasks whose leases have expired. */
class TaskLeases {
  readonly #host: TaskLeasesHost;
  #cancelRenewal: Cancel | undefined;
  #cancelSweep: Cancel | undefined;
  #isTaking = true;
  #isStopped = false;

  constructor(host: TaskLeasesHost) {
    this.#host = host;
  }

  start(): void {
    this.#scheduleRenewal();
    this.#scheduleSweep();
  }

  /** Takes over no more tasks. */
  stopTaking(): void {
    this.#isTaking = false;
    this.#cancelSweep?.();
  }

  stop(): void {
    this.stopTaking();
    this.#isStopped = true;
    this.#cancelRenewal?.();
  }

  /** Ends the leases of tasks: other nodes take them over at once. */
  async release(tasks: readonly LeasedTask[]): Promise<void> {
    const { store } = this.#host;
    for (const [node, keys] of groupByNode(tasks)) await store.renew(keys, node, 0);
  }

  #scheduleRenewal(): void {
    if (this.#isStopped) return;
    const { clock, lease } = this.#host;
    this.#cancelRenewal = clock.after(lease / 3, () => void this.#renew().finally(() => this.#scheduleRenewal()));
  }

  /** Schedules the next search. The time differs between nodes. */
  #scheduleSweep(): void {
    if (!this.#isTaking) return;
    const { clock, lease } = this.#host;
    const wait = (lease / 3) * (0.5 + Math.random());
    this.#cancelSweep = clock.after(wait, () => void this.#sweep().finally(() => this.#scheduleSweep()));
  }

  /** Renews the leases of the tasks running here. Returns `false` when the store fails. */
  async #renew(): Promise<boolean> {
    const { store, lease, lost, fail } = this.#host;
    try {
      for (const [node, keys] of groupByNode(this.#host.running())) {
        for (const key of await store.renew(keys, node, lease)) lost(key);
      }
      return true;
    } catch (thrown) {
      // While the store cannot be reached, other nodes cannot take the tasks over either.
      fail(thrown);
      return false;
    }
  }

  async #sweep(): Promise<void> {
    const { store, name, isTaking, takenOver, fail } = this.#host;
    // A node that was suspended renews the leases that it still has. A lease of its own that is over then is one of a task that does not run here.
    if (!(await this.#renew()) || !this.#isTaking || !isTaking()) return;
    try {
      const taken = await store.takeOver(name(), mostTaken);
      if (this.#isTaking) for (const record of taken) takenOver(record);
      // The server is closing since: it would run them without a lease.
      else await this.release(taken.map((record) => ({ key: record, node: record.node ?? name() })));
    } catch (thrown) {
      fail(thrown);
    }
  }
}

/** Maximum number of tasks a node takes over at once. */
const mostTaken = 20;

function groupByNode(tasks: readonly LeasedTask[]): ReadonlyMap<string, readonly TaskKey[]> {
  const groups = new Map<string, TaskKey[]>();
  for (const { key, node } of tasks) {
    const group = groups.get(node) ?? [];
    group.push(key);
    groups.set(node, group);
  }
  return groups;
}
