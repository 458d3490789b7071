import { describe, expect, test } from "vitest";
import { extension, type Declarations as TaskTypes } from "../../../generated/extensions/tasks/index.ts";
import type { Declarations as Core } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/client.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectClient, createUntypedClient } from "../../../runtime/client/create-client.ts";
import type { LiveSession } from "../../../runtime/client/live-session.ts";
import { RpcError, isPeerError } from "../../../runtime/rpc/errors.ts";
import { createDefiners } from "../../../runtime/server/definers.ts";
import { serveHttp } from "../../../runtime/server/http.ts";
import { isNoTaskError } from "../../../runtime/tasks/task-handle.ts";
import { connectTo } from "../../../runtime/testing/connect-to.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { alone, meta } from "../lifecycle/alone.ts";
import { Wire, settle } from "../rpc/wire.ts";
import { hear } from "./extension-wire.ts";

type Declarations = Core & TaskTypes;

const { defineServer, defineTool } = createDefiners<Core>(revisions);

const form = { message: "Go on?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } } as const;
const task = { pollInterval: 5 };

const quick = defineTool({ name: "quick", task, run: () => "done" });
const plain = defineTool({ name: "plain", run: () => "done" });
const fails = defineTool({ name: "fails", task, run: () => Promise.reject(new RpcError(-32000, "stop")) });
const asks = defineTool({
  name: "asks",
  task,
  run: async (_args, { elicit }) => {
    const answers = await Promise.all([elicit(form), elicit(form)]);
    return answers.map(({ action }) => action).join();
  },
});
const endless = defineTool({
  name: "endless",
  task,
  run: (_args, { signal }) =>
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
  test("gets the result of a call, whatever the server makes of it (XT-02, XT-20)", async () => {
    await using client = await connectTo<Declarations>(server, { extensions });
    expect((await client.callTool("quick")).content).toEqual(done);
    expect((await client.callTool("plain")).content).toEqual(done);
    const refused = await client.callTool("fails").catch((error: unknown) => error);
    expect(isPeerError(refused) && [refused.code, refused.message]).toEqual([-32000, "stop"]);
  });

  test("follows a task as at every revision that has them (XT-20)", async () => {
    await using client = await connectTo<Declarations>(server, { extensions });
    const running = await client.callTool("quick", {}, { task: true });
    const seen: string[] = [];
    for await (const { status } of running.updates) seen.push(status);
    expect(seen.at(-1)).toBe("completed");
    expect((await running.result()).content).toEqual(done);
    expect((await client.toolTask(running.taskId).result()).content).toEqual(done);
    const none = await client.callTool("plain", {}, { task: true }).catch((error: unknown) => error);
    expect(isNoTaskError(none) && none.result).toMatchObject({ content: done });
  });

  test("answers its questions by the handlers that answer direct ones (XT-21)", async () => {
    const asked: object[] = [];
    const elicitation = {
      form: (params: object) => {
        asked.push(params);
        return { action: "accept", content: { a: "1" } } as const;
      },
    };
    await using client = await connectTo<Declarations>(server, { extensions, elicitation });
    expect((await client.callTool("asks")).content).toEqual([{ type: "text", text: "accept,accept" }]);
    expect(asked).toEqual([form, form]);
  });

  test("calls off a task that nobody waits for any more, by a request (XT-15)", async () => {
    await using client = await connectTo<Declarations>(server, { extensions });
    const stop = new AbortController();
    const running = await client.callTool("endless", {}, { task: true });
    const waiting = client.callTool("endless", {}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toThrow("enough");
    expect((await running.cancel()).status).toBe("cancelled");
    await expect(running.result()).rejects.toThrow("was cancelled");
  });

  test("names the task in the header Mcp-Name over HTTP (XT-17)", async () => {
    const listener = await serveHttp(server, { port: 0 });
    const options = { info: { name: "c", version: "1" }, revisions, extensions };
    const client = await connectClient<Declarations>((opening) => connectHttp(listener.url, opening), options);
    expect((await client.callTool("quick")).content).toEqual(done);
    await client.close();
    await listener.close();
  });

  test("without it, calls are answered at once (XF-01)", async () => {
    await using client = await connectTo<Core>(server);
    expect((await client.callTool("quick")).content).toEqual(done);
  });
});

describe("a client and a strange server of tasks", () => {
  async function open(clock: ManualClock): Promise<{ readonly session: LiveSession; readonly wire: Wire }> {
    const wire = new Wire();
    const elicitation = { form: () => ({ action: "decline" }) };
    const info = { name: "c", version: "1" };
    const client = createUntypedClient({ info, revisions: [alone], extensions, elicitation, clock });
    const connecting = client.connect((options) => connect(wire, options));
    const capabilities = { tools: {}, extensions: { [extension.id]: {} } };
    const hello = await hear(wire, ({ method }) => method === "server/discover");
    const discovered = {
      resultType: "complete",
      supportedVersions: [alone.id],
      capabilities,
      ttlMs: 0,
      cacheScope: "private",
    };
    wire.post({ jsonrpc: "2.0", id: hello.id, result: discovered });
    return { session: await connecting, wire };
  }

  test("asks at the server's pace, declares the extension each time, and answers a question once (XF-02, XT-15, XT-20)", async () => {
    const clock = new ManualClock();
    const { session, wire } = await open(clock);
    const at = "2000-01-01T00:00:00.000Z";
    const head = { taskId: "t", createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1_000 };
    const said: string[] = [];
    const serve = async (method: string, result: object): Promise<Record<string, unknown>> => {
      const request = await hear(wire, (message) => message.method !== undefined);
      said.push(String(request.method));
      expect(request.method).toBe(method);
      const params = isObject(request.params) ? request.params : {};
      expect(params).toHaveProperty(["_meta", meta.capabilities, "extensions", extension.id], {});
      wire.post({ jsonrpc: "2.0", id: request.id, result });
      await settle();
      return params;
    };
    const calling = session.callTool("t");
    await serve("tools/call", { resultType: "task", status: "working", ...head });
    clock.advance(999);
    await settle();
    expect(wire.sent).toEqual([]);
    const question = { method: "elicitation/create", params: form };
    const waiting = { resultType: "complete", status: "input_required", inputRequests: { k: question }, ...head };
    clock.advance(1);
    await serve("tasks/get", waiting);
    const update = await serve("tasks/update", { resultType: "complete" });
    expect(update).toMatchObject({ taskId: "t", inputResponses: { k: { action: "decline" } } });
    // The server has not taken notice yet.
    clock.advance(1_000);
    await serve("tasks/get", waiting);
    clock.advance(1_000);
    await serve("tasks/get", { resultType: "complete", status: "completed", result: { content: done }, ...head });
    expect(await calling).toEqual({ content: done });
    expect(said).not.toContain("notifications/cancelled");
  });
});
