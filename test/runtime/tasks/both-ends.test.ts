import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import type { HandlerContext } from "../../../runtime/server/protocol-types.ts";
import { createHttpHandler, type ServeHttpOptions } from "../../../runtime/server/run/http-handler.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import type { TaskState } from "../../../runtime/tasks/task.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { newest } from "../../kit/revisions.ts";
import { initialize } from "../../kit/messages.ts";
import { createGate } from "../../kit/time.ts";
import { findTask, related, serveTasks } from "./task-wire.ts";

const { defineServer, defineTool } = forRevisions<Declarations>([newest]);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } } as const;
const task = { pollInterval: 5 };

const asks = defineTool({ name: "asks", task, execute: async (_args, { elicit }) => (await elicit(form)).action });
const only = defineTool({ name: "only", task: { ...task, support: "required" }, execute: () => "done" });
const steps = defineTool({
  name: "steps",
  task,
  execute: async (_args, { progress, task: own }) => {
    for (const step of [1, 2, 3]) {
      await progress(step, 3);
      await own?.status(`step ${step}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return "done";
  },
});

const server = defineServer({ name: "server", version: "1", tools: [asks, only, steps] });

describe("a client and a server of ours", () => {
  test("a client and a server run a tool as a task, with progress and updates", async () => {
    await using client = await connectInMemory<Declarations>(server);
    const received: number[] = [];
    const running = await client.callTool(
      "steps",
      {},
      { task: true, onProgress: ({ progress }) => received.push(progress) },
    );
    const seen: TaskState[] = [];
    for await (const update of running.updates) seen.push(update);
    expect((await running.result()).content).toEqual([{ type: "text", text: "done" }]);
    expect(received).toEqual([1, 2, 3]);
    expect(seen.at(0)?.status).toBe("working");
    expect(seen.at(-1)).toMatchObject({ status: "completed", statusMessage: "step 3" });
    expect(await client.listTasks()).toEqual([await running.status()]);
    expect((await client.toolTask(running.taskId).result())._meta).toEqual(related(running.taskId));
  });

  test("a task requests input of the user (TK-14, TK-15)", async () => {
    const gate = createGate();
    const elicitation = { form: async () => (await gate.opened, { action: "accept" } as const) };
    await using client = await connectInMemory<Declarations>(server, { elicitation });
    const running = await client.callTool("asks", {}, { task: {} });
    const result = running.result();
    for await (const { status } of running.updates) if (status === "input_required") break;
    gate.open();
    expect((await result).content).toEqual([{ type: "text", text: "accept" }]);
  });

  test("a tool that requires tasks runs as a plain call for its caller (TK-08)", async () => {
    await using client = await connectInMemory<Declarations>(server);
    await client.listTools();
    expect((await client.callTool("only")).content).toEqual([{ type: "text", text: "done" }]);
  });

  test("a task is cancelled by its client (TK-21)", async () => {
    await using client = await connectInMemory<Declarations>(server);
    const running = await client.callTool("steps", {}, { task: true });
    expect((await running.cancel()).status).toBe("cancelled");
    await expect(running.result()).rejects.toThrow("was cancelled");
    await expect(running.cancel()).rejects.toThrow("already in terminal status");
  });
});

describe("a request of the server as a task of the client", () => {
  const sampling = {
    createMessage: async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { role: "assistant", model: "m", content: { type: "text", text: "hi" } } as const;
    },
  };
  const params = { messages: [], maxTokens: 1, task: { ttl: 5_000 } };
  const thinks = defineTool({
    name: "thinks",
    task: true,
    execute: async (_args, { sample }) => (await sample(params)).model,
  });
  const asking = defineServer({ name: "server", version: "1", tools: [thinks], onError: () => {} });
  const tasks = { pollInterval: 5 };

  test("a task of the client is polled to its end (TK-12, TK-13)", async () => {
    await using client = await connectInMemory<Declarations>(asking, { sampling: { ...sampling, task: true }, tasks });
    expect((await client.callTool("thinks")).content).toEqual([{ type: "text", text: "m" }]);
  });

  test("a request is plain where the client does not declare tasks (TK-02, TK-03)", async () => {
    await using client = await connectInMemory<Declarations>(asking, { sampling });
    expect((await client.callTool("thinks")).content).toEqual([{ type: "text", text: "m" }]);
  });

  test("a request is plain within a task of the client", async () => {
    await using client = await connectInMemory<Declarations>(asking, { sampling: { ...sampling, task: true }, tasks });
    const running = await client.callTool("thinks", {}, { task: true });
    expect((await running.result()).content).toEqual([{ type: "text", text: "m" }]);
  });

  test("a task of the client fails with the error of its handler", async () => {
    const rejecting = { task: true, createMessage: () => Promise.reject(new Error("no")) } as const;
    await using client = await connectInMemory<Declarations>(asking, { sampling: rejecting, tasks });
    expect((await client.callTool("thinks")).isError).toBe(true);
  });

  test("a task of the client is cancelled with the call that requests it (C-07, TK-21)", async () => {
    const begun = createGate();
    const aborted = createGate();
    const slow = {
      task: true,
      createMessage: (_params: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
        new Promise((_, reject) => {
          begun.open();
          signal.addEventListener("abort", () => {
            aborted.open();
            reject(signal.reason);
          });
        }),
    } as const;
    await using client = await connectInMemory<Declarations>(asking, { sampling: slow, tasks });
    const stop = new AbortController();
    const calling = client.callTool("thinks", {}, { signal: stop.signal });
    calling.catch(() => {});
    await begun.opened;
    stop.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await aborted.opened;
  });
});

const thinks = {
  name: "thinks",
  execute: (_args: unknown, { sample }: HandlerContext<Declarations>) =>
    sample({ messages: [], maxTokens: 1, task: {} }),
};

test("a task that a client begins after the end of the call is cancelled (C-07, TK-21)", async () => {
  const { client } = await serveTasks(
    { tools: [thinks] },
    { capabilities: { sampling: {}, tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } } } },
  );
  const requestId = client.post("tools/call", { name: "thinks" });
  const request = await client.receiveRequest("sampling/createMessage");
  client.notify("notifications/cancelled", { requestId });
  const now = new Date().toISOString();
  client.respond(request, {
    task: { taskId: "a", status: "working", createdAt: now, lastUpdatedAt: now, ttl: null },
  });
  expect((await client.receiveRequest("tasks/cancel")).params).toMatchObject({ taskId: "a" });
});

describe("tasks over HTTP, without a stream of their own", () => {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };

  async function open(options: ServeHttpOptions = {}, served = server) {
    const handler = createHttpHandler(served, { allowedHosts: ["mcp.example"], ...options });
    let session: Record<string, string> = {};
    const post = (body: object): Promise<Response> =>
      handler.fetch(
        new Request("https://mcp.example/", {
          method: "POST",
          headers: { ...headers, ...session },
          body: JSON.stringify({ jsonrpc: "2.0", ...body }),
        }),
      );
    const welcome = await post(initialize(newest.id, { elicitation: {} }));
    const id = welcome.headers.get("mcp-session-id");
    session = { "mcp-protocol-version": newest.id, ...(id && { "mcp-session-id": id }) };
    const { result } = await welcome.json();
    if (id) await post({ method: "notifications/initialized" });
    return { handler, post, declared: result.capabilities };
  }

  test("an input request waits until tasks/result has opened a stream; tasks/get is plain JSON (TK-14, TK-15, TK-26)", async () => {
    const { handler, post } = await open();
    const call = { id: 1, method: "tools/call", params: { name: "asks", task: {} } };
    const { taskId } = (await (await post(call)).json()).result.task;
    for (let status = "working"; status === "working";) {
      // What the server does next takes a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 1));
      const response = await post({ id: 2, method: "tasks/get", params: { taskId } });
      expect(response.headers.get("content-type")).toBe("application/json");
      ({ status } = (await response.json()).result);
    }
    const waiting = await post({ id: 3, method: "tasks/result", params: { taskId } });
    expect(waiting.headers.get("content-type")).toBe("text/event-stream");
    const said: {
      readonly id: number;
      readonly method?: string;
      readonly params?: object;
      readonly result?: object;
    }[] = [];
    for await (const chunk of waiting.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, data] of chunk.matchAll(/^data: (\{.*)$/gm)) said.push(JSON.parse(String(data)));
      const request = said.find(({ method }) => method === "elicitation/create");
      if (request && said.at(-1) === request) await post({ id: request.id, result: { action: "decline" } });
    }
    expect(said.find(({ method }) => method === "elicitation/create")?.params).toMatchObject({
      _meta: related(taskId),
    });
    expect(said.at(-1)).toMatchObject({ id: 3, result: { content: [{ text: "decline" }], _meta: related(taskId) } });
    await handler.close();
  });

  test("an input request that has timed out is removed from the record of its task (TK-14)", async () => {
    const store = new MemoryTaskStore();
    const records: TaskRecord[] = [];
    const add = store.add.bind(store);
    store.add = (record) => (records.push(record), add(record));
    const execute = (_args: object, { elicit }: HandlerContext<Declarations>): Promise<string> =>
      elicit(form).then(
        () => "a response",
        () => "no response",
      );
    const tools = [defineTool({ name: "patient", task, execute })];
    const served = defineServer({ name: "server", version: "1", tools, tasks: { store } });
    const { handler, post } = await open({ timeouts: { wait: 50 } }, served);
    const call = { id: 1, method: "tools/call", params: { name: "patient", task: {} } };
    const { taskId } = (await (await post(call)).json()).result.task;
    const readInputRequests = (): Promise<unknown> =>
      Promise.all(records.map(async (record) => (await findTask(store, record))?.inputRequests));
    await expect.poll(readInputRequests).toMatchObject([{ "elicit-1": { method: "elicitation/create" } }]);
    const result = await post({ id: 2, method: "tasks/result", params: { taskId } });
    expect(await result.text()).toContain("no response");
    expect(await readInputRequests()).toEqual([{}]);
    await handler.close();
  });

  test("a call that times out cancels its input request on the stream of its response (R15)", async () => {
    const { handler, post } = await open({ timeouts: { handler: 50 }, onError: () => {} });
    const response = await post({ id: 1, method: "tools/call", params: { name: "asks" } });
    expect(await response.text()).toMatch(/elicitation\/create[^]*notifications\/cancelled[^]*Request timed out/);
    await handler.close();
  });

  test("tasks are not declared where no client can return for them, and every tool runs as a plain call (TK-03, TK-24)", async () => {
    const { handler, post, declared } = await open({ sessions: false });
    expect(declared).not.toHaveProperty("tasks");
    const response = await post({ id: 1, method: "tools/call", params: { name: "only", task: {} } });
    expect((await response.json()).result).toMatchObject({ content: [{ text: "done" }] });
    await handler.close();
  });

  test("a principal finds tasks again without any session (TK-24)", async () => {
    const authenticate = () => ({ principal: "ada" });
    const { handler, post, declared } = await open({ sessions: false, authenticate });
    expect(declared).toHaveProperty("tasks.list");
    const call = { id: 1, method: "tools/call", params: { name: "only", task: {} } };
    const { taskId } = (await (await post(call)).json()).result.task;
    const response = await post({ id: 2, method: "tasks/result", params: { taskId } });
    expect(await response.text()).toContain('"text":"done"');
    await handler.close();
  });
});
