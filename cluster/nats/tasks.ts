import { EngineError } from "../../runtime/stores/engine-error.ts";
import {
  isFinal,
  type TaskChange,
  type TaskKey,
  type TaskPage,
  type TaskRange,
  type TaskRecord,
  type TaskStore,
} from "../../runtime/stores/task-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { TaskValues } from "../engine/task-values.ts";
import { NatsRecords } from "./records.ts";
import { NatsTaskLeases, type ExpiredLease } from "./task-leases.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";

/** Tasks on NATS. Each is one value, which a change replaces as a whole. */
export class NatsTasks implements TaskStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;
  readonly #leases: NatsTaskLeases;
  readonly #values: TaskValues;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.tasks);
    const { ring, health, limits } = context;
    this.#values = new TaskValues({ ring, health, maxTaskSize: limits.maxTaskSize });
    this.#leases = new NatsTaskLeases(context);
  }

  async add(record: TaskRecord): Promise<boolean> {
    const { clock, limits } = this.#context;
    const subject = await this.#subject(record);
    if (await this.#find(subject)) return true;
    if (JSON.stringify(record).length > limits.maxTaskSize || !(await this.#hasRoom(record.owner))) return false;
    if (await this.#isTaken(record)) return false;
    const expiresAt = record.ttl === null ? null : clock.now() + Math.max(1, record.ttl);
    const { node, lease } = record;
    // The lease comes first: a task without one would never be taken over, and a lease without a task is removed when it is over.
    if (node !== undefined && lease !== undefined) await this.#leases.set(subject, { node, milliseconds: lease });
    return (await this.#put(subject, { record, expiresAt }, 0)) || (await this.#find(subject)) !== undefined;
  }

  async find(key: TaskKey): Promise<TaskRecord | undefined> {
    return (await this.#find(await this.#subject(key)))?.record;
  }

  async change(key: TaskKey, change: TaskChange, attempt: number = Infinity): Promise<TaskRecord | undefined> {
    const subject = await this.#subject(key);
    const changed = await this.#replace(subject, (record) => this.#values.change(record, change, attempt));
    if (changed?.lease !== undefined && isFinal(changed.status)) await this.#leases.remove(subject);
    return changed;
  }

  async renew(keys: readonly TaskKey[], node: string, lease: number): Promise<readonly TaskKey[]> {
    const held = await Promise.all(
      keys.map(async (key) => this.#leases.renew(await this.#subject(key), { node, milliseconds: lease })),
    );
    return keys.filter((_, index) => !held[index]);
  }

  async takeOver(node: string, limit: number): Promise<readonly TaskRecord[]> {
    const expired = await this.#leases.findExpired(limit);
    const taken = await Promise.all(expired.map((lease) => this.#takeOver(lease, node)));
    return taken.flatMap((record) => record ?? []);
  }

  /** Writes the new attempt of a task whose lease is over. Returns `undefined` when another node was faster, or when there is no such task. */
  async #takeOver(lease: ExpiredLease, node: string): Promise<TaskRecord | undefined> {
    const subject = this.#leases.taskOf(lease);
    const found = await this.#find(subject);
    if (!found || isFinal(found.record.status)) {
      await this.#leases.remove(subject);
      return undefined;
    }
    const milliseconds = found.record.lease ?? lease.milliseconds;
    if (!(await this.#leases.take(lease, { node, milliseconds }))) return undefined;
    const record = await this.#replace(subject, (known) => this.#values.takeOver(known, node));
    return record && !isFinal(record.status) ? record : undefined;
  }

  /** Replaces a record by one derived from it. Returns the record now stored. */
  async #replace(
    subject: string,
    toNext: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#find(subject);
      const record = found && toNext(found.record);
      if (!found || !record) return found?.record;
      if (await this.#put(subject, { record, expiresAt: found.expiresAt }, found.sequence)) return record;
    }
    throw new EngineError("The task is changed by others all the time; try again later");
  }

  /** True if another owner has a task with this id. */
  async #isTaken(key: TaskKey): Promise<boolean> {
    const { names, ring } = this.#context;
    const own = await this.#subject(key);
    const lists = await Promise.all(ring.tags("task", key.id).map((tag) => this.#records.list(names.tasksOf(tag))));
    return lists.flat().some((subject) => subject !== own);
  }

  async list(owner: string, { from, limit }: TaskRange): Promise<TaskPage | undefined> {
    const after = from === undefined ? undefined : parseCursor(from);
    if (from !== undefined && after === undefined) return undefined;
    const found = await Promise.all((await this.#listSubjects(owner)).map((subject) => this.#find(subject)));
    const tasks = found
      .flatMap((task) => (task ? [task.record] : []))
      .filter((task) => after === undefined || compare(toPlace(task), after) > 0)
      .sort((a, b) => compare(toPlace(a), toPlace(b)));
    const page = tasks.slice(0, limit);
    const last = page.at(-1);
    return last && tasks.length > limit ? { tasks: page, next: formatCursor(toPlace(last)) } : { tasks: page };
  }

  async remove(key: TaskKey): Promise<void> {
    const subject = await this.#subject(key);
    await this.#records.remove(subject);
    await this.#leases.remove(subject);
  }

  async removeAll(owner: string): Promise<void> {
    const { names, places } = this.#context;
    for (const tag of places.owners(owner)) {
      await this.#records.remove(names.tasks(tag));
      await this.#leases.remove(names.tasks(tag));
    }
  }

  async #hasRoom(owner: string): Promise<boolean> {
    if (await this.#isFree(owner)) return true;
    await this.#removeExpired(owner);
    return this.#isFree(owner);
  }

  /** Removes tasks whose time is up, which no client has read since: those of an owner, and some of the others. */
  async #removeExpired(owner: string): Promise<void> {
    const { clock, names } = this.#context;
    await Promise.all((await this.#listSubjects(owner)).map((subject) => this.#find(subject)));
    await this.#records.removeExpired(names.allTasks, mostReads, (found) => !found || isOver(found.text, clock.now()));
  }

  async #isFree(owner: string): Promise<boolean> {
    const { limits } = this.#context;
    const free = limits.maxTasks - (await this.#records.count());
    const held = (await this.#listSubjects(owner)).length;
    return held < limits.maxTasksPerOwner && free > held;
  }

  /** Returns a task, unless its time is up: then it is removed. */
  async #find(subject: string): Promise<FoundTask | undefined> {
    const found = await this.#records.find(subject);
    if (!found) return undefined;
    const value = this.#open(subject, found.text);
    if (!value) return undefined;
    if (value.expiresAt !== null && value.expiresAt <= this.#context.clock.now()) {
      await this.#records.remove(subject);
      return undefined;
    }
    return { ...value, sequence: found.sequence };
  }

  async #put(subject: string, { record, expiresAt }: StoredTask, last: number): Promise<boolean> {
    const text = `${expiresAt} ${this.#values.seal(subject, record)}`;
    return (await this.#records.put(subject, text, last)) !== "conflict";
  }

  #open(subject: string, text: string): StoredTask | undefined {
    const [head = "", time = ""] = /^(null|[\d.]+) /.exec(text) ?? [];
    const record = this.#values.open(subject, text.slice(head.length));
    return record && { record, expiresAt: time === "null" ? null : Number(time) };
  }

  async #listSubjects(owner: string): Promise<readonly string[]> {
    const { names, places } = this.#context;
    const lists = await Promise.all(places.owners(owner).map((tag) => this.#records.list(names.tasks(tag))));
    return lists.flat();
  }

  async #subject(key: TaskKey): Promise<string> {
    return (await this.#context.places.task(key)).subject;
  }
}

/** True if the time of a stored task is up. */
function isOver(text: string, now: number): boolean {
  const [, time] = /^([\d.]+) /.exec(text) ?? [];
  return time !== undefined && Number(time) <= now;
}

/** Maximum number of tasks read to find expired ones. */
const mostReads = 100;

interface StoredTask {
  readonly record: TaskRecord;
  /** Time of the server at which the task is removed. */
  readonly expiresAt: number | null;
}

interface FoundTask extends StoredTask {
  readonly sequence: number;
}

/** Place of a task among those of its owner. */
type Place = readonly [createdAt: string, id: string];

function toPlace({ createdAt, id }: TaskRecord): Place {
  return [createdAt, id];
}

function compare([time, id]: Place, [otherTime, otherId]: Place): number {
  if (time !== otherTime) return time < otherTime ? -1 : 1;
  return id < otherId ? -1 : id > otherId ? 1 : 0;
}

function formatCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function parseCursor(text: string): Place | undefined {
  const value = parseLimited(Buffer.from(text, "base64url").toString("utf8"), 1_000);
  if (!Array.isArray(value)) return undefined;
  const [time, id]: readonly unknown[] = value;
  return typeof time === "string" && typeof id === "string" ? [time, id] : undefined;
}
