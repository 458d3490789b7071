import { describe, expect, test } from "vitest";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskChange, TaskKey, TaskRecord } from "../../../runtime/stores/task-store.ts";
import { createStoredCall } from "../../../runtime/server/tasks/tool-tasks.ts";
import { TaskManager } from "../../../runtime/tasks/task-manager.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { newest } from "../../kit/revisions.ts";
import { serveExtension } from "./extension-wire.ts";
import { defineTool, serveTasks } from "./task-wire.ts";

const updatedAt = "2026-01-01T00:00:00Z";
const quick = defineTool({ name: "quick", task: true, execute: () => "done" });

describe("a task that is cancelled", () => {
  const outcome = { kind: "result", result: {} } as const;

  test.each([
    ["was removed", "Task not found", (store: MemoryTaskStore, key: TaskKey) => store.remove(key)],
    [
      "has completed",
      "already in terminal status 'completed'",
      (store: MemoryTaskStore, key: TaskKey) => store.change(key, { status: "completed", outcome, updatedAt }),
    ],
  ])("tasks/cancel is rejected if the task %s after it was found", async (_name, message, intervene) => {
    const store = new MemoryTaskStore();
    const waits = defineTool({ name: "waits", task: true, execute: () => new Promise<string>(() => {}) });
    const { client } = await serveTasks({ tools: [waits], tasks: { store } });
    const taskId = await client.start("waits");
    const change = store.change.bind(store);
    Object.assign(store, {
      async change(key: TaskKey, given: TaskChange) {
        Object.assign(store, { change });
        await Promise.resolve(intervene(store, key));
        return change(key, given);
      },
    });
    expect(await client.errorOf("tasks/cancel", { taskId })).toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["an outcome that is not JSON", () => ({ content: [], structuredContent: { total: 1n } })],
    ["a result that does not fit the revision", () => ({ content: "done" })],
    ["an error", () => Promise.reject(new Error("late"))],
  ])("the work of a cancelled task may end with %s, which is not reported", async (_name, end) => {
    const [begun, gate, ended] = [createGate(), createGate(), createGate()];
    const execute = async (): Promise<unknown> => {
      begun.open();
      await gate.opened;
      setImmediate(ended.open);
      return end();
    };
    const { client, reports } = await serveTasks({ tools: [{ name: "late", task: true, execute }] });
    const taskId = await client.start("late");
    await begun.opened;
    await client.call("tasks/cancel", { taskId });
    gate.open();
    await ended.opened;
    expect(reports).toEqual([]);
  });
});

test("tasks/result of a task that ends while its record is read does not wait for the next poll", async () => {
  const [asked, gate] = [createGate(), createGate()];
  const store = new MemoryTaskStore();
  const held = defineTool({ name: "held", task: true, execute: () => asked.opened.then(() => "done") });
  const { client } = await serveTasks({ tools: [held], tasks: { store, clock: new ManualClock() } });
  const taskId = await client.start("held");
  const find = store.find.bind(store);
  Object.assign(store, {
    async find(key: TaskKey) {
      Object.assign(store, { find });
      const working = find(key);
      asked.open();
      await gate.opened;
      return working;
    },
  });
  const result = client.call("tasks/result", { taskId });
  await asked.opened;
  await client.until(taskId, "completed");
  gate.open();
  expect(await result).toMatchObject({ content: [{ type: "text", text: "done" }] });
});

describe("the end of a session with tasks", () => {
  test("the tasks of another session continue", async () => {
    const begun: unknown[] = [];
    const aborted: unknown[] = [];
    const held = defineTool({
      name: "held",
      task: true,
      execute: (_args, { signal, task }) => {
        begun.push(task?.id);
        return new Promise<string>(() => signal.addEventListener("abort", () => aborted.push(task?.id)));
      },
    });
    const { client, join } = await serveTasks({ tools: [held] });
    const other = await join();
    const [mine, others] = [await client.start("held"), await other.start("held")];
    await expect.poll(() => begun).toEqual([mine, others]);
    client.wire.end();
    await expect.poll(() => aborted).toEqual([mine]);
    expect(await other.call("tasks/get", { taskId: others })).toMatchObject({ status: "working" });
  });

  test("the tasks are removed with one operation of the store", async () => {
    const store = new MemoryTaskStore();
    const { client, server } = await serveTasks({ tools: [quick], tasks: { store } });
    await client.start("quick");
    await client.start("quick");
    const owners: string[] = [];
    const removeAll = store.removeAll.bind(store);
    store.removeAll = (owner) => (owners.push(owner), removeAll(owner));
    client.wire.end();
    await server.close();
    expect([owners.length, store.size]).toEqual([1, 0]);
  });

  test.each([
    ["is removed, and its work does not begin (R48)", undefined, "removed", 0],
    ["runs, if it belongs to a principal", { identity: { principal: "ada" } }, "run", 1],
  ])("a task that is being stored meanwhile %s", async (_name, origin, event, size) => {
    const [adding, stored] = [createGate(), createGate()];
    const events: string[] = [];
    const store = new MemoryTaskStore();
    const [add, remove] = [store.add.bind(store), store.remove.bind(store)];
    Object.assign(store, {
      add: async (record: TaskRecord) => (adding.open(), await stored.opened, add(record)),
      remove: (key: TaskKey) => (events.push("removed"), remove(key)),
    });
    const counted = defineTool({ name: "counted", task: true, execute: () => (events.push("run"), "done") });
    const { client } = await serveTasks({ tools: [counted], tasks: { store } });
    // From its first request about tasks, the end of the session is watched.
    await client.errorOf("tasks/get", { taskId: "unknown" });
    const params = { name: "counted", task: {} };
    client.wire.receiver?.message({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, origin);
    await adding.opened;
    client.wire.end();
    await settle();
    stored.open();
    await expect.poll(() => events).toEqual([event]);
    await settle();
    expect([events, store.size]).toEqual([[event], size]);
  });

  test("a failure of the store to remove the tasks is reported", async () => {
    const store = new MemoryTaskStore();
    const { client, reports } = await serveTasks({ tools: [quick], tasks: { store } });
    await client.start("quick");
    store.removeAll = () => {
      throw new Error("lost");
    };
    client.wire.end();
    await expect.poll(() => reports).toMatchObject([{ kind: "handler", error: { message: "lost" } }]);
  });
});

test("progress of a task increases, also after a value that is no number", async () => {
  const tool = defineTool({
    name: "steps",
    task: true,
    execute: async (_args, { progress }) => {
      for (const value of [3, NaN, 2, 3, 4]) await progress(value);
      return "done";
    },
  });
  const { client } = await serveTasks({ tools: [tool] });
  await client.until(await client.start("steps", { _meta: { progressToken: 7 } }), "completed");
  expect(client.notificationsOf("notifications/progress").map(({ progress }) => progress)).toEqual([3, 4]);
});

test("a closed server leaves no timer of its tasks", async () => {
  const clock = new ManualClock();
  const waits = defineTool({ name: "waits", task: true, execute: () => new Promise<string>(() => {}) });
  const { client, server } = await serveTasks({ tools: [waits], tasks: { store: new MemoryTaskStore(), clock } });
  await client.start("waits");
  expect(clock.active).toBeGreaterThan(0);
  await server.close({ drain: 0 });
  expect(clock.active).toBe(0);
});

test("responses to input requests that are not open change nothing in the store", async () => {
  const store = new MemoryTaskStore();
  const execute = (): Promise<string> => new Promise(() => {});
  const retried = defineTool({ name: "retried", task: { retryable: true }, execute });
  const { request } = serveExtension({ tools: [retried], tasks: { store, ledger: new MemoryLedger() } });
  const { taskId } = await request("tools/call", { name: "retried" });
  let changes = 0;
  const change = store.change.bind(store);
  store.change = (...given) => ((changes += 1), change(...given));
  const inputResponses = { "elicit-1": { action: "decline" } };
  expect(await request("tasks/update", { taskId, inputResponses })).toMatchObject({ resultType: "complete" });
  expect(changes).toBe(0);
});

test("a server with running tasks is not shared with a store that does not have them", async () => {
  const manager = new TaskManager({ principalOf: () => "ada" });
  const retry = { revision: newest.id, params: {}, client: { info: undefined, capabilities: {} } };
  const row = findRow(newest.clientRequests, "callTool") ?? expect.unreachable();
  const begun = { row, ttl: undefined, taskOptions: {}, work: () => new Promise(() => {}) };
  await manager.begin(createStoredCall("a", retry, { revision: newest }), begun);
  const store = new MemoryTaskStore();
  const node = {
    name: "here",
    canTakeOver: true,
    store,
    ledger: new MemoryLedger(),
    lease: 1_000,
    send() {},
    receive() {},
  };
  expect(() => manager.share({ node, written: newest, isOffered: () => true })).toThrow("outside of the cluster");
  await manager.close();
});
