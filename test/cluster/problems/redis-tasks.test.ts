import { describe, expect, test } from "vitest";
import { TaskValues } from "../../../cluster/engine/task-values.ts";
import { admit, dismiss, extend } from "../../../cluster/redis/scripts/registry.ts";
import type { RedisScript } from "../../../cluster/redis/scripts/script.ts";
import { addLease, removeLeases, renewLeases, takeLeases } from "../../../cluster/redis/scripts/task-leases.ts";
import { addTask, changeTask, listTasks, removeTask, removeTasks } from "../../../cluster/redis/scripts/tasks.ts";
import { RedisTasks } from "../../../cluster/redis/tasks.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { createScriptedRedis } from "./scripted-redis.ts";

/* What tasks send to Redis, and what they make of each reply. */

const scripts: Readonly<Record<string, RedisScript>> = {
  ...{ admit, dismiss, extend, addLease, removeLeases, renewLeases, takeLeases },
  ...{ addTask, changeTask, listTasks, removeTask, removeTasks },
};
const names = new Map(Object.entries(scripts).map(([name, { hash }]) => [hash, name]));

const time = "2030-01-01T00:00:00.000Z";
const task: TaskRecord = {
  ...{ id: "t", owner: "ada", status: "working", createdAt: time, updatedAt: time },
  ...{ ttl: 60_000.5, pollInterval: 100, principal: "ada", node: "n", lease: 6_000 },
};
const { node: _node, lease: _lease, ...plain } = task;
const ended: TaskRecord = { ...task, status: "completed" };

/** Tasks with replies by the names of scripts and commands, which may be lists of replies in turn. */
function create(replies: Readonly<Record<string, unknown>>) {
  const turns = new Map<string, number>();
  const redis = createScriptedRedis(([command = "", hash = ""]) => {
    const name = names.get(hash) ?? command;
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const reply = replies[name];
    return typeof reply === "function" ? reply(turn) : reply;
  });
  const sent = (): readonly string[] => redis.sent.map(([command = "", hash = ""]) => names.get(hash) ?? command);
  const sentBy = (name: string): readonly string[] =>
    redis.sent.find((command) => names.get(command[1] ?? "") === name) ?? [];
  return { redis, tasks: new RedisTasks(redis.context), sent, sentBy };
}

/** Place of a task, and its value as Redis has it. */
function place(record: TaskRecord): { readonly key: string; readonly tag: string; readonly value: string } {
  const { ring, names: keys, health, limits } = createScriptedRedis(() => 1).context;
  const [tag] = ring.tags("task", record.id);
  const key = keys.task(ring.tags("owner", record.owner)[0], tag);
  return { key, tag, value: new TaskValues({ ring, health, maxTaskSize: limits.maxTaskSize }).seal(key, record) };
}

const stored = (record: TaskRecord): readonly unknown[] => [place(record).value, "3"];

describe("a task that is added on Redis", () => {
  test.each<readonly [string, TaskRecord, Readonly<Record<string, number>>, boolean, readonly string[]]>([
    ["is new", task, { admit: 1, addTask: 1 }, true, ["admit", "addLease", "addTask"]],
    ["is known", task, { admit: 2, addTask: 1 }, true, ["admit", "addLease", "addTask"]],
    ["is not run by a node", plain, { admit: 1, addTask: 1 }, true, ["admit", "addTask"]],
    ["has no room in the store", task, { admit: 0 }, false, ["admit"]],
    [
      "has no room for its owner",
      task,
      { admit: 1 },
      false,
      ["admit", "addLease", "addTask", "dismiss", "removeLeases"],
    ],
    ["is known and has no room", task, { admit: 2 }, false, ["admit", "addLease", "addTask", "removeLeases"]],
  ])("a task that %s", async (_name, record, replies, isAdded, expected) => {
    const { tasks, sent } = create(replies);
    expect([await tasks.add(record), sent()]).toEqual([isAdded, expected]);
  });

  test("a task has its time and its lease in whole milliseconds", async () => {
    const { tasks, sentBy } = create({ admit: 1, addTask: 1 });
    const { key, tag } = place(task);
    await tasks.add(task);
    const [, , , , , , lease, milliseconds, leased] = ["", ...sentBy("addLease")];
    expect([lease, milliseconds, leased]).toEqual(["n", "6000", key]);
    expect(sentBy("addTask").slice(5, 8)).toEqual([tag, expect.any(String), "60001"]);
    const lasting = create({ admit: 1, addTask: 1 });
    await lasting.tasks.add({ ...task, ttl: null });
    expect(lasting.sentBy("addTask")[7]).toBe("0");
  });
});

describe("a task that is read on Redis", () => {
  test.each<readonly [string, unknown, TaskRecord | undefined, number]>([
    ["is stored", stored(task), task, 0],
    ["is not stored", [null, null], undefined, 0],
    ["does not verify", ["forged", "1"], undefined, 1],
  ])("a task that %s", async (_name, HMGET, expected, invalid) => {
    const { redis, tasks } = create({ HMGET });
    expect([await tasks.find(task), redis.invalid()]).toEqual([expected, invalid]);
  });

  test("tasks are listed with the place of the next page, without those that do not verify", async () => {
    const { tag, value } = place(task);
    const { redis, tasks, sentBy } = create({ listTasks: ["77", [tag, value, "other", value]] });
    expect(await tasks.list("ada", { from: "5", limit: 2 })).toEqual({ tasks: [task], next: "77" });
    expect([redis.invalid(), sentBy("listTasks").slice(4, 6)]).toEqual([1, ["5", "2"]]);
    const last = create({ listTasks: ["", []] });
    expect(await last.tasks.list("ada", { limit: 2 })).toEqual({ tasks: [] });
    expect(last.sentBy("listTasks").slice(4, 6)).toEqual(["0", "2"]);
  });

  test.each(["-1", "a", "1.5", "9".repeat(18)])("tasks have no page at the place %s", async (from) => {
    const { tasks, sent } = create({});
    expect([await tasks.list("ada", { from, limit: 2 }), sent()]).toEqual([undefined, []]);
  });
});

describe("a task that is changed on Redis", () => {
  const change = { status: "completed", updatedAt: time } as const;

  test("a change is made to the version that was read, and again when another was faster", async () => {
    const { tasks, sent, sentBy } = create({ HMGET: stored(task), changeTask: (turn: number) => (turn === 0 ? 0 : 1) });
    expect(await tasks.change(task, change)).toEqual(ended);
    expect(sent()).toEqual(["HMGET", "changeTask", "HMGET", "changeTask", "removeLeases"]);
    expect(sentBy("changeTask")[4]).toBe("3");
  });

  test.each<readonly [string, readonly unknown[], number, TaskRecord | undefined, readonly string[]]>([
    ["is not stored", [null, null], Infinity, undefined, ["HMGET"]],
    ["has ended", stored(ended), Infinity, ended, ["HMGET", "removeLeases"]],
    [
      "has ended without a lease",
      stored({ ...plain, status: "completed" }),
      Infinity,
      { ...plain, status: "completed" },
      ["HMGET"],
    ],
    ["a later attempt runs", stored({ ...task, attempt: 3 }), 2, { ...task, attempt: 3 }, ["HMGET"]],
  ])("a task that %s is not changed", async (_name, HMGET, attempt, expected, commands) => {
    const { tasks, sent } = create({ HMGET });
    expect([await tasks.change(task, change, attempt), sent()]).toEqual([expected, commands]);
  });

  test("a task that others change all the time is an error", async () => {
    const { tasks, sent } = create({ HMGET: stored(task), changeTask: 0 });
    await expect(tasks.change(task, change)).rejects.toThrow("changed by others all the time");
    expect(sent().filter((name) => name === "changeTask")).toHaveLength(50);
  });
});

describe("a task that is removed or taken over on Redis", () => {
  test.each<readonly [string, readonly unknown[], readonly string[]]>([
    ["with a lease", stored(task), ["HMGET", "removeTask", "dismiss", "removeLeases"]],
    ["without a lease", stored(plain), ["HMGET", "removeTask", "dismiss"]],
    ["that is not stored", [null, null], ["HMGET"]],
  ])("a task %s is removed", async (_name, HMGET, commands) => {
    const { tasks, sent, sentBy } = create({ HMGET });
    await tasks.remove(task);
    expect(sent()).toEqual(commands);
    if (commands.length > 1) expect(sentBy("removeTask").at(-1)).toBe(place(task).tag);
  });

  test("all tasks of an owner are removed with their leases", async () => {
    const { key, tag } = place(task);
    const { tasks, sent, sentBy } = create({ removeTasks: [tag] });
    await tasks.removeAll("ada");
    expect([sent(), sentBy("dismiss").at(-1), sentBy("removeLeases").at(-1)]).toEqual([
      ["removeTasks", "dismiss", "removeLeases"],
      tag,
      key,
    ]);
  });

  test("a node that renews its leases learns which tasks it has lost", async () => {
    const other = { id: "u", owner: "bob" };
    const { tasks } = create({ renewLeases: [place({ ...task, ...other }).key] });
    expect(await tasks.renew([task, other], "n", 5)).toEqual([other]);
  });

  test.each<readonly [string, readonly unknown[], readonly TaskRecord[], readonly string[]]>([
    [
      "is open",
      stored(task),
      [{ ...task, node: "m", attempt: 2 }],
      ["takeLeases", "HMGET", "changeTask", "renewLeases"],
    ],
    ["has ended", stored(ended), [], ["takeLeases", "HMGET", "removeLeases"]],
    ["was removed", [null, null], [], ["takeLeases", "HMGET", "removeLeases"]],
  ])("a task that %s and whose lease is over", async (_name, HMGET, expected, commands) => {
    const { tasks, sent, sentBy } = create({ takeLeases: [place(task).key], HMGET, changeTask: 1 });
    expect([await tasks.takeOver("m", 5), sent()]).toEqual([expected, commands]);
    if (expected.length > 0) expect(sentBy("renewLeases").slice(5)).toEqual(["m", "6000", place(task).key]);
  });
});
