import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { EngineMetrics } from "../../../runtime/metrics/engine-metrics.ts";
import { createMetricsPage } from "../../../runtime/metrics/metrics-page.ts";
import { serveMetrics } from "../../../runtime/metrics/serve-metrics.ts";
import { listenHttp } from "../../../runtime/transport/http-server/listen.ts";
import { parsePrometheusText } from "./parse-prometheus-text.ts";

async function start(): Promise<string> {
  const listener = await serveMetrics({ server: new Metrics(), engine: new EngineMetrics() });
  onTestFinished(() => listener.close());
  return listener.url;
}

test("metrics are served as text of Prometheus", async () => {
  const response = await fetch(await start());
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const names = parsePrometheusText(await response.text()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["mcp_connections", "mcp_engine_events_total"]));
});

test.each([
  ["GET", "/metrics?a=b", {}, 200],
  ["HEAD", "/metrics", {}, 200],
  ["POST", "/metrics", {}, 405],
  ["GET", "/", {}, 404],
  ["GET", "/metrics/", {}, 404],
  ["GET", "/metrics", { host: "attacker.example" }, 403],
])("%s %s with the headers %j has status %i", async (method, path, headers, status) => {
  expect((await send(new URL(path, await start()), method, headers)).statusCode).toBe(status);
});

/** Sends a request with any headers. */
function send(url: URL, method: string, headers: Record<string, string>): Promise<Received> {
  const sent = request(url, { method, headers });
  return new Promise((resolve, reject) => {
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ statusCode: response.statusCode, text }));
    });
    sent.on("error", reject).end();
  });
}

interface Received {
  readonly statusCode: number | undefined;
  readonly text: string;
}

test("metrics that cannot be read have status 500, and the process continues", async () => {
  const reports: ErrorReport[] = [];
  const read = (): never => {
    throw new Error("not readable");
  };
  const listener = await serveMetrics({ server: { read } }, { onError: (report) => reports.push(report) });
  onTestFinished(() => listener.close());
  expect((await fetch(listener.url)).status).toBe(500);
  expect(reports).toMatchObject([{ kind: "callback", error: { message: "not readable" } }]);
});

test.each([
  ["GET", "/metrics", {}, 200],
  ["HEAD", "/metrics?a=b", {}, 200],
  ["POST", "/metrics", {}, 405],
  ["GET", "/health", {}, 200],
  ["GET", "/metrics", { host: "attacker.example" }, 403],
])("a page of a server: %s %s with the headers %j has status %i", async (method, path, headers, status) => {
  const service = { revisions, accept: () => expect.unreachable("No message was sent") };
  const metricsPage = createMetricsPage({ server: new Metrics() });
  const listener = await listenHttp(service, { metricsPage, health: "/health" });
  onTestFinished(() => listener.close());
  const { statusCode, text } = await send(new URL(path, listener.url), method, headers);
  expect(statusCode).toBe(status);
  const isShown = status === 200 && method === "GET" && path.startsWith("/metrics");
  expect(parsePrometheusText(isShown ? text : "").some(({ name }) => name === "mcp_connections")).toBe(isShown);
});

test("a page that cannot be read has status 500, and the server continues", async () => {
  const reports: ErrorReport[] = [];
  const read = (): never => {
    throw new Error("not readable");
  };
  const service = { revisions, accept: () => expect.unreachable("No message was sent") };
  const metricsPage = createMetricsPage({ server: { read } });
  const listener = await listenHttp(service, { metricsPage, onError: (report) => reports.push(report) });
  onTestFinished(() => listener.close());
  for (const _attempt of [1, 2]) expect((await fetch(new URL("/metrics", listener.url))).status).toBe(500);
  expect(reports).toMatchObject([{ kind: "callback" }, { kind: "callback" }]);
});
