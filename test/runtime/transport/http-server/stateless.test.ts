import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createHttpHandler, type ServeHttpOptions } from "../../../../runtime/server/run/http-handler.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { requestMetadata, meta, request } from "../../../kit/messages.ts";

const begun: string[] = [];
const aborted: string[] = [];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  begun.length = 0;
  aborted.length = 0;
  for (const close of closers.splice(0)) await close();
});

/** Server as a function from requests to responses. */
interface Target {
  readonly url: string;
  readonly fetch: (request: Request, signal?: AbortSignal) => Promise<Response>;
  readonly close: () => Promise<void>;
}

const { defineTool, defineServer, definePrompt, defineResource } = forRevisions<Declarations>(revisions);

const wait = defineTool({
  name: "wait",
  inputSchema: z.object({ talks: z.boolean().optional() }),
  async execute({ talks }, { signal, progress }) {
    if (talks) await progress(1);
    begun.push("wait");
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    aborted.push("wait");
    return "late";
  },
});

const mirrored = defineTool({
  name: "mirrored",
  inputSchema: z.object({
    region: z.string().optional().meta({ "x-mcp-header": "Region" }),
    count: z.int().optional().meta({ "x-mcp-header": "Count" }),
  }),
  execute: (args) => JSON.stringify(args),
});

const chat = defineTool({
  name: "chat",
  async execute(_args, { log, progress }) {
    await progress(1, 2);
    await log("info", "hello");
    return "done";
  },
});

const ask = defineTool({ name: "ask", execute: async (_args, { roots }) => String((await roots()).length) });
const who = defineTool({ name: "who", execute: (_args, { auth }) => auth?.principal ?? "nobody" });

function define(served: readonly Revision[]) {
  const { defineServer: defineAt } = forRevisions<Declarations>(served);
  return (served === revisions ? defineServer : defineAt)({
    name: "demo",
    version: "1",
    tools: [wait, mirrored, chat, ask, who],
    prompts: [definePrompt({ name: "Grüße", get: () => "hi" })],
    resources: [defineResource({ uri: "note://a", name: "a", read: () => "text" })],
    onError: () => {},
  });
}

const platforms = {
  async node(served: readonly Revision[], options: ServeHttpOptions): Promise<Target> {
    const listener = await serveHttp(define(served), options);
    closers.push(() => listener.close());
    // The signal is passed again: a `Request` that is garbage-collected stops forwarding its own to the `fetch` in flight.
    return {
      url: listener.url,
      fetch: (sent, signal) => fetch(sent, signal && { signal }),
      close: () => listener.handler.close({ drain: 0 }),
    };
  },
  async fetch(served: readonly Revision[], options: ServeHttpOptions): Promise<Target> {
    const handler = createHttpHandler(define(served), options);
    closers.push(() => handler.close());
    return {
      url: "http://localhost/mcp",
      fetch: (sent) => handler.fetch(sent),
      close: () => handler.close({ drain: 0 }),
    };
  },
} as const;

interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** POSTs a message with the headers that belong to it; headers that are `undefined` are left out. */
function post(target: Target, message: object, { headers, signal }: Sent = {}): Promise<Response> {
  const params: unknown = "params" in message ? message.params : undefined;
  const { name, uri } = isObject(params) ? params : {};
  const fields = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": statelessRevision.id,
    "mcp-method": "method" in message ? String(message.method) : undefined,
    "mcp-name": typeof name === "string" ? name : typeof uri === "string" ? uri : undefined,
    ...headers,
  };
  const given = Object.entries(fields).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, value]],
  );
  return target.fetch(
    new Request(target.url, {
      method: "POST",
      headers: given,
      body: JSON.stringify(message),
      ...(signal && { signal }),
    }),
    signal,
  );
}

async function code(response: Response): Promise<readonly [status: number, code: unknown, id: unknown]> {
  const body: unknown = await response.json();
  const { error, id } = isObject(body) ? body : {};
  return [response.status, isObject(error) ? error.code : undefined, id];
}

describe.each(["node", "fetch"] as const)("over %s", (platform) => {
  const start = (served: readonly Revision[] = revisions, options: ServeHttpOptions = {}): Promise<Target> =>
    platforms[platform](served, options);

  test("a stateless request has a JSON response, without a session (TH-01, TH-07, 2.20)", async () => {
    const response = await post(await start(), request(1, "tools/list"), {
      headers: { "mcp-session-id": "made-up", "last-event-id": "1" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await response.json()).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  test("server/discover is served (S-016)", async () => {
    const response = await post(await start(), request(1, "server/discover"));
    expect(await response.json()).toMatchObject({ result: { supportedVersions: [statelessRevision.id] } });
  });

  test("messages before the response make it a stream that the response ends (TH-07, TH-08, TH-09)", async () => {
    const call = request("a", "tools/call", { name: "chat" }, { progressToken: 7, [meta.logLevel]: "info" });
    const response = await post(await start(), call);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const events = (await response.text()).split("\n\n").filter((event) => event !== "");
    const data = events.map((event): unknown => JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] ?? ""));
    expect(data).toMatchObject([
      { method: "notifications/progress", params: { progressToken: 7 } },
      { method: "notifications/message", params: { data: "hello" } },
      { id: "a", result: { content: [{ text: "done" }] } },
    ]);
    expect(events.join("\n")).not.toMatch(/^id:/m);
  });

  test.each([
    ["in JSON", {}],
    ["in a stream", { talks: true }],
  ])("a client that closes the response %s cancels the request (TH-10, R42)", async (_how, args) => {
    const target = await start();
    const gone = new AbortController();
    const sent = post(target, request(1, "tools/call", { name: "wait", arguments: args }, { progressToken: 1 }), gone);
    if ("talks" in args) await sent;
    else await expect.poll(() => begun).toEqual(["wait"]);
    gone.abort();
    await sent.then((response) => response.text()).catch(() => {});
    await expect.poll(() => aborted).toEqual(["wait"]);
  });

  test("a call that a shutdown ends has an error as its response, so that its client does not repeat it", async () => {
    const target = await start();
    const sent = post(target, request(1, "tools/call", { name: "wait", arguments: {} }));
    await expect.poll(() => begun).toEqual(["wait"]);
    await target.close();
    const response = await sent;
    expect(response.headers.get("retry-after")).toBeNull();
    expect(await code(response)).toEqual([200, -32603, 1]);
  });

  test("two clients may use the same id at the same time (S-009, S-024)", async () => {
    const target = await start();
    const responses = await Promise.all([1, 1, 1].map((id) => post(target, request(id, "tools/list"))));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each([
    ["an unknown method", request(5, "unknown/method"), 404, -32601],
    ["initialize with metadata", request(5, "initialize", { protocolVersion: newest.id }), 404, -32601],
    ["ping", request(5, "ping"), 404, -32601],
    ["logging/setLevel", request(5, "logging/setLevel", { level: "info" }), 404, -32601],
    ["resources/subscribe", request(5, "resources/subscribe", { uri: "note://a" }), 404, -32601],
    ["a capability that was not declared", request(5, "tools/call", { name: "ask" }), 400, -32021],
    ["no capabilities", request(5, "tools/list", {}, { [meta.capabilities]: undefined }), 400, -32602],
    ["wrong capabilities", request(5, "tools/list", {}, { [meta.capabilities]: { roots: 1 } }), 400, -32602],
    ["no version", request(5, "tools/list", {}, { [meta.version]: undefined }), 400, -32602],
    ["no metadata", { jsonrpc: "2.0", id: 5, method: "tools/list", params: {} }, 400, -32602],
    ["a name that is no text", request(5, "tools/call", { name: 5 }), 200, -32602],
    ["an unknown tool", request(5, "tools/call", { name: "none" }), 200, -32602],
    ["an unknown resource", request(5, "resources/read", { uri: "note://none" }), 200, -32602],
  ])(
    "the request with %s has its status and code (TH-14, TH-15, S-002, S-006, S-011, S-110)",
    async (_what, message, status, expected) => {
      expect(await code(await post(await start(), message))).toEqual([status, expected, 5]);
    },
  );

  test("a version that is not served is rejected, with the supported ones (TH-13, S-017, R37)", async () => {
    const requested = "v999.0.0";
    const message = request(5, "tools/list", {}, { [meta.version]: requested });
    const response = await post(await start(), message, { headers: { "mcp-protocol-version": requested } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 5,
      error: { code: -32022, data: { supported: [statelessRevision.id], requested } },
    });
  });

  test.each([
    ["another version", request(5, "tools/list"), { "mcp-protocol-version": newest.id }],
    ["no version", request(5, "tools/list"), { "mcp-protocol-version": undefined }],
    ["a version before it is looked at", request(5, "tools/list", {}, { [meta.version]: "v999.0.0" }), {}],
    ["another method", request(5, "tools/list"), { "mcp-method": "prompts/list" }],
    ["a method in capitals", request(5, "tools/list"), { "mcp-method": "TOOLS/LIST" }],
    ["no method", request(5, "tools/list"), { "mcp-method": undefined }],
    ["a method in base64", request(5, "tools/list"), { "mcp-method": "=?base64?dG9vbHMvbGlzdA==?=" }],
    ["another name", request(5, "tools/call", { name: "who" }), { "mcp-name": "wrong" }],
    ["no name", request(5, "tools/call", { name: "who" }), { "mcp-name": undefined }],
    ["no URI", request(5, "resources/read", { uri: "note://a" }), { "mcp-name": undefined }],
    ["a name that cannot be decoded", request(5, "tools/call", { name: "who" }), { "mcp-name": "=?base64?d2hv!?=" }],
  ])("headers that name %s are rejected (TH-12, TH-18, 3.3, R37)", async (_what, message, headers) => {
    expect(await code(await post(await start(), message, { headers }))).toEqual([400, -32020, 5]);
  });

  test.each([
    ["with spaces around it", request(5, "tools/call", { name: "who" }), { "mcp-name": "  who  " }],
    ["in base64", request(5, "prompts/get", { name: "Grüße" }), { "mcp-name": "=?base64?R3LDvMOfZQ==?=" }],
  ])("a name %s is accepted as the same (TH-18, TH-19)", async (_how, message, headers) => {
    expect(await (await post(await start(), message, { headers })).json()).toHaveProperty("result");
  });

  const region = "mcp-param-region";
  test.each([
    ["the same text", { region: "Hello" }, { [region]: "Hello" }, true],
    ["the same text in base64", { region: "Hello" }, { [region]: "=?base64?SGVsbG8=?=" }, true],
    ["text that only looks like base64", { region: "SGVsbG8=" }, { [region]: "SGVsbG8=" }, true],
    ["half a mark", { region: "=?base64?SGVsbG8=" }, { [region]: "=?base64?SGVsbG8=" }, true],
    ["an empty value", { region: "" }, { [region]: "" }, true],
    ["an empty value in base64", { region: "" }, { [region]: "=?base64??=" }, true],
    ["an integer in other words", { count: 42 }, { "mcp-param-count": "42.0" }, true],
    ["nothing for nothing", {}, {}, true],
    ["bad padding", { region: "Hello" }, { [region]: "=?base64?SGVsbG8?=" }, false],
    ["a bad alphabet", { region: "Hello" }, { [region]: "=?base64?SGVs!!!bG8=?=" }, false],
    ["other text", { region: "Hello" }, { [region]: "hello" }, false],
    ["no header", { region: "Hello" }, {}, false],
    ["a header for nothing", {}, { [region]: "Hello" }, false],
  ])("a param header with %s (TH-25, TH-26, TH-27, R37)", async (_what, args, headers, isAccepted) => {
    const call = request(5, "tools/call", { name: "mirrored", arguments: args });
    const response = await post(await start(), call, { headers });
    if (isAccepted)
      expect(await response.json()).toMatchObject({ result: { content: [{ text: JSON.stringify(args) }] } });
    else expect(await code(response)).toEqual([400, -32020, 5]);
  });

  test("notifications are accepted and have no effect (TH-06, B-002)", async () => {
    const target = await start();
    const cancelled = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, _meta: requestMetadata() },
    };
    const response = await post(target, cancelled);
    expect([response.status, await response.text()]).toEqual([202, ""]);
    const bare = await post(target, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(bare.status).toBe(202);
    const unnamed = await post(target, cancelled, { headers: { "mcp-protocol-version": undefined } });
    expect(unnamed.status).toBe(202);
    const wrong = await post(target, cancelled, { headers: { "mcp-protocol-version": newest.id } });
    expect(await code(wrong)).toEqual([400, -32020, undefined]);
  });

  test("notifications of a version that is not served are rejected, without an id (TH-06, TH-13)", async () => {
    const target = await start();
    const version = "v999.0.0";
    const params = { requestId: 1, _meta: { ...requestMetadata(), [meta.version]: version } };
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    const response = await post(target, cancelled, { headers: { "mcp-protocol-version": version } });
    expect(await code(response)).toEqual([400, -32022, undefined]);
  });

  test.each([
    ["a batch", [request(1, "tools/list")]],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ])("a request with %s is rejected (2.1, C-004)", async (_what, body) => {
    expect(await code(await post(await start(), body))).toEqual([400, -32600, undefined]);
  });

  test.each([
    ["that names its revision, also where there are sessions", revisions, [{ method: "a" }, request(1, "tools/list")]],
    [
      "without metadata, where there are no sessions",
      [statelessRevision],
      [{ jsonrpc: "2.0", id: 1, method: "tools/list" }],
    ],
    ["without messages, where there are no sessions", [statelessRevision], []],
  ])("a batch %s is rejected as a batch (2.1)", async (_what, served, body) => {
    const response = await post(await start(served), body);
    const message = "A message must be a JSON object; batches are not supported";
    expect(await response.json()).toMatchObject({ error: { code: -32600, message } });
  });

  test("sessions are served at the same URL (DE-01, DE-02, DE-04, DE-05)", async () => {
    const target = await start();
    for (const { id } of handshakeRevisions) {
      const params = { protocolVersion: id, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const opened = await post(
        target,
        { jsonrpc: "2.0", id: 0, method: "initialize", params },
        {
          headers: { "mcp-protocol-version": undefined, "mcp-method": undefined },
        },
      );
      const session = opened.headers.get("mcp-session-id") ?? undefined;
      expect(await opened.json()).toMatchObject({ result: { protocolVersion: id } });
      const headers = { "mcp-protocol-version": id, "mcp-session-id": session, "mcp-method": undefined };
      await post(target, { jsonrpc: "2.0", method: "notifications/initialized" }, { headers });
      const list = await post(target, { jsonrpc: "2.0", id: 1, method: "tools/list" }, { headers });
      const body: unknown = await list.json();
      expect(body).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
      expect(body).not.toHaveProperty("result.resultType");
      const both = await post(target, request(2, "tools/list"), { headers: { "mcp-session-id": session } });
      expect(await both.json()).toMatchObject({ result: { resultType: "complete" } });
    }
  });

  test("a server without sessions accepts only POST, and opens no session (TH-16, TH-30, S-019)", async () => {
    const target = await start([statelessRevision]);
    const unnamed = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const without = await post(target, unnamed, { headers: { "mcp-protocol-version": undefined } });
    expect(await without.json()).toMatchObject({ error: { data: { header: "MCP-Protocol-Version" } } });
    for (const method of ["GET", "DELETE"]) {
      const response = await target.fetch(
        new Request(target.url, { method, headers: { accept: "text/event-stream" } }),
      );
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
    const bare = { "mcp-protocol-version": undefined };
    const list = { jsonrpc: "2.0", id: 5, method: "tools/list" };
    const opening = { jsonrpc: "2.0", id: 5, method: "initialize", params: { protocolVersion: newest.id } };
    expect(await code(await post(target, list, { headers: bare }))).toEqual([400, -32020, 5]);
    expect(await code(await post(target, list))).toEqual([400, -32602, 5]);
    expect(await code(await post(target, opening, { headers: bare }))).toEqual([400, -32022, 5]);
    expect(await (await post(target, request(1, "tools/list"))).json()).toHaveProperty("result");
  });

  test("foreign origins and unknown clients are rejected first (TH-02, TH-03)", async () => {
    const target = await start(revisions, {
      authenticate: (head) => (head.header("authorization") === "Bearer a" ? { principal: "ann" } : { status: 401 }),
    });
    const call = request(1, "tools/call", { name: "who" });
    expect((await post(target, call)).status).toBe(401);
    const known = { authorization: "Bearer a" };
    expect((await post(target, call, { headers: { ...known, origin: "https://evil.example" } })).status).toBe(403);
    const response = await post(target, call, { headers: known });
    expect(await response.json()).toMatchObject({ result: { content: [{ text: "ann" }] } });
  });

  test.each([
    ["sse", "text/event-stream"],
    ["json", "application/json"],
  ] as const)("responses may all be %s", async (responses, type) => {
    const target = await start(revisions, { responseMode: responses });
    const response = await post(target, request(1, "tools/call", { name: "chat" }, { progressToken: 1 }));
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toContain("done");
  });
});

test("a tool with a param header at an unsupported place is not served (TH-21)", () => {
  const broken = defineTool({
    name: "broken",
    inputSchema: z.object({ size: z.number().meta({ "x-mcp-header": "Size" }) }),
    execute: () => "",
  });
  expect(() => defineServer({ name: "a", version: "1", tools: [broken] }).implement(statelessRevision)).toThrow(
    /"broken".*size/,
  );
});
