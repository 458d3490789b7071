import { defineScript, type RedisScript } from "./script.ts";

/** Begins or extends a lease. Returns 1; 0 while another holder has it. KEYS[1]: the lease. ARGV: holder, milliseconds */
export const lockValue: RedisScript = defineScript(
  "lock-value",
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`,
);

/** Ends the lease of a holder. KEYS[1]: the lease. ARGV: holder */
export const unlockValue: RedisScript = defineScript(
  "unlock-value",
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`,
);
