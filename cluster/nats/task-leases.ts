import { isObject } from "../../generated/support.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import type { NatsContext } from "./nats-context.ts";
import type { NatsMessage } from "./nats-link.ts";
import { NatsRecords, type NatsRecord } from "./records.ts";

/** Node allowed to run a task, and for how long without a renewal. */
export interface TaskLease {
  readonly node: string;
  readonly milliseconds: number;
}

/** Expired lease, with the sequence to name in its replacement. */
export interface ExpiredLease extends TaskLease {
  /** Subject of the lease. */
  readonly subject: string;
  readonly sequence: number;
}

/**
 * Leases of running tasks, by the subject of the task. A renewal replaces the message of a lease by one at the end of the stream. So expired leases
 * are at its beginning, and are found without the others. When a node gives a task away, a message names the task.
 */
export class NatsTaskLeases {
  readonly #records: NatsRecords;
  readonly #context: NatsContext;
  /** Milliseconds of the shortest lease known to this node. */
  #shortest = Infinity;
  /** Sequence to search from. */
  #from = 1;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.leases);
  }

  async set(task: string, lease: TaskLease): Promise<void> {
    this.#learn(lease);
    await this.#records.put(this.#subject(task), JSON.stringify(lease));
  }

  async remove(task: string): Promise<void> {
    await this.#records.remove(this.#subject(task));
  }

  /** Renews the lease of a node; one of 0 ms gives the task away. Returns `false` when the node has none. */
  async renew(task: string, lease: TaskLease): Promise<boolean> {
    this.#learn(lease);
    const subject = this.#subject(task);
    const found = this.#parse(subject, await this.#records.find(subject));
    if (found?.node !== lease.node) return false;
    if ((await this.#records.put(subject, JSON.stringify(lease), found.sequence)) === "conflict") return false;
    // Without this message the task is found when the other leases of its age are over.
    if (lease.milliseconds <= 0) await this.#records.put(this.#context.names.released(subject), "");
    return true;
  }

  /** Returns expired leases. */
  async findExpired(limit: number): Promise<readonly ExpiredLease[]> {
    const released = await this.#findReleased(limit);
    const oldest = await this.#findOldest(limit - released.length);
    return [...released, ...oldest.filter(({ subject }) => released.every((other) => other.subject !== subject))];
  }

  async #findReleased(limit: number): Promise<readonly ExpiredLease[]> {
    const { names } = this.#context;
    const found: ExpiredLease[] = [];
    let from = 1;
    for (let reads = 0; reads < mostReads && found.length < limit; reads += 1) {
      const message = await this.#findNext(names.allReleased, from);
      if (!message) break;
      from = message.sequence + 1;
      const subject = names.leaseOfReleased(message.subject);
      const lease = this.#parse(subject, await this.#records.find(subject));
      if (lease?.isOver === true) found.push(lease);
      await this.#records.removeOne(message.sequence);
    }
    return found;
  }

  /**
   * Reads leases, beginning with the oldest, up to the first that cannot have expired yet. After {@link mostReads} the next search continues there.
   */
  async #findOldest(limit: number): Promise<readonly ExpiredLease[]> {
    const found: ExpiredLease[] = [];
    for (let reads = 0; reads < mostReads && found.length < limit; reads += 1) {
      const message = await this.#findNext(this.#context.names.leases, this.#from);
      const record = await this.#records.toRecord(message);
      const lease = message && this.#parse(message.subject, record);
      if (!message || this.#isYoung(record)) {
        this.#from = 1;
        return found;
      }
      this.#from = message.sequence + 1;
      if (lease?.isOver === true) found.push(lease);
      // It would be the oldest for a day.
      if (!lease) await this.#records.removeOne(message.sequence);
    }
    return found;
  }

  /**
   * True if no lease can have expired at this age. At age 0 this is unknown: if the clock of the server was set back, the lease may be from the
   * future, with older ones behind it.
   */
  #isYoung(record: NatsRecord | undefined): boolean {
    return record !== undefined && record.age > 0 && record.age < this.#shortest;
  }

  #findNext(filter: string, sequence: number): Promise<NatsMessage | undefined> {
    const { link, operations, names } = this.#context;
    return operations.perform("read", () => link.findNext(names.streams.leases.name, filter, sequence));
  }

  /** Gives an expired lease to a node. Returns `false` when another node was faster. */
  async take({ subject, sequence }: ExpiredLease, lease: TaskLease): Promise<boolean> {
    return (await this.#records.put(subject, JSON.stringify(lease), sequence)) !== "conflict";
  }

  /** Returns the subject of a lease's task. */
  taskOf({ subject }: ExpiredLease): string {
    return this.#context.names.taskOfLease(subject);
  }

  #parse(subject: string, found: NatsRecord | undefined): FoundLease | undefined {
    const value = found && parseLimited(found.text, 1_000);
    if (!found || !isObject(value)) return undefined;
    const { node, milliseconds } = value;
    if (typeof node !== "string" || typeof milliseconds !== "number") return undefined;
    this.#learn({ milliseconds });
    return { subject, node, milliseconds, sequence: found.sequence, isOver: found.age >= milliseconds };
  }

  /** A lease of 0 gives a task away, and says nothing about others. */
  #learn({ milliseconds }: Pick<TaskLease, "milliseconds">): void {
    if (milliseconds > 0) this.#shortest = Math.min(this.#shortest, milliseconds);
  }

  #subject(task: string): string {
    return this.#context.names.leaseOfTask(task);
  }
}

interface FoundLease extends ExpiredLease {
  readonly isOver: boolean;
}

/** Maximum number of leases read by one search. */
const mostReads = 100;
