import type { MetricsPage } from "../transport/http-server/listen.ts";
import { prometheusType, readMetricsText, type MetricsSources } from "./serve-metrics.ts";

/**
 * Creates the page of an HTTP server with its metrics as text for Prometheus. Everyone who can reach the server can read it: use `serveMetrics` with a
 * port of its own where that is not acceptable.
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
export function createMetricsPage(sources: MetricsSources, path = "/metrics"): MetricsPage {
  return { path, contentType: prometheusType, read: () => readMetricsText(sources) };
}
