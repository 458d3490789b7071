import { expect, test } from "vitest";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { EngineMetricsSnapshot } from "../../../cluster/metrics/engine-metrics.ts";
import { toPrometheusText } from "../../../cluster/metrics/prometheus-text.ts";
import { parsePrometheusText } from "./parse-prometheus-text.ts";

const engine: EngineMetricsSnapshot = {
  state: "degraded",
  operations: new Map([
    ["events.append", { count: 3, errors: 1, seconds: 2.5, buckets: [0, 1, 1, 2, 2, 2, 2, 2, 2, 2] }],
  ]),
  outcomes: new Map([["events.append", new Map([["fenced", 2]])]]),
  messages: new Map([['a "kind"\n\\', new Map([["absent", 1]])]]),
  events: 7,
  tasksTakenOver: 1,
};

test("the figures of an engine are samples with labels", () => {
  const samples = parsePrometheusText(toPrometheusText({ engine }));
  const find = (name: string, labels: object): number | undefined =>
    samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
  expect(find("mcp_engine_state", { state: "degraded" })).toBe(1);
  expect(find("mcp_engine_state", { state: "ready" })).toBe(0);
  expect(find("mcp_engine_operation_seconds_bucket", { operation: "events.append", le: "0.0025" })).toBe(1);
  expect(find("mcp_engine_operation_seconds_bucket", { operation: "events.append", le: "1" })).toBe(2);
  expect(find("mcp_engine_operation_seconds_bucket", { operation: "events.append", le: "+Inf" })).toBe(3);
  expect(find("mcp_engine_operation_seconds_sum", { operation: "events.append" })).toBe(2.5);
  expect(find("mcp_engine_operation_seconds_count", { operation: "events.append" })).toBe(3);
  expect(find("mcp_engine_errors_total", { operation: "events.append" })).toBe(1);
  expect(find("mcp_engine_outcomes_total", { operation: "events.append", outcome: "fenced" })).toBe(2);
  expect(find("mcp_engine_messages_total", { kind: 'a "kind"\n\\', outcome: "absent" })).toBe(1);
  expect(find("mcp_engine_events_total", {})).toBe(7);
  expect(find("mcp_engine_tasks_taken_over_total", {})).toBe(1);
});

test("the figures of a server are samples with the type of each metric", () => {
  const metrics = new Metrics();
  metrics.rejected(404);
  metrics.rejected(404);
  metrics.drop("log", 3);
  metrics.watchLoop(() => ({ mean: 1, p99: 20, max: 300 }));
  const samples = parsePrometheusText(toPrometheusText({ server: metrics.read() }));
  expect(samples).toEqual(
    expect.arrayContaining([
      { name: "mcp_connections", type: "gauge", labels: {}, value: 0 },
      { name: "mcp_rejected_requests_total", type: "counter", labels: { status: "404" }, value: 2 },
      { name: "mcp_dropped_total", type: "counter", labels: { kind: "log" }, value: 3 },
      { name: "mcp_loop_delay_seconds", type: "gauge", labels: { figure: "p99" }, value: 0.02 },
    ]),
  );
  expect(samples.filter(({ name }) => name === "mcp_error_responses_total")).toEqual([]);
});

test("a process without figures has an empty text", () => {
  expect(toPrometheusText({})).toBe("");
});
