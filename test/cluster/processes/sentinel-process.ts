import { setTimeout as sleep } from "node:timers/promises";
import type { RedisSentinels } from "../../../cluster/redis/index.ts";
import { thisMachine, type Host } from "./host.ts";
import { sendCommand, type RedisPlace } from "./redis-process.ts";
import { primaryName, RedisServers, waitForReply, type RedisServerProcess } from "./redis-servers.ts";

/** Redis with two replicas, and three sentinels that replace a primary that is gone. */
export interface SentinelProcess {
  readonly kind: "sentinel";
  readonly url: RedisSentinels;
  /** All servers, the first primary first. */
  readonly servers: readonly RedisServerProcess[];
  /** Returns the server that is the primary now. */
  findPrimary(): Promise<RedisServerProcess>;
  /** Returns the servers that follow the primary now. */
  findReplicas(): Promise<readonly RedisServerProcess[]>;
  /** Waits until another server is the primary. */
  replaced(former: RedisServerProcess): Promise<void>;
  /** Waits until all servers run, the others follow the primary, and all sentinels know it. */
  settled(): Promise<void>;
  /** Sends a command to the primary, and returns the reply as it comes over the wire. */
  command(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Options of the servers. */
export interface SentinelProcessOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** Hosts of the servers; each has a sentinel too. Default: this machine for all. */
  readonly hosts?: readonly Host[];
  /** Milliseconds without a reply after which the primary counts as gone. Default 1 s. */
  readonly downAfter?: number;
}

/** Starts a primary, two replicas and three sentinels. */
export async function startSentinel(options: SentinelProcessOptions): Promise<SentinelProcess> {
  const group = await RedisServers.create();
  try {
    const { settings, hosts = [], downAfter } = options;
    const hostAt = (index: number): Host => hosts[index] ?? thisMachine;
    const primary = await group.start(settings, hostAt(0));
    for (const index of [1, 2]) {
      const replicaof = `${primary.address} ${primary.port}`;
      const replica = await group.start({ ...settings, replicaof }, hostAt(index));
      await waitForReply(replica, ["info", "replication"], /master_link_status:up/);
    }
    const servers = [...group.all];
    const watch = (index: number): Promise<RedisServerProcess> =>
      group.watch({ primary, host: hostAt(index), ...(downAfter !== undefined && { downAfter }) });
    const sentinels = await Promise.all([0, 1, 2].map(watch));
    for (const sentinel of sentinels) {
      await waitForReply(sentinel, ["sentinel", "master", primaryName], /num-other-sentinels\s+2/);
      await waitForReply(sentinel, ["sentinel", "master", primaryName], /num-slaves\s+2/);
    }
    return createProcess({ servers, sentinels, close: () => group.close() });
  } catch (error) {
    await group.close();
    throw error;
  }
}

interface Group {
  readonly servers: readonly RedisServerProcess[];
  readonly sentinels: readonly RedisServerProcess[];
  close(): Promise<void>;
}

function createProcess({ servers, sentinels, close }: Group): SentinelProcess {
  /** Server that most sentinels hold for the primary. */
  const findPrimary = async (): Promise<RedisServerProcess> => {
    const ports = await Promise.all(sentinels.map(readPrimaryPort));
    const found = servers.find(({ port }) => ports.filter((other) => other === port).length > sentinels.length / 2);
    if (found) return found;
    throw new Error("The sentinels do not agree on the primary");
  };
  const findReplicas = async (): Promise<readonly RedisServerProcess[]> => {
    const primary = await findPrimary();
    return servers.filter((server) => server !== primary);
  };
  return {
    kind: "sentinel",
    url: { sentinels: sentinels.map(({ address, port }) => `redis://${address}:${port}`), name: primaryName },
    servers,
    findPrimary,
    findReplicas,
    replaced: (former) => waitUntil(async () => (await findPrimary()) !== former, "no server has replaced the primary"),
    settled: () => waitUntil(() => isSettled(servers, sentinels), "the servers do not follow one primary"),
    command: async (...words) => sendCommand(await findPrimary(), words),
    close,
  };
}

async function readPrimaryPort(sentinel: RedisPlace): Promise<number> {
  const reply = await sendCommand(sentinel, ["SENTINEL", "get-master-addr-by-name", primaryName]).catch(() => "");
  return Number(reply.split("\r\n").findLast((line) => /^\d+$/.test(line)));
}

/** True if all sentinels know one primary, and both other servers follow it. */
async function isSettled(
  servers: readonly RedisServerProcess[],
  sentinels: readonly RedisServerProcess[],
): Promise<boolean> {
  const [port, ...others] = await Promise.all(sentinels.map(readPrimaryPort));
  const primary = servers.find((server) => server.port === port);
  if (!primary || others.some((other) => other !== port)) return false;
  const info = await sendCommand(primary, ["INFO", "replication"]).catch(() => "");
  return /role:master/.test(info) && (info.match(/state=online/g) ?? []).length === servers.length - 1;
}

async function waitUntil(isDone: () => Promise<boolean>, problem: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isDone().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`After 60 s ${problem}`);
    await sleep(200);
  }
}
