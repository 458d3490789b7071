import { expect, test } from "vitest";
import { createMemoryCluster, type MemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { OutgoingRelays } from "../../../cluster/relay/outgoing-relays.ts";
import { StreamWatchers } from "../../../cluster/streams/stream-watchers.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { createRecord } from "../contract/cluster.ts";

const [key, node] = [{ id: "1", owner: "ada" }, "other"];

/** Relay of a request to a node that does not begin to serve it. */
interface OpenRelay {
  readonly memory: MemoryCluster;
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly outcomes: readonly unknown[];
}

async function beginRelay(): Promise<OpenRelay> {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  await engine.nodes.renew(node, { milliseconds: 60_000, isNew: true });
  await engine.sessions.add(createRecord(key.id, key.owner));
  const unused = (): never => {
    throw new Error("The stream has no events");
  };
  const relays = new OutgoingRelays({
    engine,
    clock,
    watchers: new StreamWatchers(engine.nodes),
    isStable: () => true,
    send: async () => "sent",
    follow: unused,
    end: unused,
    nameStream: () => "stream",
  });
  const outcomes: unknown[] = [];
  void relays.begin({ remote: { key, node }, following: { retry: 20, open: unused } }).then(
    (outcome) => outcomes.push(outcome),
    (thrown: unknown) => outcomes.push(thrown),
  );
  await clock.pass(3_000);
  return { memory, engine, clock, outcomes };
}

test("a relayed request whose session ends before its first event ends", async () => {
  const { engine, clock, outcomes } = await beginRelay();
  expect(outcomes).toEqual([]);
  await engine.sessions.end(key);
  await clock.pass(2_000);
  expect(outcomes).toEqual([{ kind: "ended" }]);
});

test("a relayed request that the other node has received waits while the engine is lost", async () => {
  const { memory, engine, clock, outcomes } = await beginRelay();
  memory.lose();
  await clock.pass(3_000);
  expect(outcomes).toEqual([]);
  memory.restore();
  await engine.sessions.end(key);
  await clock.pass(2_000);
  expect(outcomes).toEqual([{ kind: "ended" }]);
});
