import { isObject } from "../../../../generated/support.ts";
import { readText, serveRaw, type Running } from "../../../kit/raw-server.ts";

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

/** Receiver of OTLP over HTTP with JSON. */
export interface OtlpReceiver extends Running {
  readonly spans: readonly ReceivedSpan[];
  /** Names of the metrics that were received. */
  readonly metrics: ReadonlySet<string>;
}

/** Starts a receiver. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const { origin, close } = await serveRaw(async (request, response) => {
    const body: unknown = JSON.parse(await readText(request));
    if (request.url === "/v1/traces") spans.push(...readSpans(body));
    if (request.url === "/v1/metrics") for (const name of readMetrics(body)) metrics.add(name);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return { url: origin, spans, metrics, close };
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
