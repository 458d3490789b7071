import { describeServer, type RedisTarget } from "./address.ts";
import { withDeadline } from "../../scale/engine/deadline.ts";
import { connectRedis, type RedisServer } from "./redis-client.ts";
import { toTexts } from "./replies.ts";

/** Requests the address of the primary from the sentinels: the first one that responds decides. */
export async function findPrimary(
  { sentinels, name, primary }: Extract<RedisTarget, { kind: "sentinel" }>,
  timeout: number,
): Promise<RedisServer> {
  const problems: string[] = [];
  for (const sentinel of sentinels) {
    try {
      const [host, port] = await withDeadline(ask(sentinel, name, timeout), timeout, "no response in time");
      if (host !== undefined && port !== undefined) return { ...primary, host, port: Number(port) };
      problems.push(`${describeServer(sentinel)}: the name of the primary is unknown`);
    } catch (error) {
      problems.push(`${describeServer(sentinel)}: ${error instanceof Error ? error.message : "failed"}`);
    }
  }
  throw new Error(`No sentinel knows the primary (${problems.join("; ")})`);
}

async function ask(sentinel: RedisServer, name: string, timeout: number): Promise<readonly string[]> {
  const connection = await connectRedis(sentinel, { timeout, onEnd: () => {} });
  try {
    return toTexts(await connection.command(["SENTINEL", "get-master-addr-by-name", name]));
  } finally {
    connection.close();
  }
}
