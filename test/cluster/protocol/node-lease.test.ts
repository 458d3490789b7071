import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { NodeLease } from "../../../cluster/node-lease.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { override } from "../../kit/override.ts";

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

test("a node that leaves while it is registered has no lease afterwards", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const slow = createGate();
  const nodes = override(engine.nodes, {
    async renew(...renewal) {
      await slow.opened;
      return engine.nodes.renew(...renewal);
    },
  });
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const lease = new NodeLease({ nodes, clock, lease: 6_000, receiver, fail() {} });
  const registered = lease.register();
  const left = lease.leave();
  slow.open();
  await Promise.all([registered, left]);
  expect(await engine.nodes.isAlive(lease.name)).toBe(false);
});

test("a node whose registration has failed once receives each message once", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  let attempts = 0;
  const nodes = override(engine.nodes, {
    async renew(...renewal) {
      attempts += 1;
      if (attempts === 1) throw new Error("The engine is away");
      return engine.nodes.renew(...renewal);
    },
  });
  const kinds: string[] = [];
  const receiver = {
    message: ({ kind }: { readonly kind: string }) => void kinds.push(kind),
    broadcastReceived() {},
    missed() {},
    changed() {},
  };
  const lease = new NodeLease({ nodes, clock, lease: 6_000, receiver, fail() {} });
  await expect(lease.register()).rejects.toThrow("The engine is away");
  await lease.register();
  await engine.nodes.send(lease.name, { kind: "ended", session: { id: "1", owner: undefined } });
  await clock.pass(0);
  expect(kinds).toEqual(["ended"]);
  await lease.leave();
});
