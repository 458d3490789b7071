import { describe, expect, test } from "vitest";
import { z } from "zod";
import { extension } from "../../../../generated/extensions/tasks/index.ts";
import { isObject } from "../../../../generated/support.ts";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { MemoryTaskStore } from "../../../../runtime/stores/memory-task-store.ts";
import { meta, request } from "../../../kit/messages.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { anything } from "../input/raw-client.ts";
import { declaring, receive, serveExtension } from "../../tasks/extension-wire.ts";
import { createGate } from "../../../kit/time.ts";

const { defineTool } = forRevisions<Declarations>([]);

const quick = defineTool({ name: "quick", task: true, execute: () => "done" });
const plain = defineTool({ name: "plain", execute: () => "done" });
const only = defineTool({ name: "only", task: { support: "required" }, execute: () => "done" });
const broken = defineTool({ name: "broken", task: true, execute: () => Promise.reject(new ToolError("no")) });
const refusing = defineTool({
  name: "refusing",
  task: true,
  execute: () => Promise.reject(new RpcError(-32000, "stop")),
});
const form = { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } } as const;
const asks = defineTool({
  name: "asks",
  task: true,
  execute: async (_args, { elicit }) => {
    const [one, two] = await Promise.all([elicit(form), elicit(form)]);
    const three = await elicit(form, { key: "three" });
    return [one, two, three].map(({ content }) => content?.a).join();
  },
});
const tools = [quick, plain, only, broken, refusing, asks];

const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [extension.id]: {} } } } };
const accept = (a: string): object => ({ action: "accept", content: { a } });
const textOf = (task: unknown): unknown => Object(Object(Object(task).result).content)[0]?.text;

describe("the choice between plain calls and tasks of the extension", () => {
  test("a call becomes a task for tools with tasks and clients that declare the extension with the call (XT-01, XT-04)", async () => {
    const { request } = serveExtension({ tools });
    expect(await request("tools/call", { name: "quick" })).toMatchObject({ resultType: "task", status: "working" });
    for (const capabilities of [{}, { tasks: { requests: { tools: { call: {} } } } }, { extensions: {} }]) {
      const response = await request("tools/call", { name: "quick", task: {} }, { capabilities });
      expect(response).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    }
    expect(await request("tools/call", { name: "plain", task: { ttl: 5 } })).toMatchObject({ resultType: "complete" });
  });

  test("a tool that runs only as a task rejects a call with the missing capability (XT-03)", async () => {
    const { request } = serveExtension({ tools });
    expect(await request("tools/call", { name: "only" }, { capabilities: {} })).toMatchObject(missing);
    expect(await request("tools/call", { name: "only" })).toMatchObject({ resultType: "task" });
  });

  test("a call without the extension creates no task (XF-01, XT-18)", async () => {
    const { request } = serveExtension({ tools: [plain] });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"])
      expect(await request(method, { taskId: "x" })).toMatchObject({ code: -32601 });
  });

  test("methods and capabilities of core tasks are missing (XT-18)", async () => {
    const { request } = serveExtension({ tools });
    expect(await request("tasks/result", { taskId: "x" })).toMatchObject({ code: -32601 });
    expect(await request("tasks/list")).toMatchObject({ code: -32601 });
    const { capabilities } = await request("server/discover");
    expect(capabilities).toMatchObject({ extensions: { [extension.id]: {} } });
    expect(capabilities).not.toHaveProperty("tasks");
    const { tools: shown } = await request("tools/list");
    expect(JSON.stringify(shown)).not.toMatch(/execution|"task"/);
  });

  test("a call with wrong arguments or an unknown tool creates no task", async () => {
    const { request } = serveExtension({ tools });
    expect(await request("tools/call", { name: "quick", arguments: { a: 1 } })).toMatchObject({
      resultType: "complete",
      isError: true,
    });
    expect(await request("tools/call", { name: "nothing" })).toMatchObject({ code: -32602 });
  });
});

describe("a task of the extension", () => {
  test("a task of the extension can be requested as soon as its client has it (XT-05), and contains its result (XT-04, XT-07)", async () => {
    const store = new MemoryTaskStore();
    const { request, until } = serveExtension({ tools, tasks: { store, ttl: 5_000.4, pollInterval: 20.6 } });
    const created = await request("tools/call", { name: "quick" });
    expect(created).toMatchObject({ ttlMs: 5_000, pollIntervalMs: 21 });
    for (const member of ["task", "result", "inputRequests", "requestState", "ttl", "pollInterval"])
      expect(created).not.toHaveProperty(member);
    const { taskId } = created;
    expect(await request("tasks/get", { taskId })).toMatchObject({ resultType: "complete", taskId });
    const completed = await until(taskId, "completed");
    expect(completed).toMatchObject({ resultType: "complete", result: { content: [{ text: "done" }] } });
    expect(JSON.stringify(completed)).not.toContain("related-task");
  });

  test("a task of a tool that fails is completed (XT-13)", async () => {
    const { request, until } = serveExtension({ tools });
    const { taskId } = await request("tools/call", { name: "broken" });
    const task = await until(taskId, "completed");
    expect(task).toMatchObject({ result: { isError: true, content: [{ text: "no" }] } });
    expect(task).not.toHaveProperty("error");
  });

  test("a task that ends in a protocol error has failed, with the error (XT-07, XT-13, XT-14)", async () => {
    const { request, until } = serveExtension({ tools });
    const { taskId } = await request("tools/call", { name: "refusing" });
    const task = await until(taskId, "failed");
    expect(task).toMatchObject({ error: { code: -32000, message: "stop" }, statusMessage: "stop" });
    expect(task).not.toHaveProperty("result");
  });

  test("a task is cancelled with an empty result, however often and whenever (XT-09)", async () => {
    const gate = createGate();
    const held = defineTool({ name: "held", task: true, execute: async () => (await gate.opened, "late") });
    const { request, until } = serveExtension({ tools: [held, quick] });
    const { taskId } = await request("tools/call", { name: "held" });
    for (let time = 0; time < 2; time += 1) {
      const { _meta, ...acknowledged } = await request("tasks/cancel", { taskId });
      expect(acknowledged).toEqual({ resultType: "complete" });
    }
    gate.open();
    await settle();
    expect(await request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    const other = await request("tools/call", { name: "quick" });
    await until(other.taskId, "completed");
    expect(await request("tasks/cancel", { taskId: other.taskId })).toMatchObject({ resultType: "complete" });
    expect(await request("tasks/get", { taskId: other.taskId })).toMatchObject({ status: "completed" });
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "an unknown task of the extension is rejected: %s (XT-11)",
    async (method) => {
      const { request } = serveExtension({ tools });
      const error = { code: -32602, data: { taskId: "x" } };
      expect(await request(method, { taskId: "x", inputResponses: {} })).toMatchObject(error);
    },
  );

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "a task method is rejected for clients that do not declare the extension: %s (XT-12)",
    async (method) => {
      const { request } = serveExtension({ tools });
      const { taskId } = await request("tools/call", { name: "quick" });
      const params = { taskId, inputResponses: {} };
      expect(await request(method, params, { capabilities: { tasks: {} } })).toMatchObject(missing);
    },
  );

  test("a task belongs to its principal; without one, its id is the secret (XT-19)", async () => {
    const { request } = serveExtension({ tools });
    const hers = await request("tools/call", { name: "quick" }, { principal: "ada" });
    const anybodys = await request("tools/call", { name: "quick" });
    expect(String(anybodys.taskId)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    for (const method of ["tasks/get", "tasks/cancel"]) {
      for (const other of [{ principal: "bob" }, {}])
        expect(await request(method, { taskId: hers.taskId }, other)).toMatchObject({ code: -32602 });
      expect(await request(method, { taskId: anybodys.taskId }, { principal: "ada" })).toMatchObject({ code: -32602 });
      expect(await request(method, { taskId: hers.taskId }, { principal: "ada" })).toHaveProperty("resultType");
      expect(await request(method, { taskId: anybodys.taskId })).toHaveProperty("resultType");
    }
  });
});

describe("input requests of a task of the extension", () => {
  test("input requests of a task are listed until they have responses, each under a key of its own (XT-07, XT-08, XT-09, XT-10)", async () => {
    const { request, until } = serveExtension({ tools });
    const { taskId } = await request("tools/call", { name: "asks" });
    const waiting = await until(taskId, "input_required");
    const both = Object.keys(Object(waiting.inputRequests));
    expect(both).toHaveLength(2);
    expect(Object.values(Object(waiting.inputRequests))).toEqual([
      { method: "elicitation/create", params: form },
      { method: "elicitation/create", params: form },
    ]);
    const [first = "", second = ""] = both;
    const update = (inputResponses: object) => request("tasks/update", { taskId, inputResponses });
    const { _meta, ...acknowledged } = await update({ [first]: accept("1"), unknown: {} });
    expect(acknowledged).toEqual({ resultType: "complete" });
    const left = await request("tasks/get", { taskId });
    expect(left).toMatchObject({ status: "input_required" });
    expect(Object.keys(Object(left.inputRequests))).toEqual([second]);
    // A response that came already changes nothing, and a wrong one is not taken.
    await update({ [first]: accept("again") });
    const invalid = { code: -32602, message: expect.stringContaining(`inputResponses/${second}/`) };
    expect(await update({ [second]: { action: "accept", content: { a: 1 } } })).toMatchObject(invalid);
    await update({ [second]: accept("2") });
    const next = await until(taskId, "input_required");
    expect(Object.keys(Object(next.inputRequests))).toEqual(["three"]);
    await update({ three: accept("3") });
    expect(textOf(await until(taskId, "completed"))).toBe("1,2,3");
  });

  test("an input request that could not be stored is not listed later", async () => {
    const store = new MemoryTaskStore();
    let failures = 2;
    const change = store.change.bind(store);
    store.change = (...args) => {
      failures -= 1;
      if (failures >= 0) throw new Error("lost");
      return change(...args);
    };
    const tool = defineTool({
      name: "asks",
      task: true,
      async execute(_args, { elicit }) {
        await elicit(form, { key: "one" }).catch(() => {});
        return (await elicit(form, { key: "two" })).action;
      },
    });
    const { request, until } = serveExtension({ tools: [tool], tasks: { store } });
    const { taskId } = await request("tools/call", { name: "asks" });
    const { inputRequests } = await until(taskId, "input_required");
    expect(Object.keys(Object(inputRequests))).toEqual(["two"]);
  });

  test("input requests keep their key when a handler requests them as tasks", async () => {
    const keyed = defineTool({
      name: "keyed",
      task: true,
      async execute(_args, { elicit }) {
        const params: typeof form = { ...form, ...{ task: {} } };
        return String((await elicit(params, { key: "name" })).content?.a);
      },
    });
    const { request, until } = serveExtension({ tools: [keyed] });
    const { taskId } = await request("tools/call", { name: "keyed" });
    expect((await until(taskId, "input_required")).inputRequests).toEqual({
      name: { method: "elicitation/create", params: form },
    });
    await request("tasks/update", { taskId, inputResponses: { name: accept("ada") } });
    expect(textOf(await until(taskId, "completed"))).toBe("ada");
  });

  test("input requests before the task take retries, and the task is created after their responses (XT-06)", async () => {
    const first = defineTool({
      name: "first",
      inputSchema: anything,
      task: {
        prepare: async (_args, { elicit }) => (await elicit(form, { key: "name" })).content?.a,
      },
      execute: (name, { task }) => `${String(name)} ${task === undefined ? "at once" : "later"}`,
    });
    const { request, until } = serveExtension({ tools: [first] });
    const requested = await request("tools/call", { name: "first" });
    expect(requested).toMatchObject({ resultType: "input_required", inputRequests: { name: {} } });
    expect(requested).not.toHaveProperty("taskId");
    const { requestState } = requested;
    const retry = { name: "first", requestState, inputResponses: { name: accept("ada") } };
    const created = await request("tools/call", retry);
    expect(created).toMatchObject({ resultType: "task" });
    for (const member of ["requestState", "inputRequests"]) expect(created).not.toHaveProperty(member);
    expect(textOf(await until(created.taskId, "completed"))).toBe("ada later");
    // Whoever has no tasks is asked just so, and waits.
    const capabilities = { elicitation: { form: {} } };
    const again = await request("tools/call", { name: "first" }, { capabilities });
    const params = { ...retry, requestState: again.requestState };
    const { content } = await request("tools/call", params, { capabilities });
    expect(content).toMatchObject([{ text: "ada at once" }]);
  });

  test("a tool of a class that prepares its task keeps the members of its prototype", async () => {
    class Report {
      readonly name = "report";
      readonly task = { prepare: (args: unknown) => args };
      readonly outputSchema = z.object({ lines: z.number() });
      readonly #lines = 2;
      get inputSchema(): typeof anything {
        return anything;
      }
      execute(): { readonly lines: number } {
        return { lines: this.#lines };
      }
      render({ lines }: { readonly lines: number }): { type: "text"; text: string }[] {
        return [{ type: "text", text: `${lines} of ${this.#lines} lines` }];
      }
    }
    const { request, until } = serveExtension({ tools: [new Report()] });
    const { taskId } = await request("tools/call", { name: "report" });
    expect(textOf(await until(taskId, "completed"))).toBe("2 of 2 lines");
    const { content } = await request("tools/call", { name: "report" }, { capabilities: {} });
    expect(content).toMatchObject([{ text: "2 of 2 lines" }]);
  });

  test("input requests may be returned by the handler", async () => {
    const returns = defineTool({
      name: "returns",
      task: true,
      execute: (_args, { inputResponses }) =>
        inputResponses
          ? JSON.stringify(inputResponses.a)
          : inputRequired({ inputRequests: { a: { method: "elicitation/create", params: form } } }),
    });
    const { request, until } = serveExtension({ tools: [returns] });
    const { taskId } = await request("tools/call", { name: "returns" });
    await until(taskId, "input_required");
    await request("tasks/update", { taskId, inputResponses: { a: accept("1") } });
    expect(textOf(await until(taskId, "completed"))).toBe(JSON.stringify(accept("1")));
  });

  test("an input request that the client does not support fails the task with the missing capability", async () => {
    const { request, until } = serveExtension({ tools });
    const capabilities = { extensions: { [extension.id]: {} } };
    const { taskId } = await request("tools/call", { name: "asks" }, { capabilities });
    expect(await until(taskId, "failed")).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    });
  });
});

describe("a listener for a task", () => {
  test("a listener for a task receives its changes and nothing else (XT-16), if the task is its own", async () => {
    const gate = createGate();
    const chatty = defineTool({
      name: "chatty",
      task: true,
      execute: async (_args, { progress, log, task, elicit }) => {
        await gate.opened;
        await progress(1);
        await log("error", "x");
        await task?.status("half");
        await elicit(form, { key: "a" });
        return "done";
      },
    });
    const { request: send, wire, until } = serveExtension({ tools: [chatty] });
    const { taskId } = await send("tools/call", { name: "chatty", _meta: { progressToken: 1 } });
    const notifications = { taskIds: [taskId, "unknown"] };
    const capabilities = { [meta.capabilities]: declaring };
    wire.post(request("listening", "subscriptions/listen", { notifications }, capabilities));
    const acknowledged = await receive(wire, ({ method }) => method === "notifications/subscriptions/acknowledged");
    expect(acknowledged.params).toMatchObject({ notifications: { taskIds: [taskId] } });
    gate.open();
    await until(taskId, "input_required");
    await send("tasks/update", { taskId, inputResponses: { a: accept("1") } });
    await until(taskId, "completed");
    await settle();
    const said = wire.sent.filter(isObject);
    expect(new Set(said.map(({ method }) => method))).toEqual(new Set(["notifications/tasks"]));
    const row = extension.serverNotifications["notifications/tasks"];
    for (const { params } of said) {
      expect(row?.params(params)).toBeUndefined();
      expect(params).toMatchObject({ taskId, _meta: { [meta.subscription]: "listening" } });
    }
    const states = said.map(({ params }) => Reflect.get(Object(params), "status"));
    expect(states.at(0)).toBe("working");
    expect(states).toContain("input_required");
    expect(states.at(-1)).toBe("completed");
  });

  test("a listener for a task without the extension is rejected with the missing capability (XT-12)", async () => {
    const { request } = serveExtension({ tools });
    const params = { notifications: { taskIds: ["x"] } };
    expect(await request("subscriptions/listen", params, { capabilities: {} })).toMatchObject(missing);
    expect(await request("subscriptions/listen", { notifications: { taskIds: "x" } })).toMatchObject({ code: -32602 });
  });
});

describe("tasks of the extension over HTTP", () => {
  test("the header Mcp-Name is the task id, and -32021 is a bad request (XT-12, XT-17)", async () => {
    const { server } = serveExtension({ tools });
    const handler = createHttpHandler(server, { allowedHosts: ["mcp.example"] });
    const post = (method: string, params: object, name: string, capabilities = declaring): Promise<Response> =>
      handler.fetch(
        new Request("https://mcp.example/", {
          method: "POST",
          headers: {
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            "mcp-name": name,
          },
          body: JSON.stringify(request(1, method, params, { [meta.capabilities]: capabilities })),
        }),
      );
    const { taskId } = (await (await post("tools/call", { name: "quick" }, "quick")).json()).result;
    const found = await post("tasks/get", { taskId }, taskId);
    expect(await found.json()).toMatchObject({ result: { taskId } });
    const mismatched = await post("tasks/get", { taskId }, "another");
    expect(mismatched.status).toBe(400);
    expect(await mismatched.json()).toMatchObject({ error: { code: -32020 } });
    const undeclared = await post("tasks/get", { taskId }, taskId, {});
    expect(undeclared.status).toBe(400);
    expect(await undeclared.json()).toMatchObject({ error: missing });
    await handler.close();
  });
});

describe("a task whose client is served by two programs with one store", () => {
  const tasks = { store: new MemoryTaskStore(), pollInterval: 5 };
  const running = serveExtension({ tools, tasks });
  const other = serveExtension({ tools, tasks });

  test("a task in a shared store takes input responses at either program, one by one (XT-09, XT-10)", async () => {
    const { taskId } = await running.request("tools/call", { name: "asks" });
    const [one = "", two = ""] = Object.keys(Object((await other.until(taskId, "input_required")).inputRequests));
    const inputResponses = { [one]: accept("1"), nobody: accept("0") };
    expect(await other.request("tasks/update", { taskId, inputResponses })).toMatchObject({ resultType: "complete" });
    expect(await other.request("tasks/update", { taskId, inputResponses: { [two]: accept("2") } })).not.toHaveProperty(
      "code",
    );
    const hasNext = async (): Promise<boolean> =>
      "three" in Object((await other.request("tasks/get", { taskId })).inputRequests);
    await expect.poll(hasNext).toBe(true);
    await other.request("tasks/update", { taskId, inputResponses: { three: accept("3") } });
    expect(textOf(await other.until(taskId, "completed"))).toBe("1,2,3");
    expect(textOf(await running.until(taskId, "completed"))).toBe("1,2,3");
  });

  test("a task in a shared store rejects a wrong response (S-049)", async () => {
    const { taskId } = await running.request("tools/call", { name: "asks" });
    const [one = "", two = ""] = Object.keys(Object((await other.until(taskId, "input_required")).inputRequests));
    const inputResponses = { [one]: accept("1"), [two]: { action: "accept", content: { a: 3 } } };
    expect(await other.request("tasks/update", { taskId, inputResponses })).toMatchObject({ code: -32602 });
    expect(tasks.store.find({ id: String(taskId), owner: `task:${String(taskId)}` })).not.toHaveProperty(
      "inputResponses",
    );
    await other.request("tasks/cancel", { taskId });
  });

  test("a task in a shared store ends where it runs when it is cancelled elsewhere", async () => {
    const aborted = createGate();
    const waits = defineTool({
      name: "waits",
      task: true,
      execute: async (_args, { elicit, signal }) => {
        signal.addEventListener("abort", () => aborted.open());
        return (await elicit(form)).action;
      },
    });
    const here = serveExtension({ tools: [waits], tasks });
    const { taskId } = await here.request("tools/call", { name: "waits" });
    await other.until(taskId, "input_required");
    await other.request("tasks/cancel", { taskId });
    await aborted.opened;
    expect(await here.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  });

  test("a task in a shared store takes responses that arrive after its end (XT-10)", async () => {
    const { taskId } = await running.request("tools/call", { name: "quick" });
    await other.until(taskId, "completed");
    const late = await other.request("tasks/update", { taskId, inputResponses: { one: accept("1") } });
    expect(late).toMatchObject({ resultType: "complete" });
  });

  test("a task in a shared store is notified only where it runs (C-070)", async () => {
    const { taskId } = await running.request("tools/call", { name: "asks" });
    const honoured = async ({ wire }: typeof running): Promise<unknown> => {
      const params = { notifications: { taskIds: [taskId] } };
      wire.receiver?.message(request("listen", "subscriptions/listen", params, { [meta.capabilities]: declaring }));
      const said = await receive(wire, ({ method }) => method === "notifications/subscriptions/acknowledged");
      return Object(said.params).notifications;
    };
    expect(await honoured(running)).toEqual({ taskIds: [taskId] });
    expect(await honoured(other)).toEqual({});
    await running.request("tasks/cancel", { taskId });
  });
});
