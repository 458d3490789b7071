import { expect, onTestFinished, test } from "vitest";
import { ClusterNode } from "../../../cluster/cluster-node.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { NodeMessage } from "../../../cluster/stores/node-directory.ts";
import type { SessionAccess } from "../../../cluster/stores/shared-session-store.ts";
import { listChanged } from "../../../runtime/protocol/methods/list-kinds.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import type { ServedClients } from "../../../runtime/transport/http-server/served-clients.ts";
import type { HttpSession } from "../../../runtime/transport/http-server/session/session.ts";
import type { Maintained } from "../../../runtime/transport/http-server/session/maintenance.ts";
import type { LiveStream } from "../../../runtime/transport/http-server/session/session-directory.ts";
import { revisionOf } from "../../kit/revisions.ts";
import { WatchedExchange } from "../../runtime/transport/http-server/watched-exchange.ts";
import { createRecord, secondNode } from "../contract/cluster.ts";
import { override } from "../../kit/override.ts";

/** Starts a node with a stream of HTTP with SSE, beside another node that receives these messages. */
async function start(receive: (message: NodeMessage) => void = () => {}) {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const [engine, other] = [memory.connect(), memory.connect()];
  await Promise.all([engine.open(), other.open()]);
  const accesses: SessionAccess[] = [];
  const sessions = override(engine.sessions, {
    access(key, access) {
      accesses.push(access);
      return engine.sessions.access(key, access);
    },
  });
  const node = new ClusterNode({
    engine: override(engine, { sessions }),
    clock,
    lease: 6_000,
    maxUnstoredSize: Infinity,
    fail: (thrown) => expect.unreachable(String(thrown)),
  });
  const key = { id: `session.${node.name}`, owner: "ada" };
  const [received, adopted]: [unknown[][], Maintained[]] = [[], []];
  const stream: LiveStream = Object.create({ key, receive: (...given: unknown[]) => void received.push(given) });
  const live = {
    settings: { retry: 20, polling: true, maxStreamBytes: 1_000, metrics: undefined, clock },
    findLive: () => undefined,
    adopt: (maintained: Maintained) => void adopted.push(maintained),
  };
  node.start(Object.create(live), new Map([[key.id, stream]]));
  await other.nodes.renew(secondNode, { milliseconds: 60_000, isNew: true });
  const ignore = (): void => {};
  await other.nodes.receive(secondNode, {
    message: receive,
    broadcastReceived: ignore,
    missed: ignore,
    changed: ignore,
  });
  await settle();
  onTestFinished(async () => {
    await node.leave();
    await other.close();
  });
  return { clock, memory, node, other, key, received, adopted, accesses };
}

test("a message of HTTP with SSE that another node has received keeps its sender, and reaches no other owner", async () => {
  const { node, other, key, received } = await start();
  const identity = { principal: "ada" };
  for (const session of [key, { ...key, owner: "bob" }, { ...key, id: "unknown" }])
    await other.nodes.send(node.name, { kind: "post", session, value: { a: 1 }, identity });
  await settle();
  expect(received).toEqual([[{ a: 1 }, { identity, releaseConnection: expect.any(Function) }]]);
});

test("a session of another node is renewed for that node while a relayed stream is open, and reserves no ids", async () => {
  const key = { id: `session.${secondNode}`, owner: "ada" };
  const requested: NodeMessage[] = [];
  const { clock, node, other, adopted, accesses } = await start((message) => {
    requested.push(message);
    if (message.kind !== "listen") return;
    void other.events.append(key, { stream: message.stream, owner: secondNode, fence: 0, first: 0, data: [""] });
  });
  await other.sessions.add(createRecord(key.id, key.owner));
  const session = { key, node: secondNode, revision: revisionOf("2025-11-25") };
  const rejected = await node.relays.listen(new WatchedExchange(null), { session, position: undefined });
  expect([rejected, requested]).toMatchObject([undefined, [{ kind: "listen", session: key }]]);
  expect(adopted).toHaveLength(1);
  adopted[0]?.renew?.();
  await settle();
  expect(accesses).toEqual([{ node: secondNode, reserve: [] }]);
  const closed = adopted[0]?.connection.close({});
  await clock.pass(0);
  await closed;
});

test.each([
  ["its own node", "own", false, 0],
  ["a node that has a lease", secondNode, true, 1],
  ["a node that has stopped", "third00000000", false, 0],
  ["no node", undefined, false, 0],
])("a message of HTTP with SSE for a session of %s is forwarded if it can be", async (_which, of, is, count) => {
  const messages: NodeMessage[] = [];
  const { clock, node } = await start((message) => messages.push(message));
  await clock.pass(3_000);
  const id = of === undefined ? "session" : `session.${of === "own" ? node.name : of}`;
  const session = { id, owner: "ada" };
  const identity = { principal: "ada" };
  expect(await node.forwardPost(session, { value: { a: 1 }, identity })).toBe(is);
  await settle();
  expect(messages).toEqual(Array.from({ length: count }, () => ({ kind: "post", session, value: { a: 1 }, identity })));
});

/** Forwards a message to a node without a lease, and lists the outcome once there is one. */
async function forwardToThird() {
  const { clock, node } = await start();
  const outcomes: boolean[] = [];
  void node
    .forwardPost({ id: "session.third00000000", owner: "ada" }, { value: 1, identity: undefined })
    .then((outcome) => outcomes.push(outcome));
  return { clock, node, outcomes };
}

test("a message waits for a node without a lease until this node has held its own for half of its duration", async () => {
  const { clock, outcomes } = await forwardToThird();
  await clock.pass(2_900);
  expect(outcomes).toEqual([]);
  await clock.pass(700);
  expect(outcomes).toEqual([false]);
});

test("a message waits for a node without a lease until this node closes", async () => {
  const { clock, node, outcomes } = await forwardToThird();
  await settle();
  await node.leave();
  await clock.pass(500);
  expect(outcomes).toEqual([false]);
});

test("a cancellation is forwarded to the node with its request, and to no other", async () => {
  const messages: NodeMessage[] = [];
  const { node, other } = await start((message) => messages.push(message));
  const key = { id: "session", owner: "ada" };
  await other.sessions.add(createRecord(key.id, key.owner));
  await other.sessions.access(key, { node: secondNode, reserve: [1], attempt: "a" });
  await node.access(key, [2]);
  const session: HttpSession = Object.create({ key, isRunning: () => false });
  const forward = (requestId: number): Promise<boolean> =>
    node.forward(session, { kind: "notification", method: "notifications/cancelled", params: { requestId } });
  expect([await forward(1), await forward(2), await forward(3)]).toEqual([true, false, false]);
  await settle();
  const incoming = { kind: "notification", method: "notifications/cancelled", params: { requestId: 1 } };
  expect(messages).toEqual([{ kind: "deliver", session: key, incoming }]);
});

test("a request that was rejected before it ran may be repeated, also with a long id", async () => {
  const { node, other } = await start();
  const key = { id: "session", owner: "ada" };
  await other.sessions.add(createRecord(key.id, key.owner));
  const ids = [1, "a".repeat(100)];
  expect((await node.access(key, ids))?.used).toEqual([]);
  expect((await node.access(key, ids))?.used).toEqual(ids);
  node.releaseUnused(key, []);
  await settle();
  expect((await node.access(key, ids))?.used).toEqual(ids);
  node.releaseUnused(key, ids);
  await settle();
  expect((await node.access(key, ids))?.used).toEqual([]);
});

test("a session is stored until it is ended, and its lifetime is not extended by that", async () => {
  const { node, other, accesses } = await start();
  const key = { id: "session", owner: "ada" };
  expect(await node.isStored(key)).toBe(false);
  await other.sessions.add(createRecord(key.id, key.owner));
  expect([await node.isStored(key), accesses]).toEqual([true, []]);
  await node.end(key);
  expect(await node.isStored(key)).toBe(false);
});

test("a session that is found is extended for its node, and a node that serves nothing yet finds it as well", async () => {
  const { clock, node, other, accesses } = await start();
  const key = { id: "session", owner: "ada" };
  await other.sessions.add(createRecord(key.id, key.owner));
  expect(await node.store.find(key)).toEqual(createRecord(key.id, key.owner));
  expect(accesses).toEqual([{ node: node.name }]);
  const fail = (thrown: unknown): never => expect.unreachable(String(thrown));
  const early = new ClusterNode({ engine: other, clock, lease: 6_000, maxUnstoredSize: Infinity, fail });
  expect(await early.access(key, [1])).toMatchObject({ record: { id: key.id }, used: [] });
  await early.leave();
});

test.each([true, false])(
  "clients may have missed changes while the engine was away at the start: %s",
  async (isAway) => {
    const clock = new ManualClock();
    const memory = createMemoryCluster({ clock });
    const engine = memory.connect();
    await engine.open();
    const errors: unknown[] = [];
    const node = new ClusterNode({
      engine,
      clock,
      lease: 6_000,
      maxUnstoredSize: Infinity,
      fail: (thrown) => errors.push(thrown),
    });
    const notified: string[] = [];
    const clients: ServedClients = {
      audiences: [],
      attach() {},
      setLogLevel() {},
      notify: (handler) => void notified.push(handler),
      notifyUpdated() {},
      notifyTopic() {},
    };
    if (isAway) memory.lose();
    node.start(Object.create({ findLive: () => undefined }), new Map(), clients);
    await clock.pass(500);
    expect([notified, errors.length]).toEqual([[], isAway ? 1 : 0]);
    memory.restore();
    await clock.pass(1_000);
    expect(notified).toEqual(isAway ? Object.values(listChanged) : []);
    await node.leave();
  },
);
