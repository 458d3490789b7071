import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SpanKind, SpanStatusCode, context, propagation, trace } from "@opentelemetry/api";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { openTelemetry, type OpenTelemetryOptions } from "../../../../runtime/adapters/open-telemetry/index.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { redact } from "../../../../runtime/server/middleware/redact.ts";
import type { Telemetry } from "../../../../runtime/protocol/session/telemetry.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { collect } from "./collected.ts";

const collected = collect();
const seen: unknown[] = [];
const open: ClientConnection[] = [];

beforeEach(() => {
  seen.length = 0;
});

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const anything = fromJsonSchema({ type: "object" }, { validate: () => [] });

function create(): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      onError() {},
      tools: [
        {
          name: "good",
          inputSchema: anything,
          async execute() {
            await Promise.resolve();
            seen.push(
              trace.getActiveSpan()?.spanContext().spanId,
              propagation.getActiveBaggage()?.getEntry("user")?.value,
            );
            return "done";
          },
        },
        { name: "bad", execute: () => Promise.reject(new ToolError("no")) },
        { name: "slow", execute: (_none, { signal }) => aborted(signal) },
        {
          name: "asking",
          async execute(_none, { elicit }) {
            const form = { type: "object", properties: { name: { type: "string" } } } as const;
            return JSON.stringify(typeof elicit === "function" && (await elicit("Name?", form)));
          },
        },
        {
          name: "noting",
          async execute(_none, { log, progress }) {
            await log("info", "begins");
            await progress(1);
            return "";
          },
        },
        {
          name: "broken",
          outputSchema: fromJsonSchema({ type: "object" }, { validate: () => [{ message: "no" }] }),
          execute: () => 1,
        },
      ],
      resourceTemplates: [{ uriTemplate: "db://{name}{?token}", name: "db", read: () => "" }],
      prompts: [{ name: "p", get: () => "" }],
    },
    revisions,
  );
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
}

function findNewest(lifecycle: Revision["lifecycle"]): Revision {
  return revisions.find((revision) => revision.lifecycle === lifecycle) ?? expect.unreachable(`no ${lifecycle}`);
}

const stateless = findNewest("per-request");
const session = findNewest("handshake");
const eras = [stateless, session].map((revision) => [revision.id, revision] as const);

/** Connects a client and a server in memory. */
async function connected(
  revision: Revision,
  { server = openTelemetry(), client = openTelemetry(), options = {} }: Partial<Ends> = {},
): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  serve(create(), far, { telemetry: server });
  const connection = await connect(near, {
    info: { name: "test", version: "1" },
    revisions: [revision],
    capabilities: { elicitation: { form: {} } },
    handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
    ...(client && { telemetry: client }),
    ...options,
  });
  open.push(connection);
  return connection;
}

interface Ends {
  readonly server: Telemetry;
  /** `false` for a client without telemetry. */
  readonly client: Telemetry | false;
  readonly options: Partial<Parameters<typeof connect>[1]>;
}

const handshake = ["initialize", "notifications/initialized", "server/discover"];

describe.each(eras)("spans of %s", (id, revision) => {
  test.each([
    ["tools/list", {}, "tools/list", {}],
    [
      "tools/call",
      { name: "good", arguments: { secret: "hunter2" } },
      "tools/call good",
      { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "good" },
    ],
    ["prompts/get", { name: "p" }, "prompts/get p", { "gen_ai.prompt.name": "p" }],
    ["resources/read", { uri: "db://a?token=hunter2" }, "resources/read", { "mcp.resource.uri": "db://a?[redacted]" }],
  ])("%s has a span at both ends, with the attributes of the convention", async (method, params, name, attributes) => {
    const client = await connected(revision);
    await client.request(method, params);
    const [server, sender] = collected.spans(...handshake);
    const expected = { "mcp.method.name": method, "mcp.protocol.version": id, ...attributes };
    expect(server).toMatchObject({ name, kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } });
    expect(sender).toMatchObject({ name, kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    for (const span of [server, sender]) {
      expect(span?.attributes).toEqual({ ...expected, "jsonrpc.request.id": expect.stringMatching(/^\d+$/) });
    }
    expect(server?.parentSpanContext?.spanId).toBe(sender?.spanContext().spanId);
    expect(server?.attributes["jsonrpc.request.id"]).toBe(sender?.attributes["jsonrpc.request.id"]);
    expect(JSON.stringify(collected.spans().map((span) => span.attributes))).not.toContain("hunter2");
  });

  test.each([
    ["bad", { "error.type": "tool_error" }, undefined],
    ["broken", { "error.type": "-32603", "rpc.response.status_code": "-32603" }, "Internal error"],
  ])("a failed call has the type of its error: %s", async (name, attributes, message) => {
    const client = await connected(revision);
    await client.request("tools/list", {});
    await client.request("tools/call", { name }).catch(() => {});
    const spans = collected.spans(...handshake, "tools/list");
    expect(spans).toHaveLength(2);
    for (const span of spans) {
      expect(span).toMatchObject({ name: `tools/call ${name}`, attributes });
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    }
  });

  test("a handler runs in the span of the server, with the baggage of the caller", async () => {
    const client = await connected(revision);
    const baggage = propagation.createBaggage({ user: { value: "ada" } });
    const caller = trace.getTracer("host").startSpan("chat");
    const context_ = trace.setSpan(propagation.setBaggage(context.active(), baggage), caller);
    await context.with(context_, () => client.request("tools/call", { name: "good" }));
    const [server, sender] = collected.spans(...handshake);
    expect(seen).toEqual([server?.spanContext().spanId, "ada"]);
    expect(sender?.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    expect(server?.spanContext().traceId).toBe(caller.spanContext().traceId);
  });

  test("a call that times out and one that is cancelled have the type of their ends", async () => {
    const client = await connected(revision);
    await expect(client.request("tools/call", { name: "slow" }, { timeout: 30 })).rejects.toThrow();
    const controller = new AbortController();
    const call = client.request("tools/call", { name: "slow" }, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toThrow();
    const calls = collected.spans(...handshake, "notifications/cancelled");
    const types = calls.map(({ kind, attributes }) => [kind, attributes["error.type"]]);
    expect(types).toContainEqual([SpanKind.CLIENT, "timeout"]);
    expect(types).toContainEqual([SpanKind.CLIENT, "cancelled"]);
    expect(types).toContainEqual([SpanKind.SERVER, "cancelled"]);
  });

  test("calls that are open at the end of the connection end with it", async () => {
    const client = await connected(revision);
    const call = client.request("tools/call", { name: "slow" });
    await client.close();
    await expect(call).rejects.toThrow();
    expect(collected.spans(...handshake)).toMatchObject([
      { kind: SpanKind.CLIENT, attributes: { "error.type": "ClosedError" } },
      { kind: SpanKind.SERVER, attributes: { "error.type": "ClosedError" } },
    ]);
  });

  test("notifications of a call are children of it", async () => {
    const client = await connected(revision, { options: { handlers: {}, logLevel: () => "info" } });
    await client.request("tools/call", { name: "noting" }, { onProgress() {} });
    const call = collected.spans().find(({ name, kind }) => name === "tools/call noting" && kind === SpanKind.SERVER);
    const sent = collected
      .spans()
      .filter(({ name, kind }) => name === "notifications/progress" && kind === SpanKind.CLIENT);
    const received = collected
      .spans()
      .filter(({ name, kind }) => name === "notifications/progress" && kind === SpanKind.SERVER);
    expect(sent.map((span) => span.parentSpanContext?.spanId)).toEqual([call?.spanContext().spanId]);
    expect(received.map((span) => span.parentSpanContext?.spanId)).toEqual(
      sent.map((span) => span.spanContext().spanId),
    );
    expect(Object.hasOwn(sent[0]?.attributes ?? {}, "jsonrpc.request.id")).toBe(false);
  });
});

test("a handshake has a span with the revision that was agreed on", async () => {
  await connected(session);
  const spans = collected.spans().filter(({ name }) => name === "initialize");
  expect(spans.map(({ kind }) => kind).sort()).toEqual([SpanKind.SERVER, SpanKind.CLIENT].sort());
  for (const { attributes } of spans) expect(attributes["mcp.protocol.version"]).toBe(session.id);
});

test("a request to the client is a child of the call, with the server as its sender", async () => {
  const client = await connected(session);
  await client.request("tools/call", { name: "asking" });
  expect(collected.pathTo("elicitation/create")).toEqual([
    ["tools/call asking", "CLIENT"],
    ["tools/call asking", "SERVER"],
    ["elicitation/create", "CLIENT"],
    ["elicitation/create", "SERVER"],
  ]);
});

describe("durations", () => {
  const bounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

  test("operations and sessions have the histograms of the convention", async () => {
    const client = await connected(session);
    await client.request("tools/call", { name: "good" });
    await client.close();
    for (const side of ["client", "server"]) {
      const operations = await collected.durations(`mcp.${side}.operation.duration`);
      const call = operations.find(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
      expect(call?.attributes).toEqual({
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": session.id,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "good",
      });
      expect(call?.value).toMatchObject({ count: 1, buckets: { boundaries: bounds } });
    }
  });

  test.each(["client", "server"])("a session has a duration at the %s", async (side) => {
    const client = await connected(session);
    await client.close();
    const [point, ...others] = await collected.durations(`mcp.${side}.session.duration`);
    expect(point).toMatchObject({ attributes: { "mcp.protocol.version": session.id }, value: { count: 1 } });
    expect(others).toEqual([]);
  });

  test("a connection without a session has no duration of one", async () => {
    const client = await connected(stateless);
    await client.request("tools/list", {});
    await client.close();
    expect(await collected.durations("mcp.client.session.duration")).toEqual([]);
    expect(await collected.durations("mcp.server.session.duration")).toEqual([]);
  });
});

describe("values that a peer sends", () => {
  test.each([
    ["tools/call", { name: "made up" }, "gen_ai.tool.name"],
    ["prompts/get", { name: "x".repeat(100_000) }, "gen_ai.prompt.name"],
  ])("an unknown name is neither in a name nor in a duration: %s", async (method, params, key) => {
    const client = await connected(session, { client: false });
    for (const suffix of ["a", "b"]) await client.request(method, { name: params.name + suffix }).catch(() => {});
    const spans = collected.spans(...handshake);
    expect(spans.map(({ name, attributes }) => [name, attributes[key]])).toEqual([
      [method, "_OTHER"],
      [method, "_OTHER"],
    ]);
    const points = await collected.durations("mcp.server.operation.duration");
    const values = points.filter(({ attributes }) => attributes["mcp.method.name"] === method);
    expect(values.map(({ attributes, value }) => [attributes[key], value.count])).toEqual([["_OTHER", 2]]);
  });

  test("unknown methods are one name", async () => {
    const wire = new Wire();
    serve(create(), wire, { telemetry: openTelemetry() });
    for (const method of ["made/up", "x".repeat(1_000)])
      wire.post({ jsonrpc: "2.0", id: method.slice(0, 500), method });
    wire.post({ jsonrpc: "2.0", method: "notifications/made-up" });
    const spans = collected.spans();
    expect(spans.map(({ name }) => name)).toEqual(["_OTHER", "_OTHER", "_OTHER"]);
    expect(String(spans[1]?.attributes["jsonrpc.request.id"]).length).toBeLessThan(300);
    await wire.close();
  });

  test.each([
    { traceparent: "garbage" },
    { traceparent: 7 },
    { traceparent: ["x"], baggage: "x".repeat(100_000) },
    { traceparent: `ff-${"1".repeat(32)}-${"1".repeat(16)}-01` },
    { baggage: `user=${"x".repeat(9_000)}` },
    { baggage: Array.from({ length: 181 }, (_, index) => `k${index}=1`).join() },
  ])("invalid trace context begins a new trace without baggage: %j", async (meta) => {
    const client = await connected(session, { client: false });
    await client.request("tools/call", { name: "good", _meta: meta });
    const [span] = collected.spans(...handshake);
    expect(span?.parentSpanContext).toBeUndefined();
    expect(seen).toEqual([span?.spanContext().spanId, undefined]);
  });

  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "a=b", baggage: "user=ada" };

  test("trace context continues from `_meta` into the span and the handler (M-09)", async () => {
    const client = await connected(session, { client: false });
    await client.request("tools/call", { name: "good", _meta: meta });
    const [span] = collected.spans(...handshake);
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext).toMatchObject({ spanId: "00f067aa0ba902b7", isRemote: true });
    expect(seen).toEqual([span?.spanContext().spanId, "ada"]);
  });

  test("trace context of peers that are not trusted is only linked", async () => {
    const client = await connected(session, { server: openTelemetry({ remoteContext: "link" }), client: false });
    await client.request("tools/call", { name: "good", _meta: meta });
    const [span] = collected.spans(...handshake);
    expect(span?.spanContext().traceId).not.toBe(traceId);
    expect(span?.links.map((link) => link.context.traceId)).toEqual([traceId]);
    expect(seen).toEqual([span?.spanContext().spanId, undefined]);
  });

  test("the active span of a transport is linked", async () => {
    const wire = new Wire();
    serve(create(), wire, { telemetry: openTelemetry() });
    const ambient = trace.getTracer("http").startSpan("POST /mcp");
    const ping = { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: meta } };
    context.with(trace.setSpan(context.active(), ambient), () => wire.post(ping));
    const [span] = collected.spans();
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.links.map((link) => link.context.spanId)).toEqual([ambient.spanContext().spanId]);
    await wire.close();
  });
});

describe("options", () => {
  test.each([
    ["redacted", redact, { "gen_ai.tool.call.arguments": '{"text":"a","password":"[redacted]"}' }],
    ["bounded", () => "x".repeat(100_000), { "gen_ai.tool.call.arguments": expect.stringMatching(/^.{8192}$/) }],
  ] as const)("content is recorded on request: %s", async (_case, recordContent, attributes) => {
    const client = await connected(session, { server: openTelemetry({ recordContent }), client: false });
    await client.request("tools/call", { name: "good", arguments: { text: "a", password: "hunter2" } });
    const [span] = collected.spans(...handshake);
    expect(span?.attributes).toMatchObject(attributes);
    expect(span?.attributes).toHaveProperty(["gen_ai.tool.call.result"]);
  });

  test("a call works when its content cannot be recorded", async () => {
    const options: OpenTelemetryOptions = {
      recordContent() {
        throw new Error("no");
      },
    };
    const client = await connected(session, { server: openTelemetry(options) });
    expect(isObject(await client.request("tools/call", { name: "good" }))).toBe(true);
    expect(collected.spans(...handshake)[0]?.attributes).not.toHaveProperty(["gen_ai.tool.call.result"]);
  });

  test("a method that is skipped has no span, and passes its context on", async () => {
    const client = await connected(session, { client: openTelemetry({ skip: (method) => method === "tools/call" }) });
    const caller = trace.getTracer("host").startSpan("chat");
    await context.with(trace.setSpan(context.active(), caller), () => client.request("tools/call", { name: "good" }));
    const spans = collected.spans(...handshake);
    expect(spans.map(({ kind, parentSpanContext }) => [kind, parentSpanContext?.spanId])).toEqual([
      [SpanKind.SERVER, caller.spanContext().spanId],
    ]);
  });
});

describe("requests that never get a response", () => {
  test("a batch that is rejected as a whole ends its requests", async () => {
    const wire = new Wire();
    serve(create(), wire, { telemetry: openTelemetry() });
    wire.post([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
    expect(collected.spans()).toMatchObject([{ name: "ping", attributes: { "error.type": "-32600" } }]);
    await wire.close();
  });

  test("an id that is used twice ends its own request", async () => {
    const wire = new Wire();
    serve(create(), wire, { telemetry: openTelemetry() });
    const params = { protocolVersion: session.id, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    wire.post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    wire.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow" } };
    wire.post(call);
    wire.post(call);
    const rejected = collected.spans(...handshake);
    expect(rejected).toMatchObject([{ attributes: { "error.type": "-32600" } }]);
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(collected.spans(...handshake, "notifications/cancelled")).toMatchObject([
      { attributes: { "error.type": "-32600" } },
      { attributes: { "error.type": "cancelled" } },
    ]);
    await wire.close();
  });

  test.each([
    ["neither a result nor an error", '{"jsonrpc":"2.0","id":1,"result":1}'],
    ["no message", '{"jsonrpc":"2.0","id":1}'],
    ["nested too deeply", `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(100)}${"]".repeat(100)}}}`],
  ])("a response that cannot be read ends its request: %s", async (_case, response) => {
    const wire = new Wire();
    const connecting = connect(wire, {
      info: { name: "test", version: "1" },
      revisions: [session],
      telemetry: openTelemetry(),
    });
    wire.write(`${response}\n`);
    await expect(connecting).rejects.toThrow();
    expect(collected.spans()).toMatchObject([{ name: "initialize", attributes: { "error.type": "invalid_response" } }]);
  });
});
