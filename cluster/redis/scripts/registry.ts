import { defineScript, type RedisScript } from "./script.ts";

/*
 * Entries of limited number, shared among holders. Each holder may have as many as remain free, as in `Shares`.
 *
 * KEYS[1]: sorted set of the entries by the millisecond at which they expire
 * KEYS[2]: hash from entry to "<owner> <holder>"
 * KEYS[3]: hash from holder to the number of its entries
 */

const forget = `
local function forget(entry)
  local found = redis.call('HGET', KEYS[2], entry)
  if not found then return end
  local holder = string.match(found, ' (.*)$')
  redis.call('HDEL', KEYS[2], entry)
  redis.call('ZREM', KEYS[1], entry)
  if redis.call('HINCRBY', KEYS[3], holder, -1) <= 0 then redis.call('HDEL', KEYS[3], holder) end
end
`;

const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/**
 * Adds an entry. Returns 1; 2 when the owner has it already; 0 when there is no room, or when another owner has it.
 *
 * ARGV: entry, owner, holder ("" without a share of its own), milliseconds to live (0: without end), largest number
 */
export const admit: RedisScript = defineScript(
  "admit",
  `${forget}${clock}
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 200)) do forget(entry) end
local found = redis.call('HGET', KEYS[2], ARGV[1])
local score = ARGV[4] == '0' and '+inf' or string.format('%d', now + tonumber(ARGV[4]))
if found then
  if string.match(found, '^%S*') ~= ARGV[2] then return 0 end
  redis.call('ZADD', KEYS[1], score, ARGV[1])
  return 2
end
local free = tonumber(ARGV[5]) - redis.call('ZCARD', KEYS[1])
local held = tonumber(redis.call('HGET', KEYS[3], ARGV[3]) or '0')
local room = ARGV[3] == '' and free or math.ceil((free - held) / 2)
if room < 1 then return 0 end
redis.call('ZADD', KEYS[1], score, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('HINCRBY', KEYS[3], ARGV[3], 1)
return 1
`,
);

/** Extends the life of an entry. ARGV: entry, milliseconds to live */
export const extend: RedisScript = defineScript(
  "extend",
  `${clock}
redis.call('ZADD', KEYS[1], 'XX', string.format('%d', now + tonumber(ARGV[2])), ARGV[1])
return 1
`,
);

/** Removes entries. ARGV: entries */
export const dismiss: RedisScript = defineScript(
  "dismiss",
  `${forget}
for _, entry in ipairs(ARGV) do forget(entry) end
return 1
`,
);
