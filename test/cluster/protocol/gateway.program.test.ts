import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { extension } from "../../../generated/extensions/tasks/index.ts";
import { isObject } from "../../../generated/support.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { newest } from "../../kit/revisions.ts";
import { meta, request } from "../../kit/messages.ts";
import { call, codeOf, textOf, type HttpResponse, type SendOptions } from "../../kit/http-exchange.ts";
import { until } from "../../kit/time.ts";
import { defineTool } from "../../runtime/tasks/task-wire.ts";
import { startGatewayNodes, type GatewayNodes, type GatewayNodesOptions } from "./gateway-nodes.ts";

/* Two gateways of one cluster in front of a server that keeps state in its sessions. */

const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

/** Server whose tools report what they see. */
function createUpstream(): {
  readonly tools: readonly AnyTool[];
  /** Tools that were aborted. */
  readonly aborts: string[];
  /** Tools that wait after an input response. */
  readonly waiting: string[];
  /** Ends the tools that wait for it. */
  release(): void;
} {
  const counts = new WeakMap<object, number>();
  const aborts: string[] = [];
  const waiting: string[] = [];
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const tools: readonly AnyTool[] = [
    {
      name: "count",
      execute(_args, { session }) {
        counts.set(session, (counts.get(session) ?? 0) + 1);
        return String(counts.get(session));
      },
    },
    defineTool({
      name: "ask",
      async execute(_args, { elicit }) {
        const { action, content } = await elicit(form);
        return `${action} ${String(content?.["name"])}`;
      },
    }),

    defineTool({
      name: "ask-and-wait",
      async execute(_args, { elicit, signal }) {
        await elicit(form);
        waiting.push("ask-and-wait");
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => {
            aborts.push("ask-and-wait");
            resolve();
          }),
        );
        return "over";
      },
    }),

    {
      name: "wait",
      task: true,
      async execute(_args, { log, signal }) {
        await log("info", "waiting");
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => {
            aborts.push("wait");
            resolve();
          }),
        );
        await Promise.race([gate, aborted]);
        return "waited";
      },
    },
  ];
  return { tools, aborts, waiting, release: () => release() };
}

async function begin(options: GatewayNodesOptions = {}): Promise<GatewayNodes & ReturnType<typeof createUpstream>> {
  const upstream = createUpstream();
  const nodes = await startGatewayNodes(
    { name: "upstream", version: "1", tools: upstream.tools, listChanged: ["tools"] },
    { served: [newest], ...options },
  );
  onTestFinished(upstream.release);
  return { ...nodes, ...upstream };
}

/** Last message of a response, which is JSON or a stream. */
function lastOf({ json, text }: HttpResponse): Record<string, unknown> {
  const [data] = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, found = ""]) => found).slice(-1);
  const message: unknown = json ?? JSON.parse(data ?? "null");
  return isObject(message) ? message : {};
}

const resultOf = (response: HttpResponse): Record<string, unknown> => {
  const { result, error } = lastOf(response);
  if (!isObject(result)) throw new Error(`no result: ${JSON.stringify(error)} ${response.status} ${response.text}`);
  return result;
};

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("a session with two gateways at %s", (revision) => {
  it("requests at any node reach the one session with the server", async () => {
    const { open, send } = await begin();
    const headers = await open(0, { revision });
    const seen: string[] = [];
    for (const [index, node] of [1, 0, 1, 1, 0].entries())
      seen.push(textOf(lastOf(await send(node, { headers, body: call(index, "count") }))));
    expect(seen).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("a stream opened by GET at another node receives the changes of the server, and continues at any node", async () => {
    const { open, send, stream, server } = await begin();
    const headers = await open(0, { revision });
    await send(0, { headers, body: call(1, "count") });
    const listening = await stream(1, { method: "GET", headers });
    server.tools.add({ name: "one", execute: () => "" });
    expect(await listening.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    const { id = "" } = listening.events.at(-1) ?? {};
    listening.cut();
    server.tools.add({ name: "two", execute: () => "" });
    for (const node of [0, 1]) {
      const resumed = await stream(node, { method: "GET", headers: { ...headers, "last-event-id": id } });
      expect(await resumed.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      resumed.cut();
    }
  });

  it("a request id runs once, though both nodes receive it", async () => {
    const { open, stream, send } = await begin();
    const headers = await open(0, { revision });
    const running = await stream(1, { headers, body: call(7, "wait") });
    await running.message();
    const repeated = await send(0, { headers, body: call(7, "count") });
    expect([repeated.status, codeOf(repeated)]).toEqual([400, -32600]);
    expect((await send(1, { headers, body: call(7, "count") })).status).toBe(400);
  });

  it("a cancellation, and the end of the session, at another node reach the server", async () => {
    const { open, stream, send, aborts } = await begin();
    const headers = await open(0, { revision });
    const first = await stream(1, { headers, body: call(1, "wait") });
    await first.message();
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await send(1, { headers, body: cancelled })).status).toBe(202);
    await until(() => aborts.length === 1, "the cancellation");
    const second = await stream(0, { headers, body: call(2, "wait") });
    await second.message();
    expect((await send(1, { method: "DELETE", headers })).status).toBe(204);
    await until(() => aborts.length === 2, "the end of the session");
    for (const node of [0, 1]) expect((await send(node, { headers, body: call(3, "count") })).status).toBe(404);
  });
});

describe.each(["2025-11-25", "2025-06-18"])("input requests of a session with two gateways at %s", (revision) => {
  it.each([
    ["the other node", 0, 1],
    ["the node that has received the call", 1, 1],
    ["the node of the session", 1, 0],
  ])("the response of the user reaches the server through %s", async (_name, caller, responder) => {
    const { open, stream, send } = await begin();
    const headers = await open(0, { revision });
    const running = await stream(caller, { headers, body: call(1, "ask") });
    const request = await running.message();
    expect(request).toMatchObject({ method: "elicitation/create", params: { message: "Your name?" } });
    const result = { action: "accept", content: { name: "Ada" } };
    expect((await send(responder, { headers, body: { jsonrpc: "2.0", id: request.id, result } })).status).toBe(202);
    expect(textOf(await running.message())).toBe("accept Ada");
  });
});

describe("streams of a session with two gateways", () => {
  it("a stream that another node connects is resumed at either node", async () => {
    const { open, stream, release } = await begin();
    const headers = await open(0);
    const running = await stream(1, { headers, body: call(1, "wait") });
    await running.message();
    const { id = "" } = running.events.at(-1) ?? {};
    running.cut();
    const resumed = [];
    for (const node of [1, 0])
      resumed.push(await stream(node, { method: "GET", headers: { ...headers, "last-event-id": id } }));
    release();
    await resumed[1]?.end();
    expect(resumed[1]?.messages.map(textOf)).toEqual(["waited"]);
  });

  it("an unknown event is rejected by either node", async () => {
    const { open, send } = await begin();
    const headers = await open(0);
    for (const node of [0, 1])
      for (const last of ["unknown-1", "?"]) {
        const response = await send(node, { method: "GET", headers: { ...headers, "last-event-id": last } });
        expect(response.status).toBe(400);
      }
  });
});

it("a batch at another node gets all of its responses", async () => {
  const { open, send } = await begin();
  const headers = await open(0, { revision: "2025-03-26" });
  const body = [call(1, "count"), call(2, "count"), { jsonrpc: "2.0", id: 3, method: 3 }, call(2, "count")];
  const { status, text } = await send(1, { headers, body });
  const messages = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data = ""]): unknown => JSON.parse(data));
  const codes = messages.map((message) =>
    isObject(message) && isObject(message.error) ? message.error.code : "result",
  );
  expect([status, ...codes.sort()]).toEqual([200, -32600, -32600, "result", "result"]);
});

describe("principals of two gateways", () => {
  const users: GatewayNodesOptions = {
    authenticate: (head) => ({ principal: String(head.header("x-user")) }),
  };

  it("a session of another principal is unknown at every node", async () => {
    const { open, send } = await begin(users);
    const headers = await open(0, { headers: { "x-user": "ada" } });
    for (const node of [0, 1]) {
      const stranger = { ...headers, "x-user": "bob" };
      for (const sent of [{ body: call(1, "count") }, { method: "GET" }, { method: "DELETE" }])
        expect((await send(node, { ...sent, headers: stranger })).status).toBe(404);
      expect(textOf(lastOf(await send(node, { headers, body: call(node, "count") })))).toBe(String(node + 1));
    }
  });

  it("a task is found through any node by its principal only", async () => {
    const { open, send, release } = await begin(users);
    const ada = await open(0, { headers: { "x-user": "ada" } });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", arguments: {}, task: {} } };
    const { task } = resultOf(await send(1, { headers: ada, body }));
    const { taskId } = Object(task);
    const request = (method: string, id: number): SendOptions["body"] => ({
      jsonrpc: "2.0",
      id,
      method,
      params: { taskId },
    });
    const other = await open(1, { headers: { "x-user": "ada" } });
    const bob = await open(1, { headers: { "x-user": "bob" } });
    for (const node of [0, 1]) {
      expect(resultOf(await send(node, { headers: other, body: request("tasks/get", node + 1) }))).toMatchObject({
        taskId,
      });
      expect(lastOf(await send(node, { headers: bob, body: request("tasks/get", node + 1) }))).toMatchObject({
        error: { code: -32602 },
      });
    }
    const waiting = send(1, { headers: other, body: request("tasks/result", 9) });
    await delay(20);
    release();
    expect(resultOf(await waiting)).toMatchObject({ content: [{ text: "waited" }] });
  });
});

describe("stateless clients of two gateways", () => {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
  const toCall = (more: object = {}, capabilities: object = { elicitation: { form: {} } }): object =>
    request(1, "tools/call", { name: "ask", arguments: {}, ...more }, { [meta.capabilities]: capabilities });

  async function requestAt(
    { send }: GatewayNodes,
    node: number,
    user = "ada",
  ): Promise<{ readonly key: string; readonly requestState: unknown }> {
    const { inputRequests, requestState } = resultOf(
      await send(node, { headers: { ...headers, "x-user": user }, body: toCall() }),
    );
    const [key = ""] = Object.keys(Object(inputRequests));
    return { key, requestState };
  }

  const accept = (key: string, requestState: unknown): object =>
    toCall({ inputResponses: { [key]: { action: "accept", content: { name: "Ada" } } }, requestState });

  it("input that was required at one node is given at the other", async () => {
    const nodes = await begin();
    const { key, requestState } = await requestAt(nodes, 0);
    const response = await nodes.send(1, { headers, body: accept(key, requestState) });
    expect(resultOf(response)).toMatchObject({ resultType: "complete", content: [{ text: "accept Ada" }] });
    expect(response.text).not.toContain("id: ");
    const again = await nodes.send(1, { headers, body: accept(key, requestState) });
    expect(lastOf(again)).toMatchObject({ error: { code: -32602 } });
  });

  it("the input of another principal is not accepted at any node", async () => {
    const nodes = await begin({ authenticate: (head) => ({ principal: String(head.header("x-user")) }) });
    const { key, requestState } = await requestAt(nodes, 0);
    for (const node of [1, 0]) {
      const stolen = await nodes.send(node, {
        headers: { ...headers, "x-user": "bob" },
        body: accept(key, requestState),
      });
      expect(lastOf(stolen)).toMatchObject({ error: { code: -32602 } });
    }
    const own = await nodes.send(1, { headers: { ...headers, "x-user": "ada" }, body: accept(key, requestState) });
    expect(resultOf(own)).toMatchObject({ content: [{ text: "accept Ada" }] });
  });

  it("a client that disconnects from the other node cancels its call", async () => {
    const nodes = await begin();
    const waiting = { ...headers, "mcp-name": "ask-and-wait" };
    const body = (more: object): object =>
      request(
        1,
        "tools/call",
        { name: "ask-and-wait", arguments: {}, ...more },
        { [meta.capabilities]: { elicitation: { form: {} } } },
      );
    const { inputRequests, requestState } = resultOf(await nodes.send(0, { headers: waiting, body: body({}) }));
    const [key = ""] = Object.keys(Object(inputRequests));
    const inputResponses = { [key]: { action: "decline" } };
    const stream = await nodes.stream(1, { headers: waiting, body: body({ inputResponses, requestState }) });
    await until(() => nodes.waiting.length === 1, "the call");
    stream.cut();
    await until(() => nodes.aborts.length === 1, "the cancellation");
  });

  it("a state of a node that is gone is unknown", async () => {
    const nodes = await begin();
    const { key, requestState } = await requestAt(nodes, 0);
    await nodes.cutOff(0);
    await delay(400);
    const response = await nodes.send(1, { headers, body: accept(key, requestState) });
    expect(lastOf(response)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("unknown or expired") },
    });
  });

  it("a task that one node has started is known to the other, for its principal only", async () => {
    const { send, release } = await begin({ authenticate: (head) => ({ principal: String(head.header("x-user")) }) });
    const capabilities = { extensions: { [extension.id]: {} } };
    const call = async (
      node: number,
      method: string,
      params: object,
      user = "ada",
    ): Promise<Record<string, unknown>> => {
      const name =
        "name" in params
          ? { "mcp-name": String(params.name) }
          : "taskId" in params
            ? { "mcp-name": String(params.taskId) }
            : {};
      const sent = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name, "x-user": user };
      return lastOf(
        await send(node, { headers: sent, body: request(1, method, params, { [meta.capabilities]: capabilities }) }),
      );
    };
    const { result } = await call(0, "tools/call", { name: "wait", arguments: {} });
    const { taskId } = Object(result);
    expect(await call(1, "tasks/get", { taskId })).toMatchObject({ result: { taskId, status: "working" } });
    for (const node of [0, 1])
      expect(await call(node, "tasks/get", { taskId }, "bob")).toMatchObject({ error: { code: -32602 } });
    release();
    let task: Record<string, unknown> = {};
    for (
      const end = performance.now() + 60_000;
      performance.now() < end && task.status !== "completed";
      await delay(20)
    )
      task = Object((await call(1, "tasks/get", { taskId })).result);
    expect(task).toMatchObject({ status: "completed", result: { content: [{ text: "waited" }] } });
  });
});

describe("a gateway that is gone", () => {
  it("its sessions end with 404 at the other node, and those of the other node continue", async () => {
    const { open, send, cutOff } = await begin();
    const [lost, kept] = [await open(0), await open(1)];
    for (const [index, headers] of [lost, kept].entries()) await send(1, { headers, body: call(index, "count") });
    await cutOff(0);
    let status = 0;
    for (const end = performance.now() + 60_000; performance.now() < end && status !== 404; await delay(20))
      status = (await send(1, { headers: lost, body: call(`c${performance.now()}`, "count") })).status;
    expect(status).toBe(404);
    expect((await send(1, { headers: lost, method: "GET" })).status).toBe(404);
    expect(textOf(lastOf(await send(1, { headers: kept, body: call(9, "count") })))).toBe("2");
    const again = await open(1);
    expect(textOf(lastOf(await send(1, { headers: again, body: call(1, "count") })))).toBe("1");
  });

  it("a call that it has received from the other node ends with an error", async () => {
    const { open, stream, cutOff } = await begin();
    const headers = await open(0);
    const running = await stream(1, { headers, body: call(1, "wait") });
    await running.message();
    await cutOff(0);
    await running.end();
    expect(running.messages.at(-1)).toMatchObject({ id: 1, error: { code: -32603, data: { lost: true } } });
  });

  it("a gateway that closes ends its sessions, and the other node says so at once", async () => {
    const { open, send, listeners } = await begin();
    const headers = await open(0);
    await send(1, { headers, body: call(1, "count") });
    await listeners[0]?.close();
    expect((await send(1, { headers, body: call(2, "count") })).status).toBe(404);
  });
});
