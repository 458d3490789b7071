import { defineScript, type RedisScript } from "./script.ts";

/*
 * Keys of a stream, all in the slot of its session:
 *
 * KEYS[1]: hash with `owner`, `fence`, `next` (sequence), `oldest` (sequence that is kept), `size` (bytes), `state` (open, ended), `requests` (number),
 *          `r:<id>` with its place for each request without a response, and `end:<fence>` with the sequence after the last event of a replaced owner
 * KEYS[2]: list of the events from `oldest` on. A stream of Redis takes 4 KiB even for one event, which most streams that clients keep open have.
 * KEYS[3]: hash from each stream of the session to "1" while it is open, else "0"
 * KEYS[4]: present while a node watches the stream; its name is the channel too
 */

/** Declares `add` and `finish`. ARGV[1] to ARGV[6]: name of the stream, limits on events and size, both times to live, command for publishing */
const write = `
local stream, publish = ARGV[1], ARGV[6]
local next, oldest, size
local function load()
  local found = redis.call('HMGET', KEYS[1], 'next', 'oldest', 'size')
  next, oldest, size = tonumber(found[1]), tonumber(found[2]), tonumber(found[3])
end
local function add(data)
  redis.call('RPUSH', KEYS[2], data)
  next = next + 1
  size = size + #data
  while next - oldest > 1 and (next - oldest > tonumber(ARGV[2]) or size > tonumber(ARGV[3])) do
    size = size - #(redis.call('LPOP', KEYS[2]) or '')
    oldest = oldest + 1
  end
end
local function replaceOwner(fence, owner)
  redis.call('HSET', KEYS[1], 'owner', owner, 'fence', fence + 1, 'end:' .. fence, next)
  redis.call('HDEL', KEYS[1], 'end:' .. (fence - 64))
end
local function finish(state)
  local ttl = state == 'open' and ARGV[4] or ARGV[5]
  redis.call('HSET', KEYS[1], 'next', next, 'oldest', oldest, 'size', size, 'state', state)
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', KEYS[2], ttl)
  redis.call('HSET', KEYS[3], stream, state == 'open' and '1' or '0')
  local kept = redis.call('PTTL', KEYS[3])
  if kept < tonumber(ttl) then redis.call('PEXPIRE', KEYS[3], ttl) end
  if redis.call('EXISTS', KEYS[4]) == 1 then redis.call(publish, KEYS[4], '') end
end
`;

/**
 * Adds events. Returns "stored", "fenced", "gap" or "full".
 *
 * ARGV after those of every write: owner, its fence, first sequence, most open streams, key of a stream without its name, number of requests, number of settled
 * requests, the requests, the settled ones, the events
 */
export const appendEvents: RedisScript = defineScript(
  "append",
  `${write}
local owner, fence, first, maxOpen, prefix = ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11]
local lastRequest = 13 + tonumber(ARGV[12])
local lastSettled = lastRequest + tonumber(ARGV[13])
local count = #ARGV - lastSettled

local function countOpen()
  local open = 0
  local streams = redis.call('HGETALL', KEYS[3])
  for i = 1, #streams, 2 do
    if redis.call('EXISTS', prefix .. streams[i]) == 0 then
      redis.call('HDEL', KEYS[3], streams[i])
    elseif streams[i + 1] == '1' then
      open = open + 1
    end
  end
  return open
end

local meta = redis.call('HMGET', KEYS[1], 'fence', 'state', 'requests', 'owner')
if not meta[1] then
  if first ~= 0 or fence ~= 0 then return 'fenced' end
  if redis.call('HLEN', KEYS[3]) >= maxOpen and countOpen() >= maxOpen then return 'full' end
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'owner', owner, 'fence', 0, 'next', 0, 'oldest', 0, 'size', 0, 'requests', ARGV[12])
  for i = 14, lastRequest do redis.call('HSET', KEYS[1], 'r:' .. ARGV[i], i) end
  meta = {fence, 'open', ARGV[12], owner}
end
load()
if tonumber(meta[1]) ~= fence or meta[4] ~= owner then
  local stored = tonumber(redis.call('HGET', KEYS[1], 'end:' .. ARGV[8]) or 0)
  return count > 0 and first + count <= stored and 'stored' or 'fenced'
end
if meta[2] == 'ended' then return first + count <= next and 'stored' or 'fenced' end
if first > next then return 'gap' end
for i = 1, count do
  if first + i - 1 == next then add(ARGV[lastSettled + i]) end
end
for i = lastRequest + 1, lastSettled do redis.call('HDEL', KEYS[1], 'r:' .. ARGV[i]) end
local state = 'open'
if meta[3] ~= '0' then
  state = 'ended'
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 2) == 'r:' then state = 'open' end
  end
end
finish(state)
return 'stored'
`,
);

/**
 * Adds the last events and ends the stream for its owner. Returns 1; 0 when it has another fence or has ended.
 *
 * ARGV after the ones of every write: fence of the ended owner, new owner, events
 */
export const sealStream: RedisScript = defineScript(
  "seal",
  `${write}
local meta = redis.call('HMGET', KEYS[1], 'fence', 'state')
if meta[1] ~= ARGV[7] or meta[2] ~= 'open' then return 0 end
load()
replaceOwner(tonumber(ARGV[7]), ARGV[8])
for i = 9, #ARGV do add(ARGV[i]) end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 2) == 'r:' then redis.call('HDEL', KEYS[1], field) end
end
finish('ended')
return 1
`,
);

/**
 * Replaces the owner. Returns the next sequence; nothing when the stream has another fence or has ended.
 *
 * ARGV after the ones of every write: fence of the ended owner, new owner
 */
export const adoptStream: RedisScript = defineScript(
  "adopt",
  `${write}
local meta = redis.call('HMGET', KEYS[1], 'fence', 'state')
if meta[1] ~= ARGV[7] or meta[2] ~= 'open' then return false end
load()
replaceOwner(tonumber(ARGV[7]), ARGV[8])
finish('open')
return next
`,
);

/**
 * Reads events. Returns owner, fence, next sequence, state, number of requests, fields and values of the hash, and the events; nothing when the stream or the
 * position is unknown, or when an event in between is no longer kept.
 *
 * ARGV: sequence of the last known event, largest number of events, largest size in bytes
 */
export const readEvents: RedisScript = defineScript(
  "read",
  `
local meta = redis.call('HMGET', KEYS[1], 'owner', 'next', 'state', 'requests', 'oldest', 'fence')
if not meta[1] then return false end
local after, next, oldest = tonumber(ARGV[1]), tonumber(meta[2]), tonumber(meta[5])
if after >= next then
  if meta[3] == 'open' then return false end
  after = next - 1
end
if after < -1 or after + 1 < oldest then return false end
if redis.call('LLEN', KEYS[2]) ~= next - oldest then return false end
local events, size = {}, 0
local maxEvents, maxSize = tonumber(ARGV[2]), tonumber(ARGV[3])
local isFull = false
while not isFull and after + 1 < next do
  local from = after + 1 - oldest
  for _, data in ipairs(redis.call('LRANGE', KEYS[2], from, from + 7)) do
    size = size + #data
    if #events >= maxEvents or (#events > 0 and size > maxSize) then
      isFull = true
      break
    end
    events[#events + 1] = data
    after = after + 1
  end
end
return {meta[1], meta[6], meta[2], meta[3], meta[4], redis.call('HGETALL', KEYS[1]), events}
`,
);

/** Removes all streams of a session. KEYS[1]: hash of its streams. ARGV: command for publishing, starts of the three keys of a stream */
export const removeStreams: RedisScript = defineScript(
  "remove-streams",
  `
for _, stream in ipairs(redis.call('HKEYS', KEYS[1])) do
  redis.call('DEL', ARGV[2] .. stream, ARGV[3] .. stream)
  if redis.call('EXISTS', ARGV[4] .. stream) == 1 then redis.call(ARGV[1], ARGV[4] .. stream, '') end
end
redis.call('DEL', KEYS[1])
return 1
`,
);
