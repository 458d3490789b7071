import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createRedisEngine } from "../../../runtime/adapters/redis/index.ts";
import type { StreamAppend } from "../../../runtime/stores/shared-event-store.ts";
import { startSentinels } from "../cluster/redis-group.ts";
import { firstNode, key } from "./cluster.ts";

const isSentinel = process.env["SCALE_ENGINE"] === "sentinel";

test.runIf(isSentinel)(
  "events that were stored before a failover are there after it, each once (E1, E2)",
  async () => {
    const group = await startSentinels();
    onTestFinished(() => group.close());
    const engine = createRedisEngine({ url: group.url, keys: [new Uint8Array(32).fill(7)], prefix: "failover" });
    await engine.open();
    onTestFinished(() => engine.close());
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
      if (sequence === 150) await group.fail?.();
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
  60_000,
);
