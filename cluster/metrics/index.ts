/** Figures of a cluster, and their text for Prometheus. */
export { EngineMetrics, measureEngine } from "./engine-metrics.ts";
export type { EngineMetricsSnapshot, OperationFigures } from "./engine-metrics.ts";
export { createMetricsPage } from "./metrics-page.ts";
export type { MetricsSources } from "./metrics-page.ts";
export { toPrometheusText } from "./prometheus-text.ts";
export type { MetricsSnapshots } from "./prometheus-text.ts";
export { serveMetrics } from "./serve-metrics.ts";
export type { MetricsListener, ServeMetricsOptions } from "./serve-metrics.ts";
