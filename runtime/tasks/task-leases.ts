import type { Cancel, Clock } from "../internal/timers.ts";
import type { TaskKey, TaskRecord, TaskStore } from "../stores/task-store.ts";

/** Task store of several nodes. */
export type LeasedTaskStore = TaskStore & Required<Pick<TaskStore, "renew" | "takeOver">>;

/** True if a store is made for several nodes. */
export function isLeased(store: TaskStore): store is LeasedTaskStore {
  return store.renew !== undefined && store.takeOver !== undefined;
}

/** Dependencies of the leases of a node. */
export interface TaskLeasesHost {
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
export class TaskLeases {
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
