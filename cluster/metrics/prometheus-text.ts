import type { MetricsSnapshot } from "../../runtime/jsonrpc/metrics.ts";
import { durationBounds, type EngineMetricsSnapshot, type OperationFigures } from "./engine-metrics.ts";

/** Figures of a process. */
export interface MetricsSnapshots {
  /** Figures of its connections, as `Metrics` of the main entry returns them. */
  readonly server?: MetricsSnapshot;
  /** Figures of the engine shared with other nodes. */
  readonly engine?: EngineMetricsSnapshot;
}

/**
 * Returns figures as text for Prometheus and OpenTelemetry collectors.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 * @example
 * ```ts
 * import { Metrics } from "mcp-server-runtime";
 * import { toPrometheusText } from "mcp-server-runtime/metrics";
 *
 * console.log(toPrometheusText({ server: new Metrics().read() }));
 * ```
 */
export function toPrometheusText({ server, engine }: MetricsSnapshots): string {
  const families = [...(server ? toServerFamilies(server) : []), ...(engine ? toEngineFamilies(engine) : [])];
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(formatFamily)
    .join("");
}

/** Metric with its samples. */
interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  /** End of the name, for the samples of histograms. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

function toServerFamilies(snapshot: MetricsSnapshot): readonly Family[] {
  const { loopDelay } = snapshot;
  return [
    gauge("mcp_connections", "Open connections: sessions, and stateless requests.", snapshot.connections),
    gauge("mcp_requests_running", "Requests of clients that are being processed.", snapshot.running),
    gauge("mcp_requests_waiting", "Requests to clients that wait for their response.", snapshot.waiting),
    gauge("mcp_buffered_bytes", "Bytes that wait for slow readers.", snapshot.buffered),
    counter("mcp_error_responses_total", "Error responses by code.", toSamples("code", snapshot.errorResponses)),
    counter("mcp_rejected_requests_total", "Rejected HTTP requests by status.", toSamples("status", snapshot.rejected)),
    counter("mcp_error_reports_total", "Other errors by kind.", toSamples("kind", snapshot.reports)),
    counter("mcp_dropped_total", "Data dropped to stay within limits, by kind.", toSamples("kind", snapshot.dropped)),
    {
      name: "mcp_loop_delay_seconds",
      type: "gauge",
      help: "Delay of the event loop.",
      samples: loopDelay
        ? Object.entries(loopDelay).map(([figure, delay]) => ({ labels: { figure }, value: Number(delay) / 1_000 }))
        : [],
    },
  ];
}

function toEngineFamilies({ state, ...snapshot }: EngineMetricsSnapshot): readonly Family[] {
  const operations = [...snapshot.operations];
  return [
    {
      name: "mcp_engine_state",
      type: "gauge",
      help: "State of the engine: 1 for the present one.",
      samples: state
        ? ["ready", "degraded", "lost"].map((each) => ({ labels: { state: each }, value: each === state ? 1 : 0 }))
        : [],
    },
    {
      name: "mcp_engine_operation_seconds",
      type: "histogram",
      help: "Duration of the operations of the engine.",
      samples: operations.flatMap(([operation, figures]) => toHistogram(operation, figures)),
    },
    counter(
      "mcp_engine_errors_total",
      "Operations of the engine that failed.",
      operations.map(([operation, { errors }]) => ({ labels: { operation }, value: errors })),
    ),
    counter("mcp_engine_outcomes_total", "Operations by outcome.", toNestedSamples("operation", snapshot.outcomes)),
    counter("mcp_engine_messages_total", "Messages to other nodes.", toNestedSamples("kind", snapshot.messages)),
    counter("mcp_engine_events_total", "Events that were stored; repeated ones count again.", [
      { value: snapshot.events },
    ]),
    counter("mcp_engine_tasks_taken_over_total", "Tasks taken over from other nodes.", [
      { value: snapshot.tasksTakenOver },
    ]),
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: "gauge", help, samples: [{ value }] };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: "counter", help, samples };
}

function toSamples(label: string, counts: ReadonlyMap<string | number, number>): readonly Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { [label]: String(key) }, value }));
}

function toNestedSamples(label: string, counts: ReadonlyMap<string, ReadonlyMap<string, number>>): readonly Sample[] {
  return [...counts].flatMap(([key, outcomes]) =>
    [...outcomes].map(([outcome, value]) => ({ labels: { [label]: key, outcome }, value })),
  );
}

function toHistogram(operation: string, { count, seconds, buckets }: OperationFigures): readonly Sample[] {
  const samples = [...durationBounds.map(String), "+Inf"].map((le, index) => ({
    suffix: "_bucket",
    labels: { operation, le },
    value: buckets[index] ?? count,
  }));
  return [
    ...samples,
    { suffix: "_sum", labels: { operation }, value: seconds },
    { suffix: "_count", labels: { operation }, value: count },
  ];
}

function formatFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ suffix = "", labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
