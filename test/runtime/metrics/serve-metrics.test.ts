import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { EngineMetrics } from "../../../runtime/metrics/engine-metrics.ts";
import { serveMetrics } from "../../../runtime/metrics/serve-metrics.ts";
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
  const sent = request(new URL(path, await start()), { method, headers });
  const found = await new Promise((resolve, reject) => {
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
  expect(found).toBe(status);
});

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
