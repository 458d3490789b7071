import { expect, test } from "vitest";
import { TaskOwners } from "../../../../runtime/gateway/tasks/forwarded-tasks.ts";
import type { CallContext } from "../../../../runtime/protocol/session/call-context.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import type { SharedValueStore } from "../../../../runtime/stores/shared-value-store.ts";
import { newest } from "../../../kit/revisions.ts";
import { createCall } from "../../../kit/calls.ts";

/* Owners of tasks that a server has started for clients of a gateway, on one node and on two. */

const server = createServer({ name: "a", version: "1" }, [newest]);

function callOf(principal?: string): CallContext {
  return createCall(server, newest, { origin: principal === undefined ? undefined : { identity: { principal } } });
}

const time = "2026-01-01T00:00:00Z";
const week = 7 * 24 * 3_600_000;

function started(more: object = {}): object {
  return {
    resultType: "task",
    taskId: "t",
    status: "working",
    createdAt: time,
    lastUpdatedAt: time,
    ttl: null,
    ...more,
  };
}

interface SharedValues extends SharedValueStore {
  /** Keys that were read, and the time of each value. */
  readonly read: string[];
  readonly times: number[];
}

function createValues(): SharedValues {
  const values = new Map<string, string>();
  const [read, times]: [string[], number[]] = [[], []];
  return {
    read,
    times,
    get(key) {
      read.push(key);
      return values.get(key);
    },
    set(key, value, milliseconds) {
      times.push(milliseconds);
      values.set(key, value);
    },
    delete: (key) => void values.delete(key),
    lock: () => true,
    unlock() {},
  };
}

test.each<[what: string, starter: string | undefined, other: string | undefined, isOwn: boolean]>([
  ["its principal", "ada", "ada", true],
  ["another principal", "ada", "bob", false],
  ["a client without a principal, if it has one", "ada", undefined, false],
  ["every client without a principal, if it has none", undefined, undefined, true],
  ["a principal, if it has none", undefined, "ada", false],
])("a task belongs to %s", async (_whose, starter, other, isOwn) => {
  const owners = new TaskOwners();
  await owners.note(callOf(starter), started());
  expect(await owners.isOwn(callOf(other), "t")).toBe(isOwn);
  const check = owners.check(callOf(other), { taskId: "t" });
  if (isOwn) await expect(check).resolves.toBeUndefined();
  else await expect(check).rejects.toMatchObject({ code: -32602, message: "Task not found: t", data: { taskId: "t" } });
});

test("a result without a task, and params without one, concern no owner", async () => {
  const owners = new TaskOwners();
  await owners.note(callOf("ada"), { resultType: "complete", taskId: "t" });
  expect(await owners.isOwn(callOf("ada"), "t")).toBe(false);
  await expect(owners.check(callOf("ada"), { taskId: 7 })).resolves.toBeUndefined();
  await expect(owners.check(callOf("ada"), undefined)).resolves.toBeUndefined();
});

test("the nodes do not share tasks without an owner", async () => {
  const values = createValues();
  const owners = new TaskOwners();
  owners.share(values);
  await owners.note(callOf(), started());
  expect(values.times).toEqual([]);
  expect(await owners.isOwn(callOf(), "t")).toBe(true);
});

test("another node reads the owner of a task once, and remembers it", async () => {
  const values = createValues();
  const [first, second] = [new TaskOwners(), new TaskOwners()];
  for (const owners of [first, second]) owners.share(values);
  await first.note(callOf("ada"), started());
  expect(await first.isOwn(callOf("ada"), "t")).toBe(true);
  expect(values.read).toEqual([]);
  expect(await second.isOwn(callOf("ada"), "t")).toBe(true);
  expect(await second.isOwn(callOf("bob"), "t")).toBe(false);
  expect(values.read).toHaveLength(1);
});

test("an owner that no node knows is read again: its task may start later", async () => {
  const values = createValues();
  const [first, second] = [new TaskOwners(), new TaskOwners()];
  for (const owners of [first, second]) owners.share(values);
  expect(await second.isOwn(callOf("ada"), "t")).toBe(false);
  await first.note(callOf("ada"), started());
  expect(await second.isOwn(callOf("ada"), "t")).toBe(true);
});

test.each([
  [null, week],
  [1_000, 1_000],
  [2 * week, week],
])("the owner of a task with a time to live of %s ms is shared for %s ms", async (ttlMs, expected) => {
  const values = createValues();
  const owners = new TaskOwners();
  owners.share(values);
  await owners.note(callOf("ada"), started({ ttlMs }));
  expect(values.times).toEqual([expected]);
});
