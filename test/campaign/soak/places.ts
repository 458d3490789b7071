import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectStdio } from "../../../runtime/client/connect-stdio.ts";
import { connect } from "../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { StreamTransport } from "../../../runtime/transport/stream-transport.ts";
import { createTcpTransport } from "../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { createWsTransport } from "../../../runtime/transport/websocket/ws-package.ts";
import { initialize } from "../../kit/messages.ts";
import { openStream, send } from "../../kit/http-exchange.ts";

/** A server, and the ways to connect to it. */
export interface Place {
  /** Revisions of the sessions that stay open during a load, one each. */
  readonly revisions: readonly string[];
  /** Opens a connection that stays open. */
  readonly connect: ConnectionFactory;
  /** Opens a connection for a short time. */
  readonly visit: ConnectionFactory;
  /** Opens a session by its first message and breaks the connection off, as a client that crashes. */
  readonly drop: () => Promise<void>;
  /** Least milliseconds from one short connection to the next. */
  readonly interval: number;
}

const all: readonly string[] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const everyRevision: readonly string[] = [...all, ...all, "2026-07-28", "2025-11-25"];
const greeting = initialize("2025-11-25", { roots: {} });
const line = `${JSON.stringify(greeting)}\n`;

/** Creates the place of a server in this process. */
export function createMemoryPlace(createTransport: () => Transport): Place {
  const factory: ConnectionFactory = (options) => connect(createTransport(), options);
  const drop = async (): Promise<void> => {
    const transport = createTransport();
    transport.start({ message() {}, classified() {}, problem() {}, ended() {}, disconnected() {} });
    void transport.send({ jsonrpc: "2.0", id: 0, method: "initialize", params: Reflect.get(greeting, "params") });
    await sleep(1);
    await transport.close();
  };
  return { revisions: everyRevision, connect: factory, visit: factory, drop, interval: 20 };
}

/** Creates the place of a server that listens at a URL. */
export function createUrlPlace(url: string): Place {
  const { protocol, port } = new URL(url);
  switch (protocol) {
    case "http:":
      return createPlace(
        (options) => connectHttp(url, options),
        () => dropHttp(url),
      );
    case "ws:":
      return createPlace(
        (options) => connect(createWsTransport(url), options),
        () => dropWebSocket(url),
      );
    case "tcp:":
      return createPlace(
        (options) => connect(createTcpTransport({ port: Number(port) }), options),
        () => dropTcp(Number(port)),
      );
    default:
      throw new Error(`The URL ${url} has an unknown protocol`);
  }
}

function createPlace(factory: ConnectionFactory, drop: () => Promise<void>): Place {
  return { revisions: everyRevision, connect: factory, visit: factory, drop, interval: 20 };
}

/** Creates the place of a running server on stdio. Short connections start servers of their own. */
export function createStdioPlace(child: ChildProcess, args: readonly string[]): Place {
  return {
    revisions: ["2025-11-25"],
    connect: (options) => connect(createPipeTransport(child), options),
    visit: (options) => connectStdio({ command: process.execPath, args }, options),
    drop: () => dropStdio(args),
    interval: 2_000,
  };
}

function createPipeTransport({ stdin, stdout }: ChildProcess): Transport {
  if (!stdin || !stdout) throw new Error("The server has no pipes");
  return new StreamTransport({
    input: stdout,
    output: stdin,
    write: (text) => stdin.write(text),
    finish: async () => void stdin.end(),
  });
}

async function dropTcp(port: number): Promise<void> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.write(line);
  await once(socket, "data");
  socket.resetAndDestroy();
}

async function dropWebSocket(url: string): Promise<void> {
  const socket = new WebSocket(url, ["mcp.v1"]);
  await once(socket, "open");
  socket.send(JSON.stringify(greeting));
  await once(socket, "message");
  socket.terminate();
}

/** The session is never ended, and its stream is cut. */
async function dropHttp(url: string): Promise<void> {
  const { headers } = await send(url, undefined, { body: greeting });
  const id = String(headers["mcp-session-id"]);
  const stream = await openStream(url, {
    method: "GET",
    headers: { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" },
  });
  stream.cut();
}

async function dropStdio(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(line);
  await once(child.stdout, "data");
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
