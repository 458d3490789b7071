/** Engine on Redis or Valkey, for servers on several nodes. */
export { createRedisEngine } from "./redis-engine.ts";
export type { RedisDurability, RedisEngineOptions } from "./redis-engine.ts";
export type { RedisClusterNodes, RedisSentinels, RedisUrl } from "./connection/address.ts";
export type { RedisLimits } from "./store-context.ts";
