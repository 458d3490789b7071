import { isObject } from "../../../generated/support.ts";
import { parseLimited } from "../../scale/engine/parse-limited.ts";
import type { NatsContext } from "./nats-context.ts";
import { NatsRecords } from "./records.ts";

/** Node that may run a task, and for how long without a renewal. */
export interface TaskLease {
  readonly node: string;
  readonly milliseconds: number;
}

/** Lease that is over, with the sequence that its replacement has to name. */
export interface ExpiredLease extends TaskLease {
  /** Subject of the lease. */
  readonly subject: string;
  readonly sequence: number;
}

/** Leases of the tasks that nodes run, by the subject of the task. */
export class NatsTaskLeases {
  readonly #records: NatsRecords;
  readonly #context: NatsContext;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.leases.name);
  }

  async set(task: string, lease: TaskLease): Promise<void> {
    await this.#records.put(this.#subject(task), JSON.stringify(lease));
  }

  async remove(task: string): Promise<void> {
    await this.#records.remove(this.#subject(task));
  }

  /** Renews the lease of a node. Returns `false` when it has none. */
  async renew(task: string, lease: TaskLease): Promise<boolean> {
    const subject = this.#subject(task);
    const found = await this.#find(subject);
    if (found?.node !== lease.node) return false;
    return (await this.#records.put(subject, JSON.stringify(lease), found.sequence)) !== "conflict";
  }

  /** Returns leases of other nodes that are over. */
  async findExpired(node: string, limit: number): Promise<readonly ExpiredLease[]> {
    const expired: ExpiredLease[] = [];
    for (const subject of await this.#records.list(this.#context.names.leases)) {
      if (expired.length >= limit) break;
      const found = await this.#find(subject);
      if (found && found.node !== node && found.isOver) expired.push({ ...found, subject });
    }
    return expired;
  }

  /** Gives a lease that is over to a node. Returns `false` when another node was faster. */
  async take({ subject, sequence }: ExpiredLease, lease: TaskLease): Promise<boolean> {
    return (await this.#records.put(subject, JSON.stringify(lease), sequence)) !== "conflict";
  }

  /** Returns the subject of the task that has a lease. */
  taskOf({ subject }: ExpiredLease): string {
    return this.#context.names.taskOfLease(subject);
  }

  async #find(subject: string): Promise<FoundLease | undefined> {
    const found = await this.#records.find(subject);
    const value = found && parseLimited(found.text, 1_000);
    if (!found || !isObject(value)) return undefined;
    const { node, milliseconds } = value;
    if (typeof node !== "string" || typeof milliseconds !== "number") return undefined;
    return { node, milliseconds, sequence: found.sequence, isOver: found.age >= milliseconds };
  }

  #subject(task: string): string {
    return this.#context.names.leaseOfTask(task);
  }
}

interface FoundLease extends TaskLease {
  readonly sequence: number;
  readonly isOver: boolean;
}
