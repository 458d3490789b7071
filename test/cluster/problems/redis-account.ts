import type { RedisProcess } from "../processes/redis-process.ts";

export const password = "canary-password";

/** ACL rules that the guide gives. */
export const guideRules: readonly string[] = [
  ...["~shop:*", "&shop:*"],
  ...["+@read", "+@write", "+@scripting", "+@pubsub", "+@connection", "+time", "+wait"],
];

/** Creates the account `app`, or replaces its rules. */
export async function addUser(redis: RedisProcess, permissions: readonly string[]): Promise<void> {
  await send(redis, "ACL", "SETUSER", "app", "reset", "on", `>${password}`, ...permissions);
}

/** Sends a command that has to succeed. */
export async function send(redis: RedisProcess, ...words: readonly string[]): Promise<void> {
  const reply = await redis.command(...words);
  if (reply.startsWith("-")) throw new Error(`Redis rejects ${words[0]}: ${reply}`);
}
