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
  const lease = new NodeLease({ nodes: engine.nodes, clock, lease: 6_000, receiver, onLost() {}, fail });
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
