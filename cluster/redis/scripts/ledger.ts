import { defineScript, type RedisScript } from "./script.ts";

/*
 * Steps of one piece of work:
 *
 * KEYS[1]: hash with `attempt`, and for each step its token `t:<step>` and, when it has ended, `<attempt> <outcome>` in `e:<step>`
 */

/**
 * Begins a step. Returns its token, and its outcome if it has one; nothing for an attempt before the latest.
 *
 * ARGV: step, attempt, token of a new step, milliseconds to keep the work for, largest number of steps
 */
export const beginStep: RedisScript = defineScript(
  "begin-step",
  `
local latest = tonumber(redis.call('HGET', KEYS[1], 'attempt') or '0')
if tonumber(ARGV[2]) < latest then return {} end
local token = redis.call('HGET', KEYS[1], 't:' .. ARGV[1])
if not token then
  if redis.call('HINCRBY', KEYS[1], 'steps', 1) > tonumber(ARGV[5]) then
    redis.call('HINCRBY', KEYS[1], 'steps', -1)
    return redis.error_reply('ERR the work has too many steps')
  end
  token = ARGV[3]
  redis.call('HSET', KEYS[1], 't:' .. ARGV[1], token)
end
redis.call('HSET', KEYS[1], 'attempt', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local ended = redis.call('HGET', KEYS[1], 'e:' .. ARGV[1])
if not ended then return {token} end
return {token, string.sub(ended, string.find(ended, ' ', 1, true) + 1)}
`,
);

/** Records the outcome of a step. Returns 1; 0 for an attempt before the latest, or when another has ended the step. ARGV: step, attempt, outcome */
export const finishStep: RedisScript = defineScript(
  "finish-step",
  `
local latest = tonumber(redis.call('HGET', KEYS[1], 'attempt') or '0')
if tonumber(ARGV[2]) < latest or redis.call('HEXISTS', KEYS[1], 't:' .. ARGV[1]) == 0 then return 0 end
local ended = redis.call('HGET', KEYS[1], 'e:' .. ARGV[1])
if ended then return string.match(ended, '^%d+') == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], 'e:' .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
return 1
`,
);
