import process from "node:process";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { revisions } from "../../../../generated/revisions.ts";
import { openTelemetry } from "../../../../runtime/adapters/open-telemetry/index.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp, serveGatewayStdio } from "../../../../runtime/gateway/serve.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { runStdio } from "../../../../runtime/server/run/run-server.ts";

/*
 * A server or a gateway in front of one, over stdio or HTTP, that exports its spans to OTEL_EXPORTER_OTLP_ENDPOINT.
 * Arguments: `server` or `gateway`, `stdio` or `http`, and for a gateway the URL or the command of the server.
 */

const endpoint = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
const [, , role = "", transport = "", ...upstream] = process.argv;
const resource = resourceFromAttributes({ "service.name": role });
const provider = new BasicTracerProvider({
  resource,
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
);
trace.setGlobalTracerProvider(provider);
const telemetry = openTelemetry({ close: () => provider.shutdown() });

const server = createServer(
  {
    name: "server",
    version: "1",
    tools: [
      {
        name: "work",
        execute: () =>
          trace.getTracer("tool").startActiveSpan("query", async (span) => {
            await Promise.resolve();
            span.end();
            return String(propagation.getActiveBaggage()?.getEntry("user")?.value);
          }),
      },
    ],
  },
  revisions,
);

async function serveGateway(): Promise<void> {
  const [first = "", ...others] = upstream;
  const place = first.startsWith("http")
    ? ({ kind: "url", url: first } as const)
    : ({ kind: "command", command: first, args: others, env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } } as const);
  const gateway = await createGateway(place, { revisions, telemetry });
  if (transport === "stdio") return void (await serveGatewayStdio(gateway));
  const listener = await serveGatewayHttp(gateway);
  process.stdout.write(listener.url);
  await ended();
  await listener.close();
  await gateway.close();
}

async function serveServer(): Promise<void> {
  // It ends the process.
  if (transport === "stdio") return runStdio(server, { telemetry, args: [] });
  const listener = await serveHttp(server, { telemetry });
  process.stdout.write(listener.url);
  await ended();
  await listener.close();
}

/** Resolves when the test has closed stdin. */
function ended(): Promise<void> {
  return new Promise((resolve) => process.stdin.resume().once("end", resolve));
}

await (role === "gateway" ? serveGateway() : serveServer());
await provider.shutdown();
process.exit(0);
