import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SpanKind, SpanStatusCode, context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { revisions } from "../../../generated/revisions.ts";
import { traceRequests } from "../../../runtime/adapters/open-telemetry.ts";
import { ToolError } from "../../../runtime/server/errors.ts";
import { fromJsonSchema } from "../../../runtime/server/json-schema.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import type { AnyContext } from "../../../runtime/server/any-definition.ts";
import { callServer, type CallSetup } from "../server/call.ts";
import { newest } from "../server/connected.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const seen: unknown[] = [];

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  trace.setGlobalTracerProvider(provider);
});

beforeEach(() => {
  exporter.reset();
  seen.length = 0;
});

afterAll(async () => {
  context.disable();
  propagation.disable();
  trace.disable();
  await provider.shutdown();
});

async function run(_args: unknown, { requestId }: AnyContext): Promise<string> {
  await Promise.resolve(requestId);
  seen.push(trace.getActiveSpan()?.spanContext().spanId, propagation.getActiveBaggage()?.getEntry("user")?.value);
  return "";
}

function create(): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      onError() {},
      middleware: [traceRequests({ attributes: { "network.transport": "pipe" } })],
      tools: [
        { name: "good", inputSchema: fromJsonSchema({ type: "object" }, { validate: () => [] }), execute: run },
        { name: "bad", execute: () => Promise.reject(new ToolError("no")) },
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

async function ask(method: string, params: object, setup?: CallSetup): Promise<void> {
  await callServer(create(), newest(), [method, params], setup).catch(() => {});
}

function spans(): unknown[] {
  return exporter.getFinishedSpans().map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status }));
}

const common = { "network.transport": "pipe", "mcp.protocol.version": newest().id, "jsonrpc.request.id": "1" };

describe("spans follow the conventions for MCP", () => {
  test.each([
    ["a list", "tools/list", {}, "tools/list", {}],
    [
      "a tool call",
      "tools/call",
      { name: "good", arguments: { secret: "hunter2" } },
      "tools/call good",
      { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "good" },
    ],
    ["a prompt", "prompts/get", { name: "p" }, "prompts/get p", { "gen_ai.prompt.name": "p" }],
    [
      "a read, whose URI is not in the name",
      "resources/read",
      { uri: "db://a?token=hunter2" },
      "resources/read",
      { "mcp.resource.uri": "db://a?[redacted]" },
    ],
  ])("a span follows the conventions for MCP: %s", async (_case, method, params, name, attributes) => {
    await ask(method, params);
    expect(spans()).toEqual([
      {
        name,
        kind: SpanKind.SERVER,
        attributes: { ...common, "mcp.method.name": method, ...attributes },
        status: { code: SpanStatusCode.UNSET },
      },
    ]);
  });

  test.each([
    ["a tool that failed", { name: "bad" }, { "error.type": "tool_error" }, { code: SpanStatusCode.ERROR }],
    [
      "a fault of ours",
      { name: "broken" },
      { "error.type": "-32603", "rpc.response.status_code": "-32603" },
      { code: SpanStatusCode.ERROR, message: "Internal error" },
    ],
    [
      "a refusal, which is none",
      { name: "none" },
      { "rpc.response.status_code": "-32602" },
      { code: SpanStatusCode.UNSET },
    ],
  ])("a span has the type of its error: %s", async (_case, params, attributes, status) => {
    await ask("tools/call", params);
    expect(spans()).toMatchObject([{ attributes, status }]);
    const [span] = exporter.getFinishedSpans();
    expect(Object.hasOwn(span?.attributes ?? {}, "error.type")).toBe(status.code === SpanStatusCode.ERROR);
  });
});

describe("values that a client sends", () => {
  test.each([
    ["tools/call", { name: "made up" }],
    ["prompts/get", { name: "made up" }],
    ["prompts/get", { name: "x".repeat(100_000) }],
  ])("a value of the client is not in the name of a span: %s", async (method, params) => {
    await ask(method, params);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([method]);
  });

  test("a value of the client is in the attributes of a span, as long as it is short", async () => {
    await ask("tools/call", { name: "made up" });
    await ask("tools/call", { name: "x".repeat(100_000) });
    const [first, second] = exporter.getFinishedSpans();
    expect(first?.attributes["gen_ai.tool.name"]).toBe("made up");
    expect(String(second?.attributes["gen_ai.tool.name"]).length).toBeLessThan(300);
  });

  test("an id of the client is shortened in a span", async () => {
    await ask("tools/list", {}, { requestId: "i".repeat(100_000) });
    expect(String(exporter.getFinishedSpans()[0]?.attributes["jsonrpc.request.id"]).length).toBeLessThan(300);
  });
});

describe("trace context", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "a=b", baggage: "user=ada" };

  test("trace context continues from `_meta` into the span and the handler (M-09)", async () => {
    await ask("tools/call", { name: "good" }, { meta });
    const [span] = exporter.getFinishedSpans();
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext).toMatchObject({ spanId: "00f067aa0ba902b7", isRemote: true });
    expect(seen).toEqual([span?.spanContext().spanId, "ada"]);
  });

  test("trace context of an active span is linked, not continued", async () => {
    const ambient = provider.getTracer("http").startSpan("POST /mcp");
    await context.with(trace.setSpan(context.active(), ambient), () => ask("tools/call", { name: "good" }, { meta }));
    const [span] = exporter.getFinishedSpans();
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.links.map((link) => link.context.spanId)).toEqual([ambient.spanContext().spanId]);
  });

  test.each([{ traceparent: "garbage" }, { traceparent: 7 }, { traceparent: ["x"], baggage: "x".repeat(100_000) }, {}])(
    "an invalid trace context begins a new trace: %j",
    async (broken) => {
      await ask("tools/call", { name: "good" }, { meta: broken });
      const [span] = exporter.getFinishedSpans();
      expect(span?.parentSpanContext).toBeUndefined();
      expect(seen).toEqual([span?.spanContext().spanId, undefined]);
    },
  );
});
