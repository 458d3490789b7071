import { expect, test } from "vitest";
import { RedisCommands } from "../../../cluster/redis/commands.ts";
import { defineScript } from "../../../cluster/redis/scripts/script.ts";
import { Health } from "../../../cluster/engine/health.ts";

const script = defineScript("write", "return redis.call('SET', KEYS[1], '1')");

const inScript = `ERR Error running script (call to f_${"0".repeat(40)}): @user_script:1: @user_script: 1: -`;

test.each([
  ["READONLY You can't write against a read only replica.", 1],
  ["READONLY You can't write against a read only replica. script: 0123, on @user_script:1.", 1],
  [`${inScript}READONLY You can't write against a read only replica.`, 1],
  ["UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)", 1],
  ["OOM command not allowed when used memory > 'maxmemory'.", 0],
  [`${inScript.slice(0, -1)}WRONGTYPE Operation against a key holding the wrong kind of value`, 0],
  [`${inScript}OOM command not allowed when used memory > 'maxmemory'.`, 0],
])("the error %s of a script renews the connection %d times", async (message, times) => {
  let renewals = 0;
  const health = new Health("Redis");
  health.connected();
  const link = {
    publishCommand: "PUBLISH",
    generation: 1,
    open: () => Promise.resolve(),
    close: () => {},
    command: () => Promise.reject(new Error(message)),
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    renew: () => (renewals += 1),
    check: () => {},
  } as const;
  const commands = new RedisCommands({ link, health, timeout: 1_000 });
  const problem = message.replace(/^.*user_script: \d+: -?/, "").slice(0, 80);
  await expect(commands.run(script, ["key"])).rejects.toThrow(`Redis could not perform write (${problem}); `);
  expect(renewals).toBe(times);
});
