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
import { RedisTaskLeases } from "./task-leases.ts";
import { Registry } from "./registry.ts";
import { TaskValues } from "../engine/task-values.ts";
import { toList, toNumber, toText, toTexts } from "./replies.ts";
import { addTask, changeTask, listTasks, removeTask, removeTasks } from "./scripts/tasks.ts";
import { findExisting, type StoreContext } from "./store-context.ts";

/** Tasks on Redis. */
export class RedisTasks implements TaskStore {
  readonly #context: StoreContext;
  readonly #registry: Registry;
  readonly #leases: RedisTaskLeases;
  readonly #values: TaskValues;

  constructor(context: StoreContext) {
    this.#context = context;
    const { commands, names, limits } = context;
    const { ring, health } = context;
    this.#values = new TaskValues({ ring, health, maxTaskSize: limits.maxTaskSize });
    this.#leases = new RedisTaskLeases(commands, names.leases);
    this.#registry = new Registry(commands, names.registry("tasks"), limits.maxTasks);
  }

  async add(record: TaskRecord): Promise<boolean> {
    const { commands, names, ring, limits } = this.#context;
    const place = await this.#place(record);
    const value = this.#values.seal(place.key, record);
    if (value.length > this.#values.maxSize) return false;
    const { principal, ttl } = record;
    const holder = principal === undefined ? "" : ring.tags("principal", principal)[0];
    const milliseconds = ttl === null ? 0 : Math.max(1, Math.ceil(ttl));
    const entry = { name: place.tag, owner: place.owner, holder, ttl: milliseconds };
    const outcome = await this.#registry.admit(entry);
    if (outcome === "full") return false;
    const args = [place.tag, value, String(milliseconds), String(limits.maxTasksPerOwner), names.task(place.owner, "")];
    // The lease comes first: a task without one would never be taken over, and a lease without a task is removed when it is over.
    const { node, lease } = record;
    if (node !== undefined && lease !== undefined) await this.#leases.add(place.key, node, lease);
    const isAdded = (await commands.runDurably(addTask, [place.key, names.tasks(place.owner)], args)) === 1;
    if (isAdded) return true;
    if (outcome === "added") await this.#registry.dismiss([place.tag]);
    await this.#leases.remove([place.key]);
    return false;
  }

  async find(key: TaskKey): Promise<TaskRecord | undefined> {
    const { key: name } = await this.#place(key);
    return (await this.#read(name))?.record;
  }

  async change(key: TaskKey, change: TaskChange, attempt: number = Infinity): Promise<TaskRecord | undefined> {
    const { key: name } = await this.#place(key);
    const changed = await this.#replace(name, (record) => this.#values.change(record, change, attempt));
    if (changed?.lease !== undefined && isFinal(changed.status)) await this.#leases.remove([name]);
    return changed;
  }

  async list(owner: string, { from = "0", limit }: TaskRange): Promise<TaskPage | undefined> {
    if (!/^\d{1,17}$/.test(from)) return undefined;
    const { commands, names } = this.#context;
    const tag = await this.#ownerTag(owner);
    const start = names.task(tag, "");
    const reply = await commands.runConfirmed(listTasks, [names.tasks(tag)], [from, String(limit), start]);
    const [next, found] = toList(reply);
    const texts = toTexts(found);
    const tasks: TaskRecord[] = [];
    for (let index = 0; index + 1 < texts.length; index += 2) {
      const record = this.#values.open(`${start}${texts[index]}`, texts[index + 1] ?? "");
      if (record) tasks.push(record);
    }
    const place = toText(next);
    return place ? { tasks, next: place } : { tasks };
  }

  async remove(key: TaskKey): Promise<void> {
    const { commands, names } = this.#context;
    const { key: name, owner, tag } = await this.#place(key);
    const found = await this.#read(name);
    if (!found) return;
    await commands.runDurably(removeTask, [name, names.tasks(owner)], [tag]);
    await this.#registry.dismiss([tag]);
    if (found.record.lease !== undefined) await this.#leases.remove([name]);
  }

  async removeAll(owner: string): Promise<void> {
    const { commands, names } = this.#context;
    const tag = await this.#ownerTag(owner);
    const removed = toTexts(await commands.runDurably(removeTasks, [names.tasks(tag)], [names.task(tag, "")]));
    await this.#registry.dismiss(removed);
    await this.#leases.remove(removed.map((entry) => names.task(tag, entry)));
  }

  async renew(keys: readonly TaskKey[], node: string, lease: number): Promise<readonly TaskKey[]> {
    const names = await Promise.all(keys.map(async (key) => (await this.#place(key)).key));
    const lost = new Set(await this.#leases.renew(names, node, lease));
    return keys.filter((_, index) => lost.has(names[index] ?? ""));
  }

  async takeOver(node: string, limit: number): Promise<readonly TaskRecord[]> {
    const names = await this.#leases.take(node, limit);
    const found = await Promise.all(names.map((name) => this.#takeOver(name, node)));
    return found.flatMap((record) => record ?? []);
  }

  /** Writes the new attempt of a task whose lease a node has taken. */
  async #takeOver(name: string, node: string): Promise<TaskRecord | undefined> {
    const record = await this.#replace(name, (known) => this.#values.takeOver(known, node));
    if (record && !isFinal(record.status)) {
      await this.#leases.renew([name], node, record.lease ?? 0);
      return record;
    }
    await this.#leases.remove([name]);
    return undefined;
  }

  /** Replaces a record by one derived from it. Returns the record now stored. */
  async #replace(
    name: string,
    toNext: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    for (let count = 0; count < mostAttempts; count += 1) {
      const found = await this.#read(name);
      const next = found && toNext(found.record);
      if (!next) return found?.record;
      const args = [found.version, this.#values.seal(name, next)];
      if ((await this.#context.commands.runDurably(changeTask, [name], args)) === 1) return next;
    }
    throw new EngineError("The task is changed by others all the time; try again later");
  }

  async #place({ id, owner }: TaskKey): Promise<Place> {
    const { commands, names, ring } = this.#context;
    const ownerTag = await this.#ownerTag(owner);
    const tags = ring.tags("task", id);
    const older = tags.length > 1 ? await findExisting(commands, tags, (tag) => names.task(ownerTag, tag)) : undefined;
    const tag = older ?? tags[0];
    return { owner: ownerTag, tag, key: names.task(ownerTag, tag) };
  }

  /** Finds the tag of an owner. While keys are replaced, it may be the tag of an older key. */
  async #ownerTag(owner: string): Promise<string> {
    const { commands, names, ring } = this.#context;
    const tags = ring.tags("owner", owner);
    if (tags.length === 1) return tags[0];
    return (await findExisting(commands, tags, (tag) => names.tasks(tag))) ?? tags[0];
  }

  async #read(name: string): Promise<{ readonly record: TaskRecord; readonly version: string } | undefined> {
    const [value, version] = toList(
      await this.#context.commands.sendConfirmed(name, ["HMGET", name, "value", "version"]),
    );
    const text = toText(value);
    const record = text === undefined ? undefined : this.#values.open(name, text);
    return record && { record, version: String(toNumber(version)) };
  }
}

/** Place of a task: pseudonyms of its owner and itself, and its key. */
interface Place {
  readonly owner: string;
  readonly tag: string;
  readonly key: string;
}

/** Attempts to change a task while others change it. */
const mostAttempts = 50;
