import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "./processes.ts";

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
}

/** Starts a Redis server that writes every change to its append-only file. */
export async function startRedis({
  fsync = "everysec",
  settings: others = {},
}: RedisOptions = {}): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), "scale-redis-"));
  const port = await findPort();
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: fsync,
    "enable-debug-command": "local",
    "maxmemory-policy": "noeviction",
    ...others,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn("redis-server", args, { stdio: "ignore" });
    await waitForRedis(port);
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
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: start,
    async pause(milliseconds) {
      child?.kill("SIGSTOP");
      await sleep(milliseconds);
      child?.kill("SIGCONT");
    },
    async suspend() {
      child?.kill("SIGSTOP");
      // Other threads of the process stop a little later.
      await sleep(50);
    },
    command: (...words) => sendCommand(port, words),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server has loaded its data and responds, be it that a password is missing. */
async function waitForRedis(port: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const reply = await sendCommand(port, ["PING"]).catch(() => "");
    if (/^(\+PONG|-NOAUTH)/.test(reply)) return;
    if (Date.now() > deadline) throw new Error("Redis does not respond; see whether redis-server is installed");
    await sleep(50);
  }
}

/** Sends one command over a connection of its own (RESP2). The reply ends when the server closes the connection after QUIT. */
function sendCommand(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${encodeCommand(words)}${encodeCommand(["QUIT"])}`));
    socket.setTimeout(10_000, () => socket.destroy(new Error("Redis does not respond within 10 s")));
    socket.on("data", (chunk: Buffer) => (reply += chunk.toString()));
    socket.once("error", reject);
    socket.once("close", () => resolve(reply.replace(/\+OK\r\n$/, "")));
  });
}

function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}
