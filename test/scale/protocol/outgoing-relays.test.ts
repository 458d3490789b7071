import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../runtime/scale/memory-engine.ts";
import { OutgoingRelays } from "../../../runtime/scale/relay/outgoing-relays.ts";
import { StreamWatchers } from "../../../runtime/scale/streams/stream-watchers.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { createRecord } from "../contract/cluster.ts";

test("a relayed request whose session ends before its first event ends", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const [key, node] = [{ id: "1", owner: "ada" }, "other"];
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
  const following = { retry: 20, open: unused };
  let outcome: unknown;
  void relays.begin({ remote: { key, node }, following }).then((settled) => (outcome = settled));
  await clock.pass(3_000);
  expect(outcome).toBeUndefined();
  await engine.sessions.end(key);
  await clock.pass(2_000);
  expect(outcome).toEqual({ kind: "ended" });
});
