import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { thisMachine, toCommand, type Host } from "./host.ts";
import { findPort } from "./processes.ts";
import { suspendProcess } from "./suspend-process.ts";

/** Redis server with a folder of its own. It keeps its port and its data over a restart. */
export interface RedisProcess {
  readonly kind: "redis";
  readonly url: string;
  /** Ends the process by SIGKILL. */
  kill(): Promise<void>;
  /** Starts the process again, and waits until it has loaded its data. */
  restart(): Promise<void>;
  /** Stops the process for some milliseconds, without ending it. */
  pause(milliseconds: number): Promise<void>;
  /** Stops the process without ending it, until `restart`. */
  suspend(): Promise<void>;
  /** Sends a command, and returns the reply as it comes over the wire. */
  command(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Options of a Redis server. */
export interface RedisOptions {
  /** Time at which changes are on the disk: before the reply, or within a second. Default `everysec`. */
  readonly fsync?: "always" | "everysec" | "no";
  /** Further settings, by their names in the configuration of Redis. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Host of the process. Default: this machine. */
  readonly host?: Host;
}

/** Starts a Redis server that writes every change to its append-only file. */
export async function startRedis({
  fsync = "everysec",
  settings: others = {},
  host = thisMachine,
}: RedisOptions = {}): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), "scale-redis-"));
  const port = await findPort();
  const place = { address: host.address, port };
  const settings = {
    port,
    bind: host.address,
    "protected-mode": "no",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: fsync,
    "enable-debug-command": "local",
    "maxmemory-policy": "noeviction",
    ...others,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const [program, all] = toCommand(host, ["redis-server", ...args]);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(program, all, { stdio: "ignore" });
    await waitForRedis(place);
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    kind: "redis",
    url: `redis://${host.address}:${port}`,
    kill,
    restart: start,
    async pause(milliseconds) {
      child?.kill("SIGSTOP");
      await sleep(milliseconds);
      child?.kill("SIGCONT");
    },
    async suspend() {
      if (child?.pid !== undefined) await suspendProcess(child.pid);
    },
    command: (...words) => sendCommand(place, words),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server has loaded its data and responds, be it that a password is missing. */
export async function waitForRedis(place: RedisPlace): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const reply = await sendCommand(place, ["PING"]).catch(() => "");
    if (/^(\+PONG|-NOAUTH)/.test(reply)) return;
    if (Date.now() > deadline) throw new Error("Redis does not respond; see whether redis-server is installed");
    await sleep(50);
  }
}

/** Address of a Redis server or a sentinel. */
export interface RedisPlace {
  readonly address: string;
  readonly port: number;
}

/** Sends one command over a connection of its own (RESP2). The server closes it when it has replied, because this side is closed. */
export function sendCommand({ address, port }: RedisPlace, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(port, address, () => socket.end(encodeCommand(words)));
    socket.setTimeout(10_000, () => socket.destroy(new Error("Redis does not respond within 10 s")));
    socket.on("data", (chunk: Buffer) => (reply += chunk.toString()));
    socket.once("error", reject);
    socket.once("close", () => resolve(reply));
  });
}

function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}
