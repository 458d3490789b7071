import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";
import { WebSocket } from "ws";
import { connect } from "../../runtime/client/connect.ts";
import { defaultLimits } from "../../runtime/jsonrpc/limits.ts";
import { portOf } from "../../runtime/transport/listening.ts";
import { createTcpTransport } from "../../runtime/transport/tcp/tcp.ts";
import { handshakeRevisions } from "../kit/revisions.ts";
import { acceptBoth } from "../kit/http-exchange.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { atMost, exactly, startRun, type CampaignResult, type Figure, type PartOptions } from "./result.ts";
import type { ServerSettings } from "./server/commands.ts";
import { measureProcess } from "./server/measure.ts";
import { buildProgram, readPeak, resetPeak, ServerProcess, type ServerProgram } from "./server/server-process.ts";

/*
 * Messages without an end. The receiver keeps no more than the longest message, and serves what comes after the line, or rejects the message where
 * nothing can come after it.
 */

const mebibyte = 1024 * 1024;
const chunk: Buffer = Buffer.alloc(64 * 1024, "a");
const start = '{"jsonrpc":"2.0","id":1,"method":"';

/** Milliseconds after which a receiver does not do what it should. It has to read tens of megabytes first, beside other parts of the campaign. */
const patience = 60_000;

/** Memory that a receiver may take in addition to the longest message, in MB. */
const allowance = 40;

/** Sends a message without an end, and resolves to true if the server then does what it should. */
type SendEndless = (server: ServerProcess, size: number) => Promise<boolean>;

interface Case {
  readonly name: string;
  readonly transport: ServerSettings["transport"];
  /** Bytes of the longest message. */
  readonly limit: number;
  readonly send: SendEndless;
  readonly then: string;
}

const served = "a request after it is served";

const cases: readonly Case[] = [
  { name: "stdio", transport: "stdio", limit: defaultLimits.maxMessageBytes, send: sendOnStdio, then: served },
  { name: "TCP", transport: "tcp", limit: defaultLimits.maxMessageBytes, send: sendOverTcp, then: served },
  {
    name: "WebSocket",
    transport: "websocket",
    limit: defaultLimits.maxMessageBytes,
    send: sendOverWebSocket,
    then: "the connection is closed with 1009",
  },
  { name: "HTTP", transport: "http", limit: 4 * mebibyte, send: sendOverHttp, then: "the response is 413" },
];

export async function run(options: PartOptions): Promise<CampaignResult> {
  const { isShort } = options;
  const started = startRun("long-line", options);
  const program = await buildProgram();
  const size = (isShort ? 48 : 512) * mebibyte;
  try {
    const figures: Figure[] = [];
    for (const each of cases) figures.push(...(await runServer(each, { program, size })));
    figures.push(...(await runClient(size)));
    return started.finish(figures);
  } finally {
    program.remove();
  }
}

async function runServer(
  { name, transport, limit, send, then }: Case,
  { program, size }: { readonly program: ServerProgram; readonly size: number },
): Promise<readonly Figure[]> {
  const server = await ServerProcess.start(program, { transport });
  try {
    const { resident } = await server.request({ kind: "measure" });
    resetPeak(server.pid);
    const isServed = await send(server, size);
    return toFigures(`server, ${name}`, { memory: (server.readPeak() ?? NaN) - resident, limit, isServed, then });
  } finally {
    await server.kill();
  }
}

/** A client in this process, and a server that responds to `initialize` and to `ping`, with a line without an end in between. */
async function runClient(size: number): Promise<readonly Figure[]> {
  let connected: (socket: Socket) => void = () => {};
  const accepted = new Promise<Socket>((resolve) => (connected = resolve));
  const server = createServer((socket) => {
    socket.on("error", () => {});
    createInterface({ input: socket }).on("line", (line) => respond(socket, line));
    connected(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const transport = createTcpTransport({ port: portOf(server) });
  const client = await connect(transport, { info: { name: "c", version: "1" }, revisions: handshakeRevisions });
  try {
    const { resident } = await measureProcess();
    resetPeak("self");
    const socket = await accepted;
    await flood(socket, { size, start, piece: chunk });
    socket.write("\n");
    const isServed = await client.request("ping", undefined, { timeout: patience }).then(
      () => true,
      () => false,
    );
    const memory = (readPeak("self") ?? NaN) - resident;
    return toFigures("client, TCP", { memory, limit: defaultLimits.maxMessageBytes, isServed, then: served });
  } finally {
    await client.close();
    server.close();
  }
}

function respond(socket: Socket, line: string): void {
  const { id, method }: { readonly id?: number; readonly method: string } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: "endless", version: "1" };
  const opened = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? opened : {} })}\n`);
}

interface Outcome {
  readonly memory: number;
  readonly limit: number;
  readonly isServed: boolean;
  readonly then: string;
}

function toFigures(name: string, { memory, limit, isServed, then }: Outcome): readonly Figure[] {
  const most = Math.round(limit / 1e6 + allowance);
  return [
    atMost(`${name}: memory more`, memory / 1e6, { limit: most, unit: "MB" }),
    exactly(`${name}: ${then}`, isServed ? 1 : 0, { limit: 1, unit: "" }),
  ];
}

interface FloodOptions {
  readonly size: number;
  readonly start: string;
  /** Bytes that are repeated. */
  readonly piece: Buffer;
}

/** Writes so many bytes of one message as fast as they are read, or until the reader closes the connection. */
async function flood(output: Writable, { size, start, piece }: FloodOptions): Promise<void> {
  output.on("error", () => {});
  output.write(start);
  for (let written = 0; written < size && output.writable; written += piece.length) {
    // Nothing else in this process runs while all writes are accepted at once.
    if (output.write(piece)) await sleep(0);
    else await waitForRoom(output);
  }
}

/** Resolves when more may be written, or never again. */
function waitForRoom(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (!output.writable) return resolve();
    const end = (): void => {
      output.off("drain", end).off("close", end);
      resolve();
    };
    output.on("drain", end).on("close", end);
  });
}

function sendOnStdio({ child }: ServerProcess, size: number): Promise<boolean> {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("The server has no pipes");
  return sendLine({ input: stdout, output: stdin, size });
}

async function sendOverTcp({ url }: ServerProcess, size: number): Promise<boolean> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  return sendLine({ input: socket, output: socket, size });
}

interface LineOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly size: number;
}

/** Sends a line without an end in a session, then ends it and sends a ping. */
async function sendLine({ input, output, size }: LineOptions): Promise<boolean> {
  const lines: string[] = [];
  createInterface({ input }).on("line", (line) => lines.push(line));
  for (const message of [initialize("2025-11-25"), initialized]) output.write(`${JSON.stringify(message)}\n`);
  await flood(output, { size, start, piece: chunk });
  output.write(`\n${JSON.stringify({ jsonrpc: "2.0", id: "after", method: "ping" })}\n`);
  return holds(() => lines.some((line) => line.includes('"id":"after"') && line.includes('"result"')));
}

/** Sends frames of one message. */
async function sendOverWebSocket({ url }: ServerProcess, size: number): Promise<boolean> {
  const socket = new WebSocket(url, ["mcp.v1"]);
  socket.on("error", () => {});
  await once(socket, "open");
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  for (let sent = 0; sent < size && socket.readyState === WebSocket.OPEN; sent += chunk.length) {
    const written = new Promise<void>((resolve) => socket.send(chunk, { fin: false, binary: false }, () => resolve()));
    await Promise.race([written, closed]);
  }
  return (await Promise.race([closed, sleep(patience)])) === 1009;
}

/** Sends a body in chunks, without its length. */
async function sendOverHttp({ url }: ServerProcess, size: number): Promise<boolean> {
  const { pathname, host, port } = new URL(url);
  const socket = connectSocket(Number(port), "127.0.0.1");
  await once(socket, "connect");
  let response = "";
  socket.on("data", (data: Buffer) => (response += data.toString()));
  const fields = `Host: ${host}\r\nAccept: ${acceptBoth}\r\nContent-Type: application/json`;
  socket.write(`POST ${pathname} HTTP/1.1\r\n${fields}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
  await flood(socket, { size, start: `${start.length.toString(16)}\r\n${start}\r\n`, piece: frame });
  const isRejected = await holds(() => response.startsWith("HTTP/1.1 413 "));
  socket.destroy();
  return isRejected;
}

/** Resolves to true once something holds, or to false when the time is over. */
async function holds(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (!condition() && Date.now() < deadline) await sleep(20);
  return condition();
}
