import { defineScript, type RedisScript } from "./script.ts";

/*
 * KEYS[1]: hash of revocations by their tags
 * KEYS[2]: sorted set of the tags by the millisecond of expiry
 */

/** Keeps a revocation, and removes the expired ones. ARGV: tag, value, milliseconds */
export const addRevocation: RedisScript = defineScript(
  "add-revocation",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, tag in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now), 'LIMIT', '0', '1000')) do
  redis.call('HDEL', KEYS[1], tag)
  redis.call('ZREM', KEYS[2], tag)
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], 'GT', string.format('%d', now + tonumber(ARGV[3])), ARGV[1])
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, string.format('%d', tonumber(last[2]))) end
return 1
`,
);

/** Returns values and the milliseconds they have to live. ARGV: number to skip, largest number */
export const listRevocations: RedisScript = defineScript(
  "list-revocations",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%d', now), '+inf', 'WITHSCORES', 'LIMIT', ARGV[1], ARGV[2])
local page = {}
for index = 1, #found, 2 do
  page[index] = redis.call('HGET', KEYS[1], found[index]) or ''
  page[index + 1] = string.format('%d', tonumber(found[index + 1]) - now)
end
return page
`,
);
