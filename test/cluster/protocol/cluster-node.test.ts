import { expect, onTestFinished, test } from "vitest";
import { ClusterNode } from "../../../cluster/cluster-node.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { NodeMessage } from "../../../cluster/stores/node-directory.ts";
import type { SessionAccess } from "../../../cluster/stores/shared-session-store.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
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
  return { clock, node, other, key, received, adopted, accesses };
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
