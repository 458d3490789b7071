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

test("a node registers at last when the engine is back, and its failures are reported", async () => {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const errors: unknown[] = [];
  const create = (): NodeLease =>
    new NodeLease({ nodes: engine.nodes, clock, lease: 6_000, receiver, fail: (thrown) => errors.push(thrown) });
  const [prompt, late, ended] = [create(), create(), create()];
  expect(await prompt.registerAtLast()).toBe(false);
  memory.lose();
  const outcomes: [string, boolean][] = [];
  void late.registerAtLast().then((isLate) => outcomes.push(["late", isLate]));
  void ended.registerAtLast().then((isLate) => outcomes.push(["ended", isLate]));
  await clock.pass(1_500);
  expect([outcomes, errors.length]).toEqual([[], 4]);
  await ended.leave();
  memory.restore();
  await clock.pass(1_000);
  expect(outcomes.toSorted()).toEqual([
    ["ended", false],
    ["late", true],
  ]);
  expect([await engine.nodes.isAlive(late.name), await engine.nodes.isAlive(ended.name)]).toEqual([true, false]);
  expect(late.isOver).toBe(false);
  await Promise.all([prompt.leave(), late.leave()]);
  expect([await engine.nodes.isAlive(prompt.name), late.isOver]).toEqual([false, true]);
});

test("a node whose lease was not renewed in time renews it before it is used", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const renewals: boolean[] = [];
  const nodes = override(engine.nodes, {
    renew(name, renewal) {
      renewals.push(renewal.isNew);
      return engine.nodes.renew(name, renewal);
    },
  });
  // The process is suspended: no timer runs.
  const suspended = override(clock, { after: () => () => {} });
  const lease = new NodeLease({ nodes, clock: suspended, lease: 6_000, receiver, fail() {} });
  await lease.ensure();
  clock.advance(5_999);
  await lease.ensure();
  expect(renewals).toEqual([true]);
  clock.advance(1);
  await Promise.all([lease.ensure(), lease.ensure()]);
  expect([renewals, await engine.nodes.isAlive(lease.name), lease.isStable]).toEqual([
    [true, false, true],
    true,
    false,
  ]);
  clock.advance(3_000);
  expect(lease.isStable).toBe(true);
  await lease.leave();
});

test("a node that cannot end its lease reports that", async () => {
  const engine = createMemoryCluster().connect();
  await engine.open();
  const errors: unknown[] = [];
  const problem = new Error("The engine is away");
  const nodes = override(engine.nodes, { leave: () => Promise.reject(problem) });
  const receiver = { message() {}, broadcastReceived() {}, missed() {}, changed() {} };
  const fail = (thrown: unknown): void => void errors.push(thrown);
  const options = { nodes, clock: new ManualClock(), lease: 6_000, receiver, fail };
  const [registered, unregistered] = [new NodeLease(options), new NodeLease(options)];
  await registered.register();
  await Promise.all([registered.leave(), unregistered.leave()]);
  expect(errors).toEqual([problem]);
});
