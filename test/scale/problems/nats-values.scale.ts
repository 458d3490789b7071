import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNatsEngine } from "../../../runtime/adapters/nats/index.ts";
import type { NatsLimits } from "../../../runtime/adapters/nats/nats-limits.ts";
import type { Engine } from "../../../runtime/stores/engine.ts";
import { startNats, type NatsProcess } from "../cluster/nats-process.ts";
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
