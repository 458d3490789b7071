import type { RedisTarget } from "./address.ts";
import { withDeadline } from "../../engine/deadline.ts";
import { connectRedis, type RedisServer } from "./redis-client.ts";
import { toTexts } from "../replies.ts";

/** Requests the address of the primary from the sentinels. The first response decides. */
export async function findPrimary(
  { sentinels, name, primary }: Extract<RedisTarget, { kind: "sentinel" }>,
  timeout: number,
): Promise<RedisServer> {
  let cause: unknown;
  let isUnknown = false;
  for (const sentinel of sentinels) {
    try {
      const [host, port] = await withDeadline(ask(sentinel, name, timeout), timeout, "no response in time");
      if (host !== undefined && port !== undefined) return { ...primary, host, port: Number(port) };
      isUnknown = true;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(isUnknown ? "No sentinel knows this name" : "No sentinel responds", { cause });
}

async function ask(sentinel: RedisServer, name: string, timeout: number): Promise<readonly string[]> {
  const connection = await connectRedis(sentinel, { timeout, onEnd: () => {} });
  try {
    return toTexts(await connection.command(["SENTINEL", "get-master-addr-by-name", name]));
  } finally {
    connection.close();
  }
}
