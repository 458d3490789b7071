import { expect, onTestFinished, test, vi } from "vitest";
import type { defaultNatsLimits } from "../../../cluster/nats/nats-limits.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { createEngine, MemoryLink, MemoryNats, type LosableEngine } from "../memory-nats.ts";

/* Tasks, steps of work and secret values at the limits of an engine on NATS, and at the end of their time. */

async function open(
  limits: Partial<typeof defaultNatsLimits> = {},
  server: MemoryNats = new MemoryNats(),
): Promise<LosableEngine> {
  const engine = createEngine(new MemoryLink(server), limits);
  onTestFinished(() => engine.close());
  await engine.open();
  return engine;
}

/** Replaces the clock of this process and of the server; returns a function by which time passes. */
function setClock(): (milliseconds: number) => void {
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  onTestFinished(() => void clock.mockRestore());
  return (milliseconds) => void (passed += milliseconds);
}

const time = "2030-01-01T00:00:00.000Z";

function createTask(id: string, owner: string, more: Partial<TaskRecord> = {}): TaskRecord {
  return { id, owner, status: "working", createdAt: time, updatedAt: time, ttl: null, pollInterval: 100, ...more };
}

/** Adds a task for each owner, and returns which were added. */
async function addTasks({ tasks }: LosableEngine, owners: string, ttl: number | null): Promise<readonly boolean[]> {
  const added: boolean[] = [];
  for (const owner of owners) added.push(await tasks.add(createTask(crypto.randomUUID(), owner, { ttl })));
  return added;
}

test.each([
  { limits: { maxTasks: 3 }, owners: "abcd", added: [true, true, true, false] },
  { limits: { maxTasksPerOwner: 2 }, owners: "aaab", added: [true, true, false, true] },
  // One owner may hold as many as remain free.
  { limits: { maxTasks: 4 }, owners: "aaabb", added: [true, true, false, true, false] },
])("tasks are added up to $limits: $owners", async ({ limits, owners, added }) => {
  expect(await addTasks(await open(limits), owners, null)).toEqual(added);
});

test("tasks whose time is up make room for those of other owners and of their own, and others stay", async () => {
  const pass = setClock();
  const engine = await open({ maxTasks: 4, maxTasksPerOwner: 1 });
  await engine.tasks.add(createTask("kept", "a"));
  expect(await addTasks(engine, "bcd", 60_000)).toEqual([true, true, true]);
  expect(await addTasks(engine, "be", 60_000)).toEqual([false, false]);
  pass(59_000);
  expect(await addTasks(engine, "be", 60_000)).toEqual([false, false]);
  pass(2_000);
  expect(await addTasks(engine, "bef", 60_000)).toEqual([true, true, true]);
  expect(await engine.tasks.find({ id: "kept", owner: "a" })).toMatchObject({ id: "kept" });
});

test("a task of the maximum size is added, and one that exceeds it is rejected", async () => {
  const maxTaskSize = JSON.stringify(createTask("a", "ada", { statusMessage: "text" })).length;
  const { tasks } = await open({ maxTaskSize });
  expect(await tasks.add(createTask("a", "ada", { statusMessage: "text" }))).toBe(true);
  expect(await tasks.add(createTask("b", "ada", { statusMessage: "text!" }))).toBe(false);
  expect(await tasks.find({ id: "b", owner: "ada" })).toBeUndefined();
});

test("work has a limited number of steps, whose outcomes have a limited size", async () => {
  const { ledger } = await open({ maxSteps: 2, maxTaskSize: 8 });
  const [first] = [await ledger.begin("work", "a", 1), await ledger.begin("work", "b", 1)];
  await expect(ledger.begin("work", "c", 1)).rejects.toThrow("The work has 2 steps already; use fewer");
  expect(await ledger.begin("other", "c", 1)).toMatchObject({ state: "new" });
  expect(await ledger.begin("work", "a", 2)).toEqual(first);
  const finish = async (outcome: string): Promise<unknown> => ledger.finish("work", "a", { attempt: 2, outcome });
  await expect(finish("1234567")).rejects.toThrow("The outcome of a step has 9 characters; return less");
  expect(await finish("123456")).toBe("kept");
});

test("a task that is added again is one task, also when no other has room", async () => {
  const { tasks } = await open({ maxTasks: 1 });
  for (let count = 0; count < 2; count += 1) expect(await tasks.add(createTask("a", "ada"))).toBe(true);
  expect(await tasks.add(createTask("b", "ada"))).toBe(false);
});

test("a task of more than 256 messages is rejected, and leaves nothing behind", async () => {
  const server = new MemoryNats();
  const { tasks } = await open({}, server);
  const large = createTask("large", "ada", { statusMessage: "x".repeat(256 * 16 * 1024) });
  await expect(tasks.add(large)).rejects.toThrow(/^A value has \d+ bytes; store values of at most \d+ bytes$/);
  expect(server.find("shop-v1-lasting-parts", ">")).toEqual([]);
});

test("secret values whose time is up are removed while others are stored, and those others stay", async () => {
  const pass = setClock();
  const server = new MemoryNats();
  const { values } = await open({}, server);
  const names = Array.from({ length: 12 }, (_, index) => `${index}`);
  for (const name of names) await values?.set(name, name, Number(name) % 3 === 0 ? 600_000 : 60_000);
  pass(59_000);
  for (const name of names.slice(0, 3)) await values?.set(name, name, 600_000);
  expect(server.find("shop-v1-values", ">")).toHaveLength(12);
  pass(2_000);
  for (let count = 0; count < 6; count += 1) {
    await values?.set("new", `${count}`, 60_000);
    await settle();
  }
  expect(server.find("shop-v1-values", ">")).toHaveLength(7);
  for (const name of ["0", "1", "2", "3", "6", "9"]) expect(await values?.get(name)).toBe(name);
});

test("a used key is free from the millisecond at which its time is up", async () => {
  const { replays } = await open();
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const until = Date.now() + 1_000;
  expect(await replays.add("jti", until)).toBe(true);
  vi.setSystemTime(until - 1);
  expect(await replays.add("jti", until + 1_000)).toBe(false);
  vi.setSystemTime(until);
  expect(await replays.add("jti", until + 1_000)).toBe(true);
});

test("a secret value that exceeds the limit when it is encrypted is rejected, and the one before stays", async () => {
  const { values } = await open();
  await values?.set("a", "short", 60_000);
  const set = values?.set("a", "x".repeat(256 * 1024), 60_000);
  await expect(set).rejects.toThrow(/^A value has \d+ characters; at most 262144 are stored$/);
  expect(await values?.get("a")).toBe("short");
});
