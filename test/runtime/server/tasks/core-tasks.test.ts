import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { MemoryTaskStore } from "../../../../runtime/stores/memory-task-store.ts";
import type { TaskRecord, TaskStore } from "../../../../runtime/stores/task-store.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { createGate, type Gate } from "../../../kit/time.ts";
import { defineTool, findTask, related, serveTasks, type RawPeer, type Message } from "../../tasks/task-wire.ts";

const quick = defineTool({ name: "quick", task: true, execute: () => "done" });
const plain = defineTool({ name: "plain", execute: () => "done" });
const only = defineTool({ name: "only", task: { support: "required" }, execute: () => "done" });

/** A tool that ends when it is told to. */
function held(gate: Gate) {
  return defineTool({
    name: "held",
    task: true,
    execute: async (_args, { signal }) => {
      await Promise.race([gate.opened, new Promise((_, stop) => signal.addEventListener("abort", stop))]);
      return "done";
    },
  });
}

function createCycle(): object {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  return cycle;
}

const done = { content: [{ type: "text", text: "done" }] };
const older = handshakeRevisions.filter((revision) => revision !== newest).map(({ id }) => id);

describe("the declaration of tasks", () => {
  test("tasks are declared with their requests when a tool runs as a task (TK-01)", async () => {
    const { declared } = await serveTasks({ tools: [quick, plain] });
    expect(declared).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
  });

  test("tasks are not declared without such a tool, nor at revisions without tasks (TK-01)", async () => {
    expect((await serveTasks({ tools: [plain] })).declared).not.toHaveProperty("tasks");
    for (const revision of older) {
      expect((await serveTasks({ tools: [quick] }, { revision })).declared).not.toHaveProperty("tasks");
    }
  });

  test("tools that are added later can be tasks if the server defines how tasks are kept (TK-01)", async () => {
    const { declared, server, client } = await serveTasks({ tools: [plain], listChanged: ["tools"], tasks: {} });
    expect(declared).toMatchObject({ tasks: { requests: { tools: { call: {} } } } });
    server.tools.add(quick);
    expect(await client.start("quick")).toBeTypeOf("string");
  });

  test("each tool declares its task support (TL-17)", async () => {
    const { client } = await serveTasks({ tools: [quick, plain, only] });
    const { tools } = await client.call("tools/list");
    expect(tools).toMatchObject([
      { execution: { taskSupport: "optional" } },
      {},
      { execution: { taskSupport: "required" } },
    ]);
    expect(tools).not.toHaveProperty("1.execution");
    expect(tools).not.toHaveProperty("0.task");
  });

  test.each(older)(
    "revision %s has no member for tasks, and every tool runs as a plain call (TL-17)",
    async (revision) => {
      const { client } = await serveTasks({ tools: [quick, only] }, { revision });
      expect(JSON.stringify(await client.call("tools/list"))).not.toContain("task");
      for (const name of ["quick", "only"]) {
        expect(await client.call("tools/call", { name, task: {} })).toMatchObject(done);
      }
      expect(await client.errorOf("tasks/get", { taskId: "x" })).toMatchObject({ code: -32601 });
    },
  );
});

describe("the choice between plain calls and tasks", () => {
  test("a request for a task is ignored where no tasks were declared (TK-03)", async () => {
    const { client } = await serveTasks({ tools: [plain] });
    expect(await client.call("tools/call", { name: "plain", task: { ttl: 5_000 } })).toEqual(done);
    expect(await client.errorOf("tasks/list")).toMatchObject({ code: -32601 });
  });

  test("a tool without task support rejects a request for a task with -32601 (TK-06)", async () => {
    const { client } = await serveTasks({ tools: [plain, quick] });
    expect(await client.errorOf("tools/call", { name: "plain", task: {} })).toMatchObject({ code: -32601 });
    expect(await client.call("tools/call", { name: "plain" })).toEqual(done);
  });

  test("a tool with optional task support follows the request (TK-07)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    expect(await client.call("tools/call", { name: "quick" })).toEqual(done);
    expect(await client.call("tools/call", { name: "quick", task: {} })).toHaveProperty("task.taskId");
  });

  test("a tool with required task support rejects plain calls with -32601 (TK-08)", async () => {
    const { client } = await serveTasks({ tools: [only] });
    expect(await client.errorOf("tools/call", { name: "only" })).toMatchObject({ code: -32601 });
    const taskId = await client.start("only");
    expect(await client.call("tasks/result", { taskId })).toMatchObject(done);
  });

  test("an unknown or hidden tool creates no task", async () => {
    const hidden = defineTool({ name: "hidden", task: true, visible: () => false, execute: () => "" });
    const { client } = await serveTasks({ tools: [quick, hidden] });
    for (const name of ["hidden", "nothing"]) {
      for (const more of [{}, { task: {} }]) {
        expect(await client.errorOf("tools/call", { name, ...more })).toMatchObject({ code: -32602 });
      }
    }
  });
});

describe("the life of a task", () => {
  test("a task is created at once, as working, with its times, while the work continues (TK-09, TK-10, TK-11, TK-17)", async () => {
    const gate = createGate();
    const { client } = await serveTasks({ tools: [held(gate)] });
    const { task } = await client.call("tools/call", { name: "held", task: { ttl: 60_000 } });
    expect(task).toEqual({
      taskId: expect.stringMatching(/^[\da-f-]{36}$/),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ttl: 60_000,
      pollInterval: 1_000,
    });
    const { taskId } = Object(task);
    expect(await client.call("tasks/get", { taskId })).toEqual(task);
    gate.open();
    expect(await client.until(taskId, "completed")).toMatchObject({ taskId, ttl: 60_000 });
  });

  test("two tasks have two ids (TK-10)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    expect(await client.start("quick")).not.toBe(await client.start("quick"));
  });

  test("the client receives the task before messages of the tool", async () => {
    const eager = defineTool({
      name: "eager",
      task: true,
      execute: async (_args, { progress }) => (await progress(1), "done"),
    });
    const { client } = await serveTasks({ tools: [eager] });
    const id = client.post("tools/call", { name: "eager", task: {}, _meta: { progressToken: "t" } });
    await client.receiveRequest("notifications/progress");
    expect(client.wire.sent[0]).toMatchObject({ id, result: { task: {} } });
  });

  test("the result of a task is that of the call, with the related task (TK-13, TK-16)", async () => {
    const sum = defineTool({
      name: "sum",
      task: true,
      inputSchema: z.object({ a: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      execute: ({ a }) => ({ sum: a + 1 }),
    });
    const { client } = await serveTasks({ tools: [sum] });
    const direct = await client.call("tools/call", { name: "sum", arguments: { a: 1 } });
    const taskId = await client.start("sum", { arguments: { a: 1 } });
    for (let time = 0; time < 2; time += 1) {
      expect(await client.call("tasks/result", { taskId })).toEqual({ ...direct, _meta: related(taskId) });
    }
  });

  test("the result of a task keeps the metadata of the tool (TK-13)", async () => {
    const noted = defineTool({ name: "noted", task: true, execute: () => ({ content: [], _meta: { "a/b": 1 } }) });
    const { client } = await serveTasks({ tools: [noted] });
    const taskId = await client.start("noted");
    expect(await client.call("tasks/result", { taskId })).toEqual({
      content: [],
      _meta: { "a/b": 1, ...related(taskId) },
    });
  });

  test("tasks/result gives the error that the call would have given (TK-13)", async () => {
    const broken = defineTool({
      name: "broken",
      task: true,
      execute: () => {
        throw new RpcError(1234, "No", { data: { why: "because" } });
      },
    });
    const { client } = await serveTasks({ tools: [broken] });
    const taskId = await client.start("broken");
    expect(await client.until(taskId, "failed")).toMatchObject({ statusMessage: "No" });
    expect(await client.errorOf("tasks/result", { taskId })).toEqual({
      code: 1234,
      message: "No",
      data: { why: "because" },
    });
  });

  test("a tasks/result request has no time limit but the task's own (TK-13)", async () => {
    const clock = new ManualClock();
    const gate = createGate();
    const serving = { clock, timeouts: { handler: 100 } };
    const { client } = await serveTasks({ tools: [held(gate)] }, { serving });
    const waiting = client.call("tasks/result", { taskId: await client.start("held") });
    await clock.pass(10_000);
    gate.open();
    expect(await waiting).toMatchObject(done);
  });

  test("a tasks/result request before the end waits for it (TK-13)", async () => {
    const gate = createGate();
    const { client } = await serveTasks({ tools: [held(gate)] });
    const taskId = await client.start("held");
    const first = client.call("tasks/result", { taskId });
    const second = client.call("tasks/result", { taskId });
    await client.call("ping");
    expect(client.wire.sent.filter((said) => Object(said).id !== undefined)).toEqual([]);
    gate.open();
    expect(await first).toMatchObject(done);
    expect(await second).toMatchObject(done);
  });

  test.each([
    [
      "a result marked as an error",
      () => ({ content: [{ type: "text" as const, text: "No luck" }], isError: true }),
      "No luck",
    ],
    ["an error whose first content is no text", () => ({ content: [], isError: true }), "The tool failed"],
    ["a ToolError", () => Promise.reject(new ToolError("No luck")), "No luck"],
    ["anything else that is thrown", () => Promise.reject(new Error("secret")), "The tool failed"],
  ])("a task fails with a message after %s (TK-23)", async (_what, run, statusMessage) => {
    const { client } = await serveTasks({ tools: [defineTool({ name: "fails", task: true, execute: run })] });
    const taskId = await client.start("fails");
    expect(await client.until(taskId, "failed")).toMatchObject({ statusMessage });
    expect(await client.call("tasks/result", { taskId })).toMatchObject({ isError: true });
  });

  test("a task with wrong arguments fails, and its result has the problem (TK-23, A12)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    const taskId = await client.start("quick", { arguments: { no: 1 } });
    expect(await client.until(taskId, "failed")).toMatchObject({
      statusMessage: expect.stringContaining("Invalid arguments"),
    });
  });

  test("a task whose result does not fit the revision fails with an internal error, which is reported (TK-22)", async () => {
    const { client, reports } = await serveTasks({
      tools: [{ name: "odd", task: true, execute: () => ({ content: 1 }) }],
    });
    const taskId = await client.start("odd");
    expect(await client.errorOf("tasks/result", { taskId })).toEqual({ code: -32603, message: "Internal error" });
    const error = { message: expect.stringContaining("content") };
    expect(reports).toMatchObject([{ kind: "handler", method: "tools/call", error }]);
  });

  test.each<readonly [string, () => unknown]>([
    ["a result with a big integer", () => ({ content: [], structuredContent: { total: 1n } })],
    ["a result with a cycle", () => ({ content: [], structuredContent: createCycle() })],
    ["an error with a big integer", () => Promise.reject(new RpcError(1, "no", { data: 1n }))],
  ])("a task with %s, which is not JSON, fails with an internal error (TK-13, TK-22)", async (_name, execute) => {
    const { client, reports } = await serveTasks({ tools: [{ name: "odd", task: true, execute }] });
    const taskId = await client.start("odd");
    expect(await client.errorOf("tasks/result", { taskId })).toEqual({ code: -32603, message: "Internal error" });
    expect(reports).toMatchObject([{ kind: "handler", method: "tools/call" }]);
  });

  test("an error of onError is ignored in calls and in tasks", async () => {
    const fail = (): never => {
      throw new Error("boom");
    };
    const { client } = await serveTasks({ tools: [{ name: "odd", task: true, execute: fail }], onError: fail });
    expect(await client.call("tools/call", { name: "odd" })).toMatchObject({ isError: true });
    expect(await client.until(await client.start("odd"), "failed")).toMatchObject({ statusMessage: "The tool failed" });
  });

  test("a tool can report the status of its task, and receives the task", async () => {
    const gate = createGate();
    const tool = defineTool({
      name: "talks",
      task: true,
      execute: async (_args, { task }) => {
        await task?.status(`half way of ${task.id}`);
        await gate.opened;
        return String(task === undefined);
      },
    });
    const { client } = await serveTasks({ tools: [tool] });
    const taskId = await client.start("talks");
    await settle();
    const statusMessage = `half way of ${taskId}`;
    await client.receive(({ params }) => Object(params).statusMessage === statusMessage);
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ status: "working", statusMessage });
    gate.open();
    await client.until(taskId, "completed");
    expect(await client.call("tools/call", { name: "talks" })).toMatchObject({ content: [{ text: "true" }] });
  });
});

describe("the time to live of a task", () => {
  test.each([
    ["the client asks for", { ttl: 5_000 }, {}, 5_000],
    ["the server allows at most", { ttl: 99_999_999 }, {}, 20_000],
    ["makes sense at least", { ttl: -5 }, {}, 1_000],
    ["the tool says, if nobody asks", {}, { ttl: 7_000 }, 7_000],
    ["the server says, if nobody else does", {}, {}, 10_000],
  ])("the time to live of a task is %s (TK-18, R48)", async (_what, task, terms, ttl) => {
    const tool = defineTool({ name: "quick", task: { pollInterval: 50, ...terms }, execute: () => "done" });
    const { client } = await serveTasks({ tools: [tool], tasks: { ttl: 10_000, maxTtl: 20_000 } });
    const created = await client.call("tools/call", { name: "quick", task });
    expect(created).toMatchObject({ task: { ttl, pollInterval: 50 } });
  });

  test.each([
    ["nobody asks for less", {}],
    ["it is too long to be a whole number", { ttl: 1e21 }],
  ])("the time to live of a task is unlimited where the server allows it, and %s (TK-17)", async (_what, task) => {
    const { client } = await serveTasks({ tools: [quick], tasks: { ttl: Infinity, maxTtl: Infinity } });
    const taskId = await client.start("quick", { task });
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ ttl: null });
  });

  test("the time to live of a task counts from its creation; afterwards the task is removed, and its work is stopped (TK-18, TK-22, R48)", async () => {
    const clock = new ManualClock();
    const { client } = await serveTasks({ tools: [held(createGate()), quick], tasks: { clock } });
    const ended = await client.start("quick", { task: { ttl: 2_000 } });
    await client.until(ended, "completed");
    await clock.pass(1_000);
    const running = await client.start("held", { task: { ttl: 2_000 } });
    const waiting = client.errorOf("tasks/result", { taskId: running });
    await clock.pass(1_000);
    expect(await client.errorOf("tasks/get", { taskId: ended })).toMatchObject({ code: -32602 });
    expect(await client.call("tasks/get", { taskId: running })).toMatchObject({ status: "working" });
    await clock.pass(1_000);
    expect(await waiting).toMatchObject({ code: -32602, message: expect.stringContaining(running) });
    expect(await client.errorOf("tasks/cancel", { taskId: running })).toMatchObject({ code: -32602 });
  });

  test("a request for a task is rejected when the store is full (TK-25)", async () => {
    const { client } = await serveTasks({
      tools: [quick],
      tasks: { store: new MemoryTaskStore({ maxTasksPerOwner: 1 }) },
    });
    await client.start("quick");
    expect(await client.errorOf("tools/call", { name: "quick", task: {} })).toMatchObject({ code: 429 });
    expect(await client.call("tools/call", { name: "quick" })).toEqual(done);
  });

  test.each(["ttl", "maxTtl", "pollInterval", "pageSize"])("the option %s must be above 0", async (name) => {
    await expect(serveTasks({ tools: [quick], tasks: { [name]: 0 } })).rejects.toThrow(`tasks.${name} is 0`);
  });

  test.each(["ttl", "pollInterval"])("the option %s of the tasks of a tool must be above 0", async (name) => {
    const tool = { ...quick, task: { [name]: -5 } };
    await expect(serveTasks({ tools: [tool] })).rejects.toThrow(`Tool "quick": ${name} is -5; use a number above 0`);
  });

  test("a poll interval must be finite, as requestors receive it", async () => {
    const task = { pollInterval: Infinity };
    const finite = "is Infinity; use a finite number";
    await expect(serveTasks({ tools: [quick], tasks: task })).rejects.toThrow(`tasks.pollInterval ${finite}`);
    const tool = defineTool({ name: "quick", task, execute: () => "done" });
    await expect(serveTasks({ tools: [tool] })).rejects.toThrow(`Tool "quick": pollInterval ${finite}`);
  });
});

describe("cancelling", () => {
  test("cancelling a task stops the work, takes effect before the response, and is final (TK-21, TK-11, C-07)", async () => {
    const gate = createGate();
    const aborted: boolean[] = [];
    const begun = createGate();
    const tool = defineTool({
      name: "stubborn",
      task: true,
      execute: async (_args, { signal }) => {
        signal.addEventListener("abort", () => aborted.push(true));
        begun.open();
        await gate.opened;
        return "done";
      },
    });
    const { client } = await serveTasks({ tools: [tool] });
    const taskId = await client.start("stubborn");
    await begun.opened;
    const waiting = client.errorOf("tasks/result", { taskId });
    expect(await client.call("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect(aborted).toEqual([true]);
    gate.open();
    await settle();
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    expect(await waiting).toMatchObject({ code: -32602 });
  });

  test("cancelling a task before the work begins prevents the work (TK-21)", async () => {
    const runs: number[] = [];
    const tool = defineTool({ name: "counts", task: true, execute: () => String(runs.push(1)) });
    const { client } = await serveTasks({ tools: [tool] });
    // The work begins when the time goes on.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    client.wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "counts", task: {} } });
    const created = await client.receive(({ id }) => id === 1);
    await client.call("tasks/cancel", { taskId: Object(created.result).task.taskId });
    await vi.advanceTimersByTimeAsync(10);
    expect(runs).toEqual([]);
  });

  test.each(["completed", "failed", "cancelled"])(
    "cancelling a task that is %s is rejected (TK-21)",
    async (status) => {
      const failing = defineTool({ name: "failing", task: true, execute: () => Promise.reject(new ToolError("no")) });
      const { client } = await serveTasks({ tools: [quick, failing, held(createGate())] });
      const names = { completed: "quick", failed: "failing", cancelled: "held" };
      const taskId = await client.start(Reflect.get(names, status));
      if (status === "cancelled") await client.call("tasks/cancel", { taskId });
      await client.until(taskId, status);
      expect(await client.errorOf("tasks/cancel", { taskId })).toMatchObject({
        code: -32602,
        message: expect.stringContaining(status),
      });
    },
  );

  test("cancelling by notification has no effect on a task (C-07, TK-27)", async () => {
    const gate = createGate();
    const { client } = await serveTasks({ tools: [held(gate)] });
    const requestId = client.post("tools/call", { name: "held", task: {} });
    const created = await client.receive(({ id }) => id === requestId);
    client.notify("notifications/cancelled", { requestId });
    gate.open();
    await client.until(Object(created.result).task.taskId, "completed");
  });
});

describe("messages of a tool that runs as a task", () => {
  test("progress of a task continues under the token of the call until the end, and no longer (G-07, TK-16, TK-27)", async () => {
    const gate = createGate();
    const late: Promise<void>[] = [];
    const tool = defineTool({
      name: "steps",
      task: true,
      execute: async (_args, { progress }) => {
        await progress(1, 3, "one");
        await gate.opened;
        await progress(1);
        await progress(2);
        setTimeout(() => late.push(progress(3)), 10);
        return "done";
      },
    });
    const { client } = await serveTasks({ tools: [tool] });
    const taskId = await client.start("steps", { _meta: { progressToken: 7 } });
    gate.open();
    await client.until(taskId, "completed");
    await expect.poll(() => late).toHaveLength(1);
    await Promise.all(late);
    const _meta = related(taskId);
    expect(client.notificationsOf("notifications/progress")).toEqual([
      { progressToken: 7, progress: 1, total: 3, message: "one", _meta },
      { progressToken: 7, progress: 2, _meta },
    ]);
  });

  test("progress of a task above the rate is kept until its end, before which the newest is sent (S-071, G-05)", async () => {
    const tool = defineTool({
      name: "steps",
      task: true,
      execute: async (_args, { progress }) => {
        for (let step = 1; step <= 500; step += 1) await progress(step);
        return "done";
      },
    });
    const { client } = await serveTasks({ tools: [tool], progressRate: { burst: 2, perSecond: 0.001 } });
    const taskId = await client.start("steps", { _meta: { progressToken: 7 } });
    await client.until(taskId, "completed");
    const notices = client.notificationsOf("notifications/progress");
    expect(notices.map((notice) => Reflect.get(Object(notice), "progress"))).toEqual([1, 2, 500]);
  });

  test("progress of a task omits a total that is no number, as JSON has none (G-04)", async () => {
    const tool = defineTool({
      name: "steps",
      task: true,
      execute: async (_args, { progress }) => (await progress(1, NaN), await progress(2, Infinity), "done"),
    });
    const { client } = await serveTasks({ tools: [tool] });
    const taskId = await client.start("steps", { _meta: { progressToken: 7 } });
    await client.until(taskId, "completed");
    const _meta = related(taskId);
    expect(client.notificationsOf("notifications/progress")).toEqual([
      { progressToken: 7, progress: 1, _meta },
      { progressToken: 7, progress: 2, _meta },
    ]);
  });

  test("a task ends although its client does not read the last progress", async () => {
    const tool = defineTool({
      name: "steps",
      task: true,
      execute(_args, { progress }) {
        for (let step = 1; step <= 3; step += 1) void progress(step);
        return "done";
      },
    });
    const { client } = await serveTasks({ tools: [tool], progressRate: { burst: 1, perSecond: 0.001 } });
    const { wire } = client;
    const send = wire.send.bind(wire);
    Object.assign(wire, {
      send(...sent: Parameters<typeof send>): void | Promise<void> {
        send(...sent);
        return "method" in sent[0] && sent[0].method === "notifications/progress" ? new Promise(() => {}) : undefined;
      },
    });
    const taskId = await client.start("steps", { _meta: { progressToken: 7 } });
    await client.until(taskId, "completed");
    expect(client.notificationsOf("notifications/progress")).toMatchObject([{ progress: 1 }, { progress: 3 }]);
  });

  test("a task without a progress token sends no progress (G-04)", async () => {
    const tool = defineTool({
      name: "steps",
      task: true,
      execute: async (_args, { progress }) => (await progress(1), "done"),
    });
    const { client } = await serveTasks({ tools: [tool] });
    await client.until(await client.start("steps"), "completed");
    expect(client.notificationsOf("notifications/progress")).toEqual([]);
  });

  test("log messages of a task carry the task (TK-16)", async () => {
    const tool = defineTool({
      name: "logs",
      task: true,
      execute: async (_args, { log }) => (await log("info", "x"), "done"),
    });
    const { client } = await serveTasks({ tools: [tool] });
    const taskId = await client.start("logs");
    await client.until(taskId, "completed");
    expect(client.notificationsOf("notifications/message")).toEqual([
      { level: "info", data: "x", _meta: related(taskId) },
    ]);
  });

  test("a tool that runs as a task cannot close the connection", async () => {
    const tool = defineTool({
      name: "lets",
      task: true,
      execute: (_args, { releaseConnection }) => String(releaseConnection()),
    });
    const { client } = await serveTasks({ tools: [tool] });
    expect(await client.call("tasks/result", { taskId: await client.start("lets") })).toMatchObject({
      content: [{ text: "false" }],
    });
  });
});

describe("input requests of a task", () => {
  const asks = defineTool({
    name: "asks",
    task: true,
    execute: async (_args, { elicit }) =>
      (await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })).action,
  });
  const capabilities = { elicitation: {} };

  test("an input request makes the task input_required until the response, and carries the task (TK-11, TK-14, TK-16)", async () => {
    const { client } = await serveTasks({ tools: [asks] }, { capabilities });
    const taskId = await client.start("asks");
    const request = await client.receiveRequest("elicitation/create");
    expect(request.params).toMatchObject({ message: "?", _meta: related(taskId) });
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    client.respond(request, { action: "decline", _meta: related(taskId) });
    await client.until(taskId, "completed");
    const statuses = client.notificationsOf("notifications/tasks/status").map(({ status }) => status);
    expect(statuses).toEqual(["input_required", "working", "completed"]);
  });

  test("a task with two concurrent input requests is input_required until both have responses (TK-14)", async () => {
    const twice = defineTool({
      name: "twice",
      task: true,
      execute: async (_args, { elicit }) => {
        const request = () => elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
        await Promise.all([request(), request()]);
        return "done";
      },
    });
    const { client } = await serveTasks({ tools: [twice] }, { capabilities });
    const taskId = await client.start("twice");
    client.respond(await client.receiveRequest("elicitation/create"), { action: "decline" });
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    client.respond(await client.receiveRequest("elicitation/create"), { action: "decline" });
    await client.until(taskId, "completed");
    const statuses = client.notificationsOf("notifications/tasks/status").map(({ status }) => status);
    expect(statuses).toEqual(["input_required", "working", "completed"]);
  });

  test("input requests of a task are sent on the stream of a waiting tasks/result (TK-15, TK-26)", async () => {
    const gate = createGate();
    const later = defineTool({
      ...asks,
      name: "later",
      execute: async (args, context) => (await gate.opened, asks.execute(args, context)),
    });
    const { client } = await serveTasks({ tools: [later] }, { capabilities });
    const taskId = await client.start("later");
    const id = client.post("tasks/result", { taskId });
    await settle();
    gate.open();
    const request = await client.receiveRequest("elicitation/create");
    expect(client.wire.related).toContain(id);
    client.respond(request, { action: "cancel" });
    expect(await client.receive((message) => message.id === id)).toMatchObject({
      result: { content: [{ text: "cancel" }] },
    });
  });

  test("input requests of a task are cancelled with the task", async () => {
    const { client } = await serveTasks({ tools: [asks] }, { capabilities });
    const taskId = await client.start("asks");
    const request = await client.receiveRequest("elicitation/create");
    await client.call("tasks/cancel", { taskId });
    expect((await client.receiveRequest("notifications/cancelled")).params).toMatchObject({ requestId: request.id });
  });

  test("an input request without a response fails the tool, and the task is not input_required (S-01)", async () => {
    const { client } = await serveTasks({ tools: [asks] });
    const taskId = await client.start("asks");
    await client.until(taskId, "failed");
    expect(client.notificationsOf("notifications/tasks/status")).toMatchObject([{ status: "failed" }]);
  });
});

describe("status notifications", () => {
  test("status notifications carry the whole task and no related-task metadata (TK-16, TK-19)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    const taskId = await client.start("quick");
    const task = await client.until(taskId, "completed");
    expect(client.notificationsOf("notifications/tasks/status")).toEqual([task]);
  });

  test("status notifications can be switched off (TK-19)", async () => {
    const { client } = await serveTasks({ tools: [quick], tasks: { notify: false } });
    await client.until(await client.start("quick"), "completed");
    expect(client.notificationsOf("notifications/tasks/status")).toEqual([]);
  });

  test("only the response to tasks/result carries the task in its metadata (TK-16)", async () => {
    const { client } = await serveTasks({ tools: [quick, held(createGate())] });
    const taskId = await client.start("quick");
    expect(await client.until(taskId, "completed")).not.toHaveProperty("_meta");
    expect(await client.call("tasks/list")).not.toHaveProperty("_meta");
    expect(await client.call("tasks/cancel", { taskId: await client.start("held") })).not.toHaveProperty("_meta");
  });

  test("the task id of the params applies, whatever the metadata says (TK-16)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    const [first, second] = [await client.start("quick"), await client.start("quick")];
    for (const method of ["tasks/get", "tasks/result"]) {
      const response = await client.call(method, { taskId: first, _meta: related(second) });
      expect(JSON.stringify(response)).not.toContain(second);
    }
  });
});

describe("the owner of a task", () => {
  test.each(["tasks/get", "tasks/result", "tasks/cancel"])(
    "a task of another session is unknown: %s (TK-24, R48)",
    async (method) => {
      const { client, join } = await serveTasks({ tools: [quick] });
      const stranger = await join();
      const taskId = await client.start("quick");
      const unknown = await stranger.errorOf(method, { taskId: "unknown" });
      expect(JSON.parse(JSON.stringify(unknown).replaceAll("unknown", taskId))).toEqual(
        await stranger.errorOf(method, { taskId }),
      );
      expect(unknown).toMatchObject({ code: -32602 });
      expect(await stranger.call("tasks/list")).toEqual({ tasks: [] });
      expect(await client.until(taskId, "completed")).toBeDefined();
    },
  );

  test.each(["tasks/get", "tasks/result", "tasks/cancel"])(
    "an unknown task is rejected with its id: %s (TK-22)",
    async (method) => {
      const { client } = await serveTasks({ tools: [quick] });
      expect(await client.errorOf(method, { taskId: "nothing" })).toMatchObject({
        code: -32602,
        message: expect.stringContaining("nothing"),
      });
    },
  );

  test("a task ends with its session when there is no principal (R48)", async () => {
    const store = new MemoryTaskStore();
    const { client } = await serveTasks({ tools: [held(createGate()), quick], tasks: { store } });
    await client.start("held");
    await client.start("quick");
    expect(store.size).toBe(2);
    client.wire.end();
    await settle();
    expect(store.size).toBe(0);
  });

  test("a task of a principal is available in every session of it, and in no other (TK-24)", async () => {
    const { client, join } = await serveTasks({ tools: [quick] });
    const as = (principal: string, wire: { readonly wire: typeof client.wire }) => (message: object) =>
      wire.wire.receiver?.message({ jsonrpc: "2.0", ...message }, { identity: { principal } });
    const [ada, bob] = [await join(), await join()];
    as("ada", client)({ id: 1, method: "tools/call", params: { name: "quick", task: {} } });
    const { taskId } = Object((await client.receive(({ id }) => id === 1)).result).task;
    as("ada", ada)({ id: 1, method: "tasks/result", params: { taskId } });
    as("ada", ada)({ id: 2, method: "tasks/list" });
    as("bob", bob)({ id: 1, method: "tasks/result", params: { taskId } });
    as("bob", bob)({ id: 2, method: "tasks/list" });
    expect(await ada.receive(({ id }) => id === 1)).toMatchObject({ result: done });
    expect(await ada.receive(({ id }) => id === 2)).toMatchObject({ result: { tasks: [{ taskId }] } });
    expect(await bob.receive(({ id }) => id === 1)).toMatchObject({ error: { code: -32602 } });
    expect(await bob.receive(({ id }) => id === 2)).toMatchObject({ result: { tasks: [] } });
  });

  test("a message of a task goes to its own session again when a call of another no longer waits for it (TK-24)", async () => {
    const gate = createGate();
    const tells = defineTool({
      name: "tells",
      task: true,
      execute: async (_args, { task }) => (await gate.opened, await task?.status("half"), "done"),
    });
    const { client, join } = await serveTasks({ tools: [tells] });
    const other = await join();
    const post = ({ wire }: RawPeer, message: object): void =>
      wire.receiver?.message({ jsonrpc: "2.0", ...message }, { identity: { principal: "ada" } });
    post(client, { id: 1, method: "tools/call", params: { name: "tells", task: {} } });
    const { taskId } = Object((await client.receive(({ id }) => id === 1)).result).task;
    post(other, { id: 1, method: "tasks/result", params: { taskId } });
    await settle();
    post(other, { method: "notifications/cancelled", params: { requestId: 1 } });
    await settle();
    gate.open();
    const { params } = await client.receiveRequest("notifications/tasks/status");
    expect(params).toMatchObject({ taskId, statusMessage: "half" });
    expect(other.notificationsOf("notifications/tasks/status")).toEqual([]);
  });

  test("a task of a principal outlives the session, and its input requests go to the next session (TK-15, TK-24)", async () => {
    const gate = createGate();
    const asks = defineTool({
      name: "asks",
      task: true,
      execute: async (_args, { elicit }) => {
        await gate.opened;
        return (await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })).action;
      },
    });
    const { client, join } = await serveTasks({ tools: [asks] }, { capabilities: { elicitation: {} } });
    const say = (wire: typeof client.wire, message: object): void =>
      wire.receiver?.message({ jsonrpc: "2.0", ...message }, { identity: { principal: "ada" } });
    say(client.wire, { id: 1, method: "tools/call", params: { name: "asks", task: {} } });
    const { taskId } = Object((await client.receive(({ id }) => id === 1)).result).task;
    client.wire.end();
    gate.open();
    await new Promise((resolve) => setTimeout(resolve, 10));
    const next = await join();
    say(next.wire, { id: 1, method: "tasks/result", params: { taskId } });
    next.respond(await next.receiveRequest("elicitation/create"), { action: "decline" });
    expect(await next.receive(({ id }) => id === 1)).toMatchObject({ result: { content: [{ text: "decline" }] } });
  });
});

describe("the store of tasks", () => {
  test("a store receives the principal of a task", async () => {
    const store = new MemoryTaskStore();
    const records: TaskRecord[] = [];
    const add = store.add.bind(store);
    store.add = (record) => (records.push(record), add(record));
    const { client, join } = await serveTasks({ tools: [quick], tasks: { store } });
    await client.start("quick");
    const params = { name: "quick", task: {} };
    const { wire } = await join();
    wire.receiver?.message({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { identity: { principal: "ada" } });
    await expect.poll(() => records).toHaveLength(2);
    expect(records[0]).not.toHaveProperty("principal");
    expect(records[1]).toMatchObject({ owner: "principal:ada", principal: "ada" });
  });

  test("a store without leases has tasks of one process, which hold none", async () => {
    const memory = new MemoryTaskStore();
    const records: TaskRecord[] = [];
    const store: TaskStore = {
      add: (record) => (records.push(record), memory.add(record)),
      find: (key) => memory.find(key),
      change: (...given) => memory.change(...given),
      remove: (key) => memory.remove(key),
      removeAll: (owner) => memory.removeAll(owner),
      list: (...given) => memory.list(...given),
    };
    const clock = new ManualClock();
    const { client, reports } = await serveTasks({ tools: [quick], tasks: { store, clock } });
    const taskId = await client.start("quick");
    expect(await client.call("tasks/result", { taskId })).toMatchObject(done);
    await clock.pass(60_000);
    expect(records[0]).not.toHaveProperty("lease");
    expect(reports).toEqual([]);
  });
});

describe("the list of tasks", () => {
  test("the list of tasks has every task of the client, page by page (TK-20, N-05)", async () => {
    const { client } = await serveTasks({ tools: [quick], tasks: { pageSize: 2 } });
    const ids = [await client.start("quick"), await client.start("quick"), await client.start("quick")];
    const first = await client.call("tasks/list");
    const second = await client.call("tasks/list", { cursor: first.nextCursor });
    const found = [first, second].flatMap(({ tasks }) =>
      Array.isArray(tasks) ? tasks.map(({ taskId }) => taskId) : [],
    );
    expect(found).toEqual(ids);
    expect(second).not.toHaveProperty("nextCursor");
  });

  test("the list of tasks rejects a foreign cursor (TK-22)", async () => {
    const { client } = await serveTasks({ tools: [quick] });
    expect(await client.errorOf("tasks/list", { cursor: "nonsense" })).toMatchObject({ code: -32602 });
  });
});

describe("a failing task store", () => {
  test.each(["tasks/get", "tasks/result", "tasks/cancel"])(
    "a failure of the store in %s is an internal error without details (TK-22)",
    async (method) => {
      const store = new MemoryTaskStore();
      const { client } = await serveTasks({ tools: [quick], tasks: { store } });
      store.find = () => {
        throw new Error("secret");
      };
      expect(await client.errorOf(method, { taskId: "x" })).toEqual({ code: -32603, message: "Internal error" });
    },
  );

  test("a failure of the store at the end of the work is reported, and waiting requests end", async () => {
    const store = new MemoryTaskStore();
    const { client, reports } = await serveTasks({ tools: [quick], tasks: { store, notify: false } });
    store.change = () => {
      throw new Error("lost");
    };
    const taskId = await client.start("quick");
    await expect.poll(() => reports).toMatchObject([{ error: { message: "lost" } }]);
    expect(await client.call("tasks/get", { taskId })).toMatchObject({ status: "working" });
  });
});

test("a server that closes cancels running tasks", async () => {
  const store = new MemoryTaskStore();
  const { client, server } = await serveTasks({ tools: [held(createGate())], tasks: { store } });
  const say = (message: object): void =>
    client.wire.receiver?.message({ jsonrpc: "2.0", ...message }, { identity: { principal: "ada" } });
  say({ id: 1, method: "tools/call", params: { name: "held", task: {} } });
  const created: Message = await client.receive(({ id }) => id === 1);
  const key = { id: Object(created.result).task.taskId, owner: "principal:ada" };
  await server.close();
  expect(await findTask(store, key)).toMatchObject({ status: "failed", outcome: { kind: "error" } });
});
