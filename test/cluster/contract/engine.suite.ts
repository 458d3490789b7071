import { describe, expect, test } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { createRecord, firstNode, key, recordKinds, secondNode, startTwoNodes } from "./cluster.ts";

/** Declares the tests of the connection of an engine. */
export function describeEngine(fixture: EngineFixture): void {
  describe("the connection of an engine", () => {
    test("an engine is ready once it is open", async () => {
      const { first } = await startTwoNodes(fixture);
      const status = first.status();
      expect(status.state).toBe("ready");
      expect(Math.abs(Date.now() - status.since)).toBeLessThan(60_000);
    });

    test("an engine that is opened twice works", async () => {
      const { first } = await startTwoNodes(fixture);
      await first.open();
      expect(await first.sessions.add(createRecord(key.id))).toBe(true);
    });

    test("every operation of an engine that is closed fails, also when it is closed twice", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.sessions.add(createRecord(key.id));
      for (let time = 0; time < 2; time += 1) await first.close();
      await expectFailures(first);
      expect(await second.sessions.access(key, { node: secondNode })).toBeDefined();
    });
  });

  describe("an engine whose store is lost", () => {
    test("every operation fails instead of waiting for the store, and works when the store is back", async ({
      skip,
    }) => {
      const { cluster, first } = await startTwoNodes(fixture);
      const { kill, restart } = cluster;
      if (!kill || !restart) return skip("the store of this engine cannot be made unreachable");
      await first.sessions.add(createRecord(key.id));
      await first.sessions.access(key, { node: firstNode, reserve: [1] });
      await kill.call(cluster);
      await expectFailures(first);
      await expect.poll(() => first.status().state).toBe("lost");
      await restart.call(cluster);
      await expect.poll(() => settle(() => first.sessions.readState(key))).toEqual({});
      expect(await first.sessions.access(key, { node: firstNode, reserve: [1] })).toMatchObject({ used: [1] });
      // Failures of the last seconds count.
      await expect.poll(() => first.status().state).toBe("ready");
    });

    test("a node receives again when the store is back", async ({ skip }) => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const { kill, restart } = cluster;
      if (!kill || !restart) return skip("the store of this engine cannot be made unreachable");
      const { receiver, kinds } = recordKinds();
      await second.nodes.receive(secondNode, receiver);
      await kill.call(cluster);
      await restart.call(cluster);
      const send = (): unknown => first.nodes.send(secondNode, { kind: "ended", session: key });
      await expect.poll(() => settle(send)).toBe("sent");
      await expect.poll(() => kinds).toContain("ended");
      await first.nodes.broadcast({ kind: "revoked", key: "a", until: 1 });
      await expect.poll(() => kinds).toContain("revoked");
    });
  });
}

/** Performs each operation of an engine that cannot work. */
async function expectFailures({
  sessions,
  events,
  nodes,
  tasks,
  ledger,
  replays,
  rates,
  revocations,
  values,
}: Engine): Promise<void> {
  const stream = { stream: "a", fence: 0, node: secondNode };
  const operations: readonly (() => unknown)[] = [
    () => sessions.add(createRecord("other")),
    () => sessions.access(key, { node: firstNode }),
    () => sessions.release(key, { node: firstNode, ids: [1] }),
    () => sessions.findNode(key, 1),
    () => sessions.findNodes(key),
    () => sessions.change(key, { logLevel: "debug" }),
    () => sessions.readState(key),
    () => sessions.end({ id: "other", owner: "ada" }),
    () => events.append(key, { stream: "a", owner: firstNode, fence: 0, first: 0, data: ["a"] }),
    () => events.read(key, { stream: "a", sequence: -1 }),
    () => events.seal(key, { ...stream, data: [] }),
    () => events.adopt(key, stream),
    () => events.remove(key),
    () => nodes.renew(firstNode, { milliseconds: 1_000, isNew: true }),
    () => nodes.isAlive(firstNode),
    () => nodes.send(secondNode, { kind: "ended", session: key }),
    () => nodes.broadcast({ kind: "revoked", key: "a", until: 1 }),
    () => nodes.broadcastsAfter("1"),
    () => tasks.find({ id: "a", owner: "ada" }),
    () => tasks.renew?.([{ id: "a", owner: "ada" }], firstNode, 1_000),
    () => tasks.takeOver?.(firstNode, 20),
    () => ledger.begin("task", "step", 1),
    () => ledger.finish("task", "step", { attempt: 1, outcome: 1 }),
    () => replays.add("a", Date.now() + 60_000),
    ...(rates ? [() => rates.take("a", { burst: 1, perSecond: 1 })] : []),
    ...(revocations ? [() => revocations.list()] : []),
    ...(values ? [() => values.get("a"), () => values.lock("a", { holder: "a", milliseconds: 1_000 })] : []),
  ];
  const results = await Promise.all(operations.map(settle));
  results.forEach((result, index) => expect(result, `operation ${index}`).toBeInstanceOf(EngineError));
}

/** Returns the result of an operation, or its error. */
async function settle(operate: () => unknown): Promise<unknown> {
  try {
    return await operate();
  } catch (error) {
    return error;
  }
}
