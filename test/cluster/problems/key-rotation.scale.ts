import { afterAll, beforeAll } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { startNats, type NatsProcess } from "../processes/nats-process.ts";
import { startRedis, type RedisProcess } from "../processes/redis-process.ts";
import { describeKeyRotation } from "./key-rotation.suite.ts";

let redis: RedisProcess;
let nats: NatsProcess;
beforeAll(async () => {
  [redis, nats] = await Promise.all([startRedis(), startNats()]);
});
afterAll(() => Promise.all([redis.close(), nats.close()]));

describeKeyRotation("Redis", ({ keys, prefix }) => createRedisEngine({ url: redis.url, keys, prefix, encrypt: true }));
describeKeyRotation("NATS", ({ keys, prefix }) => createNatsEngine({ servers: nats.url, keys, prefix, encrypt: true }));
