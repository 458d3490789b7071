import { describe, expect, test } from "vitest";
import { createRedisEngine, type RedisUrl } from "../../../cluster/redis/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { LocalServer } from "../processes/proxy.ts";
import { startFakeRedis } from "./fake-redis.ts";

/*
 * Connections to Redis that are closed while they are opened. One that stays keeps the process running.
 */

function create({ port }: LocalServer, toUrl: (url: string) => RedisUrl): Engine {
  const url = toUrl(`redis://127.0.0.1:${port}`);
  return createRedisEngine({ url, keys: [new Uint8Array(32).fill(7)], prefix: "shop", timeout: 200 });
}

/** Expects that all connections have ended, and that no other is opened. */
async function expectNoConnections({ sockets }: LocalServer): Promise<void> {
  await expect.poll(() => sockets.size).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(sockets.size).toBe(0);
}

describe.each<readonly [string, (url: string) => RedisUrl]>([
  ["a server", (url) => url],
  ["a cluster", (url) => ({ cluster: [url] })],
])("%s", (_name, toUrl) => {
  test("an engine that is opened twice has the same connections, and closes them", async () => {
    const server = await startFakeRedis();
    const engine = create(server, toUrl);
    await Promise.all([engine.open(), engine.open()]);
    const count = server.sockets.size;
    await engine.open();
    expect(server.sockets.size).toBe(count);
    await engine.close();
    await expectNoConnections(server);
    await engine.open();
    expect(engine.status().state).toBe("ready");
    await engine.close();
    await expectNoConnections(server);
  });

  test.each(["CLUSTER", "PING", "INFO"])(
    "an engine that is closed while it waits for %s stays closed",
    async (name) => {
      const server = await startFakeRedis({ delays: { [name]: 150 } });
      const engine = create(server, toUrl);
      const opened = engine.open().then(
        () => "opened",
        () => "rejected",
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      await engine.close();
      await opened;
      expect(engine.status().state).toBe("lost");
      await expectNoConnections(server);
    },
  );
});

test("a cluster whose nodes are found too late is not connected", async () => {
  const server = await startFakeRedis({ delays: { CLUSTER: 900 } });
  const engine = create(server, (url) => ({ cluster: [url] }));
  await expect(engine.open()).rejects.toThrow(/ cannot be reached; /);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await expectNoConnections(server);
});

test("a cluster of Redis 6.2, which cannot publish to channels of slots, is rejected with the version that it needs", async () => {
  const script = `ERR Error running script (call to f_${"0".repeat(40)}): @user_script:20: @user_script: 20: `;
  const server = await startFakeRedis({ errors: { EVAL: `${script}Unknown Redis command called from Lua script` } });
  const engine = create(server, (url) => ({ cluster: [url] }));
  await expect(engine.open()).rejects.toThrow(
    / has no channels of slots; use Redis 7 or newer, or Valkey, for a cluster$/,
  );
  await expectNoConnections(server);
});
