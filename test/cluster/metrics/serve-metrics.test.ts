import { describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { EngineMetrics } from "../../../cluster/metrics/engine-metrics.ts";
import { createMetricsPage, type MetricsSources } from "../../../cluster/metrics/metrics-page.ts";
import { serveMetrics } from "../../../cluster/metrics/serve-metrics.ts";
import { listenHttp } from "../../../runtime/transport/http-server/listen.ts";
import { send } from "../../kit/http-exchange.ts";
import { parsePrometheusText } from "./parse-prometheus-text.ts";

/** Function that serves metrics until the end of a test. Returns their URL. */
type Start = (sources: MetricsSources, onError?: (report: ErrorReport) => void) => Promise<URL>;

const startPort: Start = async (sources, onError = () => {}) => {
  const listener = await serveMetrics(sources, { onError });
  onTestFinished(() => listener.close());
  return new URL(listener.url);
};

const startPage: Start = async (sources, onError = () => {}) => {
  const service = { revisions, accept: () => expect.unreachable("No message was sent"), readParamHeaders: () => [] };
  const metricsPage = createMetricsPage(sources);
  const listener = await listenHttp(service, { metricsPage, health: "/health", onError });
  onTestFinished(() => listener.close());
  return new URL("/metrics", listener.url);
};

test("metrics are served as text of Prometheus", async () => {
  const response = await fetch(await startPort({ server: new Metrics(), engine: new EngineMetrics() }));
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const names = parsePrometheusText(await response.text()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["mcp_connections", "mcp_engine_events_total"]));
});

describe.each([
  ["a port of their own", startPort],
  ["a page of a server", startPage],
])("metrics on %s", (_place, start) => {
  test.each([
    ["GET", "/metrics", {}, 200],
    ["GET", "/metrics?a=b", {}, 200],
    ["HEAD", "/metrics?a=b", {}, 200],
    ["POST", "/metrics", {}, 405],
    ["GET", "/", {}, 404],
    ["GET", "/metrics/", {}, 404],
    ["GET", "/metrics", { host: "attacker.example" }, 403],
  ])("%s %s with the headers %j has status %i", async (method, path, headers, status) => {
    const { href } = await start({ server: new Metrics() });
    const response = await send(href, undefined, { method, path, headers });
    expect(response.status).toBe(status);
    expect(response.text.includes("\nmcp_connections ")).toBe(status === 200 && method === "GET");
  });

  test("metrics that cannot be read have status 500, and the process continues", async () => {
    const reports: ErrorReport[] = [];
    const read = (): never => {
      throw new Error("not readable");
    };
    const url = await start({ server: { read } }, (report) => reports.push(report));
    for (const _attempt of [1, 2]) expect((await fetch(url)).status).toBe(500);
    const report = { kind: "callback", error: { message: "not readable" } };
    expect(reports).toMatchObject([report, report]);
  });
});

test("a page of metrics leaves the other paths of the server as they are", async () => {
  const response = await fetch(new URL("/health", await startPage({ server: new Metrics() })));
  expect(response.status).toBe(200);
  expect(await response.text()).not.toContain("mcp_connections");
});
