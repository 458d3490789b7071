import { defineScript, type RedisScript } from "./script.ts";

/*
 * Broadcasts to all nodes:
 *
 * KEYS[1]: stream of the broadcasts
 * KEYS[2]: hash with `epoch` (random; another one means that the store has lost its data) and `removed` (id of the last one that is no longer kept)
 */

/**
 * Adds an broadcast, removes old ones and wakes all nodes. Returns its id and the epoch.
 *
 * ARGV: broadcast, epoch of an empty store, milliseconds to keep broadcasts for, largest number, command for publishing, channel
 */
export const addBroadcast: RedisScript = defineScript(
  "broadcast",
  `
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[2])
local time = redis.call('TIME')
local oldest = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000) - tonumber(ARGV[3])
local id = redis.call('XADD', KEYS[1], '*', 'd', ARGV[1])
local function remove(entries)
  for _, entry in ipairs(entries) do
    redis.call('XDEL', KEYS[1], entry[1])
    redis.call('HSET', KEYS[2], 'removed', entry[1])
  end
end
remove(redis.call('XRANGE', KEYS[1], '-', string.format('%d', oldest), 'COUNT', 100))
local excess = redis.call('XLEN', KEYS[1]) - tonumber(ARGV[4])
if excess > 0 then remove(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', excess)) end
redis.call(ARGV[5], ARGV[6], '')
return {id, redis.call('HGET', KEYS[2], 'epoch')}
`,
);

/**
 * Returns the epoch, the id of the latest removed broadcast, the id of the last one, and ids and broadcasts after an id.
 *
 * ARGV: epoch of an empty store, id or "" for none, largest number
 */
export const readBroadcasts: RedisScript = defineScript(
  "read-broadcasts",
  `
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[1])
local found = redis.call('HMGET', KEYS[2], 'epoch', 'removed')
local removed = found[2] or '0-0'
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local entries = {}
if ARGV[2] ~= '' then
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[2], '+', 'COUNT', ARGV[3])) do
    entries[#entries + 1] = entry[1]
    entries[#entries + 1] = entry[2][2]
  end
end
return {found[1], removed, newest and newest[1] or removed, entries}
`,
);
