import { describe, expect, test } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { TaskChange, TaskKey, TaskRecord, TaskRetry } from "../../../runtime/stores/task-store.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { firstNode, secondNode, startTwoNodes, type TwoNodes } from "./cluster.ts";

/** Milliseconds after which another node may take over the tasks of these tests. */
const lease = 400;

/** Declares the tests of the task store of an engine. */
export function describeTasks(fixture: EngineFixture): void {
  describe("tasks of an engine", () => {
    test("a task that one node has added is found by another, whole, and only for its owner (E8, E9)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const added = createTask("a", { ...onFirst, principal: "ada", retry, inputRequests: { q: { method: "m" } } });
      expect(await first.tasks.add(added)).toBe(true);
      expect(await second.tasks.find(keyOf("a"))).toEqual(added);
      for (const owner of ["bob", "", "ada ", "\u0000"]) {
        expect(await second.tasks.find({ id: "a", owner })).toBeUndefined();
        expect(await second.tasks.change({ id: "a", owner }, completed)).toBeUndefined();
        await second.tasks.remove({ id: "a", owner });
        await second.tasks.removeAll(owner);
      }
      expect(await first.tasks.find(keyOf("a"))).toEqual(added);
    });

    test("a task that is added twice is one task, and its id belongs to one owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await first.tasks.add(createTask("a"))).toBe(true);
      expect(await second.tasks.add(createTask("a"))).toBe(true);
      expect(await second.tasks.add({ ...createTask("a"), owner: "bob" })).toBe(false);
      expect(await first.tasks.list("ada", { limit: 9 })).toEqual({ tasks: [createTask("a")] });
    });

    test("a task that has ended never changes again, whichever node tries (E9)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a", onFirst));
      const cancelled = await second.tasks.change(keyOf("a"), { status: "cancelled", updatedAt: later });
      expect(cancelled).toMatchObject({ status: "cancelled" });
      expect(await first.tasks.change(keyOf("a"), completed, 1)).toEqual(cancelled);
      expect(await second.tasks.find(keyOf("a"))).toEqual(cancelled);
    });

    test("a task has one outcome, however many nodes write one at once (E9)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a"));
      const ends = Array.from({ length: 20 }, async (_, index) =>
        (index % 2 === 0 ? first : second).tasks.change(keyOf("a"), {
          ...completed,
          outcome: { kind: "result", result: { index } },
        }),
      );
      const states = await Promise.all(ends);
      for (const state of states) expect(state).toEqual(states[0]);
    });

    test("input responses that two nodes receive at once are all kept (E9)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a"));
      const changes = Array.from({ length: 10 }, async (_, index) =>
        (index % 2 === 0 ? first : second).tasks.change(keyOf("a"), {
          updatedAt: later,
          inputResponses: { [index]: index },
        }),
      );
      await Promise.all(changes);
      const found = await first.tasks.find(keyOf("a"));
      expect(Object.keys(found?.inputResponses ?? {})).toHaveLength(10);
    });

    test("the first of two responses to an input request stays, unless the node of the task replaces it", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a", { attempt: 1 }));
      const change = (response: string): TaskChange => ({ updatedAt: later, inputResponses: { one: response } });
      await first.tasks.change(keyOf("a"), change("first"));
      await second.tasks.change(keyOf("a"), change("second"));
      expect(await first.tasks.find(keyOf("a"))).toMatchObject({ inputResponses: { one: "first" } });
      await first.tasks.change(keyOf("a"), change("used"), 1);
      expect(await second.tasks.find(keyOf("a"))).toMatchObject({ inputResponses: { one: "used" } });
    });

    test("a task is removed when its time is up", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a", { ttl: 500 }));
      await first.tasks.add(createTask("b", { ttl: null }));
      await cluster.pass(700);
      expect(await second.tasks.find(keyOf("a"))).toBeUndefined();
      expect(await second.tasks.find(keyOf("b"))).toBeDefined();
    });

    test("tasks of an owner are listed page by page, the oldest first, and removed together", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const ids = ["a", "b", "c", "d", "e"];
      for (const id of ids) await first.tasks.add(createTask(id));
      await first.tasks.add({ ...createTask("other"), owner: "bob" });
      const page = await second.tasks.list("ada", { limit: 3 });
      expect(page?.tasks.map(({ id }) => id)).toEqual(["a", "b", "c"]);
      await first.tasks.remove(keyOf("d"));
      const rest = await second.tasks.list("ada", { limit: 3, from: page?.next ?? "" });
      expect(rest?.tasks.map(({ id }) => id)).toEqual(["e"]);
      expect(await second.tasks.list("ada", { limit: 3, from: "x" })).toBeUndefined();
      await second.tasks.removeAll("ada");
      expect(await first.tasks.list("ada", { limit: 9 })).toEqual({ tasks: [] });
      expect((await first.tasks.list("bob", { limit: 9 }))?.tasks).toHaveLength(1);
    });

    test("tasks of an owner are listed in the order of their times, and none whose time is up", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const years = ["2030", "2031", "2032", "2033"];
      for (const [index, id] of ["d", "c", "b", "a"].entries()) {
        const createdAt = `${years[index]}-01-01T00:00:00.000Z`;
        await first.tasks.add(createTask(id, { createdAt, ttl: 60_000 }));
      }
      const [all, start] = [await second.tasks.list("ada", { limit: 4 }), await second.tasks.list("ada", { limit: 2 })];
      expect(all).toEqual({ tasks: ["d", "c", "b", "a"].map((id) => expect.objectContaining({ id })) });
      expect(await first.tasks.list("ada", { limit: 1, from: start?.next ?? "" })).toMatchObject({
        tasks: [{ id: "b" }],
        next: expect.any(String),
      });
      await first.tasks.add(createTask("short", { ttl: 500 }));
      await cluster.pass(700);
      expect((await second.tasks.list("ada", { limit: 9 }))?.tasks.map(({ id }) => id)).toEqual(["d", "c", "b", "a"]);
    });

    test.each(["", "x", "e30", "WzEsMl0", "WyJhIl0", "WyJhIiwxXQ"])(
      "a position that no list has returned is unknown: %j",
      async (from) => {
        const { first } = await startTwoNodes(fixture);
        await first.tasks.add(createTask("a"));
        expect(await first.tasks.list("ada", { limit: 9, from })).toBeUndefined();
      },
    );
  });

  describe("leases of tasks", () => {
    test("a task is taken over when its lease is over, by one node, with the next attempt (E10)", async () => {
      const nodes = await startTwoNodes(fixture);
      const { cluster, first, second } = nodes;
      await first.tasks.add(createTask("a", onFirst));
      await first.tasks.add(createTask("free"));
      expect(await takeOver(second, secondNode)).toEqual([]);
      await cluster.pass(lease + 100);
      const taken = await Promise.all([takeOver(second, secondNode), takeOver(first, "third00000000")]);
      expect(taken.flat()).toHaveLength(1);
      const [record] = taken.flat();
      expect(record).toEqual(createTask("a", { ...onFirst, node: record?.node ?? "", attempt: 2 }));
      expect(await first.tasks.find(keyOf("a"))).toEqual(record);
      expect(await takeOver(first, "fourth0000000")).toEqual([]);
      await cluster.pass(lease + 100);
      expect(await takeOver(first, "fourth0000000")).toMatchObject([{ id: "a", attempt: 3 }]);
    });

    test("a node takes over a task of its own whose lease is over, as it may not have received an earlier reply (E10)", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a", onFirst));
      await cluster.pass(lease + 100);
      expect(await takeOver(second, secondNode)).toMatchObject([{ id: "a", attempt: 2 }]);
      expect(await takeOver(second, secondNode)).toEqual([]);
      await cluster.pass(lease + 100);
      expect(await takeOver(second, secondNode)).toMatchObject([{ id: "a", node: secondNode, attempt: 3 }]);
    });

    test("a node takes over no more tasks than the limit, and none that has ended or was removed", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const ids = ["a", "b", "c", "d", "e"];
      for (const id of ids) await first.tasks.add(createTask(id, onFirst));
      await first.tasks.change(keyOf("a"), completed, 1);
      await second.tasks.remove(keyOf("b"));
      await cluster.pass(lease + 100);
      expect(await takeOver(second, secondNode, 2)).toHaveLength(2);
      expect(await takeOver(second, secondNode, 2)).toHaveLength(1);
      expect(await takeOver(second, secondNode, 2)).toEqual([]);
    });

    test("a node renews all its leases at once, and learns which tasks it has lost", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const ids = ["kept", "cancelled", "removed", "moved"];
      for (const id of ids)
        await first.tasks.add(createTask(id, id === "moved" ? { ...onFirst, node: secondNode } : onFirst));
      await second.tasks.change(keyOf("cancelled"), { status: "cancelled", updatedAt: later });
      await second.tasks.remove(keyOf("removed"));
      await cluster.pass(lease / 2);
      const keys = ids.map(keyOf);
      const stranger = { id: "kept", owner: "bob" };
      expect(await first.tasks.renew?.([...keys, stranger], firstNode, 3 * lease)).toEqual([
        ...keys.slice(1),
        stranger,
      ]);
      expect(await first.tasks.renew?.([], firstNode, lease)).toEqual([]);
      await cluster.pass(lease);
      expect(await takeOver(second, "third00000000")).toMatchObject([{ id: "moved" }]);
    });

    test("a lease of 0 gives a task to the next node at once", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.tasks.add(createTask("a", { ...onFirst, lease: 60_000 }));
      expect(await first.tasks.renew?.([keyOf("a")], firstNode, 0)).toEqual([]);
      expect(await takeOver(second, secondNode)).toMatchObject([{ id: "a", node: secondNode, lease: 60_000 }]);
      expect(await takeOver(first, firstNode)).toEqual([]);
    });

    test("nodes that take over at once what a node has given away do not fail, and one of them gets it", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (const id of ["a", "b", "c"]) {
        await first.tasks.add(createTask(id, { ...onFirst, lease: 60_000 }));
        await first.tasks.renew?.([keyOf(id)], firstNode, 0);
        const taken = await Promise.all([takeOver(first, "third00000000"), takeOver(second, secondNode)]);
        expect(taken.flat()).toMatchObject([{ id, attempt: 2 }]);
      }
    });

    test("a change of an attempt before the present one has no effect (E9)", async () => {
      const nodes = await startTwoNodes(fixture);
      await nodes.first.tasks.add(createTask("a", onFirst));
      const taken = await letTakeOver(nodes);
      expect(await nodes.first.tasks.change(keyOf("a"), completed, 1)).toEqual(taken);
      expect(await nodes.first.tasks.find(keyOf("a"))).toEqual(taken);
      expect(await nodes.second.tasks.change(keyOf("a"), completed, 2)).toMatchObject(completed);
    });

    test("a response and a cancellation of a client count at every attempt", async () => {
      const nodes = await startTwoNodes(fixture);
      await nodes.first.tasks.add(createTask("a", onFirst));
      await nodes.first.tasks.change(keyOf("a"), { inputResponses: { q: 1 }, updatedAt: later });
      expect(await letTakeOver(nodes)).toMatchObject({ inputResponses: { q: 1 } });
      const change = { status: "cancelled", updatedAt: later } as const;
      expect(await nodes.first.tasks.change(keyOf("a"), change)).toMatchObject({ status: "cancelled", attempt: 2 });
    });
  });
}

async function letTakeOver({ cluster, second }: TwoNodes): Promise<TaskRecord | undefined> {
  await cluster.pass(lease + 100);
  const [taken] = await takeOver(second, secondNode);
  return taken;
}

async function takeOver({ tasks }: Engine, node: string, limit = 9): Promise<readonly TaskRecord[]> {
  if (!tasks.takeOver) throw new Error("the task store of the engine cannot take over tasks");
  return tasks.takeOver(node, limit);
}

const later = "2030-01-02T03:04:05.000Z";
const onFirst = { node: firstNode, attempt: 1, lease } as const;
const retry: TaskRetry = {
  revision: "a revision",
  params: { name: "tool", arguments: { a: [null, 1.5, "é😀"] } },
  client: { info: { name: "client", version: "1" }, capabilities: {} },
  identity: { principal: "ada", scopes: ["read"] },
};
const completed: TaskChange = { status: "completed", outcome: { kind: "result", result: { a: 1 } }, updatedAt: later };

function createTask(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  const createdAt = "2030-01-01T00:00:00.000Z";
  return {
    id,
    owner: "ada",
    status: "working",
    createdAt,
    updatedAt: createdAt,
    ttl: 60_000,
    pollInterval: 100,
    ...more,
  };
}

function keyOf(id: string): TaskKey {
  return { id, owner: "ada" };
}
