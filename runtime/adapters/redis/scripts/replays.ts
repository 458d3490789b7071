import { defineScript, type RedisScript } from "./script.ts";

/**
 * Records the use of a key, unless it was used and may not be forgotten yet. Returns 1, or 0 when it was used. The value is the time after which it may
 * be forgotten; `1` in version 0.1.
 *
 * KEYS[1]: used key. ARGV: present, time after which the key may be forgotten, milliseconds to keep it
 */
export const addUse: RedisScript = defineScript(
  "add-use",
  `
local known = redis.call('GET', KEYS[1])
local earlier = known and tonumber(known)
if known and (not earlier or earlier == 1 or earlier > tonumber(ARGV[1])) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`,
);
