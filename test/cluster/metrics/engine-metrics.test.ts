import { expect, test } from "vitest";
import { EngineMetrics, measureEngine } from "../../../cluster/metrics/engine-metrics.ts";
import { createMemoryCluster, type MemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { createRecord, firstNode, key, secondNode } from "../contract/cluster.ts";

interface Measured {
  readonly memory: MemoryCluster;
  readonly engine: Engine;
  readonly metrics: EngineMetrics;
}

async function start(): Promise<Measured> {
  const memory = createMemoryCluster();
  const metrics = new EngineMetrics();
  const engine = measureEngine(memory.connect(), metrics);
  await engine.open();
  return { memory, engine, metrics };
}

test("a measured engine performs its operations, and counts them with their outcomes", async () => {
  const { engine, metrics } = await start();
  const stream = { stream: "a", owner: firstNode, fence: 0, requests: [1] };
  expect(await engine.sessions.add(createRecord(key.id, key.owner))).toBe(true);
  expect(await engine.events.append(key, { ...stream, first: 0, data: ["one", "two"] })).toBe("stored");
  expect(await engine.events.append(key, { ...stream, first: 9, data: ["ten"] })).toBe("gap");
  expect(await engine.events.adopt(key, { stream: "a", fence: 0, node: secondNode })).toBeDefined();
  expect(await engine.events.append(key, { ...stream, first: 2, data: ["three"] })).toBe("fenced");
  expect(await engine.nodes.send(secondNode, { kind: "ended", session: key })).toBe("absent");
  const { operations, outcomes, messages, events, state } = metrics.read();
  expect(operations.get("sessions.add")).toMatchObject({ count: 1, errors: 0 });
  expect(operations.get("events.append")?.count).toBe(3);
  expect(Object.fromEntries(outcomes.get("events.append") ?? [])).toEqual({ stored: 1, gap: 1, fenced: 1 });
  expect(Object.fromEntries(outcomes.get("events.adopt") ?? [])).toEqual({ adopted: 1 });
  expect(Object.fromEntries(messages.get("ended") ?? [])).toEqual({ absent: 1 });
  expect({ events, state }).toEqual({ events: 2, state: "ready" });
});

test("operations that fail are counted as errors, and still fail", async () => {
  const { memory, engine, metrics } = await start();
  memory.lose();
  await expect(engine.sessions.readState(key)).rejects.toThrow();
  const figures = metrics.read().operations.get("sessions.readState");
  expect(figures).toMatchObject({ count: 1, errors: 1 });
  expect(metrics.read().state).toBe("lost");
});

test("a snapshot does not change, and buckets count all shorter durations", async () => {
  const { engine, metrics } = await start();
  await engine.sessions.readState(key);
  const { operations } = metrics.read();
  await engine.sessions.readState(key);
  const figures = operations.get("sessions.readState");
  expect(figures?.count).toBe(1);
  expect(figures?.buckets.at(-1)).toBe(1);
  expect(figures?.buckets).toEqual(figures?.buckets.toSorted((a, b) => a - b));
});
