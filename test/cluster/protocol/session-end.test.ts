import { expect, test } from "vitest";
import { endSharedSession } from "../../../cluster/engine/session-end.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { override } from "../../kit/override.ts";
import { createRecord, firstNode, key, secondNode } from "../contract/cluster.ts";

/* The end of a session on all nodes: which of them are notified, and how often a failed end is repeated. */

interface Ending {
  readonly clock: ManualClock;
  readonly engine: Engine;
  /** Nodes that were notified of the end. */
  readonly notified: string[];
  readonly errors: unknown[];
  /** Attempts to end the session. */
  readonly attempts: () => number;
  end(): Promise<void>;
  close(): void;
}

/** A session with a call at each of two nodes and a stream, whose end fails some times. */
async function start(failures: number, change: (engine: Engine) => Partial<Engine> = () => ({})): Promise<Ending> {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  await engine.sessions.add(createRecord(key.id, key.owner));
  for (const [index, node] of [firstNode, secondNode].entries())
    await engine.sessions.access(key, { node, reserve: [index], attempt: node });
  await engine.events.append(key, { stream: "s", owner: firstNode, fence: 0, first: 0, data: ["a"], requests: [0] });
  const [notified, errors]: [string[], unknown[]] = [[], []];
  let attempts = 0;
  let isOver = false;
  const sessions = override(engine.sessions, {
    async end(session) {
      attempts += 1;
      if (attempts <= failures) throw new EngineError("The engine is away");
      return engine.sessions.end(session);
    },
  });
  const nodes = override(engine.nodes, {
    send(node, message) {
      if (message.kind === "ended") notified.push(node);
      return "sent";
    },
  });
  const node = {
    engine: override(engine, { sessions, nodes, ...change(engine) }),
    clock,
    name: firstNode,
    isOver: () => isOver,
    fail: (thrown: unknown) => void errors.push(thrown),
  };
  return {
    clock,
    engine,
    notified,
    errors,
    attempts: () => attempts,
    end: () => endSharedSession(key, node),
    close: () => void (isOver = true),
  };
}

const isStored = async ({ engine }: Ending): Promise<boolean> =>
  (await engine.events.read(key, { stream: "s", sequence: -1 })) !== undefined;

test("the end of a session reaches its other nodes, and removes its streams", async () => {
  const ending = await start(0);
  expect(await isStored(ending)).toBe(true);
  await ending.end();
  expect([ending.notified, await isStored(ending)]).toEqual([[secondNode], false]);
  await ending.clock.pass(5_000);
  expect([ending.attempts(), ending.errors]).toEqual([1, []]);
});

test("a failed end of a session is thrown, and repeated each second for all its nodes", async () => {
  const ending = await start(3);
  await expect(ending.end()).rejects.toThrow("The engine is away");
  await ending.clock.pass(2_999);
  expect([ending.attempts(), ending.notified, await isStored(ending)]).toEqual([3, [], true]);
  await ending.clock.pass(5_000);
  expect([ending.attempts(), ending.notified.toSorted()]).toEqual([4, [firstNode, secondNode]]);
  expect([await isStored(ending), ending.errors]).toEqual([false, []]);
});

test("a failed end of a session is repeated by no node that has closed", async () => {
  const ending = await start(3);
  await expect(ending.end()).rejects.toThrow("The engine is away");
  ending.close();
  await ending.clock.pass(10_000);
  expect(ending.attempts()).toBeLessThanOrEqual(2);
  expect(ending.errors).toEqual([]);
});

test("a failed end of a session is reported after 600 repetitions", async () => {
  const ending = await start(Infinity);
  await expect(ending.end()).rejects.toThrow("The engine is away");
  await ending.clock.pass(599_000);
  expect(ending.errors).toEqual([]);
  await ending.clock.pass(10_000);
  expect([ending.attempts(), ending.errors.map(String)]).toEqual([
    601,
    [expect.stringContaining("The engine is away")],
  ]);
});

test("a session whose nodes cannot be found is not ended", async () => {
  const ending = await start(0, (engine) => ({
    sessions: override(engine.sessions, { findNodes: () => Promise.reject(new EngineError("The engine is away")) }),
  }));
  await expect(ending.end()).rejects.toThrow("The engine is away");
  await ending.clock.pass(5_000);
  expect([await isStored(ending), ending.notified]).toEqual([true, []]);
});
