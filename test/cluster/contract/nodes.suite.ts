import { describe, expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { Broadcast, NodeMessage, NodeReceiver } from "../../../cluster/stores/node-directory.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { firstNode, key, secondNode, startTwoNodes } from "./cluster.ts";

const stream = "first000000000";

/** Declares the tests of the node directory of an engine. */
export function describeNodes(fixture: EngineFixture): void {
  describe("leases of a node directory", () => {
    test("a node lives for the time of its lease", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      expect(await second.nodes.isAlive(firstNode)).toBe(false);
      expect(await first.nodes.renew(firstNode, { milliseconds: 1_000, isNew: true })).toBe(true);
      expect(await second.nodes.isAlive(firstNode)).toBe(true);
      expect(await second.nodes.isAlive(secondNode)).toBe(false);
      await cluster.pass(1_100);
      expect(await second.nodes.isAlive(firstNode)).toBe(false);
    });

    test("a node that renews its lease in time lives on", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await first.nodes.renew(firstNode, { milliseconds: 1_500, isNew: true });
      for (let time = 0; time < 3; time += 1) {
        await cluster.pass(800);
        expect(await first.nodes.renew(firstNode, { milliseconds: 1_500, isNew: false })).toBe(true);
      }
      expect(await second.nodes.isAlive(firstNode)).toBe(true);
    });

    test("a lease that has expired is not renewed, but a new one may begin", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await first.nodes.renew(firstNode, { milliseconds: 500, isNew: true });
      await cluster.pass(700);
      for (let time = 0; time < 2; time += 1) {
        expect(await first.nodes.renew(firstNode, { milliseconds: 500, isNew: false })).toBe(false);
        expect(await second.nodes.isAlive(firstNode)).toBe(false);
      }
      expect(await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: true })).toBe(true);
      expect(await second.nodes.isAlive(firstNode)).toBe(true);
    });

    test("a lease that never began is not renewed", async () => {
      const { first } = await startTwoNodes(fixture);
      expect(await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: false })).toBe(false);
      expect(await first.nodes.isAlive(firstNode)).toBe(false);
    });

    test("a new lease may begin twice", async () => {
      const { first } = await startTwoNodes(fixture);
      for (let time = 0; time < 2; time += 1) {
        expect(await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: true })).toBe(true);
      }
      expect(await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: false })).toBe(true);
    });

    test("a node that leaves has no lease", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: true });
      await second.nodes.renew(secondNode, { milliseconds: 60_000, isNew: true });
      for (let time = 0; time < 2; time += 1) await first.nodes.leave(firstNode);
      expect(await second.nodes.isAlive(firstNode)).toBe(false);
      expect(await second.nodes.isAlive(secondNode)).toBe(true);
      expect(await first.nodes.renew(firstNode, { milliseconds: 60_000, isNew: false })).toBe(false);
    });
  });

  describe("messages of a node directory", () => {
    test("a message reaches the node that it is sent to, whole, and no other", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const [atFirst, atSecond] = [await listen(first, firstNode), await listen(second, secondNode)];
      const messages: readonly NodeMessage[] = [
        {
          kind: "deliver",
          session: key,
          incoming: { kind: "result", id: "first0000000.1", result: { text: "é😀\u0000" } },
        },
        { kind: "deliver", session: key, incoming: { kind: "notification", method: "m", params: { a: [null, 1.5] } } },
        { kind: "send", session: { ...key, owner: "\u0000" }, text: '{"a":1}' },
        { kind: "resumed", session: key, stream },
        { kind: "ended", session: { id: "without owner", owner: undefined } },
        { kind: "task", id: "1", owner: "ada" },
      ];
      for (const message of messages) expect(await first.nodes.send(secondNode, message)).toBe("sent");
      await expect.poll(() => atSecond.messages).toEqual(messages);
      expect(atFirst.messages).toEqual([]);
    });

    test("a message reaches the node that sends it to itself", async () => {
      const { first } = await startTwoNodes(fixture);
      const at = await listen(first, firstNode);
      expect(await first.nodes.send(firstNode, { kind: "ended", session: key })).toBe("sent");
      await expect.poll(() => at.messages).toEqual([{ kind: "ended", session: key }]);
    });

    test("messages of one node arrive in the order of sending", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      const texts = Array.from({ length: 200 }, (_, index) => String(index));
      await Promise.all(texts.map(async (text) => first.nodes.send(secondNode, { kind: "send", session: key, text })));
      await expect.poll(() => at.messages.length).toBe(200);
      expect(at.messages.map((message) => message.kind === "send" && message.text)).toEqual(texts);
    });

    test("a broadcast arrives after the messages that were sent before it, also after a loss of the connection", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const { engine, link } = (await cluster.connectByLink?.()) ?? { engine: second };
      const arrived: string[] = [];
      await engine.nodes.receive(secondNode, {
        message: (message) => void arrived.push(message.kind),
        broadcastReceived: (broadcast) => void arrived.push(broadcast.kind),
        missed() {},
        changed() {},
      });
      const messages = Array.from({ length: 50 }, () => ({ kind: "changed", session: key }) as const);
      // More than one page of a reader.
      const groups = 6;
      for (let round = 1; round <= 3; round += 1) {
        link?.cut();
        for (let group = 0; group < groups; group += 1)
          await Promise.all(messages.map(async (message) => first.nodes.send(secondNode, message)));
        await first.nodes.broadcast({ kind: "updated", uris: ["note://a"] });
        link?.mend();
        await expect.poll(() => arrived.length).toBe(round * (groups * messages.length + 1));
        expect(arrived.at(-1)).toBe("updated");
      }
    });

    test("a large message arrives whole", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      const text = "é".repeat(1_500_000);
      expect(await first.nodes.send(secondNode, { kind: "send", session: key, text })).toBe("sent");
      await expect.poll(() => at.messages.length).toBe(1);
      expect(at.messages[0]?.kind === "send" && at.messages[0].text === text).toBe(true);
    });

    test("a message to a node that does not receive is absent", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await first.nodes.send(secondNode, { kind: "ended", session: key })).toBe("absent");
      const at = await listen(second, secondNode);
      expect(await first.nodes.send("second", { kind: "ended", session: key })).toBe("absent");
      await at.stop();
      await expect.poll(() => first.nodes.send(secondNode, { kind: "ended", session: key })).toBe("absent");
      expect(at.messages).toEqual([]);
    });

    test("a message to a node whose engine is closed is absent", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await listen(second, secondNode);
      await second.close();
      await expect.poll(() => first.nodes.send(secondNode, { kind: "ended", session: key })).toBe("absent");
    });

    test("a message to a node that has lost its connection arrives when the node is back", async ({ skip }) => {
      const { cluster, first } = await startTwoNodes(fixture);
      if (!cluster.connectByLink) return skip("the servers of this engine are shared by all tests");
      const { engine, link } = await cluster.connectByLink();
      const at = await listen(engine, secondNode);
      await engine.nodes.renew(secondNode, { milliseconds: 1_000, isNew: true });
      const [before, after]: readonly NodeMessage[] = ["before", "after"].map((text) => ({
        kind: "deliver",
        session: key,
        incoming: { kind: "result", id: 1, result: { text } },
      }));
      if (!before || !after) throw new Error("The messages are missing");
      link.cut();
      await first.nodes.send(secondNode, before);
      link.drop();
      await cluster.pass(1_200);
      await expect.poll(() => first.nodes.send(secondNode, { kind: "send", session: key, text: "" })).toBe("absent");
      await first.nodes.send(secondNode, after);
      expect(at.messages).toEqual([]);
      link.mend();
      await expect.poll(() => at.messages).toEqual([before, after]);
    });

    test("a message to a node that has never received is not kept", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.nodes.send(secondNode, { kind: "ended", session: key });
      const at = await listen(second, secondNode);
      await first.nodes.send(secondNode, { kind: "changed", session: key });
      await expect.poll(() => at.messages).toEqual([{ kind: "changed", session: key }]);
    });

    test("a node that receives under a new name gets messages to that name only", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const before = await listen(second, secondNode);
      await before.stop();
      const after = await listen(second, "third00000000");
      expect(await first.nodes.send(secondNode, { kind: "ended", session: key })).toBe("absent");
      expect(await first.nodes.send("third00000000", { kind: "ended", session: key })).toBe("sent");
      await expect.poll(() => after.messages.length).toBe(1);
      expect(before.messages).toEqual([]);
    });

    test("a message that a node has received does not arrive again after a loss of the connection", async ({
      skip,
    }) => {
      const { cluster, first } = await startTwoNodes(fixture);
      if (!cluster.connectByLink) return skip("the servers of this engine are shared by all tests");
      const { engine, link } = await cluster.connectByLink();
      const at = await listen(engine, secondNode);
      await first.nodes.send(secondNode, { kind: "changed", session: key });
      await expect.poll(() => at.messages.length).toBe(1);
      link.cut();
      link.drop();
      link.mend();
      await expect.poll(() => first.nodes.send(secondNode, { kind: "ended", session: key })).toBe("sent");
      await expect.poll(() => at.messages.at(-1)?.kind).toBe("ended");
      expect(at.messages.filter(({ kind }) => kind === "changed")).toHaveLength(1);
    });
  });

  describe("notices of a node directory", () => {
    test("a notice reaches all nodes at one position, the sender too", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const nodes = [await listen(first, firstNode), await listen(second, secondNode)];
      const broadcasts: readonly Broadcast[] = [
        { kind: "notification", handler: "toolsChanged" },
        { kind: "notification", handler: "other", params: { a: [1, "é"] } },
        { kind: "updated", uris: ["a:1", "a:"] },
        { kind: "topic", topic: "t", handler: "h", params: {} },
        { kind: "revoked", key: "ada\u0000", until: 1 },
      ];
      const sent: Announced[] = [];
      for (const broadcast of broadcasts) {
        sent.push({ broadcast, position: await first.nodes.broadcast(broadcast) });
      }
      for (const { broadcastReceived } of nodes) await expect.poll(() => broadcastReceived).toEqual(sent);
      expect(new Set(sent.map(({ position }) => position)).size).toBe(broadcasts.length);
    });

    test("notices of two nodes at once arrive in one order everywhere", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const nodes = [await listen(first, firstNode), await listen(second, secondNode)];
      const positions = await Promise.all(
        listKeys(0, 60).map(async (name, index) => (index % 2 === 0 ? first : second).nodes.broadcast(revoked(name))),
      );
      for (const { broadcastReceived } of nodes) await expect.poll(() => broadcastReceived.length).toBe(60);
      expect(nodes[0]?.broadcastReceived).toEqual(nodes[1]?.broadcastReceived);
      expect(new Set(nodes[0]?.broadcastReceived.map(({ position }) => position))).toEqual(new Set(positions));
      expect(await first.nodes.broadcastsAfter(nodes[0]?.broadcastReceived[9]?.position ?? "")).toEqual(
        nodes[0]?.broadcastReceived.slice(10),
      );
    });

    test("notices after a position are those that followed it", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const positions: string[] = [];
      for (const name of listKeys(0, 5)) positions.push(await first.nodes.broadcast(revoked(name)));
      expect(keysOf(await second.nodes.broadcastsAfter(positions[1] ?? ""))).toEqual(listKeys(2, 5));
      expect(await second.nodes.broadcastsAfter(positions[4] ?? "")).toEqual([]);
    });

    test("notices after a position that was never given are unknown", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.nodes.broadcast(revoked("a"));
      for (const position of ["", "x", "-1", "1.5", "99999999999999999999999", "0x1", "*", "$"]) {
        expect([position, await first.nodes.broadcastsAfter(position)]).toEqual([position, undefined]);
      }
    });

    test("notices after a position that is too old are unknown", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { broadcastTtl: 800 });
      const old = await first.nodes.broadcast(revoked("a"));
      await first.nodes.broadcast(revoked("b"));
      await cluster.pass(1_000);
      const recent = await first.nodes.broadcast(revoked("c"));
      await first.nodes.broadcast(revoked("d"));
      expect(await second.nodes.broadcastsAfter(old)).toBeUndefined();
      expect(keysOf(await second.nodes.broadcastsAfter(recent))).toEqual(["d"]);
    });

    test("a node that receives from a position gets each later notice once, then new ones", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const position = await first.nodes.broadcast(revoked("0"));
      for (const name of listKeys(1, 20)) await first.nodes.broadcast(revoked(name));
      const during = Promise.all(listKeys(20, 40).map(async (name) => first.nodes.broadcast(revoked(name))));
      const at = await listen(second, secondNode, position);
      await during;
      for (const name of listKeys(40, 50)) await first.nodes.broadcast(revoked(name));
      await expect.poll(() => at.broadcastReceived.length).toBe(49);
      expect(keysOf(at.broadcastReceived)).toEqual(listKeys(1, 50));
      expect(at.missed).toBe(0);
    });

    test("a node that receives without a position gets nothing earlier and misses nothing later", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.nodes.broadcast(revoked("early"));
      const at = await listen(second, secondNode);
      await first.nodes.broadcast(revoked("late"));
      await expect.poll(() => keysOf(at.broadcastReceived)).toEqual(["late"]);
      expect(at.missed).toBe(0);
    });

    test("a node that receives from a position that is too old learns it, and gets new notices", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { broadcastTtl: 800 });
      const old = await first.nodes.broadcast(revoked("a"));
      await first.nodes.broadcast(revoked("b"));
      await cluster.pass(1_000);
      await first.nodes.broadcast(revoked("c"));
      const at = await listen(second, secondNode, old);
      await expect.poll(() => at.missed).toBe(1);
      await first.nodes.broadcast(revoked("d"));
      await expect.poll(() => keysOf(at.broadcastReceived).includes("d")).toBe(true);
      expect(at.missed).toBe(1);
    });

    test("a node that no longer receives gets no notices", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const [stopped, other] = [await listen(first, firstNode), await listen(second, secondNode)];
      await stopped.stop();
      await second.nodes.broadcast(revoked("a"));
      await expect.poll(() => other.broadcastReceived.length).toBe(1);
      expect(stopped.broadcastReceived).toEqual([]);
    });
  });

  describe("watches of a node directory", () => {
    test("a node that watches a stream is called when the stream changes", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      await first.events.append(key, { stream, owner: firstNode, fence: 0, first: 0, data: ["a"], requests: [1] });
      await second.nodes.watch(key, stream);
      const changes = [
        () => first.events.append(key, { stream, owner: firstNode, fence: 0, first: 1, data: ["b"] }),
        () => first.events.append(key, { stream, owner: firstNode, fence: 0, first: 2, data: [], settled: [1] }),
      ];
      for (const change of changes) {
        const before = at.changed.length;
        await change();
        await expect.poll(() => at.changed.length).toBeGreaterThan(before);
      }
      expect(at.changed.at(-1)).toEqual([key, stream]);
    });

    test("a node that watches a stream is called when another node seals it", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(first, firstNode);
      await first.events.append(key, {
        stream,
        owner: "gone000000000",
        fence: 0,
        first: 0,
        data: ["a"],
        requests: [1],
      });
      await first.nodes.watch(key, stream);
      await second.events.seal(key, { stream, fence: 0, node: secondNode, data: ["error"] });
      await expect.poll(() => at.changed.length).toBeGreaterThan(0);
    });

    test("a node is not called for streams that it does not watch", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      await second.nodes.watch(key, "last");
      const others = [
        { session: key, stream: "other" },
        { session: { id: "other", owner: key.owner }, stream: "last" },
        { session: { id: key.id, owner: "bob" }, stream: "last" },
        { session: key, stream: "last" },
      ];
      for (const { session, stream: name } of others) {
        await first.events.append(session, { stream: name, owner: firstNode, fence: 0, first: 0, data: ["a"] });
      }
      await expect.poll(() => at.changed.length).toBeGreaterThan(0);
      for (const call of at.changed) expect(call).toEqual([key, "last"]);
    });

    test("a watch that has ended calls no more, and leaves other watches of the stream", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      const stops = [await second.nodes.watch(key, stream), await second.nodes.watch(key, stream)];
      for (let time = 0; time < 2; time += 1) stops[0]?.();
      await first.events.append(key, { stream, owner: firstNode, fence: 0, first: 0, data: ["a"] });
      await expect.poll(() => at.changed.length).toBeGreaterThan(0);
      stops[1]?.();
      // The end of a watch takes effect at some time; what follows is not for it.
      await second.nodes.watch(key, "marker");
      at.changed.length = 0;
      await first.events.append(key, { stream, owner: firstNode, fence: 0, first: 1, data: ["b"] });
      await first.events.append(key, { stream: "marker", owner: firstNode, fence: 0, first: 0, data: ["b"] });
      await expect.poll(() => at.changed).toContainEqual([key, "marker"]);
      expect(at.changed).not.toContainEqual([key, stream]);
    });

    test("a node is called by a watch that begins as soon as another of the stream has ended", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      for (let index = 0; index < 5; index += 1) {
        const name = `${stream}${index}`;
        const stop = await second.nodes.watch(key, name);
        stop();
        await second.nodes.watch(key, name);
        await first.events.append(key, { stream: name, owner: firstNode, fence: 0, first: 0, data: ["a"] });
        await expect.poll(() => at.changed).toContainEqual([key, name]);
      }
    });

    test("a stream that is watched before it exists calls when it is created", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const at = await listen(second, secondNode);
      await second.nodes.watch(key, stream);
      await first.events.append(key, { stream, owner: firstNode, fence: 0, first: 0, data: ["a"] });
      await expect.poll(() => at.changed.length).toBeGreaterThan(0);
    });
  });
}

interface Announced {
  readonly broadcast: Broadcast;
  readonly position: string;
}

/** What a node has received. */
interface Received {
  readonly messages: NodeMessage[];
  readonly broadcastReceived: Announced[];
  readonly changed: unknown[];
  missed: number;
  stop(): Promise<void>;
}

/** Receives for a node until the test ends. */
async function listen({ nodes }: Engine, node: string, position?: string): Promise<Received> {
  const received: Received = { messages: [], broadcastReceived: [], changed: [], missed: 0, stop: async () => {} };
  const receiver: NodeReceiver = {
    message: (message) => void received.messages.push(message),
    broadcastReceived: (broadcast, at) => void received.broadcastReceived.push({ broadcast, position: at }),
    missed: () => void (received.missed += 1),
    changed: (session, name) => void received.changed.push([session, name]),
  };
  const stop = await nodes.receive(node, receiver, position);
  received.stop = stop;
  onTestFinished(() => stop());
  return received;
}

function revoked(name: string): Broadcast {
  return { kind: "revoked", key: name, until: 1 };
}

function listKeys(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

function keysOf(broadcastReceived: readonly Announced[] | undefined): readonly string[] {
  return broadcastReceived?.map(({ broadcast }) => (broadcast.kind === "revoked" ? broadcast.key : "")) ?? ["unknown"];
}
