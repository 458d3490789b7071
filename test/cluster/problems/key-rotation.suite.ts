import { describe, expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { recordKinds } from "../contract/cluster.ts";

/** Keys of an engine, and the name of its application. */
export interface EngineKeys {
  readonly keys: readonly Uint8Array[];
  readonly prefix: string;
}

const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

/** Keys of two nodes that run at the same time. */
const pairs = [
  { name: "before and after the first deploy", first: [old], second: [old, next] },
  { name: "before and after the second deploy", first: [old, next], second: [next, old] },
  { name: "before and after the third deploy", first: [next, old], second: [next] },
];

/** Keys of the node that stores something, and of the one that finds it. */
interface KeyPair {
  readonly writer: readonly Uint8Array[];
  readonly reader: readonly Uint8Array[];
  readonly prefix: string;
}

interface EnginePair {
  readonly one: Engine;
  readonly other: Engine;
}

const cases = pairs.flatMap(({ name, first, second }, index) => [
  { name, writer: first, reader: second, prefix: `${index}-forward` },
  { name: `${name}, the other way round`, writer: second, reader: first, prefix: `${index}-back` },
]);

const session = { id: "session", owner: "ada" };
const agreement = { revision: "2025-11-25", client: { info: { name: "client", version: "1" }, capabilities: {} } };
const taskKey = { id: "task", owner: "ada" };
const at = "2026-01-01T00:00:00Z";
const task: TaskRecord = {
  ...taskKey,
  ...{ status: "working", createdAt: at, updatedAt: at, ttl: 60_000, pollInterval: 1_000 },
  ...{ node: "writer", attempt: 1, lease: 1 },
};

/** Declares the tests of keys that are replaced in three deploys, as the guide says. Nodes with the keys before and after each of them share everything. */
export function describeKeyRotation(product: string, create: (options: EngineKeys) => Engine): void {
  describe(`keys of ${product} that are replaced`, () => {
    /** Opens the engines of two nodes, which share what one topic of tests stores. */
    async function openPair({ writer, reader, prefix }: KeyPair, topic: string): Promise<EnginePair> {
      const open = async (keys: readonly Uint8Array[]): Promise<Engine> => {
        const engine = create({ keys, prefix: `${prefix}-${topic}` });
        onTestFinished(() => engine.close());
        await engine.open();
        return engine;
      };
      return { one: await open(writer), other: await open(reader) };
    }

    test.each(cases)("$name: sessions and streams are found and change their owner", async (pair) => {
      const { one, other } = await openPair(pair, "sessions");
      expect(await one.sessions.add({ ...session, agreement })).toBe(true);
      expect(await other.sessions.access(session, { node: "reader", reserve: [1] })).toMatchObject({ used: [] });
      expect(await one.sessions.access(session, { node: "writer", reserve: [1] })).toMatchObject({ used: [1] });
      expect(await one.sessions.findNode(session, 1)).toBe("reader");

      const stream = { stream: "a", owner: "writer", fence: 0 };
      expect(await one.events.append(session, { ...stream, first: 0, data: ["a"], requests: [1] })).toBe("stored");
      expect(await other.events.read(session, { stream: "a", sequence: -1 })).toMatchObject({
        events: [{ data: "a" }],
      });
      expect(await other.events.adopt(session, { stream: "a", fence: 0, node: "reader" })).toEqual({
        fence: 1,
        next: 1,
      });
      expect(await one.events.append(session, { ...stream, first: 1, data: ["b"] })).toBe("fenced");

      await other.sessions.end(session);
      expect(await one.sessions.access(session, { node: "writer" })).toBeUndefined();
    });

    test.each(cases)("$name: tasks are found, taken over and removed", async (pair) => {
      const { one, other } = await openPair(pair, "tasks");
      expect(await one.tasks.add(task)).toBe(true);
      expect(await other.tasks.find(taskKey)).toMatchObject(task);
      expect(await other.tasks.list("ada", { limit: 10 })).toMatchObject({ tasks: [task] });
      await expect.poll(() => other.tasks.takeOver?.("reader", 10)).toMatchObject([{ node: "reader", attempt: 2 }]);
      expect(await other.tasks.change(taskKey, { updatedAt: at, status: "completed" }, 2)).toBeDefined();
      expect(await one.tasks.find(taskKey)).toMatchObject({ status: "completed" });
      await other.tasks.removeAll("ada");
      expect(await one.tasks.find(taskKey)).toBeUndefined();
    });

    test.each(cases)("$name: steps of work keep their token and outcome", async (pair) => {
      const { one, other } = await openPair(pair, "ledger");
      const { token } = { token: "", ...(await one.ledger.begin("work", "pay", 1)) };
      expect(await other.ledger.begin("work", "pay", 2)).toEqual({ state: "new", token });
      expect(await other.ledger.finish("work", "pay", { attempt: 2, outcome: "paid" })).toBe("kept");
      expect(await one.ledger.begin("work", "pay", 3)).toEqual({ state: "done", token, outcome: "paid" });
    });

    test.each(cases)("$name: what was used once or revoked stays so", async (pair) => {
      const { one, other } = await openPair(pair, "revocations");
      const until = Date.now() + 60_000;
      expect(await one.replays.add("once", until)).toBe(true);
      expect(await other.replays.add("once", until)).toBe(false);
      await one.revocations?.add({ key: "ada", until });
      expect(await other.revocations?.list()).toEqual([{ key: "ada", until: expect.closeTo(until, -2) }]);
    });

    test("a revocation is applied without the key it was stored with, if a node had both", async () => {
      const open = async (...keys: readonly Uint8Array[]): Promise<Engine> => {
        const engine = create({ keys, prefix: "renewed" });
        onTestFinished(() => engine.close());
        await engine.open();
        return engine;
      };
      const until = Date.now() + 600_000;
      const revocation = { key: "ada", until: expect.closeTo(until, -4) };
      await (await open(old)).revocations?.add({ key: "ada", until });
      // Nodes with either order of the keys run at the same time.
      const [first, second] = [await open(next, old), await open(old, next)];
      for (const engine of [first, second, first, second])
        expect(await engine.revocations?.list()).toEqual([revocation]);
      expect(await (await open(next)).revocations?.list()).toEqual([revocation]);
      expect(await (await open(old)).revocations?.list()).toEqual([revocation]);
    });

    test.each(cases)("$name: secret values are found, changed, locked and deleted", async (pair) => {
      const { one, other } = await openPair(pair, "values");
      await one.values?.set("secret", "a", 60_000);
      expect(await other.values?.get("secret")).toBe("a");
      await other.values?.set("secret", "b", 60_000);
      expect(await one.values?.get("secret")).toBe("b");
      expect(await one.values?.lock("secret", { holder: "one", milliseconds: 60_000 })).toBe(true);
      expect(await other.values?.lock("secret", { holder: "other", milliseconds: 60_000 })).toBe(false);
      await other.values?.delete("secret");
      expect(await one.values?.get("secret")).toBeUndefined();
    });

    test.each(cases)("$name: messages, broadcasts and changes of streams arrive", async (pair) => {
      const { one, other } = await openPair(pair, "nodes");
      await one.sessions.add({ ...session, agreement });
      const { receiver, kinds } = recordKinds();
      await other.nodes.receive("reader", receiver);
      await other.nodes.watch(session, "a");
      expect(await one.nodes.send("reader", { kind: "ended", session })).toBe("sent");
      await one.nodes.broadcast({ kind: "revoked", key: "ada", until: 1 });
      await one.events.append(session, { stream: "a", owner: "writer", fence: 0, first: 0, data: ["a"] });
      await expect.poll(() => [...new Set(kinds)].sort()).toEqual(["changed", "ended", "revoked"]);
    });
  });
}
