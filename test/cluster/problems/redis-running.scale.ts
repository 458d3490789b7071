import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { startRedis, type RedisProcess } from "../processes/redis-process.ts";
import { addUser, guideRules, password, send } from "./redis-account.ts";
import { describeRunning, type TestStore } from "./running.suite.ts";

interface RedisStore extends TestStore {
  readonly redis: RedisProcess;
}

async function startStore(): Promise<RedisStore> {
  const redis = await startRedis();
  // A server that has started again knows no accounts that commands have created.
  const restart = async (): Promise<void> => {
    await redis.kill();
    await redis.restart();
    await addUser(redis, guideRules);
  };
  await addUser(redis, guideRules);
  const url = redis.url.replace("//", `//app:${password}@`);
  return {
    redis,
    createEngine: () => createRedisEngine({ url, keys: [new Uint8Array(32).fill(7)], prefix: "shop" }),
    restart,
    async forget() {
      await send(redis, "FLUSHALL");
      await restart();
    },
    close: () => redis.close(),
  };
}

describeRunning("Redis", startStore, [
  {
    name: "Redis is full",
    begin: ({ redis }) => send(redis, "CONFIG", "SET", "maxmemory", "1"),
    end: ({ redis }) => send(redis, "CONFIG", "SET", "maxmemory", "0"),
  },
  {
    name: "Redis denies writes to the account",
    begin: ({ redis }) => addUser(redis, [...guideRules, "-@write"]),
    end: ({ redis }) => addUser(redis, guideRules),
  },
  {
    name: "Redis has too few replicas for writes",
    begin: ({ redis }) => send(redis, "CONFIG", "SET", "min-replicas-to-write", "3"),
    end: ({ redis }) => send(redis, "CONFIG", "SET", "min-replicas-to-write", "0"),
  },
  { name: "Redis does not respond", begin: ({ redis }) => redis.suspend(), end: (store) => store.restart() },
  { name: "Redis is not there", begin: ({ redis }) => redis.kill(), end: (store) => store.restart() },
]);
