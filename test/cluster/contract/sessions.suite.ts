import { describe, expect, test } from "vitest";
import type { RequestId } from "../../../runtime/jsonrpc/message.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { createClient, createRecord, firstNode, key, secondNode, startTwoNodes, strangers } from "./cluster.ts";

/** Declares the tests of the session store of an engine. */
export function describeSessions(fixture: EngineFixture): void {
  describe("records of a shared session store", () => {
    test("a shared session store finds a session on another node, with its whole record", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await first.sessions.add(createRecord(key.id))).toBe(true);
      const found = await second.sessions.access(key, { node: secondNode });
      expect(found).toEqual({ record: createRecord(key.id), version: 0, state: {}, used: [] });
    });

    test("a shared session store keeps a record without owner or agreement", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const bare = { id: "bare", owner: undefined };
      expect(await first.sessions.add(bare)).toBe(true);
      expect((await second.sessions.access(bare, { node: secondNode }))?.record).toEqual(bare);
      expect(await second.sessions.access({ ...bare, owner: "undefined" }, { node: secondNode })).toBeUndefined();
      expect(await second.sessions.access({ ...bare, owner: "" }, { node: secondNode })).toBeUndefined();
    });

    test("a shared session store keeps any text in ids, owners and names", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (const text of ["{a}:*", "a\u0000b", "\ud83d\ude00 é", "a\r\nb", "'; --"]) {
        const record = {
          ...createRecord(text, text),
          agreement: { revision: text, client: createClient(text) },
        };
        expect(await first.sessions.add(record)).toBe(true);
        const reserve = [text];
        expect(await second.sessions.access(record, { node: secondNode, reserve })).toMatchObject({ record, used: [] });
        expect(await first.sessions.findNode(record, text)).toBe(secondNode);
      }
    });

    test("a shared session store tells apart keys whose parts are equal when they are joined", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord("ab", "c"));
      expect(await first.sessions.access({ id: "a", owner: "bc" }, { node: firstNode })).toBeUndefined();
      expect(await first.sessions.access({ id: "a", owner: "b\u0000c" }, { node: firstNode })).toBeUndefined();
    });

    test("a shared session store adds a session twice without effect on its requests and state", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1] });
      await first.sessions.change(key, { logLevel: "debug" });
      expect(await second.sessions.add(createRecord(key.id))).toBe(true);
      const found = await second.sessions.access(key, { node: secondNode, reserve: [1] });
      expect(found).toMatchObject({ version: 1, state: { logLevel: "debug" }, used: [1] });
    });

    test("a shared session store never finds a session with the key of another owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      await first.sessions.change(key, { logLevel: "debug", listener: { node: firstNode, stream: "a0", fence: 0 } });
      for (const stranger of strangers) {
        expect(await second.sessions.access(stranger, { node: secondNode, reserve: [3] })).toBeUndefined();
        expect(await second.sessions.findNode(stranger, 1)).toBeUndefined();
        await second.sessions.release(stranger, { node: firstNode, ids: [1] });
        await second.sessions.release(stranger, { node: firstNode, ids: [2], isUnused: true });
        expect(await second.sessions.change(stranger, { logLevel: "error" })).toBeUndefined();
        expect(await second.sessions.readState(stranger)).toBeUndefined();
        expect(await second.sessions.end(stranger)).toEqual([]);
      }
      expect(await first.sessions.findNode(key, 1)).toBe(firstNode);
      expect(await first.sessions.findNode(key, 2)).toBe(firstNode);
      expect(await first.sessions.findNode(key, 3)).toBeUndefined();
      expect(await first.sessions.readState(key)).toMatchObject({ logLevel: "debug" });
    });

    test("a shared session store keeps a session when another owner adds the same id", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await second.sessions.add(createRecord(key.id, "bob"));
      expect((await first.sessions.access(key, { node: firstNode }))?.record).toEqual(createRecord(key.id));
    });

    test("a shared session store without a session of this key changes nothing", async () => {
      const { first } = await startTwoNodes(fixture);
      expect(await first.sessions.access(key, { node: firstNode, reserve: [1] })).toBeUndefined();
      await first.sessions.release(key, { node: firstNode, ids: [1] });
      expect(await first.sessions.findNode(key, 1)).toBeUndefined();
      expect(await first.sessions.change(key, { logLevel: "debug" })).toBeUndefined();
      expect(await first.sessions.readState(key)).toBeUndefined();
      expect(await first.sessions.end(key)).toEqual([]);
      await first.sessions.add(createRecord(key.id));
      const found = await first.sessions.access(key, { node: firstNode, reserve: [1] });
      expect(found).toMatchObject({ version: 0, used: [] });
    });
  });

  describe("request ids of a shared session store", () => {
    test("a request id is taken by one of two nodes", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      expect((await first.sessions.access(key, { node: firstNode, reserve: [7] }))?.used).toEqual([]);
      expect((await second.sessions.access(key, { node: secondNode, reserve: [7] }))?.used).toEqual([7]);
      expect((await first.sessions.access(key, { node: firstNode, reserve: [7] }))?.used).toEqual([7]);
      expect(await second.sessions.findNode(key, 7)).toBe(firstNode);
    });

    test("a request id that many accesses take at once is taken by one of them", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      for (let id = 0; id < 20; id += 1) {
        const found = await Promise.all(
          [first, second, first, second].map(async ({ sessions }) =>
            sessions.access(key, { node: sessions === first.sessions ? firstNode : secondNode, reserve: [id] }),
          ),
        );
        expect(found.filter((session) => session?.used.length === 0)).toHaveLength(1);
      }
    });

    test("an access takes those of its ids that are not used", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, "a"] });
      const found = await second.sessions.access(key, { node: secondNode, reserve: [1, 2, "a", "b"] });
      expect(found?.used).toEqual([1, "a"]);
      expect(await Promise.all([1, 2, "a", "b"].map(async (id) => first.sessions.findNode(key, id)))).toEqual([
        firstNode,
        secondNode,
        firstNode,
        secondNode,
      ]);
    });

    test("an id that an access names twice was not used before", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      expect((await first.sessions.access(key, { node: firstNode, reserve: [1, 1] }))?.used).toEqual([]);
    });

    test("request ids of different types or notations are different ids", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const ids: readonly RequestId[] = [1, "1", "1.0", 1.5, -1, 0, "", "n:1", 9_007_199_254_740_991, 1e21, '"1"'];
      for (const id of ids) {
        const found = await first.sessions.access(key, { node: firstNode, reserve: [id] });
        expect([id, found?.used]).toEqual([id, []]);
      }
      const found = await second.sessions.access(key, { node: secondNode, reserve: ids });
      expect(found?.used).toEqual(ids);
    });

    test("a released id stays used, but no node runs it", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1] });
      for (let time = 0; time < 2; time += 1) await first.sessions.release(key, { node: firstNode, ids: [1] });
      expect(await second.sessions.findNode(key, 1)).toBeUndefined();
      expect((await second.sessions.access(key, { node: secondNode, reserve: [1] }))?.used).toEqual([1]);
    });

    test("an access releases the requests of its node that have ended, before it takes ids", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      await second.sessions.access(key, { node: secondNode, reserve: [3] });
      const found = await first.sessions.access(key, { node: firstNode, ended: [1, 3], reserve: [1, 4] });
      expect(found).toMatchObject({ used: [1] });
      const nodes = await Promise.all([1, 2, 3, 4].map(async (id) => second.sessions.findNode(key, id)));
      expect(nodes).toEqual([undefined, firstNode, secondNode, firstNode]);
      expect(await first.sessions.access(key, { node: firstNode, ended: [2] })).toMatchObject({ used: [] });
      expect(await second.sessions.findNode(key, 2)).toBeUndefined();
    });

    test("an id that is released unused may be taken again", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      for (let time = 0; time < 2; time += 1)
        await first.sessions.release(key, { node: firstNode, ids: [1], isUnused: true });
      expect((await second.sessions.access(key, { node: secondNode, reserve: [1, 2] }))?.used).toEqual([2]);
      expect(await first.sessions.findNode(key, 1)).toBe(secondNode);
    });

    test("an id that was used stays used when it is released unused", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1] });
      await first.sessions.release(key, { node: firstNode, ids: [1] });
      await first.sessions.release(key, { node: firstNode, ids: [1], isUnused: true });
      expect((await first.sessions.access(key, { node: firstNode, reserve: [1] }))?.used).toEqual([1]);
    });

    test("a node releases its own reservations only", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2], attempt: "a" });
      await second.sessions.release(key, { node: secondNode, ids: [1] });
      await second.sessions.release(key, { node: secondNode, ids: [2], isUnused: true });
      expect(await Promise.all([1, 2].map(async (id) => first.sessions.findNode(key, id)))).toEqual([
        firstNode,
        firstNode,
      ]);
      expect((await second.sessions.access(key, { node: secondNode, reserve: [1, 2] }))?.used).toEqual([1, 2]);
    });

    test("a repeated access does not report its own reservations as used", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const access = { node: firstNode, reserve: [1, "b"], attempt: "a" };
      for (let time = 0; time < 2; time += 1) expect((await first.sessions.access(key, access))?.used).toEqual([]);
      expect((await first.sessions.access(key, { ...access, attempt: "b" }))?.used).toEqual([1, "b"]);
      expect((await first.sessions.access(key, { node: firstNode, reserve: [1] }))?.used).toEqual([1]);
      expect((await second.sessions.access(key, { ...access, node: secondNode }))?.used).toEqual([1, "b"]);
      await first.sessions.release(key, { node: firstNode, ids: [1, "b"] });
      expect((await first.sessions.access(key, access))?.used).toEqual([1, "b"]);
    });

    test("the nodes of a session are those that run requests or write its stream", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await first.sessions.findNodes(key)).toEqual([]);
      await first.sessions.add(createRecord(key.id));
      expect(await first.sessions.findNodes(key)).toEqual([]);
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2], attempt: "a" });
      await second.sessions.access(key, { node: secondNode, reserve: [3] });
      await second.sessions.release(key, { node: secondNode, ids: [3] });
      expect(await second.sessions.findNodes(key)).toEqual([firstNode]);
      await second.sessions.change(key, { listener: { node: secondNode, stream: "s", fence: 0 } });
      expect([...(await first.sessions.findNodes(key))].sort()).toEqual([firstNode, secondNode].sort());
      for (const stranger of strangers) expect(await first.sessions.findNodes(stranger)).toEqual([]);
    });

    test("an id that was never taken is not used after it is released", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.release(key, { node: firstNode, ids: [1, 2] });
      expect((await first.sessions.access(key, { node: firstNode, reserve: [1, 2] }))?.used).toEqual([]);
    });

    test("a session keeps the last 1,024 ids that were used, and all that run", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: ["runs"] });
      const ids = Array.from({ length: 1_030 }, (_, id) => id);
      await first.sessions.access(key, { node: firstNode, reserve: ids });
      for (let from = 0; from < ids.length; from += 103) {
        await first.sessions.release(key, { node: firstNode, ids: ids.slice(from, from + 103) });
      }
      const found = await second.sessions.access(key, { node: secondNode, reserve: ["runs", ...ids] });
      expect(found?.used).toEqual(["runs", ...ids.slice(6)]);
      expect(await first.sessions.findNode(key, "runs")).toBe(firstNode);
    });
  });

  describe("state of a shared session store", () => {
    test("a change has the next version, and the other node reads its state", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const listener = { node: firstNode, stream: "first000000000", fence: 2 };
      expect(await first.sessions.change(key, { logLevel: "debug" })).toBe(1);
      expect(await second.sessions.change(key, { subscribe: ["a:1", "a:2"] })).toBe(2);
      expect(await first.sessions.change(key, { listener })).toBe(3);
      const state = { logLevel: "debug", subscriptions: ["a:1", "a:2"], listener };
      expect(sorted(await second.sessions.readState(key))).toEqual(state);
      const found = await second.sessions.access(key, { node: secondNode });
      expect(found?.version).toBe(3);
      expect(sorted(found?.state)).toEqual(state);
    });

    test("an access with the current version returns no state, and with any other version the state", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const unchanged = await second.sessions.access(key, { node: secondNode, version: 0 });
      expect(unchanged).toMatchObject({ version: 0, record: createRecord(key.id) });
      expect(unchanged?.state).toBeUndefined();
      await first.sessions.change(key, { logLevel: "error" });
      const changed = await second.sessions.access(key, { node: secondNode, version: 0 });
      expect(changed).toMatchObject({ version: 1, state: { logLevel: "error" } });
      expect((await second.sessions.access(key, { node: secondNode, version: 1 }))?.state).toBeUndefined();
      expect(await second.sessions.access(key, { node: secondNode, version: 9 })).toMatchObject({
        version: 1,
        state: { logLevel: "error" },
      });
    });

    test("a change keeps the members that it does not name", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.change(key, { logLevel: "debug", subscribe: ["a:1"] });
      await first.sessions.change(key, { listener: { node: firstNode, stream: "s1", fence: 0 } });
      await first.sessions.change(key, { listener: { node: secondNode, stream: "s2", fence: 0 } });
      await first.sessions.change(key, { logLevel: "error" });
      expect(await first.sessions.readState(key)).toEqual({
        logLevel: "error",
        subscriptions: ["a:1"],
        listener: { node: secondNode, stream: "s2", fence: 0 },
      });
    });

    test("a listener with a lower fence of the same stream changes nothing", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const listeners = [
        { node: firstNode, stream: "s1", fence: 0 },
        { node: secondNode, stream: "s1", fence: 10 },
        { node: firstNode, stream: "s1", fence: 9 },
      ];
      for (const listener of listeners) await first.sessions.change(key, { listener });
      expect(await second.sessions.readState(key)).toEqual({ listener: listeners[1] });
      const other = { node: firstNode, stream: "s2", fence: 0 };
      await first.sessions.change(key, { listener: other });
      expect(await second.sessions.readState(key)).toEqual({ listener: other });
    });

    test("subscriptions are added and removed once each", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.change(key, { subscribe: ["a:1", "a:2", "a:1"] });
      await second.sessions.change(key, { subscribe: ["a:2", "a:3"] });
      await first.sessions.change(key, { unsubscribe: ["a:1", "a:9"] });
      await second.sessions.change(key, { unsubscribe: ["a:1"] });
      expect(sorted(await first.sessions.readState(key))?.subscriptions).toEqual(["a:2", "a:3"]);
      await first.sessions.change(key, { unsubscribe: ["a:2", "a:3"] });
      expect((await first.sessions.readState(key))?.subscriptions ?? []).toEqual([]);
    });

    test("changes of two nodes at once are all kept", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      const uris = Array.from({ length: 40 }, (_, index) => `a:${10 + index}`);
      const versions = await Promise.all(
        uris.map(async (uri, index) => (index % 2 === 0 ? first : second).sessions.change(key, { subscribe: [uri] })),
      );
      expect(new Set(versions).size).toBe(40);
      expect(Math.max(...versions.map((version) => version ?? 0))).toBe(40);
      expect(sorted(await first.sessions.readState(key))?.subscriptions).toEqual(uris);
    });

    test("a change that exceeds the limit of subscriptions changes nothing", async () => {
      const { first } = await startTwoNodes(fixture, { maxSubscriptions: 3 });
      await first.sessions.add(createRecord(key.id));
      expect(await first.sessions.change(key, { subscribe: ["a:1", "a:2"] })).toBe(1);
      expect(await first.sessions.change(key, { subscribe: ["a:3", "a:4"], logLevel: "debug" })).toBeUndefined();
      expect(sorted(await first.sessions.readState(key))).toEqual({ subscriptions: ["a:1", "a:2"] });
      expect(await first.sessions.change(key, { subscribe: ["a:1", "a:3"] })).toBe(2);
      expect(await first.sessions.change(key, { subscribe: ["a:4"] })).toBeUndefined();
      expect(await first.sessions.change(key, { unsubscribe: ["a:1"] })).toBe(3);
      expect(await first.sessions.change(key, { subscribe: ["a:4"] })).toBe(4);
    });
  });

  describe("lifetime of sessions in a shared session store", () => {
    test("an ended session is found by no node, and its nodes are those that run requests or write its stream", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const third = await cluster.connect();
      const [thirdNode, idleNode] = ["third00000000", "idle000000000"];
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      await second.sessions.access(key, { node: secondNode, reserve: [3] });
      await second.sessions.access(key, { node: idleNode, reserve: [4] });
      await second.sessions.release(key, { node: idleNode, ids: [4] });
      await third.sessions.change(key, { listener: { node: thirdNode, stream: "s", fence: 0 } });
      expect([...(await second.sessions.end(key))].sort()).toEqual([firstNode, secondNode, thirdNode].sort());
      expect(await first.sessions.access(key, { node: firstNode })).toBeUndefined();
      expect(await first.sessions.findNode(key, 1)).toBeUndefined();
      expect(await first.sessions.end(key)).toEqual([]);
    });

    test("a session that is added after its end has no ids or state of the earlier one", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      await first.sessions.release(key, { node: firstNode, ids: [2] });
      await first.sessions.change(key, { logLevel: "debug", subscribe: ["a:1"] });
      await first.sessions.end(key);
      await first.sessions.add(createRecord(key.id));
      const found = await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      expect(found).toMatchObject({ version: 0, state: {}, used: [] });
    });

    test("a session lives as long as it is accessed", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { sessionTtl: 1_500 });
      await first.sessions.add(createRecord(key.id));
      for (let time = 0; time < 3; time += 1) {
        await cluster.pass(800);
        const reserve = time === 0 ? [1, 2] : [];
        expect(await second.sessions.access(key, { node: secondNode, reserve })).toBeDefined();
        if (time === 0) await second.sessions.release(key, { node: secondNode, ids: [2] });
        if (time === 0) await second.sessions.change(key, { logLevel: "debug", subscribe: ["a:1"] });
      }
      const found = await first.sessions.access(key, { node: firstNode, reserve: [1, 2] });
      expect(found).toMatchObject({ state: { logLevel: "debug", subscriptions: ["a:1"] }, used: [1, 2] });
      await cluster.pass(1_600);
      expect(await first.sessions.access(key, { node: firstNode })).toBeUndefined();
      expect(await first.sessions.findNode(key, 1)).toBeUndefined();
      expect(await first.sessions.end(key)).toEqual([]);
    });

    test("a session whose state is read lives no longer", async () => {
      const { cluster, first } = await startTwoNodes(fixture, { sessionTtl: 1_500 });
      await first.sessions.add(createRecord(key.id));
      await cluster.pass(800);
      await first.sessions.readState(key);
      await first.sessions.findNode(key, 1);
      await cluster.pass(800);
      expect(await first.sessions.readState(key)).toBeUndefined();
    });

    test("a store that is full rejects sessions until one ends or expires", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { maxSessions: 3, sessionTtl: 1_500 });
      const keys = ["a", "b", "c"].map((id) => createRecord(id, undefined));
      for (const record of keys) expect(await first.sessions.add({ ...record, owner: undefined })).toBe(true);
      expect(await second.sessions.add({ id: "d", owner: undefined })).toBe(false);
      expect(await second.sessions.add({ id: "a", owner: undefined })).toBe(true);
      expect(await second.sessions.access({ id: "d", owner: undefined }, { node: secondNode })).toBeUndefined();
      await second.sessions.end({ id: "b", owner: undefined });
      expect(await first.sessions.add({ id: "d", owner: undefined })).toBe(true);
      expect(await first.sessions.add({ id: "e", owner: undefined })).toBe(false);
      await cluster.pass(1_600);
      expect(await first.sessions.add({ id: "e", owner: undefined })).toBe(true);
    });

    test("one owner holds half of the sessions, which leaves room for others", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxSessions: 8 });
      const added: boolean[] = [];
      for (let count = 0; count < 6; count += 1)
        added.push(await first.sessions.add(createRecord(`a${count}`, "mallory")));
      expect(added).toEqual([true, true, true, true, false, false]);
      expect(await second.sessions.add(createRecord("b0", "bob"))).toBe(true);
      expect(await second.sessions.add(createRecord("b1", "bob"))).toBe(true);
      expect(await second.sessions.add(createRecord("c0", "carol"))).toBe(true);
      await second.sessions.end({ id: "a0", owner: "mallory" });
    });
  });

  describe("values of a shared session store", () => {
    test("a value that a caller changes later stays as it was stored", async () => {
      const { first } = await startTwoNodes(fixture);
      const client = { ...createClient("client") };
      await first.sessions.add({ ...key, agreement: { revision: "a revision", client } });
      Object.assign(client, createClient("another"));
      const found = await first.sessions.access(key, { node: firstNode });
      expect(found?.record.agreement?.client).toEqual(createClient("client"));
      Object.assign(found?.record.agreement?.client ?? {}, createClient("another"));
      const again = await first.sessions.access(key, { node: firstNode });
      expect(again?.record.agreement?.client).toEqual(createClient("client"));
    });
  });
}

/** Returns a state with its subscriptions in order: stores need not keep one. */
function sorted<T extends { readonly subscriptions?: readonly string[] }>(state: T | undefined): T | undefined {
  return state?.subscriptions ? { ...state, subscriptions: [...state.subscriptions].sort() } : state;
}
