import { describe, expect, test } from "vitest";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskRecord, TaskStore } from "../../../runtime/stores/task-store.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { serveExtension, type Asked } from "./extension-wire.ts";
import { createGate } from "../../kit/time.ts";
import { defineTool, findTask, serveTasks, type Served } from "./task-wire.ts";

/** Store and ledger that outlive processes, and what the tools of all processes have done. */
interface World {
  readonly store: MemoryTaskStore;
  readonly ledger: MemoryLedger;
  readonly records: TaskRecord[];
  readonly lines: string[];
  /** Starts a process with a clock of its own: it stands still when the process has been killed. */
  start(name: string, options?: { readonly hasLedger?: boolean }): Promise<Served & { readonly clock: ManualClock }>;
  pass(milliseconds: number, served?: { readonly clock: ManualClock }): Promise<void>;
}

function createWorld(): World {
  const clock = new ManualClock();
  const store = new MemoryTaskStore({ clock });
  const ledger = new MemoryLedger({ clock });
  const records: TaskRecord[] = [];
  const add = store.add.bind(store);
  store.add = (record) => (records.push(record), add(record));
  const lines: string[] = [];
  return {
    store,
    ledger,
    records,
    lines,
    async start(name, { hasLedger = true } = {}) {
      const own = new ManualClock();
      const order = defineTool({
        name: "order",
        task: { retryable: true, ttl: 600_000 },
        execute: async (_args, { once, signal }) => {
          const first = await once("first", ({ token }) => (lines.push(`${name} first ${token}`), name));
          if (name !== "second") await new Promise((_, reject) => signal.addEventListener("abort", reject));
          return `by ${first}`;
        },
      });
      const tasks = { store, clock: own, ...(hasLedger && { ledger }) };
      return { ...(await serveTasks({ tools: [order], tasks })), clock: own };
    },
    async pass(milliseconds, served) {
      for (let passed = 0; passed < milliseconds; passed += 1_000) {
        await clock.pass(1_000);
        await served?.clock.pass(1_000);
      }
    },
  };
}

describe("a process that takes over the tasks of one that was killed", () => {
  test("a process runs a task again with its recorded steps, when the lease is over (E10, E11)", async () => {
    const { store, records, lines, start, pass } = createWorld();
    const first = await start("first");
    await first.client.start("order");
    await expect.poll(() => lines).toHaveLength(1);
    const [record] = records;
    if (!record) throw new Error("no record");
    expect(record).toMatchObject({ attempt: 1, lease: 6_000, retry: { params: { name: "order" } } });
    const second = await start("second");
    await pass(5_000, second);
    expect(await findTask(store, record)).toMatchObject({ status: "working", attempt: 1 });
    await pass(5_000, second);
    await expect.poll(async () => (await findTask(store, record))?.status).toBe("completed");
    expect(await findTask(store, record)).toMatchObject({
      attempt: 2,
      outcome: { result: { content: [{ text: "by first" }] } },
    });
    expect(lines).toHaveLength(1);
  });

  test("a process takes over a task of a client that opens no session", async () => {
    const clock = new ManualClock();
    const tasks = { store: new MemoryTaskStore({ clock }), ledger: new MemoryLedger({ clock }) };
    const startAlone = (name: string, own: ManualClock): Asked => {
      const order = defineTool({
        name: "order",
        task: { retryable: true, ttl: 600_000 },
        execute: (_args, { signal }) =>
          name === "second" ? "done" : new Promise<string>((_, reject) => signal.addEventListener("abort", reject)),
      });
      return serveExtension({ tools: [order], tasks: { ...tasks, clock: own } });
    };
    const { taskId } = await startAlone("first", new ManualClock()).request("tools/call", { name: "order" });
    const own = new ManualClock();
    const second = startAlone("second", own);
    expect(await second.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
    for (let passed = 0; passed < 12_000; passed += 1_000) {
      await clock.pass(1_000);
      await own.pass(1_000);
    }
    expect(await second.until(taskId, "completed")).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  test("a process that takes over a task of a client without a session does not repeat its settled input requests", async () => {
    const clock = new ManualClock();
    const tasks = { store: new MemoryTaskStore({ clock }), ledger: new MemoryLedger({ clock }) };
    const responses: string[] = [];
    const startAlone = (name: string, own: ManualClock): Asked => {
      const order = defineTool({
        name: "order",
        task: { retryable: true, ttl: 600_000 },
        execute: async (_args, { elicit, signal }) => {
          const { action } = await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
          responses.push(`${name} ${action}`);
          if (name !== "second") await new Promise((_, reject) => signal.addEventListener("abort", reject));
          return action;
        },
      });
      return serveExtension({ tools: [order], tasks: { ...tasks, clock: own } });
    };
    const first = startAlone("first", new ManualClock());
    const { taskId } = await first.request("tools/call", { name: "order" });
    const { inputRequests } = await first.until(taskId, "input_required");
    const [key = ""] = Object.keys(Object(inputRequests));
    await first.request("tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } });
    await expect.poll(() => responses).toEqual(["first decline"]);
    const own = new ManualClock();
    const second = startAlone("second", own);
    // A process shares its tasks with its first use of them.
    await second.request("tasks/get", { taskId });
    for (let passed = 0; passed < 12_000; passed += 1_000) {
      await clock.pass(1_000);
      await own.pass(1_000);
    }
    expect(await second.until(taskId, "completed")).toMatchObject({ result: { content: [{ text: "decline" }] } });
    expect(responses).toEqual(["first decline", "second decline"]);
  });

  test("a process that closes while it takes over a task does not run it, and leaves it to the next", async () => {
    const { store, records, lines, start, pass } = createWorld();
    const first = await start("first");
    await first.client.start("order");
    await expect.poll(() => lines).toHaveLength(1);
    const closing = await start("closing");
    const gate = createGate();
    const takeOver = store.takeOver.bind(store);
    const taken: TaskRecord[] = [];
    Object.assign(store, {
      async takeOver(...args: Parameters<typeof takeOver>) {
        const found = await Promise.resolve(takeOver(...args));
        taken.push(...found);
        if (found.length > 0) await gate.opened;
        return found;
      },
    });
    await pass(10_000, closing);
    expect(taken).toMatchObject([{ attempt: 2 }]);
    await closing.server.close({ drain: 0 });
    gate.open();
    await settle();
    Object.assign(store, { takeOver });
    await pass(4_000, await start("second"));
    await expect
      .poll(async () => (await findAll(store, records)).map((record) => record?.status))
      .toEqual(["completed"]);
    expect(lines).toHaveLength(1);
  });

  test("a task of a process that closes is run by the next at once, also after many of them", async () => {
    const clock = new ManualClock();
    const tasks = { store: new MemoryTaskStore({ clock }), ledger: new MemoryLedger({ clock }) };
    const lines: string[] = [];
    const startAlone = (name: string, own: ManualClock): Asked => {
      const order = defineTool({
        name: "order",
        task: { retryable: true, ttl: 600_000 },
        execute: (_args, { signal }) => {
          lines.push(name);
          return name === "last"
            ? "done"
            : new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      });
      return serveExtension({ tools: [order], tasks: { ...tasks, clock: own } });
    };
    let serving = startAlone("first", new ManualClock());
    const { taskId } = await serving.request("tools/call", { name: "order" });
    const names = ["first", "second", "third", "fourth", "last"];
    for (const [index, name] of names.entries()) {
      await expect.poll(() => lines).toEqual(names.slice(0, index + 1));
      if (name === "last") break;
      await serving.server.close({ drain: 0 });
      const own = new ManualClock();
      serving = startAlone(names[index + 1] ?? "", own);
      expect(await serving.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
      await clock.pass(1);
      await own.pass(3_000);
    }
    expect(await serving.until(taskId, "completed")).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  test("the work of a process that was suspended is aborted at its next step, after another has run the task", async () => {
    const { store, records, lines, pass, start, ledger } = createWorld();
    const gate = createGate();
    const reasons: unknown[] = [];
    const slow = defineTool({
      name: "order",
      task: { retryable: true, ttl: 600_000 },
      execute: async (_args, { once, signal }) => {
        await once("first", () => lines.push("first"));
        await gate.opened;
        await once("second", () => lines.push("second")).catch(() => reasons.push(signal.reason));
        return "";
      },
    });
    const suspended = await serveTasks({ tools: [slow], tasks: { store, clock: new ManualClock(), ledger } });
    await suspended.client.start("order");
    await expect.poll(() => lines).toEqual(["first"]);
    await pass(10_000, await start("second"));
    await expect.poll(async () => (await findAll(store, records))[0]?.status).toBe("completed");
    gate.open();
    await expect.poll(() => reasons).toMatchObject([{ message: "Another node runs the task" }]);
    expect(lines).toEqual(["first"]);
    expect(suspended.reports).toEqual([]);
  });

  test("a process keeps a task whose lease it renews", async () => {
    const { store, records, lines, start, pass } = createWorld();
    const first = await start("first");
    await start("second");
    await first.client.start("order");
    await expect.poll(() => lines).toHaveLength(1);
    await pass(60_000, first);
    expect(await findAll(store, records)).toMatchObject([{ status: "working", attempt: 1 }]);
  });

  test("a process without a ledger fails a task instead of running its steps again", async () => {
    const { store, records, lines, start, pass } = createWorld();
    const first = await start("first", { hasLedger: false });
    await first.client.start("order");
    await expect.poll(() => lines).toHaveLength(1);
    await pass(12_000, await start("second", { hasLedger: false }));
    expect(await findAll(store, records)).toMatchObject([
      { status: "failed", statusMessage: "The node that ran the task is gone; its effects are unknown" },
    ]);
  });

  test("a server without a shared store neither renews leases nor stores requests", async () => {
    const clock = new ManualClock();
    const quick = defineTool({ name: "quick", task: { retryable: true }, execute: () => "done" });
    const { client } = await serveTasks({ tools: [quick], tasks: { clock } });
    const before = clock.active;
    const taskId = await client.start("quick");
    await settle();
    expect(await client.until(taskId, "completed")).toMatchObject({ taskId });
    expect(before).toBe(0);
  });
});

function findAll(store: TaskStore, records: readonly TaskRecord[]): Promise<readonly (TaskRecord | undefined)[]> {
  return Promise.all(records.map((record) => findTask(store, record)));
}
