import { expect, test } from "vitest";
import { createMemoryCluster, type MemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { OutgoingRelays, type OutgoingRelaysOptions } from "../../../cluster/relay/outgoing-relays.ts";
import { toUnserved } from "../../../cluster/relay/unserved.ts";
import { StreamWatchers } from "../../../cluster/streams/stream-watchers.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { override } from "../../kit/override.ts";
import { createRecord } from "../contract/cluster.ts";

const [key, node, stream] = [{ id: "1", owner: "ada" }, "other", "stream"];

/** Relay of a request to a node that does not begin to serve it. */
interface OpenRelay {
  readonly memory: MemoryCluster;
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly relays: OutgoingRelays;
  readonly outcomes: readonly unknown[];
  readonly watches: readonly string[];
}

/** Parts of a node that differ, and whether the request is a stateless one. */
interface Given extends Partial<Pick<OutgoingRelaysOptions, "isStable" | "send" | "follow" | "end">> {
  readonly isStateless?: boolean;
}

async function beginRelay({ isStateless, ...given }: Given = {}): Promise<OpenRelay> {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const engine = memory.connect();
  await engine.open();
  await engine.nodes.renew(node, { milliseconds: 60_000, isNew: true });
  await engine.sessions.add(createRecord(key.id, key.owner));
  const unused = (): never => {
    throw new Error("The stream has no events");
  };
  const plain = new StreamWatchers(engine.nodes);
  const watches: string[] = [];
  const watchers = override(plain, {
    async watch(...watch) {
      const unwatch = await plain.watch(...watch);
      watches.push("watch");
      return () => (watches.push("unwatch"), unwatch());
    },
  });
  const relays = new OutgoingRelays({
    engine,
    clock,
    watchers,
    isStable: () => true,
    send: async () => "sent",
    follow: unused,
    end: unused,
    nameStream: () => stream,
    ...given,
  });
  const outcomes: unknown[] = [];
  const post = isStateless ? { post: { value: "request", identity: undefined, isStateless } } : {};
  void relays.begin({ remote: { key, node }, ...post, following: { retry: 20, open: unused } }).then(
    (outcome) => outcomes.push(outcome),
    (thrown: unknown) => outcomes.push(thrown),
  );
  await clock.pass(3_000);
  return { memory, engine, clock, relays, outcomes, watches };
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

test("a relayed request is followed from its first event, and watched until its connection ends", async () => {
  const { opened, open } = createGate();
  const positions: unknown[] = [];
  const response = Object.create({ finished: opened });
  const { engine, clock, outcomes, watches } = await beginRelay({
    follow: (session, position) => (positions.push([session, position]), response),
  });
  await engine.events.append(key, { stream, owner: node, fence: 0, first: 0, data: [""], requests: [1] });
  await clock.pass(1_000);
  expect(outcomes).toEqual([{ kind: "followed", stream: response }]);
  expect([positions, watches]).toEqual([[[key, { stream, sequence: -1 }]], ["watch"]]);
  open();
  await clock.pass(0);
  expect(watches).toEqual(["watch", "unwatch"]);
});

test("a relayed request that its node does not serve ends its session", async () => {
  const ended: unknown[] = [];
  const { engine, clock, outcomes, watches } = await beginRelay({ end: (session) => ended.push(session) });
  await engine.events.append(key, toUnserved(stream, node));
  await clock.pass(1_000);
  expect([outcomes, ended, watches]).toEqual([[{ kind: "ended" }], [key], ["watch", "unwatch"]]);
});

test.each([
  [true, "lost"],
  [false, undefined],
])("a relayed request whose node stops is lost, if an expired lease proves that: %s", async (isStable, kind) => {
  const { engine, clock, outcomes } = await beginRelay({ isStable: () => isStable });
  await engine.nodes.leave(node);
  await clock.pass(2_000);
  expect(outcomes).toEqual(kind === undefined ? [] : [{ kind }]);
});

test("a stateless request waits for its node although no session is stored", async () => {
  const { engine, clock, outcomes } = await beginRelay({ isStateless: true });
  await engine.sessions.end(key);
  await clock.pass(3_000);
  expect(outcomes).toEqual([]);
  await engine.nodes.leave(node);
  await clock.pass(1_000);
  expect(outcomes).toEqual([{ kind: "lost" }]);
});

test.each([
  ["has a lease", true, { kind: "unavailable" }, []],
  ["has stopped", false, { kind: "ended" }, [key]],
])("a request for a node that cannot be reached and %s is not relayed", async (_which, isAlive, outcome, ends) => {
  const ended: unknown[] = [];
  const { relays, engine } = await beginRelay({ send: async () => "absent", end: (session) => ended.push(session) });
  ended.length = 0;
  if (!isAlive) await engine.nodes.leave(node);
  const remote = { key, node };
  const open = (): never => expect.unreachable("The client has no stream");
  expect(await relays.begin({ remote, following: { retry: 20, open } })).toEqual(outcome);
  expect(ended).toEqual(ends);
});

test.each([
  [true, true, true],
  [true, false, true],
  [false, false, true],
  [false, true, false],
])(
  "the node of a session with a lease: %s, seen by a stable node: %s, serves it: %s",
  async (isAlive, isStable, is) => {
    const ended: unknown[] = [];
    const { relays, engine } = await beginRelay({ isStable: () => isStable, end: (session) => ended.push(session) });
    if (!isAlive) await engine.nodes.leave(node);
    expect(await relays.isServed({ key, node })).toBe(is);
    expect(ended).toEqual(is ? [] : [key]);
  },
);

test("a stream is resumed after a known event only, and its node is notified", async () => {
  const response = Object.create({});
  const { relays, engine } = await beginRelay({ follow: () => response });
  const received: unknown[] = [];
  const receiver = {
    message: (message: unknown) => received.push(message),
    broadcastReceived() {},
    missed() {},
    changed() {},
  };
  await engine.nodes.receive(node, receiver);
  await engine.events.append(key, { stream: "open", owner: node, fence: 0, first: 0, data: ["a"] });
  const resume = (sequence: number): unknown => {
    const open = (): never => expect.unreachable("The stream is another one");
    return relays.resume({ key, node }, { stream: "open", sequence }, { retry: 20, open });
  };
  expect(await resume(5)).toBeUndefined();
  expect(received).toEqual([]);
  expect(await resume(0)).toBe(response);
  await expect.poll(() => received).toEqual([{ kind: "resumed", session: key, stream: "open" }]);
});

test("an error that is not one of the engine ends the relay of a request", async () => {
  const { engine, clock, outcomes } = await beginRelay();
  const problem = new TypeError("broken");
  Object.defineProperty(engine.events, "read", { value: () => Promise.reject(problem) });
  await clock.pass(1_000);
  expect(outcomes).toEqual([problem]);
});
