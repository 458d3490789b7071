import { describe, expect, onTestFinished, test } from "vitest";
import { createRedisEngine, type RedisEngineOptions } from "../../../cluster/redis/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startRedis, type RedisOptions, type RedisProcess } from "../processes/redis-process.ts";
import { common, openEngine, store } from "./open-engine.ts";
import { send } from "./redis-account.ts";

/*
 * Settings of Redis that are others after a reconnection, as with another primary after a failover.
 */

async function startServer(options: RedisOptions = {}): Promise<RedisProcess> {
  const redis = await startRedis({ fsync: "always", ...options });
  onTestFinished(() => redis.close());
  return redis;
}

function open({ url }: RedisProcess, options: Partial<RedisEngineOptions> = {}): Promise<Engine> {
  return openEngine(createRedisEngine({ ...common, url, ...options }));
}

/** Changes a setting, and ends all connections. */
async function change(redis: RedisProcess, name: string, value: string): Promise<void> {
  await send(redis, "CONFIG", "SET", name, value);
  await redis.command("CLIENT", "KILL", "TYPE", "normal");
}

const wait = { timeout: 60_000, interval: 100 };

describe("settings of Redis that are wrong after a reconnection", () => {
  test.each([
    ["appendonly", "no", "yes", "Redis loses data when it stops (appendonly no); set appendonly yes"],
    [
      "appendfsync",
      "everysec",
      "always",
      "Redis may lose writes when its machine stops (appendfsync everysec); set appendfsync always",
    ],
  ])(
    "%s %s, where the engine is strict: nothing is performed until it is %s again",
    async (name, wrong, right, problem) => {
      const redis = await startServer();
      const engine = await open(redis, { strict: true });
      expect(await store(engine)).toBe("stored");
      await change(redis, name, wrong);
      await expect.poll(() => store(engine), wait).toBe(problem);
      expect(engine.status()).toMatchObject({ state: "lost", problems: [problem] });
      await send(redis, "CONFIG", "SET", name, right);
      await expect.poll(() => store(engine), wait).toBe("stored");
      await expect.poll(() => engine.status(), wait).toMatchObject({ state: "ready", problems: [] });
    },
  );

  test("a permission that is missing: nothing is performed until the account has it", async () => {
    const redis = await startServer();
    const engine = await open(redis);
    await send(redis, "ACL", "SETUSER", "default", "-eval");
    await redis.command("CLIENT", "KILL", "TYPE", "normal");
    await expect.poll(() => store(engine), wait).toMatch(/^The Redis user lacks permissions; give it ~shop:\* /);
    expect(engine.status().state).toBe("lost");
    await send(redis, "ACL", "SETUSER", "default", "+eval");
    await expect.poll(() => store(engine), wait).toBe("stored");
  });

  test("they are reported where the engine is not strict, until they are right", async () => {
    const redis = await startServer();
    const engine = await open(redis);
    await change(redis, "appendonly", "no");
    await expect.poll(() => engine.status().problems, wait).toEqual([expect.stringMatching(/ set appendonly yes$/)]);
    expect(await store(engine)).toBe("stored");
    expect(engine.status().state).not.toBe("lost");
    await send(redis, "CONFIG", "SET", "appendonly", "yes");
    await expect.poll(() => engine.status().problems, wait).toEqual([]);
  });

  test("a primary without replicas, after one with: writes are not confirmed by fewer than before", async () => {
    const redis = await startServer();
    const replica = await startServer();
    const { port } = new URL(redis.url);
    await send(replica, "REPLICAOF", "127.0.0.1", port);
    await expect.poll(() => redis.command("INFO", "replication"), wait).toMatch(/state=online/);
    const engine = await open(redis);
    // The replica may still load the data of the primary.
    await expect.poll(() => store(engine), wait).toBe("stored");
    await send(replica, "REPLICAOF", "NO", "ONE");
    await expect.poll(() => redis.command("INFO", "replication"), wait).toMatch(/connected_slaves:0/);
    await redis.command("CLIENT", "KILL", "TYPE", "normal");
    await expect
      .poll(() => engine.status().problems, wait)
      .toContain("Redis has 0 of 1 replicas; writes fail until all follow");
    expect(await store(engine)).toMatch(/^Only 0 of 1 replicas have confirmed a write; /);
    await send(replica, "REPLICAOF", "127.0.0.1", port);
    await expect.poll(() => store(engine), wait).toBe("stored");
    await expect.poll(() => engine.status().problems, wait).toEqual([]);
  });
});
