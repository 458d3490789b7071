import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createNatsEngine } from "../../../runtime/adapters/nats/index.ts";
import { createRedisEngine } from "../../../runtime/adapters/redis/index.ts";
import type { Engine } from "../../../runtime/stores/engine.ts";
import type { StreamAppend } from "../../../runtime/stores/shared-event-store.ts";
import { startNatsCluster } from "../cluster/nats-cluster.ts";
import { startSentinels } from "../cluster/redis-group.ts";
import { firstNode, key } from "./cluster.ts";

/** Servers of which others replace one that has failed. */
interface ReplacedServers {
  readonly engine: Engine;
  /** Faults, each before the event with this sequence. */
  readonly faults: Readonly<Record<number, () => Promise<void>>>;
}

const keys = [new Uint8Array(32).fill(7)];

const starts: Readonly<Record<string, () => Promise<ReplacedServers>>> = {
  async sentinel() {
    const { url, fail, close } = await startSentinels();
    onTestFinished(close);
    return { engine: createRedisEngine({ url, keys, prefix: "failover" }), faults: { 150: async () => fail?.() } };
  },
  async "nats-cluster"() {
    const servers = await startNatsCluster();
    onTestFinished(servers.close);
    const events = "failover-v1-events";
    return {
      engine: createNatsEngine({ servers: servers.url, replicas: 3, strict: true, keys, prefix: "failover" }),
      faults: {
        75: servers.stepDown,
        150: () => servers.killLeader(events),
        200: servers.restart,
        225: () => servers.killLeader(events),
      },
    };
  },
};

const start = starts[process.env["SCALE_ENGINE"] ?? "memory"];

test.runIf(start)(
  "events that were stored before a failover are there after it, each once (E1, E2)",
  async () => {
    const { engine, faults } = (await start?.()) ?? expect.unreachable();
    onTestFinished(() => engine.close());
    await engine.open();
    const store = async (sequence: number): Promise<void> => {
      const append: StreamAppend = {
        stream: "first",
        owner: firstNode,
        fence: 0,
        first: sequence,
        data: [`${sequence}`],
      };
      const outcome = await Promise.resolve(engine.events.append(key, append)).catch(() => "unknown");
      if (outcome === "stored") return;
      expect(outcome).toBe("unknown");
      await sleep(100);
      return store(sequence);
    };
    for (let sequence = 0; sequence < 300; sequence += 1) {
      await faults[sequence]?.();
      await store(sequence);
    }
    const found: string[] = [];
    for (let after = -1; after < 299;) {
      const part = await engine.events.read(key, { stream: "first", sequence: after });
      found.push(...(part?.events.map(({ data }) => data) ?? []));
      after = part?.events.at(-1)?.sequence ?? Infinity;
    }
    expect(found).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
    expect(engine.status().state).not.toBe("lost");
  },
  120_000,
);
