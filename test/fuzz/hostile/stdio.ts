import { createServer, type Socket } from "node:net";
import { isHit } from "../../kit/random.ts";
import { maxMessageBytes } from "../lines.ts";
import { sourceClient, type OpenHostile } from "./hostile.ts";
import type { HostileServer } from "./server.ts";
import { listenLoopback } from "../loopback.ts";

/**
 * Servers that are child processes of their clients. The child passes bytes on between its pipes and this process, where the server is.
 */
export async function openHostileProcesses({ connectStdio } = sourceClient): Promise<OpenHostile> {
  const servers = new Map<string, HostileServer>();
  const listener = createServer((socket) => serve(socket, servers));
  const port = await listenLoopback(listener);
  const open: OpenHostile["open"] = (server) => {
    const token = crypto.randomUUID();
    servers.set(token, server);
    const child = {
      command: process.execPath,
      args: ["-e", passOn, String(port), token],
      stderr: "ignore",
      limits: { maxMessageBytes },
      shutdown: { terminate: 200, kill: 200 },
    } as const;
    return {
      source: (options) => connectStdio(child, options),
      close: () => void servers.delete(token),
    };
  };
  return { open, close: () => new Promise((resolve) => void listener.close(() => resolve())) };
}

/** The child: without imports of its own it starts fast. */
const passOn = `
const [, port, token] = process.argv;
const socket = require("node:net").connect(Number(port), "127.0.0.1", () => {
  socket.write(token + "\\n");
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.on("error", () => process.exit());
socket.on("close", () => process.exit());
`;

function serve(socket: Socket, servers: ReadonlyMap<string, HostileServer>): void {
  let server: HostileServer | undefined;
  let text = "";
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (server) respond(socket, server, line);
      else server = join(socket, servers.get(line));
    }
  });
}

function join(socket: Socket, server: HostileServer | undefined): HostileServer | undefined {
  const end = (): void => write(socket, server?.pending.map((id) => server.reject(id)) ?? []);
  server?.onCalm.add(end);
  socket.once("close", () => server?.onCalm.delete(end));
  return server;
}

/** Responds to requests only: responses to responses would never end. */
function respond(socket: Socket, server: HostileServer, line: string): void {
  for (const { id, method } of server.receive(line)) {
    if (method === undefined) continue;
    if (server.isCalm) {
      if (id !== undefined) write(socket, [server.reject(id)]);
      continue;
    }
    const opening = method === "initialize" && id !== undefined ? server.open(id) : undefined;
    if (opening !== undefined) write(socket, [opening]);
    else if (isHit(0.002, server.random)) socket.destroy();
    else write(socket, server.sayMany(1 + Math.floor(server.random() * 40)));
  }
}

function write(socket: Socket, lines: readonly string[]): void {
  if (!socket.destroyed) socket.write(lines.map((line) => `${line}\n`).join(""));
}
