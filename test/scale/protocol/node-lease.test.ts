import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../runtime/scale/memory-engine.ts";
import { NodeLease } from "../../../runtime/scale/node-lease.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

test("a node reports an engine that is away once, until the engine is back", async () => {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  const errors: unknown[] = [];
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const fail = (thrown: unknown): void => void errors.push(thrown);
  const lease = new NodeLease({ nodes: engine.nodes, clock, lease: 6_000, receiver, fail });
  await lease.register();
  for (const outage of [1, 2]) {
    memory.lose();
    await clock.pass(5_000);
    expect(errors).toHaveLength(outage);
    memory.restore();
    await clock.pass(2_000);
  }
  await lease.leave();
});

test("a node keeps its name when its lease expires, and trusts expired leases again after half of a lease", async () => {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const lease = new NodeLease({ nodes: engine.nodes, clock, lease: 6_000, receiver, fail() {} });
  const { name } = lease;
  await lease.register();
  expect(lease.isStable).toBe(false);
  await clock.pass(3_000);
  expect(lease.isStable).toBe(true);
  memory.lose();
  await clock.pass(7_000);
  memory.restore();
  expect([await engine.nodes.isAlive(name), lease.isStable]).toEqual([false, false]);
  await clock.pass(2_000);
  expect([lease.name, await engine.nodes.isAlive(name), lease.isStable]).toEqual([name, true, false]);
  await clock.pass(4_000);
  expect(lease.isStable).toBe(true);
  await lease.leave();
});
