import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { RedisUrl } from "../../../runtime/adapters/redis/index.ts";
import { findPort } from "./processes.ts";

/** Several Redis servers that belong together. */
export interface RedisGroup {
  readonly url: RedisUrl;
  /** Ends the primary by SIGKILL; another server replaces it. Absent where nothing can. */
  fail?(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a Redis Cluster of three primaries. */
export async function startRedisCluster(): Promise<RedisGroup> {
  return startGroup(async (servers) => {
    for (let count = 0; count < 3; count += 1) {
      const bus = await findPort();
      await servers.start({ "cluster-enabled": "yes", "cluster-port": String(bus), appendonly: "yes" });
    }
    const nodes = servers.all.map(({ port }) => `127.0.0.1:${port}`);
    await execute("redis-cli", ["--cluster", "create", ...nodes, "--cluster-yes"]);
    for (const { port } of servers.all) await waitFor(port, ["cluster", "info"], /cluster_state:ok/);
    return { url: { cluster: nodes.map((node) => `redis://${node}`) } };
  });
}

/** Starts a primary, two replicas, and three sentinels that replace the primary within some seconds. */
export async function startSentinels(): Promise<RedisGroup> {
  return startGroup(async (servers) => {
    const primary = await servers.start({ appendonly: "yes" });
    for (let count = 0; count < 2; count += 1) {
      const { port } = await servers.start({ appendonly: "yes", replicaof: `127.0.0.1 ${primary.port}` });
      await waitFor(port, ["info", "replication"], /master_link_status:up/);
    }
    const sentinels = await Promise.all([1, 2, 3].map(() => servers.watch(primary.port)));
    for (const { port } of sentinels)
      await waitFor(port, ["sentinel", "master", "contract"], /num-other-sentinels\s+2/);
    return {
      url: { sentinels: sentinels.map(({ port }) => `redis://127.0.0.1:${port}`), name: "contract" },
      fail: () => primary.kill(),
    };
  });
}

const execute = promisify(execFile);

interface RedisServerProcess {
  readonly port: number;
  kill(): Promise<void>;
}

/** Starts servers and ends all of them together, also when one cannot start. */
async function startGroup(start: (servers: Servers) => Promise<Omit<RedisGroup, "close">>): Promise<RedisGroup> {
  const servers = new Servers(await mkdtemp(join(tmpdir(), "scale-redis-group-")));
  try {
    return { ...(await start(servers)), close: () => servers.close() };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

class Servers {
  readonly all: RedisServerProcess[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts a server with a folder of its own. */
  async start(settings: Readonly<Record<string, string>>): Promise<RedisServerProcess> {
    const port = await findPort();
    const dir = await mkdtemp(join(this.#folder, "server-"));
    const all = { port: String(port), bind: "127.0.0.1", dir, save: "", ...settings };
    const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, ...value.split(" ")]);
    return this.#spawn(port, args);
  }

  /** Starts a sentinel of the primary at a port. */
  async watch(primary: number): Promise<RedisServerProcess> {
    const port = await findPort();
    const dir = await mkdtemp(join(this.#folder, "sentinel-"));
    const file = join(dir, "sentinel.conf");
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${dir}`,
      `sentinel monitor contract 127.0.0.1 ${primary} 2`,
      "sentinel down-after-milliseconds contract 1000",
      "sentinel failover-timeout contract 10000",
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    return this.#spawn(port, [file, "--sentinel"]);
  }

  async close(): Promise<void> {
    for (const { kill } of this.all) await kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #spawn(port: number, args: readonly string[]): Promise<RedisServerProcess> {
    const child = spawn("redis-server", args, { stdio: "ignore" });
    const kill = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    };
    const server = { port, kill };
    this.all.push(server);
    await waitFor(port, ["ping"], /PONG/);
    return server;
  }
}

/** Waits until a command has the reply of a server that is ready. */
async function waitFor(port: number, command: readonly string[], reply: RegExp): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { stdout } = await execute("redis-cli", ["-p", String(port), ...command]).catch(() => ({ stdout: "" }));
    if (reply.test(stdout)) return;
    if (Date.now() > deadline) throw new Error(`Redis does not reply ${reply} to ${command.join(" ")} within 30 s`);
    await sleep(100);
  }
}
