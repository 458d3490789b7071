import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "../../../../generated/support.ts";

/** Span as it was exported. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: "internal" | "server" | "client";
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Receiver of OTLP over HTTP with JSON, on a port of this machine. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Names of the metrics that were received. */
  readonly metrics: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts a receiver. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const body: unknown = JSON.parse(text);
      if (request.url === "/v1/traces") spans.push(...readSpans(body));
      if (request.url === "/v1/metrics") for (const name of readMetrics(body)) metrics.add(name);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const kinds: readonly ReceivedSpan["kind"][] = ["internal", "internal", "server", "client"];

function readSpans(body: unknown): readonly ReceivedSpan[] {
  return membersOf(body, "resourceSpans").flatMap((resourceSpans) => {
    const service = readAttributes(resourceSpans["resource"])["service.name"];
    return membersOf(resourceSpans, "scopeSpans")
      .flatMap((scope) => membersOf(scope, "spans"))
      .map((span) => ({
        service: String(service),
        name: String(span["name"]),
        kind: kinds[Number(span["kind"])] ?? "internal",
        traceId: String(span["traceId"]),
        spanId: String(span["spanId"]),
        parentSpanId: String(span["parentSpanId"] ?? ""),
        attributes: readAttributes(span),
      }));
  });
}

function readMetrics(body: unknown): readonly string[] {
  return membersOf(body, "resourceMetrics")
    .flatMap((resource) => membersOf(resource, "scopeMetrics"))
    .flatMap((scope) => membersOf(scope, "metrics"))
    .map(({ name }) => String(name));
}

function readAttributes(value: unknown): Readonly<Record<string, unknown>> {
  const pairs = membersOf(value, "attributes").map(({ key, value: typed }) => [
    String(key),
    isObject(typed) ? Object.values(typed)[0] : undefined,
  ]);
  return Object.fromEntries(pairs);
}

function membersOf(value: unknown, name: string): readonly Record<string, unknown>[] {
  const list: unknown = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
