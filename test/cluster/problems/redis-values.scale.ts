import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startRedis, type RedisProcess } from "../processes/redis-process.ts";
import { engineKey, findCanaries, storeAll } from "./canaries.ts";
import { describeStrangers } from "./strangers.suite.ts";

/*
 * Values in Redis: secrets that must not be there, and values that this engine has not written.
 */

let redis: RedisProcess;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

/** Opens an engine of its own keys in Redis. */
async function withEngine<Value>(
  options: { readonly prefix: string; readonly encrypt?: boolean },
  use: (engine: Engine) => Promise<Value>,
): Promise<Value> {
  const engine = createRedisEngine({ url: redis.url, keys: [engineKey], ...options });
  await engine.open();
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** Records all commands that Redis receives, with those of scripts. */
async function monitor(use: () => Promise<void>): Promise<string> {
  const socket = connect(Number(new URL(redis.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write("MONITOR\r\n");
  await expect.poll(() => text).toContain("+OK");
  await use();
  await redis.command("ECHO", "the end of the record");
  await expect.poll(() => text).toContain("the end of the record");
  socket.destroy();
  return text;
}

describe("secrets", () => {
  test("ids, principals, tokens and keys never reach Redis in clear", async () => {
    const text = await monitor(() => withEngine({ prefix: "clear" }, storeAll));
    expect(text.length).toBeGreaterThan(5_000);
    expect(findCanaries(text)).toContain("canary-content-event");
    expect(findCanaries(text).filter((found) => !found.startsWith("canary-content"))).toEqual([]);
  });

  test("contents of sessions, events, tasks, outcomes and messages are encrypted with `encrypt`", async () => {
    const text = await monitor(() => withEngine({ prefix: "sealed", encrypt: true }, storeAll));
    expect(text.length).toBeGreaterThan(5_000);
    expect(findCanaries(text)).toEqual([]);
  });
});

/** Replaces all values of all keys by a text. */
const corruptAll = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'string' then
    redis.call('SET', key, ARGV[2], 'KEEPTTL')
  elseif kind == 'hash' then
    for _, field in ipairs(redis.call('HKEYS', key)) do redis.call('HSET', key, field, ARGV[2]) end
  elseif kind == 'stream' then
    local entries = redis.call('XRANGE', key, '-', '+')
    redis.call('DEL', key)
    for _, entry in ipairs(entries) do redis.call('XADD', key, entry[1], 'd', ARGV[2]) end
  end
end
return 1`;

describeStrangers("Redis", {
  withEngine,
  async corrupt(prefix, text) {
    expect(await redis.command("EVAL", corruptAll, "0", `${prefix}:*`, text)).toContain(":1");
  },
});
