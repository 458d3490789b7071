import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisMachine, toCommand, type Host } from "./host.ts";
import { startServerProcess, type ServerProcess } from "./server-process.ts";

/** Redis server with a folder of its own. It keeps its port and its data over a restart. */
export interface RedisProcess extends ServerProcess {
  readonly kind: "redis";
  readonly url: string;
  /** Sends a command, and returns the reply as it comes over the wire. */
  command(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Options of a Redis server. */
export interface RedisOptions {
  /** Time at which changes are on the disk: before the reply, within a second, or when the system writes them. Default `everysec`. */
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
  const settings = {
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
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await startServerProcess({
    command: (port) => toCommand(host, ["redis-server", "--port", String(port), ...args]),
    responds: (port) => isResponding({ address: host.address, port }),
  });
  const place = { address: host.address, port: server.port };
  return {
    ...server,
    kind: "redis",
    url: `redis://${place.address}:${place.port}`,
    command: (...words) => sendCommand(place, words),
    async close() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns true if the server has loaded its data and responds, be it that a password is missing. */
export async function isResponding(place: RedisPlace): Promise<boolean> {
  return /^(\+PONG|-NOAUTH)/.test(await sendCommand(place, ["PING"]).catch(() => ""));
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
    socket.setTimeout(60_000, () => socket.destroy(new Error("Redis does not respond within 60 s")));
    socket.on("data", (chunk: Buffer) => (reply += chunk.toString()));
    socket.once("error", reject);
    socket.once("close", () => resolve(reply));
  });
}

function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}
