import type { Metrics } from "../../runtime/jsonrpc/metrics.ts";
import type { MetricsPage } from "../../runtime/transport/http-server/metrics-page.ts";
import type { EngineMetrics } from "./engine-metrics.ts";
import { toPrometheusText } from "./prometheus-text.ts";

/** Metrics of a process. */
export interface MetricsSources {
  readonly server?: Pick<Metrics, "read">;
  readonly engine?: Pick<EngineMetrics, "read">;
}

/**
 * Creates the page of an HTTP server with its metrics as text for Prometheus. Every program with access to the server can read it. Where this is not
 * acceptable, use `serveMetrics` with a port of its own.
 *
 * @example
 * ```ts
 * import { Metrics, runServer } from "mcp-server-runtime";
 * import { createMetricsPage } from "mcp-server-runtime/metrics";
 *
 * const metrics = new Metrics();
 * await runServer(server, { metrics, metricsPage: createMetricsPage({ server: metrics }) });
 * ```
 */
export function createMetricsPage({ server, engine }: MetricsSources, path = "/metrics"): MetricsPage {
  return {
    path,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    read: () =>
      toPrometheusText({ ...(server && { server: server.read() }), ...(engine && { engine: engine.read() }) }),
  };
}
