import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { FollowedStream } from "../../../cluster/streams/followed-stream.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { firstNode, key, secondNode } from "../contract/cluster.ts";
import type { EventWriter } from "../../../runtime/transport/http-server/exchange/exchange.ts";
import { toWriter } from "../event-writer.ts";

const name = "first000000000";

/** Default of the lease of a node in milliseconds. */
const lease = 6_000;

/** Follows a stream of the first node on the second one, from its beginning. */
function follow(
  { events, nodes }: Engine,
  clock: ManualClock,
  options: { readonly isPrimed?: boolean; open(): EventWriter },
): FollowedStream {
  const place = { session: key, name, events, nodes, node: secondNode };
  const watch = async () => () => {};
  return new FollowedStream({ ...place, canSeal: () => true, clock, retry: 20, watch, fail() {}, ...options }, -1);
}

/** Follows a stream of the first node, whose first event is an id that only some clients get, and loses the engine for two seconds. */
async function followWhileLost(isPrimed: boolean): Promise<{ readonly isConnected: boolean; readonly text: string }> {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  await engine.nodes.renew(firstNode, { milliseconds: 60_000, isNew: true });
  const append = { stream: name, owner: firstNode, fence: 0 };
  await engine.events.append(key, { ...append, first: 0, data: [""], requests: [1] });
  const written: string[] = [];
  const stream = follow(engine, clock, { isPrimed, open: () => toWriter(written) });
  await clock.pass(1_000);
  memory.lose();
  await clock.pass(2_000);
  const { isConnected } = stream;
  memory.restore();
  await engine.events.append(key, { ...append, first: 1, data: ["response"], settled: [1] });
  await clock.pass(2_000);
  await stream.finished;
  return { isConnected, text: written.join("") };
}

test("a connection without an event id stays open while the engine is lost, and gets what follows once", async () => {
  const { isConnected, text } = await followWhileLost(false);
  expect(isConnected).toBe(true);
  expect(text.match(/data: response/g)).toHaveLength(1);
});

test("a connection with an event id ends while the engine is lost, as its client resumes", async () => {
  const { isConnected, text } = await followWhileLost(true);
  expect(isConnected).toBe(false);
  expect(text).toContain(`id: ${name}-0`);
  expect(text).not.toContain("response");
});

/** Follows a stream of a node that stops at this time, and returns the time after which another node has taken the stream over. */
async function takeOver(stopsAt: number): Promise<{ readonly after: number; readonly text: string }> {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const renew = (isNew: boolean): unknown => engine.nodes.renew(firstNode, { milliseconds: lease, isNew });
  await renew(true);
  await engine.events.append(key, { stream: name, owner: firstNode, fence: 0, first: 0, data: [""], requests: [1] });
  const written: string[] = [];
  let endedAt: number | undefined;
  const stream = follow(engine, clock, { open: () => toWriter(written) });
  void stream.finished.then(() => (endedAt = clock.now()));
  // A node renews its lease three times in its duration.
  for (; clock.now() + lease / 3 <= stopsAt; await renew(false)) await clock.pass(lease / 3);
  await clock.pass(stopsAt - clock.now());
  expect(endedAt).toBeUndefined();
  await clock.pass(10_000);
  if (endedAt === undefined) return expect.unreachable("No node has taken the stream over within 10 s");
  return { after: endedAt - stopsAt, text: written.join("") };
}

test.each([0, 1_999, 2_000, 5_500, 31_234])(
  "a stream of a node that stops after %d ms is taken over by another node within 10 s, and its request gets an error",
  async (stopsAt) => {
    const { after, text } = await takeOver(stopsAt);
    expect(after).toBeLessThanOrEqual(10_000);
    // With its first event, a client knows where to resume.
    expect(text).toContain(`id: ${name}-0`);
    expect(text).toContain('"id":1,"error"');
  },
);

test("a stream of another node writes to its own connection only, and sends nothing", async () => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  await engine.nodes.renew(firstNode, { milliseconds: lease, isNew: true });
  const ends: string[] = [];
  const toConnection = (connection: string): EventWriter => ({
    ...toWriter([]),
    end: () => void ends.push(connection),
  });
  const stream = follow(engine, clock, { open: () => toConnection("own") });
  stream.connect(toConnection("other"));
  expect([ends, stream.isConnected]).toEqual([["other"], true]);
  await expect(stream.send()).rejects.toThrow("Another node writes the stream");
  stream.end();
  expect([ends, stream.isConnected]).toEqual([["other", "own"], false]);
});
