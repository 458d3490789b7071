import { defineScript, type RedisScript } from "./script.ts";

/*
 * Leases of running tasks, all in one slot, by the clock of Redis:
 *
 * KEYS[1]: sorted set of the tasks by the millisecond at which their lease is over
 * KEYS[2]: hash from task to the node that runs it
 */

const clock = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/** Gives a node the lease of a task without one. ARGV: node, milliseconds, task */
export const addLease: RedisScript = defineScript(
  "add-lease",
  `${clock}
if redis.call('HSETNX', KEYS[2], ARGV[3], ARGV[1]) == 0 then return 0 end
redis.call('ZADD', KEYS[1], string.format('%d', now + tonumber(ARGV[2])), ARGV[3])
return 1
`,
);

/** Renews the leases of a node. Returns the tasks it does not run. ARGV: node, milliseconds, tasks */
export const renewLeases: RedisScript = defineScript(
  "renew-leases",
  `${clock}
local lost = {}
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[1] then
    redis.call('ZADD', KEYS[1], string.format('%d', now + tonumber(ARGV[2])), ARGV[i])
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
`,
);

/**
 * Gives a node the tasks whose lease is over. Returns them. ARGV: node, largest number, milliseconds until the next node may take them over
 */
export const takeLeases: RedisScript = defineScript(
  "take-leases",
  `${clock}
local taken = {}
for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])) do
  redis.call('HSET', KEYS[2], task, ARGV[1])
  redis.call('ZADD', KEYS[1], string.format('%d', now + tonumber(ARGV[3])), task)
  taken[#taken + 1] = task
end
return taken
`,
);

/** Removes the leases of tasks. ARGV: tasks */
export const removeLeases: RedisScript = defineScript(
  "remove-leases",
  `
for _, task in ipairs(ARGV) do
  redis.call('ZREM', KEYS[1], task)
  redis.call('HDEL', KEYS[2], task)
end
return 1
`,
);
