import { describe, expect, test } from "vitest";
import { MemoryTaskStore, type MemoryTaskStoreOptions } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskOutcome, TaskRecord, TaskStore } from "../../../runtime/stores/task-store.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

interface Opened {
  readonly store: TaskStore;
  pass(milliseconds: number): Promise<void> | void;
}

/** Every store must keep the contract: add an adapter's here, with a way to let its time pass. */
const stores: readonly (readonly [string, (options?: MemoryTaskStoreOptions) => Opened])[] = [
  [
    "in memory",
    (options) => {
      const clock = new ManualClock();
      return { store: new MemoryTaskStore({ clock, ...options }), pass: (time) => clock.advance(time) };
    },
  ],
];

const start = "2000-01-01T00:00:00.000Z";
const later = "2000-01-01T00:00:01.000Z";
const outcome = { kind: "result", result: { content: [] } } as const;

function record(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  const times = { createdAt: start, updatedAt: start, ttl: 1_000, pollInterval: 10 };
  return { id, owner: "ada", status: "working", ...times, ...more };
}

describe.each(stores)("a task store %s", (_name, open) => {
  test("a task store finds an added task, for its owner only (R48, TK-24)", async () => {
    const { store } = open();
    expect(await store.add(record("a"))).toBe(true);
    expect(await store.find({ id: "a", owner: "ada" })).toEqual(record("a"));
    expect(await store.find({ id: "a", owner: "bob" })).toBeUndefined();
    expect(await store.find({ id: "b", owner: "ada" })).toBeUndefined();
  });

  test("a task store keeps input responses that come one after the other (XT-10)", async () => {
    const { store } = open();
    const key = { id: "a", owner: "ada" };
    await store.add(record("a"));
    await store.change(key, { inputResponses: { one: { action: "accept" } }, updatedAt: later });
    await store.change(key, { inputResponses: { two: { action: "decline" } }, updatedAt: later });
    expect((await store.change(key, { status: "working", updatedAt: later }))?.inputResponses).toEqual({
      one: { action: "accept" },
      two: { action: "decline" },
    });
  });

  test("a task store keeps the first of two responses to an input request, unless the node of the task replaces it", async () => {
    const { store } = open();
    const key = { id: "a", owner: "ada" };
    await store.add(record("a", { attempt: 1 }));
    await store.change(key, { inputResponses: { one: "first" }, updatedAt: later });
    const second = { inputResponses: { one: "second", two: "first" }, updatedAt: later };
    expect((await store.change(key, second))?.inputResponses).toEqual({ one: "first", two: "first" });
    const used = { inputResponses: { one: "used" }, updatedAt: later };
    expect((await store.change(key, used, 1))?.inputResponses).toEqual({ one: "used", two: "first" });
  });

  test("a task store adds the same task twice without effect, but gives no id to two owners (R45)", async () => {
    const { store } = open();
    await store.add(record("a"));
    await store.change({ id: "a", owner: "ada" }, { status: "input_required", updatedAt: later });
    expect(await store.add(record("a"))).toBe(true);
    expect(await store.find({ id: "a", owner: "ada" })).toMatchObject({ status: "input_required" });
    expect(await store.add(record("a", { owner: "bob" }))).toBe(false);
  });

  test("a task store changes the given members and keeps the rest; a repeated change has no effect (R45)", async () => {
    const { store } = open();
    await store.add(record("a", { statusMessage: "begun" }));
    const change = { status: "input_required", updatedAt: later } as const;
    const changed = { ...record("a", { statusMessage: "begun" }), ...change };
    expect(await store.change({ id: "a", owner: "ada" }, change)).toEqual(changed);
    expect(await store.change({ id: "a", owner: "ada" }, change)).toEqual(changed);
    expect(await store.change({ id: "a", owner: "bob" }, change)).toBeUndefined();
    expect(await store.change({ id: "b", owner: "ada" }, change)).toBeUndefined();
  });

  test.each(["completed", "failed", "cancelled"] as const)(
    "a task store never changes a task that is %s (TK-11, R48)",
    async (status) => {
      const { store } = open();
      await store.add(record("a"));
      const ended = await store.change({ id: "a", owner: "ada" }, { status, outcome, updatedAt: start });
      expect(ended).toMatchObject({ status, outcome });
      for (const other of ["working", "input_required", "completed", "failed", "cancelled"] as const) {
        expect(await store.change({ id: "a", owner: "ada" }, { status: other, updatedAt: later })).toEqual(ended);
      }
    },
  );

  test("a task store removes a task when its time from creation is up, whatever its status (TK-18, R45)", async () => {
    const { store, pass } = open();
    await store.add(record("short"));
    await store.add(record("long", { ttl: 5_000 }));
    await store.add(record("endless", { ttl: null }));
    await pass(999);
    await store.change({ id: "short", owner: "ada" }, { status: "completed", outcome, updatedAt: later });
    expect(await store.find({ id: "short", owner: "ada" })).toBeDefined();
    await pass(1);
    expect(await store.find({ id: "short", owner: "ada" })).toBeUndefined();
    expect(await store.change({ id: "short", owner: "ada" }, { updatedAt: later })).toBeUndefined();
    await pass(4_000);
    expect(await store.list("ada", { limit: 9 })).toMatchObject({ tasks: [{ id: "endless" }] });
  });

  test("a task store lists the tasks of an owner page by page, whatever is removed between (TK-20)", async () => {
    const { store } = open();
    for (const id of ["a", "b", "c", "d", "e"]) await store.add(record(id));
    await store.add(record("x", { owner: "bob" }));
    const first = await store.list("ada", { limit: 2 });
    expect(first?.tasks.map(({ id }) => id)).toEqual(["a", "b"]);
    for (const id of ["a", "c"]) await store.remove({ id, owner: "ada" });
    const second = await store.list("ada", { limit: 2, from: String(first?.next) });
    expect(second?.tasks.map(({ id }) => id)).toEqual(["d", "e"]);
    expect(second).not.toHaveProperty("next");
    expect(await store.list("nobody", { limit: 2 })).toEqual({ tasks: [] });
  });

  test.each(["", "x", "-1", "1.5", "9".repeat(50)])("a task store rejects the cursor %j (TK-22)", async (from) => {
    const { store } = open();
    await store.add(record("a"));
    expect(await store.list("ada", { limit: 2, from })).toBeUndefined();
  });

  test("a task store removes one task, or all of an owner, also twice (R45)", async () => {
    const { store } = open();
    for (const id of ["a", "b", "c"]) await store.add(record(id));
    await store.add(record("x", { owner: "bob" }));
    await store.remove({ id: "a", owner: "bob" });
    expect(await store.find({ id: "a", owner: "ada" })).toBeDefined();
    for (let time = 0; time < 2; time += 1) await store.remove({ id: "a", owner: "ada" });
    expect(await store.find({ id: "a", owner: "ada" })).toBeUndefined();
    for (let time = 0; time < 2; time += 1) await store.removeAll("ada");
    expect(await store.list("ada", { limit: 9 })).toEqual({ tasks: [] });
    expect(await store.list("bob", { limit: 9 })).toMatchObject({ tasks: [{ id: "x" }] });
  });

  test.each([
    ["tasks", { maxTasks: 2 }],
    ["tasks of one owner", { maxTasksPerOwner: 2 }],
    ["characters of outcomes", { maxSize: JSON.stringify(outcome).length }],
  ] as const)(
    "a task store accepts no more than the maximum of %s, until some are removed (TK-25, R45)",
    async (_what, bounds) => {
      const { store, pass } = open(bounds);
      await store.add(record("a"));
      await store.add(record("b"));
      await store.change({ id: "b", owner: "ada" }, { status: "completed", outcome, updatedAt: later });
      expect(await store.add(record("c"))).toBe(false);
      expect(await store.add(record("a"))).toBe(true);
      await pass(1_000);
      expect(await store.add(record("c"))).toBe(true);
    },
  );

  const onNode = (node: string, more: Partial<TaskRecord> = {}): Partial<TaskRecord> => ({
    node,
    attempt: 1,
    lease: 100,
    ttl: 10_000,
    ...more,
  });

  test("a task store gives a task to another node when the lease is over, with the next attempt (R45)", async () => {
    const { store, pass } = open();
    await store.add(record("a", onNode("one")));
    await store.add(record("without-lease", { ttl: 10_000 }));
    await pass(99);
    expect(await store.takeOver?.("two", 9)).toEqual([]);
    await pass(1);
    expect(await store.takeOver?.("two", 9)).toEqual([record("a", onNode("two", { attempt: 2 }))]);
    expect(await store.takeOver?.("three", 9)).toEqual([]);
    await pass(100);
    expect(await store.takeOver?.("three", 9)).toMatchObject([{ id: "a", node: "three", attempt: 3 }]);
  });

  test("a task store gives a task again to the node that has it, when the lease is over", async () => {
    const { store, pass } = open();
    await store.add(record("a", onNode("one")));
    await pass(99);
    expect(await store.takeOver?.("one", 9)).toEqual([]);
    await pass(1);
    expect(await store.takeOver?.("one", 9)).toEqual([record("a", onNode("one", { attempt: 2 }))]);
  });

  test("a task store gives a node no more tasks than the limit, and none that has ended", async () => {
    const { store, pass } = open();
    for (const id of ["a", "b", "c", "d"]) await store.add(record(id, onNode("one")));
    await store.change({ id: "a", owner: "ada" }, { status: "cancelled", updatedAt: later });
    await pass(100);
    expect(await store.takeOver?.("two", 2)).toMatchObject([{ id: "b" }, { id: "c" }]);
    expect(await store.takeOver?.("two", 2)).toMatchObject([{ id: "d" }]);
  });

  test("a task store renews the leases of a node, and returns the tasks that the node has lost", async () => {
    const { store, pass } = open();
    const ids = ["kept", "cancelled", "removed", "moved"];
    for (const id of ids) await store.add(record(id, onNode(id === "moved" ? "two" : "one")));
    await store.change({ id: "cancelled", owner: "ada" }, { status: "cancelled", updatedAt: later });
    await store.remove({ id: "removed", owner: "ada" });
    await pass(60);
    const keys = ids.map((id) => ({ id, owner: "ada" }));
    const stranger = { id: "kept", owner: "bob" };
    expect(await store.renew?.([...keys, stranger], "one", 200)).toEqual([...keys.slice(1), stranger]);
    await pass(199);
    expect(await store.takeOver?.("three", 9)).toMatchObject([{ id: "moved" }]);
    await pass(1);
    expect(await store.takeOver?.("three", 9)).toMatchObject([{ id: "kept" }]);
  });

  test("a task store ignores a change of an attempt before the present one (R45)", async () => {
    const { store, pass } = open();
    const key = { id: "a", owner: "ada" };
    await store.add(record("a", onNode("one")));
    expect(await store.change(key, { statusMessage: "first", updatedAt: later }, 1)).toMatchObject({
      statusMessage: "first",
    });
    await pass(100);
    const [taken] = (await store.takeOver?.("two", 9)) ?? [];
    expect(await store.change(key, { status: "completed", outcome, updatedAt: later }, 1)).toEqual(taken);
    expect(await store.change(key, { status: "completed", outcome, updatedAt: later }, 2)).toMatchObject({ outcome });
  });

  test("a task store accepts a cancellation that names no attempt", async () => {
    const { store } = open();
    await store.add(record("a", onNode("one", { attempt: 3 })));
    const change = { status: "cancelled", updatedAt: later } as const;
    expect(await store.change({ id: "a", owner: "ada" }, change)).toMatchObject({ status: "cancelled" });
  });
});

describe("shares of a memory task store", () => {
  const resultOf = (size: number): TaskOutcome => ({ kind: "result", result: { text: "x".repeat(size) } });
  const tasksOf = (principal: string | undefined): Partial<TaskRecord> =>
    principal === undefined ? { owner: crypto.randomUUID() } : { owner: `principal:${principal}`, principal };
  let count = 0;
  /** Runs a task to its end; tells what became of it. */
  const run = (store: MemoryTaskStore, principal: string | undefined, size: number): string => {
    count += 1;
    const begun = record(`task-${count}`, tasksOf(principal));
    if (!store.add(begun)) return "refused";
    return store.change(begun, { status: "completed", outcome: resultOf(size), updatedAt: later })?.status ?? "gone";
  };

  test("results of one principal leave room for those of others (R48)", () => {
    const store = new MemoryTaskStore({ maxSize: 100_000 });
    const mallory = Array.from({ length: 100 }, () => run(store, "mallory", 5_000));
    expect(mallory.filter((status) => status === "completed").length).toBeGreaterThan(5);
    expect(mallory.at(-1)).not.toBe("completed");
    expect(run(store, "alice", 20_000)).toBe("completed");
    expect(run(store, "bob", 10_000)).toBe("completed");
  });

  test("results of one principal with several kinds of owners leave room for others", () => {
    const store = new MemoryTaskStore({ maxTasks: 8, maxSize: 100_000 });
    const add = (id: string, owner: string, principal: string): boolean => store.add(record(id, { owner, principal }));
    const mallory = ["a", "b", "c", "d", "e"].map((id, index) =>
      add(id, `${index % 2 === 0 ? "alone" : "principal"}:mallory`, "mallory"),
    );
    expect(mallory).toEqual([true, true, true, true, false]);
    expect(add("x", "principal:alice", "alice")).toBe(true);
  });

  test("requests that are stored with the tasks of one principal leave room for those of others", () => {
    const store = new MemoryTaskStore({ maxSize: 100_000 });
    const identity = { revision: "2026-07-28", client: { info: { name: "c", version: "1" }, capabilities: {} } };
    const add = (id: string, principal: string): boolean =>
      store.add(record(id, { ...tasksOf(principal), retry: { ...identity, params: { text: "x".repeat(20_000) } } }));
    expect(["a", "b", "c", "d"].map((id) => add(id, "mallory"))).toEqual([true, true, false, false]);
    expect([add("e", "alice"), add("f", "alice")]).toEqual([true, false]);
    expect(run(store, "bob", 10_000)).toBe("completed");
    for (const id of ["a", "b"]) store.remove({ id, owner: "principal:mallory" });
    expect(add("g", "mallory")).toBe(true);
  });

  test("a result without room ends its task as failed, however many run at once", async () => {
    const store = new MemoryTaskStore({ maxSize: 100_000 });
    const begun = Array.from({ length: 20 }, (_, index) => record(`${index}`, tasksOf("mallory")));
    for (const task of begun) expect(store.add(task)).toBe(true);
    const ended = begun.map((task) =>
      store.change(task, { status: "completed", outcome: resultOf(30_000), updatedAt: later }),
    );
    expect(ended.map((task) => task?.status)).toEqual(["completed", ...Array(19).fill("failed")]);
    expect(ended.at(-1)).toMatchObject({
      statusMessage: expect.stringContaining("The result is not stored"),
      outcome: { kind: "error", error: { code: -32603 } },
    });
    expect(run(store, "alice", 10_000)).toBe("completed");
  });

  test("unauthenticated clients have one share together, which is everything while there are no others", () => {
    const store = new MemoryTaskStore({ maxSize: 100_000 });
    const statuses = Array.from({ length: 11 }, () => run(store, undefined, 9_000));
    expect(statuses).toEqual(Array(11).fill("completed"));
    expect(["failed", "refused"]).toContain(run(store, undefined, 9_000));
    expect(["failed", "refused"]).toContain(run(store, undefined, 9_000));
  });

  test("results that are removed release their room", () => {
    const clock = new ManualClock();
    const store = new MemoryTaskStore({ maxSize: 100_000, clock });
    for (let round = 0; round < 3; round += 1) {
      expect(run(store, "mallory", 45_000)).toBe("completed");
      expect(run(store, "mallory", 45_000)).toBe("failed");
      clock.advance(1_000);
    }
  });
});

test("a memory task store counts the tasks that it has", () => {
  const clock = new ManualClock();
  const store = new MemoryTaskStore({ clock });
  store.add(record("a"));
  expect(store.size).toBe(1);
  clock.advance(1_000);
  expect(store.size).toBe(0);
});
