import { onTestFinished } from "vitest";
import { listenLocally, type LocalServer } from "../processes/proxy.ts";

/** Options of a server that responds as Redis does while an engine connects. */
export interface FakeRedisOptions {
  /** Milliseconds until a command gets its response. Default: none. */
  readonly delays?: Readonly<Record<string, number>>;
  /** Errors by the names of the commands that are rejected. Default: none. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** Starts a server that responds as Redis does while an engine connects, and as the only node of a cluster. It ends with its test. */
export async function startFakeRedis({ delays = {}, errors = {} }: FakeRedisOptions = {}): Promise<LocalServer> {
  const server = await listenLocally((socket) => {
    socket.on("data", (chunk) => {
      for (const [name = "", argument = ""] of parseCommands(chunk.toString())) {
        const error = errors[name];
        const response = error === undefined ? respond(name, argument, server.port) : `-${error}\r\n`;
        const delay = delays[name];
        if (delay === undefined) socket.write(response);
        else setTimeout(() => socket.destroyed || socket.write(response), delay);
      }
    });
  });
  onTestFinished(() => server.close());
  return server;
}

function respond(name: string, argument: string, port: number): string {
  switch (name) {
    case "CLUSTER":
      return `*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n${bulk("127.0.0.1")}:${port}\r\n${bulk("a")}`;
    case "CONFIG":
      return `*2\r\n${bulk("appendfsync")}${bulk("everysec")}`;
    case "EVAL":
    case "WAIT":
      return ":1\r\n";
    case "INFO":
      return bulk("redis_version:7.2.0\r\nconnected_slaves:0\r\naof_enabled:1\r\n");
    case "PING":
      return "+PONG\r\n";
    case "ROLE":
      return `*3\r\n${bulk("master")}:0\r\n*0\r\n`;
    case "SSUBSCRIBE":
    case "SUBSCRIBE":
    case "SUNSUBSCRIBE":
    case "UNSUBSCRIBE":
      return `*3\r\n${bulk(name.toLowerCase())}${bulk(argument)}:1\r\n`;
    default:
      return "+OK\r\n";
  }
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** Returns the commands of a chunk, each as a list of words. */
function parseCommands(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n", at);
    const [kind, size] = [text[at], Number(text.slice(at + 1, end))];
    at = end + 2;
    if (kind === "*") commands.push([]);
    else {
      commands.at(-1)?.push(text.slice(at, at + size));
      at += size + 2;
    }
  }
  return commands;
}
