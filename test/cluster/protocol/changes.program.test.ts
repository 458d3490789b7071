import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { ClusterBroadcasts, type BroadcastNode } from "../../../cluster/cluster-broadcasts.ts";
import { systemClock } from "../../../runtime/internal/timers.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { ServedClients } from "../../../runtime/transport/http-server/served-clients.ts";
import { call, initialize, textOf, type Stream } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";
import { until } from "../../kit/time.ts";
import { override } from "../../kit/override.ts";
import { lease } from "./nodes.ts";
import { startServerNodes, type Definition, type ServerNodes, type ServerNodesOptions } from "./server-nodes.ts";

let nodes: ServerNodes | undefined;

const gates = new Map<string, () => void>();

const define = (node: number): Definition => ({
  name: "demo",
  version: "1",
  listChanged: ["tools", "resources"],
  subscribe: true,
  resources: ["a", "b"].map((name) => ({ uri: `note://${name}`, name, read: () => "text" })),
  tools: [
    {
      name: "chat",
      async execute(_args, { log }) {
        await log("debug", `debug of ${node}`);
        await log("error", `error of ${node}`);
        return "done";
      },
    },
    {
      name: "wait",
      async execute(_args, { log }) {
        await log("error", "begun");
        await new Promise<void>((resolve) => gates.set("wait", resolve));
        await log("debug", "late");
        return "done";
      },
    },
  ],
});

async function begin(options: ServerNodesOptions = {}): Promise<ServerNodes> {
  nodes = await startServerNodes(define, options);
  return nodes;
}

afterEach(async () => {
  for (const open of gates.values()) open();
  gates.clear();
  await nodes?.close();
  nodes = undefined;
});

const request = (id: number, method: string, params: object): object => ({ jsonrpc: "2.0", id, method, params });

/** Methods and URIs of the notifications of a stream so far. */
function changesOf(stream: Stream): readonly string[] {
  return stream.messages.filter(isObject).flatMap(({ method, params }) => {
    if (typeof method !== "string" || method === "notifications/subscriptions/acknowledged") return [];
    const uri = isObject(params) && typeof params.uri === "string" ? ` ${params.uri}` : "";
    return [`${method.replace("notifications/", "")}${uri}`];
  });
}

/**
 * Waits for changes, and for no others. A change may come again: nodes that begin to serve compare their lists, and a node whose lease was late may have
 * missed some.
 */
async function expectChanges(stream: Stream, changes: readonly string[]): Promise<void> {
  const found = (): Set<string> => new Set(changesOf(stream));
  await until(() => found().size >= changes.length, `${changes.join()} after ${changesOf(stream).join()}`);
  await delay(40);
  expect([...found()].sort()).toEqual([...changes].sort());
}

/** Cuts a stream after its first change, which a server makes, and returns the id of the last event. */
async function cutAfterChange(
  stream: Stream,
  { tools }: ReturnType<ServerNodes["server"]>,
): Promise<string | undefined> {
  tools.add({ name: "new", execute: () => "new" });
  await expectChanges(stream, [toolsChanged]);
  const last = stream.events.at(-1)?.id;
  stream.cut();
  return last;
}

const toolsChanged = "tools/list_changed";
const resourcesChanged = "resources/list_changed";

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("state of a session on three nodes at %s", (revision) => {
  it("a log level that one node has set counts on every node (level)", async () => {
    const { open, send } = await begin();
    const headers = await open(revision);
    const logged = async (node: number, id: number): Promise<boolean> =>
      (await send(node, { headers, body: call(id, "chat") })).text.includes(`debug of ${node}`);
    expect(await logged(1, 1)).toBe(false);
    expect((await send(0, { headers, body: request(2, "logging/setLevel", { level: "debug" }) })).text).toContain(
      '"result":{}',
    );
    expect([await logged(0, 3), await logged(1, 4), await logged(2, 5)]).toEqual([true, true, true]);
    await send(2, { headers, body: request(6, "logging/setLevel", { level: "critical" }) });
    expect((await send(1, { headers, body: call(7, "chat") })).text).not.toContain("error of 1");
  });

  it("a log level counts for a request that runs on another node (level)", async () => {
    const { open, send, stream } = await begin();
    const headers = await open(revision);
    const running = await stream(1, { headers, body: call(1, "wait") });
    await running.message();
    await send(0, { headers, body: request(2, "logging/setLevel", { level: "debug" }) });
    await delay(30);
    gates.get("wait")?.();
    await until(() => running.text.includes("done"), "the result");
    expect(running.text).toContain("late");
  });

  it("a subscription at one node is notified on the stream of another, whatever node reports the update (E12)", async () => {
    const { open, send, listen, server } = await begin();
    const headers = await open(revision);
    const stream = await listen(1, headers);
    await send(0, { headers, body: request(1, "resources/subscribe", { uri: "note://a" }) });
    server(2).resources.notifyUpdated("note://a");
    server(2).resources.notifyUpdated("note://b");
    await expectChanges(stream, ["resources/updated note://a"]);
    await send(2, { headers, body: request(2, "resources/unsubscribe", { uri: "note://a" }) });
    server(0).resources.notifyUpdated("note://a");
    server(0).resources.notifyUpdated("note://b");
    await expectChanges(stream, ["resources/updated note://a"]);
  });
});

describe("notifications on three nodes", () => {
  it("a changed list reaches the streams and listeners of all nodes, each once (E12)", async () => {
    const { open, listen, listenStateless, server } = await begin();
    const [first, second] = [await open(), await open()];
    const filter = { toolsListChanged: true, resourceSubscriptions: ["note://a"] };
    const streams = [
      await listen(0, first),
      await listen(1, second),
      await listenStateless(0, filter),
      await listenStateless(2, filter),
    ];
    await delay(30);
    server(0).tools.add({ name: "new", execute: () => "new" });
    for (const stream of streams) await expectChanges(stream, [toolsChanged]);
    server(1).resources.notifyUpdated("note://a");
    for (const stream of streams.slice(2)) await expectChanges(stream, [toolsChanged, "resources/updated note://a"]);
  });

  it("changes within a moment are one broadcast (E12)", async () => {
    const sent: string[] = [];
    const { open, listen, server } = await begin({
      toEngine: (engine) =>
        override(engine, {
          nodes: override(engine.nodes, {
            async broadcast(change) {
              sent.push(change.kind);
              return engine.nodes.broadcast(change);
            },
          }),
        }),
    });
    const stream = await listen(1, await open());
    for (let index = 0; index < 5; index += 1) server(0).tools.add({ name: `new${index}`, execute: () => "new" });
    await expectChanges(stream, [toolsChanged]);
    expect(sent.filter((kind) => kind === "notification")).toHaveLength(1);
  });

  it("a hook reads definitions again before clients are notified, and its changes are not broadcast (E12)", async () => {
    const source = new Set<string>();
    const calls: string[] = [];
    const { open, listen, send, server } = await begin({
      onListChanged: (node) => async (kind) => {
        calls.push(`${node} ${kind}`);
        await delay(5);
        const { tools } = server(node);
        const missing = [...source].filter((name) => !tools.get(name));
        return () => missing.forEach((name) => tools.add({ name, execute: () => `${name} of ${node}` }));
      },
    });
    const headers = await open();
    const stream = await listen(1, headers);
    source.add("new");
    server(0).tools.add({ name: "new", execute: () => "new of 0" });
    await expectChanges(stream, [toolsChanged]);
    expect(textOf((await send(2, { headers, body: call(1, "new") })).json)).toBe("new of 2");
    expect([...calls].sort()).toEqual(["1 tools", "2 tools"]);
  });

  it("a client whose node has stopped is notified of all that it may have missed (E12)", async () => {
    const { open, send, listen, server, cutOff } = await begin();
    const headers = await open();
    const stream = await listen(1, headers);
    await send(0, { headers, body: request(1, "resources/subscribe", { uri: "note://a" }) });
    server(2).tools.add({ name: "new", execute: () => "new" });
    await expectChanges(stream, [toolsChanged]);
    const last = stream.events.at(-1)?.id;
    stream.cut();
    await cutOff(1);
    server(0).resources.notifyUpdated("note://a");
    await delay(lease * 1.5);
    const resumed = await listen(2, headers, last);
    await expectChanges(resumed, [toolsChanged, resourcesChanged, "resources/updated note://a"]);
  });

  it("a client whose node was killed is notified of what it may have missed, though the lease has not expired (E12)", async () => {
    const { open, listen, server, cutOff } = await begin();
    const headers = await open();
    const last = await cutAfterChange(await listen(1, headers), server(2));
    await cutOff(1);
    server(0).tools.add({ name: "newer", execute: () => "newer" });
    await delay(30);
    const resumed = await listen(2, headers, last);
    await expectChanges(resumed, [toolsChanged, resourcesChanged]);
  });

  it("a client that resumes at another node, whose own node is alive, is notified of nothing twice (E12)", async () => {
    const { open, listen, server } = await begin();
    const headers = await open();
    const last = await cutAfterChange(await listen(1, headers), server(2));
    await delay(20);
    server(0).tools.add({ name: "newer", execute: () => "newer" });
    await delay(30);
    await expectChanges(await listen(2, headers, last), [toolsChanged]);
  });
});

describe("broadcasts of a server", () => {
  type Receiver = Parameters<ServedClients["attach"]>[0];

  /** Server whose clients receive what it is notified of. */
  function createClients(): ServedClients & {
    readonly received: string[];
    send(change: (to: Receiver) => void): void;
  } {
    const received: string[] = [];
    const receivers: Receiver[] = [];
    return {
      received,
      audiences: [{ subscribedUris: ["note://a"] }],
      attach: (receiver) => void receivers.push(receiver),
      notify: (handler) => void received.push(handler),
      notifyUpdated: ([uri]) => void received.push(uri),
      notifyTopic: (topic, handler) => void received.push(`${topic} ${handler}`),
      setLogLevel() {},
      send: (change) => receivers.forEach(change),
    };
  }

  async function startTwo() {
    const memory = createMemoryCluster({ maxBroadcasts: 3 });
    const all = await Promise.all(
      ["a000000000000", "b000000000000"].map(async (name) => {
        const engine = memory.connect();
        await engine.open();
        const clients = createClients();
        const node: BroadcastNode = { nodes: engine.nodes, clock: systemClock, fail() {} };
        const broadcasts = ClusterBroadcasts.join(clients, node);
        await engine.nodes.receive(name, {
          message() {},
          changed() {},
          broadcastReceived: (broadcast) => broadcasts.receive(node, broadcast),
          missed: () => broadcasts.missed(node),
        });
        return { engine, clients, broadcasts, node };
      }),
    );
    const [first, second] = all;
    if (!first || !second) throw new Error("no nodes");
    return { memory, first, second };
  }

  it("notifications of a topic reach the subscribers of other nodes in order, and not those of the sender again", async () => {
    const { first, second } = await startTwo();
    for (const handler of ["one", "two", "one"]) first.clients.send((to) => to.notifyTopic("task:1", handler, {}));
    await until(() => second.clients.received.length === 3, "the notifications");
    expect(second.clients.received).toEqual(["task:1 one", "task:1 two", "task:1 one"]);
    expect(first.clients.received).toEqual([]);
  });

  it("broadcasts that cannot be sent are sent when the engine is back (E12)", async () => {
    const { memory, first, second } = await startTwo();
    memory.lose(first.engine);
    first.clients.send((to) => to.notifyUpdated(["note://b"]));
    await delay(50);
    memory.restore(first.engine);
    await until(() => second.clients.received.length > 0, "the notification");
    expect(second.clients.received).toEqual(["note://b"]);
  });

  /** Starts a node whose broadcasts of some resources fail. The next one that fails is followed by another notification at once. */
  function startFailing() {
    const clock = new ManualClock();
    const clients = createClients();
    const failures: unknown[] = [];
    const sent: string[] = [];
    const lost = new Set(["note://b", "note://c"]);
    const next: string[] = [];
    const notify = (...uris: readonly string[]): void =>
      uris.forEach((uri) => clients.send((to) => to.notifyUpdated([uri])));
    const nodes = override(createMemoryCluster().connect().nodes, {
      async broadcast(change) {
        const [uri = ""] = change.kind === "updated" ? change.uris : [];
        if (!lost.has(uri)) return String(sent.push(uri));
        notify(...next.splice(0));
        throw new Error(`${uri} is lost`);
      },
    });
    ClusterBroadcasts.join(clients, { nodes, clock, fail: (thrown) => void failures.push(thrown) });
    return { clock, failures, sent, lost, next, notify };
  }

  it("broadcasts that come while others fail are sent after them (E12)", async () => {
    const { clock, sent, lost, next, notify } = startFailing();
    next.push("note://d");
    notify("note://b", "note://c");
    await clock.pass(10);
    lost.clear();
    await clock.pass(500);
    expect(sent).toEqual(["note://b", "note://c", "note://d"]);
  });

  it("broadcasts that fail are sent again in order, and failures are reported once until all are sent (E12)", async () => {
    const { clock, failures, sent, lost, notify } = startFailing();
    notify("note://a", "note://b", "note://c");
    await clock.pass(10);
    notify("note://d");
    await clock.pass(500);
    expect([sent, failures]).toEqual([["note://a", "note://d"], [new Error("note://b is lost")]]);
    notify("note://e");
    lost.clear();
    await clock.pass(500);
    expect(sent.splice(0)).toEqual(["note://a", "note://d", "note://b", "note://c", "note://e"]);
    expect([failures.splice(0), clock.active]).toEqual([[new Error("note://b is lost")], 0]);
    lost.add("note://c");
    notify("note://c");
    await clock.pass(10);
    expect([sent, failures]).toEqual([[], [new Error("note://c is lost")]]);
  });

  it("a node that has missed broadcasts notifies its clients of all kinds once (E12)", async () => {
    const { memory, first, second } = await startTwo();
    memory.lose(second.engine);
    for (let index = 0; index < 5; index += 1) first.clients.send((to) => to.notifyUpdated([`note://${index}`]));
    await delay(50);
    memory.restore(second.engine);
    await until(() => second.clients.received.length >= 4, "the notifications");
    expect([...second.clients.received].sort()).toEqual(
      ["note://a", "promptListChanged", "resourceListChanged", "toolListChanged"].sort(),
    );
  });

  it("a node that leaves sends what it has gathered", async () => {
    const { first, second } = await startTwo();
    first.clients.send((to) => to.notifyUpdated(["note://b"]));
    await first.broadcasts.leave(first.node);
    await until(() => second.clients.received.length > 0, "the notification");
  });
});

describe("HTTP with SSE on three nodes", () => {
  async function connect(all: ServerNodes): Promise<{ readonly stream: Stream; readonly endpoint: string }> {
    const stream = await all.stream(0, { method: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
    return { stream, endpoint: (await stream.next()).data };
  }

  it("a message that another node receives reaches the node that has the stream", async () => {
    const all = await begin();
    const { stream, endpoint } = await connect(all);
    const post = async (node: number, body: unknown): Promise<number> =>
      (await all.send(node, { path: endpoint, body })).status;
    expect(await post(1, initialize("2024-11-05"))).toBe(202);
    expect(await stream.message()).toMatchObject({ id: "init", result: { protocolVersion: "2024-11-05" } });
    expect(await post(2, initialized)).toBe(202);
    expect(await post(1, call(1, "chat"))).toBe(202);
    await until(() => stream.text.includes("done"), "the result");
    expect(stream.text).toContain("error of 0");
  });

  it("a message for a stream that has ended, or whose node has stopped, gets 404", async () => {
    const all = await begin();
    const [{ endpoint }, ended] = [await connect(all), await connect(all)];
    expect((await all.send(1, { path: `${endpoint}x`, body: initialize("2024-11-05") })).status).toBe(404);
    ended.stream.cut();
    await delay(50);
    expect((await all.send(1, { path: ended.endpoint, body: initialize("2024-11-05") })).status).toBe(404);
    await all.cutOff(0);
    await delay(lease * 1.5);
    expect((await all.send(1, { path: endpoint, body: initialize("2024-11-05") })).status).toBe(404);
  });

  it("a message of another principal gets 404 on every node", async () => {
    const all = await begin({ authenticate: (head) => ({ principal: head.header("authorization") ?? "nobody" }) });
    const { endpoint } = await connect(all);
    const headers = { authorization: "stranger" };
    for (const node of [0, 1]) {
      expect((await all.send(node, { path: endpoint, headers, body: initialize("2024-11-05") })).status).toBe(404);
    }
  });
});
