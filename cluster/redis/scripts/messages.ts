import { defineScript, type RedisScript } from "./script.ts";

/*
 * Messages to a node:
 *
 * KEYS[1]: stream of the messages. It exists while the node reads it, and for some time after that.
 */

/**
 * Stores a message and wakes the node. Returns the number of connections woken. Without one the message is stored only if no other node can handle
 * it, and the stream exists.
 *
 * ARGV: message, "1" if no other node can handle it, largest number, milliseconds to keep messages for, command for publishing, channel
 */
export const sendMessage: RedisScript = defineScript(
  "send-message",
  `
local awake = redis.call(ARGV[5], ARGV[6], '')
if awake > 0 then
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], '*', 'd', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
elseif ARGV[2] == '1' then
  redis.call('XADD', KEYS[1], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[3], '*', 'd', ARGV[1])
end
return awake
`,
);

/**
 * Returns the id of the last message, and the ids and messages after an id. Removes the messages before this id. A missing stream is created, with an
 * empty message.
 *
 * ARGV: id, largest number, milliseconds to keep messages for
 */
export const readMessages: RedisScript = defineScript(
  "read-messages",
  `
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('XADD', KEYS[1], '*', 'd', '') end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local entries = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])) do
  entries[#entries + 1] = entry[1]
  entries[#entries + 1] = entry[2][2]
end
return {newest and newest[1] or ARGV[1], entries}
`,
);
