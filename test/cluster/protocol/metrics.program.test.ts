import { expect, it, onTestFinished } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { EngineMetrics, measureEngine, serveMetrics } from "../../../cluster/metrics/index.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { parsePrometheusText, type Sample } from "../metrics/parse-prometheus-text.ts";
import { call, initialize, openStream, send } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { until } from "../../kit/time.ts";
import { defineTool } from "../../runtime/tasks/task-wire.ts";
import { lease, startEngines } from "./nodes.ts";

/** Node with metrics. */
interface MeasuredNode {
  readonly url: string;
  /** Sum of the samples with a name and labels. */
  read(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

async function startNode(connected: Engine): Promise<MeasuredNode> {
  const metrics = { server: new Metrics(), engine: new EngineMetrics() };
  const cluster = await joinCluster(measureEngine(connected, metrics.engine), { lease, onError: () => {} });
  const server = createServer(
    {
      name: "measured",
      version: "1",
      onError: () => {},
      tools: [
        defineTool({
          name: "ask",
          async execute(_args, { elicit }) {
            const { action } = await elicit({ message: "Go on?", requestedSchema: { type: "object", properties: {} } });
            return action;
          },
        }),
      ],
    },
    revisions,
  );
  const listener = await serveHttp(server, { cluster, metrics: metrics.server, closeTimeout: 50, retry: 20 });
  const served = await serveMetrics(metrics);
  const close = async (): Promise<void> => {
    await served.close();
    await listener.close();
    await cluster.close();
  };
  onTestFinished(close);
  const isLike = (sample: Sample, name: string, labels: Readonly<Record<string, string>>): boolean =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return {
    url: listener.url,
    close,
    async read(name, labels = {}) {
      const samples = parsePrometheusText(await (await fetch(served.url)).text());
      return samples.filter((sample) => isLike(sample, name, labels)).reduce((sum, { value }) => sum + value, 0);
    },
  };
}

it("the metrics of two nodes say which of them did what, and their sum is what the cluster did", async () => {
  const engines = await startEngines(2);
  onTestFinished(() => engines.stop());
  const [first, second] = [
    await startNode(engines.all[0] ?? neverEngine()),
    await startNode(engines.all[1] ?? neverEngine()),
  ];
  const opened = await send(first.url, undefined, { body: initialize("2025-11-25", { elicitation: { form: {} } }) });
  const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  await send(second.url, undefined, { headers, body: initialized });
  const running = await openStream(first.url, { headers, body: call(1, "ask") });
  const { id } = await running.message();
  await until(() => running.events.length > 0);
  expect(await first.read("mcp_requests_running")).toBe(1);
  expect(await second.read("mcp_requests_running")).toBe(0);
  const response = { jsonrpc: "2.0", id, result: { action: "decline" } };
  await send(second.url, undefined, { headers, body: response });
  await running.end();

  const nodes = [first, second];
  const sum = async (name: string, labels?: Readonly<Record<string, string>>): Promise<readonly number[]> =>
    Promise.all(nodes.map((node) => node.read(name, labels)));
  // The stream of the call: an event without a message, the request for input, and the response.
  expect(await sum("mcp_engine_events_total")).toEqual([3, 0]);
  expect(await sum("mcp_engine_messages_total", { kind: "deliver", outcome: "sent" })).toEqual([0, 1]);
  expect(await sum("mcp_engine_operation_seconds_count", { operation: "sessions.add" })).toEqual([1, 0]);
  for (const count of await sum("mcp_engine_operation_seconds_count", { operation: "sessions.access" }))
    expect(count).toBeGreaterThan(0);
  expect(await sum("mcp_engine_state", { state: "ready" })).toEqual([1, 1]);
  expect(await sum("mcp_engine_errors_total")).toEqual([0, 0]);
  expect(await sum("mcp_requests_running")).toEqual([0, 0]);

  await engines.all[1]?.close();
  await send(second.url, undefined, { headers, body: call(2, "ask") });
  const [state, errors] = [await sum("mcp_engine_state", { state: "ready" }), await sum("mcp_engine_errors_total")];
  expect(state).toEqual([1, 0]);
  expect(errors[0]).toBe(0);
  expect(errors[1]).toBeGreaterThan(0);
  expect(await sum("mcp_rejected_requests_total", { status: "503" })).toEqual([0, 1]);
});

function neverEngine(): never {
  throw new Error("the cluster has too few engines");
}
