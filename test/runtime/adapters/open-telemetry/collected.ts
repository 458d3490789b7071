import { afterAll, beforeEach } from "vitest";
import { SpanKind, context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";

/** Spans and durations that the SDK of this process has collected in a test. */
export interface Collected {
  /** Spans that have ended, in this order, without those of methods that are left out. */
  spans(...leftOut: readonly string[]): readonly ReadableSpan[];
  /** Names and kinds of the spans from the beginning of a trace to the first ended span with a name at a receiver. */
  pathTo(name: string): readonly (readonly [name: string, kind: string | undefined])[];
  /** Data points of a histogram. */
  durations(name: string): Promise<readonly DataPoint<Histogram>[]>;
}

/** Registers the SDK with exporters in memory, for the tests of a file. */
export function collect(): Collected {
  const spans = new InMemorySpanExporter();
  const durations = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter: durations, exportIntervalMillis: 600_000 });
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const meters = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  beforeEach(async () => {
    await reader.forceFlush();
    durations.reset();
    spans.reset();
  });
  afterAll(async () => {
    for (const api of [context, propagation, trace, metrics]) api.disable();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
  });
  return {
    spans: (...leftOut) =>
      spans.getFinishedSpans().filter(({ attributes }) => !leftOut.includes(String(attributes["mcp.method.name"]))),
    pathTo(name) {
      const all = spans.getFinishedSpans();
      const byId = new Map(all.map((span) => [span.spanContext().spanId, span]));
      const path: (readonly [string, string | undefined])[] = [];
      let span = all.find((one) => one.name === name && one.kind === SpanKind.SERVER);
      for (; span; span = byId.get(span.parentSpanContext?.spanId ?? ""))
        path.unshift([span.name, SpanKind[span.kind]]);
      return path;
    },
    async durations(name) {
      await reader.forceFlush();
      const all = durations.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      return all.flatMap((metric) =>
        metric.descriptor.name === name && metric.dataPointType === 0 ? metric.dataPoints : [],
      );
    },
  };
}
