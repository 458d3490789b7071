import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { thisMachine, toCommand, type Host } from "./host.ts";
import { isResponding, type RedisPlace } from "./redis-process.ts";
import { startServerProcess, type ServerProcess } from "./server-process.ts";

/** Redis server or sentinel. It keeps its port, its configuration and its data over a restart. */
export interface RedisServerProcess extends RedisPlace, ServerProcess {
  readonly host: Host;
}

/** Sentinel of a primary. */
export interface SentinelOptions {
  readonly primary: RedisPlace;
  readonly host?: Host;
  /** Milliseconds without a reply after which the primary counts as gone. Default 1 s. */
  readonly downAfter?: number;
}

/** Name of the primary that sentinels watch. */
export const primaryName = "contract";

/** Redis servers and sentinels with folders of their own, which end together. */
export class RedisServers {
  readonly all: RedisServerProcess[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder of all servers. */
  static async create(): Promise<RedisServers> {
    return new RedisServers(await mkdtemp(join(tmpdir(), "scale-redis-group-")));
  }

  /** Starts a server. */
  start(settings: Readonly<Record<string, string>>, host: Host = thisMachine): Promise<RedisServerProcess> {
    return this.#spawn(host, [], ({ port, dir }) => {
      const all = { port: String(port), bind: host.address, "protected-mode": "no", dir, save: '""', ...settings };
      return Object.entries(all).map(([name, value]) => `${name} ${value}`);
    });
  }

  /** Starts a sentinel. Two of them have to agree that the primary is gone. */
  watch({ primary, host = thisMachine, downAfter = 1_000 }: SentinelOptions): Promise<RedisServerProcess> {
    return this.#spawn(host, ["--sentinel"], ({ port, dir }) => [
      `port ${port}`,
      `bind ${host.address}`,
      "protected-mode no",
      `dir ${dir}`,
      `sentinel monitor ${primaryName} ${primary.address} ${primary.port} 2`,
      `sentinel down-after-milliseconds ${primaryName} ${downAfter}`,
      `sentinel failover-timeout ${primaryName} 10000`,
    ]);
  }

  async close(): Promise<void> {
    for (const { kill } of this.all) await kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Starts a process with a configuration file, which sentinels change. */
  async #spawn(
    host: Host,
    options: readonly string[],
    configure: (place: { readonly port: number; readonly dir: string }) => readonly string[],
  ): Promise<RedisServerProcess> {
    const dir = await mkdtemp(join(this.#folder, "server-"));
    const file = join(dir, "redis.conf");
    const { address } = host;
    const server = {
      ...(await startServerProcess({
        async command(port) {
          await writeFile(file, `${configure({ port, dir }).join("\n")}\n`);
          return toCommand(host, ["redis-server", file, ...options]);
        },
        responds: (port) => isResponding({ address, port }),
      })),
      address,
      host,
    };
    this.all.push(server);
    return server;
  }
}

const execute = promisify(execFile);

/** Waits until a command has the reply of a server that is ready. */
export async function waitForReply(
  { address, port }: RedisPlace,
  command: readonly string[],
  reply: RegExp,
): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const words = ["-h", address, "-p", String(port), ...command];
    const { stdout } = await execute("redis-cli", words, { timeout: 2_000 }).catch(() => ({ stdout: "" }));
    if (reply.test(stdout)) return;
    if (Date.now() > deadline) throw new Error(`Redis does not reply ${reply} to ${command.join(" ")} within 60 s`);
    await sleep(100);
  }
}
