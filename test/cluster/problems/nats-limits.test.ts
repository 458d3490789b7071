import { expect, onTestFinished, test, vi } from "vitest";
import type { defaultNatsLimits } from "../../../cluster/nats/nats-limits.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { createEngine, MemoryLink, MemoryNats, type LosableEngine } from "../memory-nats.ts";

/* Tasks and steps of work at the limits of an engine on NATS. */

async function open(limits: Partial<typeof defaultNatsLimits>): Promise<LosableEngine> {
  const engine = createEngine(new MemoryLink(new MemoryNats()), limits);
  onTestFinished(() => engine.close());
  await engine.open();
  return engine;
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
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  onTestFinished(() => void clock.mockRestore());
  const engine = await open({ maxTasks: 4, maxTasksPerOwner: 1 });
  await engine.tasks.add(createTask("kept", "a"));
  expect(await addTasks(engine, "bcd", 60_000)).toEqual([true, true, true]);
  expect(await addTasks(engine, "be", 60_000)).toEqual([false, false]);
  passed = 59_000;
  expect(await addTasks(engine, "be", 60_000)).toEqual([false, false]);
  passed = 61_000;
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
