import { defineScript, type RedisScript } from "./script.ts";

/*
 * Keys of a session, all in one slot:
 *
 * KEYS[1]: hash with `record`, `version`, `level`, `node`, `stream` and `fence` of the listener
 * KEYS[2]: hash from request id to the node that runs it and its attempt after a blank, or "." when the request has ended
 * KEYS[3]: list of the ids that have ended, the first ended first
 * KEYS[4]: set of the subscribed URIs
 *
 * Those after the first expire with it.
 */

const touch = `
local function touch(ttl)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttl) end
end
`;

const readState = `
local function readState()
  local found = redis.call('HMGET', KEYS[1], 'level', 'node', 'stream', 'fence')
  return {found[1], found[2], found[3], found[4], redis.call('SMEMBERS', KEYS[4])}
end
`;

const readNodes = `
local function readNodes()
  local nodes = {}
  if redis.call('EXISTS', KEYS[1]) == 0 then return nodes end
  for _, reservation in ipairs(redis.call('HVALS', KEYS[2])) do
    if reservation ~= '.' then nodes[#nodes + 1] = string.match(reservation, '^[^ ]*') end
  end
  local node = redis.call('HGET', KEYS[1], 'node')
  if node then nodes[#nodes + 1] = node end
  return nodes
end
`;

const release = `
local function release(node, isUnused, most, first, last)
  for i = first, last do
    local reservation = redis.call('HGET', KEYS[2], ARGV[i])
    if reservation and reservation ~= '.' and string.match(reservation, '^[^ ]*') == node then
      if isUnused then
        redis.call('HDEL', KEYS[2], ARGV[i])
      else
        redis.call('HSET', KEYS[2], ARGV[i], '.')
        redis.call('RPUSH', KEYS[3], ARGV[i])
      end
    end
  end
  for _ = redis.call('LLEN', KEYS[3]), tonumber(most) + 1, -1 do
    redis.call('HDEL', KEYS[2], redis.call('LPOP', KEYS[3]))
  end
end
`;

/** Stores a session, unless it is there. Returns 1. ARGV: record, milliseconds to live unused */
export const addSession: RedisScript = defineScript(
  "add-session",
  `${touch}
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'record', ARGV[1], 'version', 0)
end
touch(ARGV[2])
return 1
`,
);

/**
 * Extends the life of a session and reserves request ids. Returns the record, the version, 1 if the life was extended, the ids used before, and the
 * state unless its version is known; nothing without session. The life is extended when a quarter of it has passed.
 *
 * ARGV: node and attempt after a blank, attempt or "", known version or "", milliseconds to live unused, node, number of used ids to remember, number
 * of ids to release first, these, and ids to reserve
 */
export const accessSession: RedisScript = defineScript(
  "access",
  `${touch}${readState}${release}
local session = redis.call('HMGET', KEYS[1], 'record', 'version')
if not session[1] then return false end
local lastEnded = 7 + tonumber(ARGV[7])
if lastEnded > 7 then release(ARGV[5], false, ARGV[6], 8, lastEnded) end
local used, reserved = {}, {}
for i = lastEnded + 1, #ARGV do
  local reservation = redis.call('HGET', KEYS[2], ARGV[i])
  if not reservation or (ARGV[2] ~= '' and reservation == ARGV[1]) then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[1])
    reserved[ARGV[i]] = true
  elseif not reserved[ARGV[i]] then
    used[#used + 1] = ARGV[i]
  end
end
local ttl = redis.call('PTTL', KEYS[1])
local isTouched = ttl < tonumber(ARGV[4]) * 0.75
if isTouched then
  touch(ARGV[4])
elseif next(reserved) or lastEnded > 7 then
  redis.call('PEXPIRE', KEYS[2], ttl)
  redis.call('PEXPIRE', KEYS[3], ttl)
end
return {session[1], session[2], isTouched and 1 or 0, used, session[2] ~= ARGV[3] and readState()}
`,
);

/** Ends reservations. ARGV: node with the reservations, "1" if they may be reserved again, number of ids to remember, ids */
export const releaseReservations: RedisScript = defineScript(
  "release",
  `${release}
release(ARGV[1], ARGV[2] == '1', ARGV[3], 4, #ARGV)
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 then redis.call('PEXPIRE', KEYS[3], ttl) else redis.call('DEL', KEYS[2], KEYS[3]) end
return 1
`,
);

/**
 * Changes the state. Returns the new version; nothing without session, or when there would be too many subscriptions.
 *
 * ARGV: level or "", node and stream of the listener or "", its fence, largest number of subscriptions, number of URIs to add, these, and those to remove
 */
export const changeSession: RedisScript = defineScript(
  "change",
  `
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then return false end
local lastAdded = 6 + tonumber(ARGV[6])
local removed, added = {}, {}
local size = redis.call('SCARD', KEYS[4])
for i = lastAdded + 1, #ARGV do
  if not removed[ARGV[i]] then size = size - redis.call('SISMEMBER', KEYS[4], ARGV[i]) end
  removed[ARGV[i]] = true
end
for i = 7, lastAdded do
  local uri = ARGV[i]
  if not removed[uri] and not added[uri] and redis.call('SISMEMBER', KEYS[4], uri) == 0 then
    added[uri] = true
    size = size + 1
  end
end
if size > tonumber(ARGV[5]) then return false end
for uri in pairs(removed) do redis.call('SREM', KEYS[4], uri) end
for uri in pairs(added) do redis.call('SADD', KEYS[4], uri) end
redis.call('PEXPIRE', KEYS[4], ttl)
if ARGV[1] ~= '' then redis.call('HSET', KEYS[1], 'level', ARGV[1]) end
if ARGV[2] ~= '' then
  local known = redis.call('HMGET', KEYS[1], 'stream', 'fence')
  if known[1] ~= ARGV[3] or tonumber(known[2]) <= tonumber(ARGV[4]) then
    redis.call('HSET', KEYS[1], 'node', ARGV[2], 'stream', ARGV[3], 'fence', ARGV[4])
  end
end
return redis.call('HINCRBY', KEYS[1], 'version', 1)
`,
);

/** Returns the state; nothing without session. */
export const readSessionState: RedisScript = defineScript(
  "read-state",
  `${readState}
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
return readState()
`,
);

/** Returns the nodes of the requests of a session, and the node of its listener. */
export const findNodes: RedisScript = defineScript(
  "find-nodes",
  `${readNodes}
return readNodes()
`,
);

/** Removes a session. Returns the nodes of its requests, and the node of its listener. */
export const endSession: RedisScript = defineScript(
  "end",
  `${readNodes}
local nodes = readNodes()
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return nodes
`,
);
