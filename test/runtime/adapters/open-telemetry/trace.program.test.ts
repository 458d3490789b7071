import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { context, propagation, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { revisions } from "../../../../generated/revisions.ts";
import type { Revision } from "../../../../generated/support.ts";
import { openTelemetry } from "../../../../runtime/adapters/open-telemetry/index.ts";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import { connectStdio } from "../../../../runtime/client/connect-stdio.ts";
import { createProgram } from "../../../kit/programs.ts";
import { collect } from "./collected.ts";
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from "./otlp-receiver.ts";

collect();
const children: ChildProcess[] = [];
let program = "";
let receiver: OtlpReceiver;
let host: BasicTracerProvider;

beforeAll(async () => {
  program = await createProgram(new URL("program.ts", import.meta.url));
  receiver = await startOtlpReceiver();
  const exporter = new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` });
  const resource = resourceFromAttributes({ "service.name": "host" });
  host = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] });
});

afterAll(async () => {
  for (const child of children) child.kill();
  await host.shutdown();
  await receiver.close();
});

/** Starts a program that serves HTTP, and returns its URL and a function that ends it in order. */
async function start(...args: readonly string[]): Promise<{ readonly url: string; end(): Promise<void> }> {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const [url] = await once(child.stdout, "data");
  return {
    url: String(url),
    async end() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}

/** Calls a tool as a host with a span and baggage of its own, and returns the result and the id of the trace. */
async function callAsHost(
  connection: ClientConnection,
): Promise<{ readonly result: unknown; readonly traceId: string }> {
  const span = host.getTracer("host").startSpan("chat");
  const baggage = propagation.createBaggage({ user: { value: "ada" } });
  const active = trace.setSpan(propagation.setBaggage(context.active(), baggage), span);
  const result = await context.with(active, () => connection.request("tools/call", { name: "work" }));
  span.end();
  return { result, traceId: span.spanContext().traceId };
}

/** Returns the spans from the beginning of a trace to the span of the tool. */
function readPath(traceId: string): readonly ReceivedSpan[] {
  const byId = new Map(receiver.spans.filter((span) => span.traceId === traceId).map((span) => [span.spanId, span]));
  const path: ReceivedSpan[] = [];
  let span = [...byId.values()].find(({ name }) => name === "query");
  for (; span; span = byId.get(span.parentSpanId)) path.unshift(span);
  return path;
}

const wholePath = [
  ["host", "internal", "chat"],
  ["host", "client", "tools/call work"],
  ["gateway", "server", "tools/call work"],
  ["gateway", "client", "tools/call work"],
  ["server", "server", "tools/call work"],
  ["server", "internal", "query"],
];

const lifecycles: readonly Revision["lifecycle"][] = ["handshake", "per-request"];

describe("one trace from the host to the tool, across processes", () => {
  const info = { name: "host", version: "1" };

  test.each(lifecycles)(
    "over stdio, %s",
    async (lifecycle) => {
      const command = {
        command: process.execPath,
        args: [program, "gateway", "stdio", process.execPath, program, "server", "stdio"],
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
      };
      const telemetry = openTelemetry({ tracer: host.getTracer("mcp") });
      const connection = await connectStdio(command, { info, revisions, lifecycle, telemetry });
      const { result, traceId } = await callAsHost(connection);
      await connection.close();
      await host.forceFlush();
      expect(result).toMatchObject({ content: [{ text: "ada" }] });
      const path = readPath(traceId);
      expect(path.map(({ service, kind, name }) => [service, kind, name])).toEqual(wholePath);
      expect(path.slice(1, 5).map(({ attributes }) => attributes["network.transport"])).toEqual(Array(4).fill("pipe"));
    },
    60_000,
  );

  test("over HTTP, with and without sessions", async () => {
    const server = await start("server", "http");
    const gateway = await start("gateway", "http", server.url);
    const traces = new Map<string, string>();
    for (const lifecycle of lifecycles) {
      const telemetry = openTelemetry({ tracer: host.getTracer("mcp") });
      const connection = await connectHttp(gateway.url, { info, revisions, lifecycle, telemetry });
      const { result, traceId } = await callAsHost(connection);
      await connection.close();
      expect(result).toMatchObject({ content: [{ text: "ada" }] });
      traces.set(lifecycle, traceId);
    }
    await gateway.end();
    await server.end();
    await host.forceFlush();
    for (const [lifecycle, traceId] of traces) {
      const path = readPath(traceId);
      expect(path.map(({ service, kind, name }) => [service, kind, name])).toEqual(wholePath);
      const [, sender, receiving] = path;
      const network = { "network.transport": "tcp", "network.protocol.name": "http" };
      const port = Number(new URL(gateway.url).port);
      expect(sender?.attributes).toMatchObject({ ...network, "server.address": "127.0.0.1", "server.port": port });
      expect(receiving?.attributes).toMatchObject({
        ...network,
        "network.protocol.version": "1.1",
        "client.address": "127.0.0.1",
        "client.port": expect.any(Number),
      });
      const ids = [sender, receiving].map((span) => span?.attributes["mcp.session.id"]);
      expect(ids[0]).toBe(ids[1]);
      expect(typeof ids[0]).toBe(lifecycle === "handshake" ? "string" : "undefined");
    }
  });
});
