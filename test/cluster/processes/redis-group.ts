import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { RedisUrl } from "../../../cluster/redis/index.ts";
import { findPort } from "./processes.ts";
import { RedisServers, waitForReply } from "./redis-servers.ts";
import { startWithOtherPorts } from "./server-process.ts";
import { startSentinel } from "./sentinel-process.ts";

/** Several Redis servers that belong together. */
export interface RedisGroup {
  readonly url: RedisUrl;
  /** Ends the primary by SIGKILL; another server replaces it. Absent where nothing can. */
  fail?(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a Redis Cluster of three primaries. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const servers = await RedisServers.create();
  try {
    for (let count = 0; count < 3; count += 1) {
      await startWithOtherPorts(async () => {
        const bus = await findPort();
        return servers.start({ "cluster-enabled": "yes", "cluster-port": String(bus), appendonly: "yes" });
      });
    }
    const nodes = servers.all.map(({ port }) => `127.0.0.1:${port}`);
    await promisify(execFile)("redis-cli", ["--cluster", "create", ...nodes, "--cluster-yes"]);
    for (const server of servers.all) await waitForReply(server, ["cluster", "info"], /cluster_state:ok/);
    return { url: { cluster: nodes.map((node) => `redis://${node}`) }, close: () => servers.close() };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

/** Starts a primary, two replicas, and three sentinels that replace the primary within some seconds. */
export async function startSentinels(): Promise<RedisGroup> {
  const { url, servers, close } = await startSentinel({ settings: { appendonly: "yes" } });
  return { url, fail: async () => servers[0]?.kill(), close };
}
