import { describe, expect, test } from "vitest";
import { extension, type Declarations as TaskTypes } from "../../../generated/extensions/tasks/index.ts";
import type { Declarations as Core } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectClient, createUntypedClient } from "../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../runtime/client/session/default-session.ts";
import { RpcError, isPeerError } from "../../../runtime/jsonrpc/errors.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { isNoTaskError } from "../../../runtime/tasks/task-handle.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { receive } from "./extension-wire.ts";
import type { Message } from "./task-wire.ts";

type Declarations = Core & TaskTypes;

const { defineServer, defineTool } = forRevisions<Core>(revisions);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } } as const;
const task = { pollInterval: 5 };

const quick = defineTool({ name: "quick", task, execute: () => "done" });
const plain = defineTool({ name: "plain", execute: () => "done" });
const fails = defineTool({ name: "fails", task, execute: () => Promise.reject(new RpcError(-32000, "stop")) });
const asks = defineTool({
  name: "asks",
  task,
  execute: async (_args, { elicit }) => {
    const results = await Promise.all([elicit(form), elicit(form)]);
    return results.map(({ action }) => action).join();
  },
});
const endless = defineTool({
  name: "endless",
  task,
  execute: (_args, { signal }) =>
    new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});
const server = defineServer({
  name: "server",
  version: "1",
  tools: [quick, plain, fails, asks, endless],
  onError: () => {},
});
const extensions = [extension];
const done = [{ type: "text", text: "done" }];

describe("a client with the tasks extension", () => {
  test("a client gets the result of a call, whether or not the server makes it a task (XT-02, XT-20)", async () => {
    await using client = await connectInMemory<Declarations>(server, { extensions });
    expect((await client.callTool("quick")).content).toEqual(done);
    expect((await client.callTool("plain")).content).toEqual(done);
    const rejected = await client.callTool("fails").catch((error: unknown) => error);
    expect(isPeerError(rejected) && [rejected.code, rejected.message]).toEqual([-32000, "stop"]);
  });

  test("a client polls a task as at every revision that has them (XT-20)", async () => {
    await using client = await connectInMemory<Declarations>(server, { extensions });
    const running = await client.callTool("quick", {}, { task: true });
    const seen: string[] = [];
    for await (const { status } of running.updates) seen.push(status);
    expect(seen.at(-1)).toBe("completed");
    expect((await running.result()).content).toEqual(done);
    expect((await client.toolTask(running.taskId).result()).content).toEqual(done);
    const none = await client.callTool("plain", {}, { task: true }).catch((error: unknown) => error);
    expect(isNoTaskError(none) && none.result).toMatchObject({ content: done });
  });

  test("a client responds to input requests of a task by the handlers of plain requests (XT-21)", async () => {
    const requested: object[] = [];
    const elicitation = {
      form: (params: object) => {
        requested.push(params);
        return { action: "accept", content: { a: "1" } } as const;
      },
    };
    await using client = await connectInMemory<Declarations>(server, { extensions, elicitation });
    expect((await client.callTool("asks")).content).toEqual([{ type: "text", text: "accept,accept" }]);
    expect(requested).toEqual([form, form]);
  });

  test("a client cancels a task that has no caller any more, by a request (XT-15)", async () => {
    await using client = await connectInMemory<Declarations>(server, { extensions });
    const stop = new AbortController();
    const running = await client.callTool("endless", {}, { task: true });
    const waiting = client.callTool("endless", {}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toThrow("enough");
    expect((await running.cancel()).status).toBe("cancelled");
    await expect(running.result()).rejects.toThrow("was cancelled");
  });

  test("a client names the task in the header Mcp-Name over HTTP (XT-17)", async () => {
    const listener = await serveHttp(server, { port: 0 });
    const options = { info: { name: "c", version: "1" }, revisions, extensions };
    const client = await connectClient<Declarations>((opening) => connectHttp(listener.url, opening), options);
    expect((await client.callTool("quick")).content).toEqual(done);
    await client.close();
    await listener.close();
  });

  test("a client without the extension gets the results of its calls directly (XF-01)", async () => {
    await using client = await connectInMemory<Core>(server);
    expect((await client.callTool("quick")).content).toEqual(done);
  });
});

describe("a client and a test server of tasks", () => {
  async function open(
    clock: ManualClock,
    onRequest: () => unknown = () => {},
  ): Promise<{ readonly session: DefaultClientSession; readonly wire: Wire }> {
    const wire = new Wire();
    const elicitation = {
      form() {
        onRequest();
        return { action: "decline" };
      },
    };
    const info = { name: "c", version: "1" };
    const client = createUntypedClient({ info, revisions: [statelessRevision], extensions, elicitation, clock });
    const connecting = client.connect((options) => connect(wire, options));
    const capabilities = { tools: {}, extensions: { [extension.id]: {} } };
    const hello = await receive(wire, ({ method }) => method === "server/discover");
    const discovered = {
      resultType: "complete",
      supportedVersions: [statelessRevision.id],
      capabilities,
      ttlMs: 0,
      cacheScope: "private",
    };
    wire.post({ jsonrpc: "2.0", id: hello.id, result: discovered });
    return { session: await connecting, wire };
  }

  const at = "2000-01-01T00:00:00.000Z";
  const headOf = (taskId: string): object => ({
    taskId,
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: null,
    pollIntervalMs: 1_000,
  });
  const head = headOf("t");
  const working = { resultType: "complete", status: "working", ...head };
  const ended = { resultType: "complete", status: "completed", result: { content: done }, ...head };

  /** Responds to the next message, which has to be a request of this method, and returns it. */
  async function serve(wire: Wire, method: string, result: object): Promise<Message> {
    const request = await receive(wire, (message) => message.method !== undefined);
    expect(request.method).toBe(method);
    const params = isObject(request.params) ? request.params : {};
    expect(params).toHaveProperty(["_meta", meta.capabilities, "extensions", extension.id], {});
    wire.post({ jsonrpc: "2.0", id: request.id, ...result });
    await settle();
    return { id: request.id, ...params };
  }

  /** Takes a request to listen, and agrees to these tasks. */
  async function accept(wire: Wire, taskIds: readonly string[]): Promise<Message> {
    const request = await receive(wire, ({ method }) => method === "subscriptions/listen");
    notify(wire, request, "notifications/subscriptions/acknowledged", { notifications: { taskIds } });
    await settle();
    return request;
  }

  /** Ends a request to listen in order. */
  async function endStream(wire: Wire, { id }: Message): Promise<void> {
    wire.post({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta: { [meta.subscription]: id } } });
    await settle();
  }

  function notify(wire: Wire, { id }: Message, method: string, params: object): void {
    wire.post({ jsonrpc: "2.0", method, params: { ...params, _meta: { [meta.subscription]: id } } });
  }

  test("a client polls at the server's interval without notifications, declares the extension each time, and responds to an input request once (XF-02, XT-15, XT-20)", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const calling = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    await serve(wire, "subscriptions/listen", { error: { code: -32601, message: "Method not found" } });
    clock.advance(999);
    await settle();
    expect(wire.sent).toEqual([]);
    const inputRequest = { method: "elicitation/create", params: form };
    const waiting = { resultType: "complete", status: "input_required", inputRequests: { k: inputRequest }, ...head };
    clock.advance(1);
    await serve(wire, "tasks/get", { result: waiting });
    const update = await serve(wire, "tasks/update", { result: { resultType: "complete" } });
    expect(update).toMatchObject({ taskId: "t", inputResponses: { k: { action: "decline" } } });
    // The server has not taken notice yet.
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: waiting });
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: ended });
    expect(await calling).toEqual({ content: done });
    expect(wire.sent).toEqual([]);
  });

  test.each([
    ["is lost brings it again, and asks nobody", undefined, 1],
    ["is refused asks again", { code: -32602, message: "Invalid params" }, 2],
  ])("a client and a server whose response %s", async (_how, error, times) => {
    const clock = new ManualClock();
    let requests = 0;
    const { session, wire } = await open(clock, () => (requests += 1));
    const followed = session.toolTask("t");
    const waiting = followed.result().catch((thrown: unknown) => thrown);
    const inputRequest = { method: "elicitation/create", params: form };
    const shown = { resultType: "complete", status: "input_required", inputRequests: { k: inputRequest }, ...head };
    await serve(wire, "tasks/get", { result: shown });
    const update = await receive(wire, ({ method }) => method === "tasks/update");
    if (error) wire.post({ jsonrpc: "2.0", id: update.id, error });
    else clock.advance(60_000);
    expect(await waiting).toBeInstanceOf(Error);
    wire.sent.length = 0;
    const again = followed.result();
    const brought = await serve(wire, "tasks/update", { result: { resultType: "complete" } });
    expect(brought).toMatchObject({ inputResponses: { k: { action: "decline" } } });
    await serve(wire, "subscriptions/listen", { error: { code: -32601, message: "Method not found" } });
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: ended });
    expect(await again).toEqual({ content: done });
    expect(requests).toBe(times);
  });

  test("a client that requests a task sends the call again when the server rejects its headers", async () => {
    const { session, wire } = await open(new ManualClock());
    const starting = session.callTool("t", {}, { task: true });
    const listed = { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" };
    await serve(wire, "tools/list", { result: listed });
    await serve(wire, "tools/call", { error: { code: -32020, message: "Header mismatch" } });
    await serve(wire, "tools/list", { result: listed });
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    expect(await starting).toMatchObject({ taskId: "t" });
  });

  test("a client listens where the server supports it, and polls rarely meanwhile (XT-20)", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const calling = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    const listen = await accept(wire, ["t"]);
    expect(listen.params).toMatchObject({ notifications: { taskIds: ["t"] } });
    // It may have changed before the server has agreed.
    await serve(wire, "tasks/get", { result: working });
    clock.advance(29_999);
    await settle();
    expect(wire.sent).toEqual([]);
    // A server may forget to tell.
    clock.advance(1);
    await serve(wire, "tasks/get", { result: working });
    notify(wire, listen, "notifications/tasks", { ...head, status: "completed", result: { content: done } });
    await serve(wire, "tasks/get", { result: ended });
    expect(await calling).toEqual({ content: done });
    expect(await receive(wire, () => true)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: listen.id },
    });
  });

  test.each([
    ["does not notify of it", []],
    ["ends the notifications at once", ["t"]],
  ])("a client polls a task at once when the server %s: it may have ended before", async (_what, taskIds) => {
    const { session, wire } = await open(new ManualClock());
    const calling = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    const listen = await receive(wire, ({ method }) => method === "subscriptions/listen");
    notify(wire, listen, "notifications/subscriptions/acknowledged", { notifications: { taskIds } });
    await endStream(wire, listen);
    await receive(wire, ({ method }) => method === "tasks/get").then(({ id }) =>
      wire.post({ jsonrpc: "2.0", id, result: ended }),
    );
    expect(await calling).toEqual({ content: done });
  });

  test("a client polls again at the server's interval after the end of the notifications", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const calling = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    const listen = await accept(wire, ["t"]);
    await serve(wire, "tasks/get", { result: working });
    clock.advance(5_000);
    await endStream(wire, listen);
    await serve(wire, "tasks/get", { result: working });
    await serve(wire, "subscriptions/listen", { error: { code: -32603, message: "Later" } });
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: ended });
    expect(await calling).toEqual({ content: done });
  });

  test("a client does not replace a stream that the server ends soon, but polls at the server's interval", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const calling = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    const listen = await accept(wire, ["t"]);
    await serve(wire, "tasks/get", { result: working });
    clock.advance(4_999);
    await endStream(wire, listen);
    await serve(wire, "tasks/get", { result: working });
    await settle();
    expect(wire.sent).toEqual([]);
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: ended });
    expect(await calling).toEqual({ content: done });
    expect(wire.sent).toEqual([]);
  });

  test("a client listens to several tasks on one stream, and to those that the server supports", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const first = session.callTool("t");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...head } });
    const before = await accept(wire, ["t"]);
    await serve(wire, "tasks/get", { result: working });
    const second = session.callTool("u");
    await serve(wire, "tools/call", { result: { resultType: "task", status: "working", ...headOf("u") } });
    const listen = await accept(wire, ["t"]);
    expect(listen.params).toMatchObject({ notifications: { taskIds: ["t", "u"] } });
    expect(await receive(wire, ({ method }) => method === "notifications/cancelled")).toMatchObject({
      params: { requestId: before.id },
    });
    await serve(wire, "tasks/get", { result: working });
    await serve(wire, "tasks/get", { result: { ...working, ...headOf("u") } });
    // The other is asked for, and not offered again.
    clock.advance(1_000);
    await serve(wire, "tasks/get", { result: { ...ended, ...headOf("u") } });
    expect(await second).toEqual({ content: done });
    notify(wire, listen, "notifications/tasks", { ...head, status: "completed", result: { content: done } });
    await serve(wire, "tasks/get", { result: ended });
    expect(await first).toEqual({ content: done });
  });
});

describe("a client with task notifications", () => {
  const patient = { pollInterval: 300_000 };
  const slow = defineTool({
    name: "slow",
    task: patient,
    execute: async (_args, { elicit }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return (await elicit(form)).action;
    },
  });
  const telling = defineServer({ name: "server", version: "1", tools: [slow] });
  const elicitation = { form: () => ({ action: "decline" }) as const };

  test("a client with task notifications does not wait for its next poll", async () => {
    await using client = await connectInMemory<Declarations>(telling, { extensions, elicitation });
    expect((await client.callTool("slow")).content).toEqual([{ type: "text", text: "decline" }]);
  });

  test("a client with task notifications does not poll over HTTP either", async () => {
    const listener = await serveHttp(telling, { port: 0 });
    const options = { info: { name: "c", version: "1" }, revisions, extensions, elicitation };
    const client = await connectClient<Declarations>((opening) => connectHttp(listener.url, opening), options);
    expect((await client.callTool("slow")).content).toEqual([{ type: "text", text: "decline" }]);
    await client.close();
    await listener.close();
  });
});
