import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { TaskKey, TaskRecord } from "../../../runtime/stores/task-store.ts";
import { startNats } from "../processes/nats-process.ts";
import { startRecorder } from "../problems/strange-servers.ts";
import { firstNode, secondNode } from "./cluster.ts";

const isNats = process.env["SCALE_ENGINE"] === "nats";

/** Engines of two nodes, and the number of requests that the second one sends. */
interface CountedNodes {
  readonly first: Engine;
  readonly second: Engine;
  countRequests(work: () => Promise<unknown>): Promise<number>;
}

async function startNodes(): Promise<CountedNodes> {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const { port, readText } = await startRecorder(Number(new URL(nats.url).port));
  const open = async (servers: string): Promise<Engine> => {
    const engine = createNatsEngine({ servers, keys: [new Uint8Array(32).fill(7)], prefix: "takeover" });
    await engine.open();
    onTestFinished(() => engine.close());
    return engine;
  };
  const count = (): number => [...readText().matchAll(/(^|\n)H?PUB /g)].length;
  return {
    first: await open(nats.url),
    second: await open(`nats://127.0.0.1:${port}`),
    async countRequests(work) {
      const before = count();
      await work();
      return count() - before;
    },
  };
}

function createTask(id: string, node: string, lease: number): TaskRecord {
  const time = "2030-01-01T00:00:00.000Z";
  const state = { status: "working", createdAt: time, updatedAt: time, ttl: 60_000, pollInterval: 100 } as const;
  return { id, owner: "ada", ...state, node, attempt: 1, lease };
}

async function addTasks({ tasks }: Engine, count: number, toTask: (index: number) => TaskRecord): Promise<TaskKey[]> {
  const added: TaskKey[] = [];
  for (let index = 0; index < count; index += 1) {
    const task = toTask(index);
    expect(await tasks.add(task)).toBe(true);
    added.push({ id: task.id, owner: task.owner });
  }
  return added;
}

const takeOver = async ({ tasks }: Engine, node: string): Promise<readonly string[]> =>
  ((await tasks.takeOver?.(node, 20)) ?? []).map(({ id }) => id);

test.runIf(isNats)(
  "a search for tasks to take over reads what is due, however many tasks other nodes run",
  async () => {
    const { first, second, countRequests } = await startNodes();
    const lease = 3_000;
    await addTasks(first, 3, (index) => createTask(`due${index}`, firstNode, lease));
    const held = await addTasks(first, 300, (index) => createTask(`held${index}`, firstNode, lease));
    await sleep(lease + 100);
    expect(await first.tasks.renew?.(held, firstNode, lease)).toEqual([]);
    const taken: string[] = [];
    const requests = await countRequests(async () => taken.push(...(await takeOver(second, secondNode))));
    expect(taken).toEqual(["due0", "due1", "due2"]);
    // Five reads find them, and four requests take each of them over.
    expect(requests).toBeLessThanOrEqual(20);
    expect(await countRequests(async () => expect(await takeOver(second, secondNode)).toEqual([]))).toBe(2);
  },
);

test.runIf(isNats)("a search reads no more than 100 leases, and the next one continues", async () => {
  const { first, second, countRequests } = await startNodes();
  // The node knows this lease as the shortest from now on.
  const [short] = await addTasks(second, 1, () => createTask("short", secondNode, 300));
  if (short) await second.tasks.remove(short);
  await addTasks(first, 150, (index) => createTask(`long${index}`, firstNode, 60_000));
  await addTasks(first, 1, () => createTask("due", firstNode, 300));
  await sleep(400);
  const search = async (expected: readonly string[]): Promise<number> =>
    countRequests(async () => expect(await takeOver(second, secondNode)).toEqual(expected));
  expect(await search([])).toBe(101);
  expect(await search(["due"])).toBeLessThan(70);
});
