import { describe, expect, test } from "vitest";
import { ClusterBroadcasts, type BroadcastNode } from "../../../cluster/cluster-broadcasts.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Broadcast } from "../../../cluster/stores/node-directory.ts";
import { listChanged } from "../../../runtime/protocol/methods/list-kinds.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { override } from "../../kit/override.ts";

/* Changes of one server that others are notified of, and changes of others that its own clients are notified of. */

const problem = new Error("The engine is away");

function join(options: Pick<BroadcastNode, "onListChanged"> = {}) {
  const clock = new ManualClock();
  const { nodes } = createMemoryCluster({ clock }).connect();
  const [sent, errors, notified]: [Broadcast[], unknown[], unknown[]] = [[], [], []];
  const engine = { isAway: false };
  const node: BroadcastNode = {
    nodes: override(nodes, {
      async broadcast(broadcast) {
        if (engine.isAway) throw problem;
        sent.push(broadcast);
        return "";
      },
    }),
    clock,
    fail: (thrown) => void errors.push(thrown),
    ...options,
  };
  const uris = ["files://a", "files://b"];
  const clients = {
    audiences: [{ subscribedUris: uris }, { subscribedUris: uris.slice(1) }, {}],
    attach() {},
    setLogLevel() {},
    notify: (handler: string, params: unknown) => {
      if (handler === "broken") throw problem;
      notified.push([handler, params]);
    },
    notifyUpdated: (updated: readonly string[]) => void notified.push(updated),
    notifyTopic: (topic: string, handler: string, params: object) => void notified.push([topic, handler, params]),
  };
  const broadcasts = ClusterBroadcasts.join(clients, node);
  return { broadcasts, clients, clock, engine, errors, node, notified, sent };
}

const uriOf = (broadcast: Broadcast): unknown => broadcast.kind === "updated" && broadcast.uris[0];

describe("changes that other nodes are notified of", () => {
  test("changes are sent together after a moment, and equal ones once", async () => {
    const { broadcasts, clock, sent } = join();
    broadcasts.listChanged("tools");
    broadcasts.notifyUpdated(["a"]);
    broadcasts.notifyUpdated(["a"]);
    broadcasts.notify("own", { a: 1 });
    broadcasts.notify("own", undefined);
    // The list has sent this change already.
    broadcasts.notify(listChanged.tools, undefined);
    await clock.pass(9);
    expect(sent).toEqual([]);
    await clock.pass(1);
    const sender = expect.any(String);
    expect(sent).toEqual([
      { kind: "notification", handler: listChanged.tools, sender },
      { kind: "updated", uris: ["a"], sender },
      { kind: "notification", handler: "own", params: { a: 1 }, sender },
      { kind: "notification", handler: "own", sender },
    ]);
  });

  test("notifications of a topic keep their order and number, unless they are too large", async () => {
    const { broadcasts, clock, sent } = join();
    const most = "x".repeat(64 * 1024 - '{"text":""}'.length);
    for (const text of ["a", "b", "a", most, `${most}x`]) broadcasts.notifyTopic("topic", "handler", { text });
    await clock.pass(10);
    expect(sent.map((broadcast) => broadcast.kind === "topic" && broadcast.params)).toEqual(
      ["a", "b", "a", most].map((text) => ({ text })),
    );
  });

  test("changes that cannot be sent are sent later, before further ones, and a failure is reported once", async () => {
    const { broadcasts, clock, engine, errors, sent } = join();
    engine.isAway = true;
    broadcasts.notifyUpdated(["a"]);
    await clock.pass(10);
    broadcasts.notifyUpdated(["b"]);
    await clock.pass(1_200);
    expect([errors, sent]).toEqual([[problem], []]);
    engine.isAway = false;
    await clock.pass(500);
    expect([errors, sent.map(uriOf)]).toEqual([[problem], ["a", "b"]]);
    engine.isAway = true;
    broadcasts.notifyUpdated(["c"]);
    await clock.pass(10);
    expect(errors).toEqual([problem, problem]);
    engine.isAway = false;
    await clock.pass(2_000);
    expect(sent.map(uriOf)).toEqual(["a", "b", "c"]);
  });

  test("the latest 10,000 changes wait for the engine", async () => {
    const { broadcasts, clock, sent } = join();
    for (let index = 0; index <= 10_000; index += 1) broadcasts.notifyUpdated([String(index)]);
    await clock.pass(10);
    const uris = sent.map(uriOf);
    expect([uris.length, uris[0], uris.at(-1)]).toEqual([10_000, "1", "10000"]);
  });

  test("changes are sent when the node leaves, and none after that", async () => {
    const { broadcasts, clock, node, sent } = join();
    broadcasts.notifyUpdated(["a"]);
    await broadcasts.leave(node);
    expect(sent.map(uriOf)).toEqual(["a"]);
    broadcasts.notifyUpdated(["b"]);
    await clock.pass(10_000);
    expect(sent).toHaveLength(1);
  });

  test("a node that is not one of the server leaves its nodes as they are", async () => {
    const { broadcasts, clock, node, sent } = join();
    await broadcasts.leave({ ...node });
    broadcasts.notifyUpdated(["a"]);
    await clock.pass(10);
    expect(sent).toHaveLength(1);
  });
});

describe("changes of other nodes", () => {
  const sender = "another node";
  const [updated, topic, own]: readonly [Broadcast, Broadcast, Broadcast] = [
    { kind: "updated", uris: ["a"], sender },
    { kind: "topic", topic: "t", handler: "h", params: { a: 1 }, sender },
    { kind: "notification", handler: "own", params: { a: 1 }, sender },
  ];

  test("changes of other nodes reach the clients, and are not sent again", async () => {
    const { broadcasts, clock, node, notified, sent } = join();
    for (const broadcast of [updated, topic, own]) broadcasts.receive(node, broadcast);
    broadcasts.receive(node, { kind: "revoked", key: "k", until: 1 });
    broadcasts.receive(node, { kind: "lists", node: "n", digests: {} });
    expect(notified).toEqual([["a"], ["t", "h", { a: 1 }], ["own", { a: 1 }]]);
    await clock.pass(10);
    expect(sent).toEqual([]);
  });

  test("changes reach the clients by the first node of a server only, also when it leaves", async () => {
    const { broadcasts, clients, node, notified } = join();
    const second = { ...node };
    expect(ClusterBroadcasts.join(clients, second)).toBe(broadcasts);
    const receive = (): void => {
      broadcasts.receive(second, updated);
      broadcasts.listDiffers(second, "tools");
      broadcasts.missed(second);
    };
    receive();
    expect(notified).toEqual([]);
    await broadcasts.leave(node);
    receive();
    expect(notified).not.toEqual([]);
  });

  test("a change by this server is not received again", async () => {
    const { broadcasts, clock, node, notified, sent } = join();
    broadcasts.notifyUpdated(["a"]);
    await clock.pass(10);
    for (const broadcast of sent) broadcasts.receive(node, broadcast);
    expect(notified).toEqual([]);
  });

  test("a change that a client cannot be notified of is reported", () => {
    const { broadcasts, errors, node, notified } = join();
    broadcasts.receive(node, { kind: "notification", handler: "broken", sender });
    broadcasts.receive(node, updated);
    expect([errors, notified]).toEqual([[problem], [["a"]]]);
  });

  test("every list and every subscribed resource may have changed when broadcasts were missed", () => {
    const { broadcasts, node, notified } = join();
    broadcasts.missed(node);
    expect(notified).toEqual([
      ...Object.values(listChanged).map((handler) => [handler, undefined]),
      ["files://a"],
      ["files://b"],
    ]);
  });
});

describe("lists that are read again when another node has changed its own", () => {
  const changed: Broadcast = { kind: "notification", handler: listChanged.tools, sender: "another node" };

  test("a list is read once more if another change comes meanwhile, and clients are notified after each", async () => {
    const gates = [createGate(), createGate(), createGate()];
    let reads = 0;
    const { broadcasts, node, notified } = join({
      onListChanged: async () => {
        await gates[reads++]?.opened;
        return undefined;
      },
    });
    for (let count = 0; count < 3; count += 1) broadcasts.receive(node, changed);
    await settle();
    expect([reads, notified]).toEqual([1, []]);
    gates[0]?.open();
    await settle();
    expect([reads, notified.length]).toEqual([2, 1]);
    gates[1]?.open();
    await settle();
    expect([reads, notified.length]).toEqual([2, 2]);
    broadcasts.receive(node, changed);
    expect(reads).toBe(3);
  });

  test.each([
    ["changes it by this", true, 0],
    ["does not change it", false, 1],
  ])("a server that %s notifies its clients itself: %s", async (_which, changes, count) => {
    const { broadcasts, clock, node, notified, sent } = join({
      onListChanged: () => () => {
        if (changes) broadcasts.listChanged("tools");
      },
    });
    broadcasts.receive(node, changed);
    await settle();
    await clock.pass(10);
    expect([notified, sent]).toEqual([Array.from({ length: count }, () => [listChanged.tools, undefined]), []]);
  });

  test("a list that cannot be read again is reported, and clients are notified", async () => {
    const { broadcasts, errors, node, notified } = join({ onListChanged: () => Promise.reject(problem) });
    broadcasts.receive(node, changed);
    await settle();
    expect([errors, notified]).toEqual([[problem], [[listChanged.tools, undefined]]]);
  });
});
