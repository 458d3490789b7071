import { defineScript, type RedisScript } from "./script.ts";

/*
 * Tasks of one owner, all in one slot:
 *
 * KEYS[1]: hash of the task with `value` and `version`
 * KEYS[2]: sorted set of the tasks of the owner by microsecond of creation
 */

/**
 * Stores a task, unless it is there. Returns 1; 0 when the owner has too many.
 *
 * ARGV: entry in the set, value, milliseconds to live (0: without end), largest number, key of a task without its entry
 */
export const addTask: RedisScript = defineScript(
  "add-task",
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
local function prune()
  for _, entry in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if redis.call('EXISTS', ARGV[5] .. entry) == 0 then redis.call('ZREM', KEYS[2], entry) end
  end
end
local max = tonumber(ARGV[4])
if redis.call('ZCARD', KEYS[2]) >= max then prune() end
if redis.call('ZCARD', KEYS[2]) >= max then return 0 end
local time = redis.call('TIME')
local place = tonumber(time[1]) * 1000000 + tonumber(time[2])
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
if last[2] then place = math.max(place, tonumber(last[2]) + 1) end
local left = redis.call('PTTL', KEYS[2])
redis.call('HSET', KEYS[1], 'value', ARGV[2], 'version', 1)
redis.call('ZADD', KEYS[2], string.format('%d', place), ARGV[1])
if ARGV[3] == '0' then
  redis.call('PERSIST', KEYS[2])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  if left ~= -1 and left < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
end
return 1
`,
);

/** Replaces the value of an unchanged task. Returns 1; 0 when the task has changed, or does not exist. ARGV: version, value */
export const changeTask: RedisScript = defineScript(
  "change-task",
  `
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'version', 1)
return 1
`,
);

/**
 * Lists tasks. Returns the place of the next page, and entries and values. KEYS[1]: the sorted set. ARGV: first place, largest number, key of a task
 * without its entry
 */
export const listTasks: RedisScript = defineScript(
  "list-tasks",
  `
local limit = tonumber(ARGV[2])
local found = {}
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')) do
  local value = redis.call('HGET', ARGV[3] .. entry, 'value')
  if not value then
    redis.call('ZREM', KEYS[1], entry)
  elseif #found >= limit * 2 then
    return {string.format('%d', tonumber(redis.call('ZSCORE', KEYS[1], entry))), found}
  else
    found[#found + 1] = entry
    found[#found + 1] = value
  end
end
return {'', found}
`,
);

/** Removes a task. ARGV: entry in the set */
export const removeTask: RedisScript = defineScript(
  "remove-task",
  `
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`,
);

/** Removes all tasks of an owner. Returns their entries. KEYS[1]: the sorted set. ARGV: key of a task without its entry */
export const removeTasks: RedisScript = defineScript(
  "remove-tasks",
  `
local entries = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, entry in ipairs(entries) do redis.call('DEL', ARGV[1] .. entry) end
redis.call('DEL', KEYS[1])
return entries
`,
);
