import { jetstream, jetstreamManager, type JetStreamManager, type StreamInfo } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import type { NatsLimits } from "../../../cluster/nats/nats-limits.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startNats, type NatsProcess } from "../processes/nats-process.ts";
import { engineKey, findCanaries, storeAll } from "./canaries.ts";
import { startRecorder } from "./strange-servers.ts";
import { describeStrangers } from "./strangers.suite.ts";

/*
 * Values in NATS: secrets that must not be there, and values that this engine has not written.
 */

let nats: NatsProcess;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.close());

interface EngineOptions {
  readonly prefix: string;
  readonly encrypt: boolean;
  readonly servers?: string;
  readonly limits?: Partial<NatsLimits>;
  readonly timeout?: number;
}

/** Opens an engine of its own streams in NATS. */
async function withEngine(options: EngineOptions, use: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = createNatsEngine({ servers: nats.url, keys: [engineKey], ...options });
  await engine.open();
  try {
    await use(engine);
  } finally {
    await engine.close();
  }
}

/** Records everything that NATS receives while something of each kind is stored. */
async function record(options: Omit<EngineOptions, "servers">): Promise<string> {
  const { port, readText } = await startRecorder(Number(new URL(nats.url).port));
  await withEngine({ ...options, servers: `nats://127.0.0.1:${port}` }, storeAll);
  expect(readText().length).toBeGreaterThan(5_000);
  return readText();
}

describe("secrets", () => {
  test("ids, principals, tokens and keys never reach NATS in clear", async () => {
    const found = findCanaries(await record({ prefix: "clear", encrypt: false }));
    expect(found).toContain("canary-content-event");
    expect(found.filter((canary) => !canary.startsWith("canary-content"))).toEqual([]);
  });

  test("contents of sessions, events, tasks, outcomes and messages are encrypted on NATS with `encrypt`", async () => {
    expect(findCanaries(await record({ prefix: "sealed", encrypt: true }))).toEqual([]);
  });
});

describe("values whose time is up", () => {
  test("tasks that no client has read since make room for others", async () => {
    const limits = { maxTasks: 3, maxTasksPerOwner: 1 };
    await withEngine({ prefix: "expired-tasks", encrypt: false, limits }, async ({ tasks }) => {
      const time = "2030-01-01T00:00:00.000Z";
      const task = { status: "working", createdAt: time, updatedAt: time, ttl: 1_500, pollInterval: 100 } as const;
      const add = async (...owners: readonly string[]): Promise<readonly boolean[]> => {
        const added: boolean[] = [];
        for (const owner of owners) added.push(await tasks.add({ id: crypto.randomUUID(), owner, ...task }));
        return added;
      };
      expect(await add("ada", "bob", "cy", "dan")).toEqual([true, true, true, false]);
      await sleep(1_700);
      expect(await add("dan", "ada", "eve", "fay")).toEqual([true, true, true, false]);
    });
  });

  test("secret values that have expired are removed when others are stored", async () => {
    const connection = await connect({ servers: nats.url });
    const { streams } = await jetstreamManager(connection);
    await withEngine({ prefix: "expired-values", encrypt: false }, async ({ values }) => {
      const count = async (): Promise<number> => (await streams.info("expired-values-v1-values")).state.messages;
      await values?.set("old", "a", 200);
      await values?.set("older", "b", 100);
      expect(await count()).toBe(2);
      await sleep(300);
      await values?.set("new", "c", 60_000);
      await expect.poll(count).toBe(1);
      expect(await values?.get("new")).toBe("c");
    });
    await connection.close();
  });
});

describe("values that exceed a message of NATS", () => {
  const large = "x".repeat(2_500_000);
  const time = "2030-01-01T00:00:00.000Z";
  const task = { status: "working", createdAt: time, updatedAt: time, ttl: null, pollInterval: 100 } as const;

  interface PartsFixture {
    readonly engine: Engine;
    readonly manager: JetStreamManager;
    /** Returns the number of parts that are stored. */
    countParts(): Promise<number>;
  }

  async function withParts(prefix: string, use: (fixture: PartsFixture) => Promise<void>): Promise<void> {
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    const countParts = async (): Promise<number> => {
      const streams = await listParts(manager, prefix);
      return streams.reduce((sum, { state }) => sum + state.messages, 0);
    };
    try {
      const limits = { endedStreamTtl: 500, maxEvents: 3 };
      await withEngine({ prefix, encrypt: false, limits, timeout: 30_000 }, (engine) =>
        use({ engine, manager, countParts }),
      );
    } finally {
      await connection.close();
    }
  }

  async function listParts({ streams }: JetStreamManager, prefix: string): Promise<readonly StreamInfo[]> {
    const found: StreamInfo[] = [];
    for await (const info of streams.list()) {
      if (info.config.name.startsWith(`${prefix}-v1-`) && info.config.name.endsWith("parts")) found.push(info);
    }
    return found;
  }

  test("a large task lives as long as a small one", async () => {
    await withParts("lasting", async ({ engine: { tasks }, manager }) => {
      const key = { id: "large", owner: "ada" };
      await tasks.add({ ...task, ...key, outcome: { kind: "result", result: { large } } });
      for (const { config } of await listParts(manager, "lasting")) {
        const age = config.max_age === 0 ? {} : { max_age: 1_000_000_000, duplicate_window: 1_000_000_000 };
        await manager.streams.update(config.name, { ...config, ...age });
      }
      await sleep(2_000);
      expect(await tasks.find(key)).toMatchObject({ outcome: { result: { large } } });
    });
  });

  test("the parts of a task are removed when it is changed and when it is removed", async () => {
    await withParts("tasks", async ({ engine: { tasks }, countParts }) => {
      const key = { id: "large", owner: "ada" };
      await tasks.add({ ...task, ...key, statusMessage: large });
      expect(await countParts()).toBe(3);
      await tasks.change(key, { status: "completed", updatedAt: time, statusMessage: `${large}${large}` });
      expect(await countParts()).toBe(5);
      await tasks.add({ ...task, id: "other", owner: "bob", statusMessage: large });
      await tasks.remove(key);
      expect(await countParts()).toBe(3);
      await tasks.removeAll("bob");
      expect(await countParts()).toBe(0);
    });
  });

  test("the parts of a task that a change makes small are removed", async () => {
    await withParts("small", async ({ engine: { tasks }, countParts }) => {
      const key = { id: "large", owner: "ada" };
      await tasks.add({ ...task, ...key, statusMessage: large });
      await tasks.change(key, { status: "working", updatedAt: time, statusMessage: "small" });
      expect(await countParts()).toBe(0);
      expect(await tasks.find(key)).toMatchObject({ statusMessage: "small" });
    });
  });

  test("the parts of events are removed with their session, and with an ended stream", async () => {
    await withParts("events", async ({ engine: { events, sessions }, countParts }) => {
      const key = { id: "session", owner: "ada" };
      await sessions.add(key);
      const append = { owner: "node", fence: 0, first: 0, data: [large] };
      await events.append(key, { ...append, stream: "open" });
      await events.append(key, { ...append, stream: "sealed" });
      await events.adopt(key, { stream: "sealed", fence: 0, node: "node" });
      expect(await countParts()).toBe(6);
      await events.seal(key, { stream: "sealed", fence: 1, node: "node", data: [] });
      await expect.poll(countParts).toBe(3);
      expect((await events.read(key, { stream: "open", sequence: -1 }))?.events).toEqual([
        { sequence: 0, data: large },
      ]);
      await events.remove(key);
      expect(await countParts()).toBe(0);
    });
  });

  test("a large task is found while it is changed", async () => {
    await withParts("changing", async ({ engine: { tasks } }) => {
      const key = { id: "large", owner: "ada" };
      await tasks.add({ ...task, ...key, statusMessage: large });
      for (let count = 0; count < 10; count += 1) {
        const change = { status: "working", updatedAt: time, statusMessage: `${large}${count}` } as const;
        const finds = [1, 2, 3, 4].map(() => tasks.find(key));
        const [, ...found] = await Promise.all([tasks.change(key, change), ...finds]);
        expect(found.every(Boolean)).toBe(true);
      }
    });
  });

  test("a task whose parts version 0.1 has stored is found", async () => {
    await withParts("earlier", async ({ engine: { tasks }, manager }) => {
      const key = { id: "task", owner: "ada" };
      await tasks.add({ ...task, ...key });
      const stored = await manager.streams.getMessage("earlier-v1-tasks", { last_by_subj: "earlier-v1.tasks.>" });
      const client = manager.jetstream();
      await client.publish("earlier-v1.parts.id.0", stored?.data);
      await client.publish(stored?.subject ?? "", 'parts:{"id":"id","parts":1}');
      expect(await tasks.find(key)).toMatchObject({ ...task, ...key });
    });
  });

  test("parts that a node has left behind are removed after ten minutes, when other values are divided", async () => {
    await withParts("orphans", async ({ engine: { tasks }, manager, countParts }) => {
      await tasks.add({ ...task, id: "kept", owner: "ada", statusMessage: large });
      await tasks.add({ ...task, id: "lost", owner: "ada", statusMessage: large });
      const last = await manager.streams.getMessage("orphans-v1-tasks", { last_by_subj: "orphans-v1.tasks.>" });
      await manager.streams.deleteMessage("orphans-v1-tasks", last?.seq ?? 0);
      expect(await countParts()).toBe(6);
      await withEngine({ prefix: "orphans", encrypt: false, timeout: 30_000 }, async (other) => {
        const exact = performance.now.bind(performance);
        const later = vi.spyOn(performance, "now").mockImplementation(() => exact() + 601_000);
        onTestFinished(() => void later.mockRestore());
        await other.tasks?.add({ ...task, id: "new", owner: "ada", statusMessage: large });
        await expect.poll(countParts).toBe(6);
      });
      for (const id of ["kept", "new"]) {
        const found = await tasks.find({ id, owner: "ada" });
        expect(found?.statusMessage === large).toBe(true);
      }
    });
  });
});

describeStrangers("NATS", {
  withEngine,
  async corrupt(prefix, text) {
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    const client = jetstream(connection);
    let count = 0;
    for await (const { config } of manager.streams.list()) {
      if (!config.name.startsWith(`${prefix}-v1`)) continue;
      const { state } = await manager.streams.info(config.name, { subjects_filter: ">" });
      for (const subject of Object.keys(state.subjects ?? {})) {
        // A message of NATS has at most 1 MiB.
        await client.publish(subject, text.slice(0, 500_000));
        count += 1;
      }
    }
    await connection.close();
    expect(count).toBeGreaterThan(8);
  },
});
