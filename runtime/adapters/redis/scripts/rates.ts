import { defineScript, type RedisScript } from "./script.ts";

/**
 * Counts an event of a key, by the generic cell rate algorithm. The value is the microsecond at which all events are compensated: at most a day after
 * the one for a burst from now, even if more was recorded before. Returns the microseconds to wait.
 *
 * KEYS[1]: the value. ARGV: microseconds of each event, microseconds of the burst, `take`, `check` or `record`
 */
export const countEvent: RedisScript = defineScript(
  "count-event",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local before = tonumber(redis.call('GET', KEYS[1]) or now) or now
before = math.min(math.max(before, now), now + tonumber(ARGV[2]) + 86400000000)
local after = before + tonumber(ARGV[1])
local wait = after - tonumber(ARGV[2]) - now
if ARGV[3] == 'record' or (ARGV[3] == 'take' and wait <= 0) then
  local left = string.format('%d', math.max(1, math.ceil((after - now) / 1000)))
  redis.call('SET', KEYS[1], string.format('%d', after), 'PX', left)
end
return string.format('%d', math.max(0, wait))
`,
);
