import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect as connectSocket } from "node:net";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { acceptBoth, send } from "../kit/http-exchange.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { readEvents } from "../cluster/client/sse.ts";
import {
  atMost,
  describeFigure,
  exactly,
  startRun,
  type CampaignResult,
  type Figure,
  type PartOptions,
} from "./result.ts";
import type { ServerSettings } from "./server/commands.ts";
import type { Measurement } from "./server/measure.ts";
import { buildProgram, resetPeak, ServerProcess, type ServerProgram } from "./server/server-process.ts";

/*
 * Readers that stop while a call pushes 256 MiB to them, and continue later. A handler that waits for its messages is held back, and all of them
 * arrive. Of a handler that does not wait, messages are dropped, and the response arrives. Responses that a client requests and does not read wait up to
 * the limit, beyond which the connection is ended. A server over TCP reads no further requests before that.
 */

/** Keeps garbage out of the figures: by default, V8 lets up to 32 MB of it lie before it collects. */
const nodeArguments = ["--max-semi-space-size=1"];

const mebibyte = 1024 * 1024;
const pieceSize = 64 * 1024;

/** Milliseconds for which nothing is read: less than those after which a server closes the connection. */
const pause = 15_000;

/** MB that may wait for a reader (`maxBufferedBytes`). */
const mostBuffered = Math.round((64 * mebibyte) / 1e6);

/** Responses of 1 MiB that may wait for a reader: fewer than the limit. */
const allowedResponses = 48;

/** Client that reads when it is let. */
interface Reader {
  /** Sends a request to which the pieces belong. */
  send(message: object): void;
  pause(): void;
  resume(): void;
  /** Ends the connection. */
  end(): void;
}

/** What a client has received. */
interface Received {
  pieces: number;
  responses: number;
  isClosed: boolean;
}

type OpenReader = (server: ServerProcess, received: Received) => Promise<Reader>;

const readers: Readonly<
  Record<"HTTP" | "WebSocket" | "TCP" | "stdio", readonly [ServerSettings["transport"], OpenReader]>
> = {
  HTTP: ["http", openHttp],
  WebSocket: ["websocket", openWebSocket],
  TCP: ["tcp", openTcp],
  stdio: ["stdio", openStdio],
};

export async function run(options: PartOptions): Promise<CampaignResult> {
  const { isShort } = options;
  const started = startRun("slow-reader", options);
  const program = await buildProgram();
  const size = isShort ? 64 * mebibyte : 256 * mebibyte;
  try {
    const figures: Figure[] = [];
    for (const name of Object.keys(readers)) figures.push(...(await runReader(name, { program, size, isShort })));
    return started.finish(figures);
  } finally {
    program.remove();
  }
}

interface ReaderOptions {
  readonly program: ServerProgram;
  /** Bytes that are pushed. */
  readonly size: number;
  readonly isShort: boolean;
}

async function runReader(name: string, options: ReaderOptions): Promise<readonly Figure[]> {
  const pieces = options.size / pieceSize;
  const [awaited, dropped, ...responses] = await Promise.all([
    push(name, { ...options, isAwaited: true }),
    push(name, { ...options, isAwaited: false }),
    // Over HTTP each response has a connection, with one request at a time.
    ...(name === "HTTP" ? [] : [describeAllowed(name, options), describeTooMany(name, options)]),
  ]);
  return [
    ...describeMemory(`${name}, the handler waits`, awaited),
    exactly(`${name}: pieces that arrive then`, awaited.pieces, { limit: pieces, unit: "" }),
    ...describeMemory(`${name}, the handler does not wait`, dropped),
    describeFigure(`${name}: pieces that arrive then`, dropped.pieces, ""),
    exactly(`${name}: responses that arrive then`, dropped.responses, { limit: 1, unit: "" }),
    ...responses.flat(),
  ];
}

function describeMemory(name: string, { memory, held }: Outcome): readonly Figure[] {
  return [
    atMost(`${name}: resident memory more`, memory, { limit: 24, unit: "MB" }),
    atMost(`${name}: heap and buffers more`, held, { limit: 24, unit: "MB" }),
  ];
}

interface Outcome extends Received {
  /** Most resident memory more than before, in MB. */
  readonly memory: number;
  /** Heap and buffers more than before while nothing is read, in MB. */
  readonly held: number;
}

/** Has a call push pieces to a reader that has stopped. */
function push(name: string, options: ReaderOptions & { readonly isAwaited: boolean }): Promise<Outcome> {
  const args = { pieces: options.size / pieceSize, size: pieceSize, isAwaited: options.isAwaited };
  return observe(name, options, { requests: [toCall(1, "push", args)] });
}

/** Requests as many responses as may wait. */
async function describeAllowed(name: string, options: ReaderOptions): Promise<readonly Figure[]> {
  const { held, responses } = await requestAll(name, options, allowedResponses);
  const size = (allowedResponses * mebibyte) / 1e6;
  return [
    atMost(`${name}, ${allowedResponses} responses wait: heap and buffers more`, held - size, {
      limit: 24,
      unit: "MB",
    }),
    exactly(`${name}: responses that arrive then`, responses, { limit: allowedResponses, unit: "" }),
  ];
}

/** Requests more responses than may wait: the connection is ended, or the server reads no further requests. */
async function describeTooMany(name: string, options: ReaderOptions): Promise<readonly Figure[]> {
  const { held, memory, isClosed } = await requestAll(name, options, (2 * options.size) / mebibyte);
  return [
    atMost(`${name}, too many responses: heap and buffers more`, held, { limit: mostBuffered + 24, unit: "MB" }),
    describeFigure(`${name}, too many responses: connections ended`, Number(isClosed), ""),
    describeFigure(`${name}, too many responses: resident memory more`, memory, "MB"),
  ];
}

/** Requests results of 1 MiB without reading any. */
function requestAll(name: string, options: ReaderOptions, count: number): Promise<Outcome> {
  const requests = Array.from({ length: count }, (_, id) => toCall(id, "text", { size: mebibyte }));
  return observe(name, options, { requests });
}

async function observe(
  name: string,
  { program, isShort }: ReaderOptions,
  { requests }: { readonly requests: readonly object[] },
): Promise<Outcome> {
  const [transport, open] = toReader(name);
  const server = await ServerProcess.start(program, { transport }, nodeArguments);
  const received: Received = { pieces: 0, responses: 0, isClosed: false };
  try {
    const reader = await open(server, received);
    const before = await server.request({ kind: "measure" });
    resetPeak(server.pid);
    reader.pause();
    for (const message of requests) reader.send(message);
    const memory = ((await watchPeak(server, isShort ? 3_000 : pause)) - before.resident) / 1e6;
    const stopped = (await measureRunning(server)) ?? before;
    const held = (stopped.heap + stopped.external - before.heap - before.external) / 1e6;
    reader.resume();
    const deadline = Date.now() + 60_000;
    while (received.responses < requests.length && !received.isClosed && Date.now() < deadline) await sleep(50);
    reader.end();
    return { ...received, memory, held };
  } finally {
    await server.kill();
  }
}

/** Measures a server. Undefined if it has exited or exits meanwhile: a server on stdio does when it ends the connection. */
async function measureRunning(server: ServerProcess): Promise<Measurement | undefined> {
  if (!server.isRunning) return undefined;
  try {
    return await server.request({ kind: "measure" });
  } catch (error) {
    const { child } = server;
    // The channel closes shortly before the exit.
    if (server.isRunning && !child.connected) await once(child, "exit");
    const { exitCode, signalCode } = child;
    if (exitCode !== 0 || signalCode !== null) throw error;
    return undefined;
  }
}

/** Reads the peak of the memory for some time. A server on stdio exits when it ends the connection. */
async function watchPeak(server: ServerProcess, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let peak = 0;
  while (performance.now() < end && server.isRunning) {
    peak = server.readPeak() ?? peak;
    await sleep(50);
  }
  return peak;
}

function toReader(name: string): readonly [ServerSettings["transport"], OpenReader] {
  for (const [known, reader] of Object.entries(readers)) if (known === name) return reader;
  throw new Error(`There is no reader over ${name}`);
}

function toCall(id: number, name: string, args: object): object {
  return { jsonrpc: "2.0", id: id + 1, method: "tools/call", params: { name, arguments: args } };
}

const greeting = initialize("2025-11-25");
const level = { jsonrpc: "2.0", id: "level", method: "logging/setLevel", params: { level: "info" } };

/** True for the response that ends the handshake. */
function isReady(text: string): boolean {
  return text.includes('"id":"level"');
}

/** Counts a message. The handshake has an id that is no number, or 0. The last line of a broken connection is not complete. */
function count(text: string, received: Received): void {
  if (!text.endsWith("}")) return;
  if (text.slice(0, 100).includes('"method":"notifications/message"')) received.pieces += 1;
  else if (/"id":[1-9]/.test(text.slice(0, 100))) received.responses += 1;
}

async function openTcp(server: ServerProcess, received: Received): Promise<Reader> {
  const socket = connectSocket(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("close", () => (received.isClosed = true)).on("error", () => {});
  return openLines(socket, { received, write: (text) => socket.write(text), end: () => socket.destroy() });
}

async function openStdio({ child }: ServerProcess, received: Received): Promise<Reader> {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("The server has no pipes");
  stdout.on("close", () => (received.isClosed = true));
  stdin.on("error", () => {});
  return openLines(stdout, { received, write: (text) => stdin.write(text), end: () => stdin.end() });
}

interface LineOptions {
  readonly received: Received;
  readonly write: (text: string) => unknown;
  readonly end: () => unknown;
}

/** Opens a session with one message a line. */
async function openLines(input: Readable, { received, write, end }: LineOptions): Promise<Reader> {
  const say = (message: object): void => void write(`${JSON.stringify(message)}\n`);
  const lines = createInterface({ input });
  const ready = new Promise<void>((resolve) => {
    lines.on("line", (text) => (isReady(text) ? resolve() : count(text, received)));
  });
  for (const message of [greeting, initialized, level]) say(message);
  await ready;
  return { send: say, pause: () => input.pause(), resume: () => input.resume(), end };
}

async function openWebSocket({ url }: ServerProcess, received: Received): Promise<Reader> {
  const socket = new WebSocket(url, ["mcp.v1"], { maxPayload: 64 * mebibyte });
  await once(socket, "open");
  const say = (message: object): void => socket.send(JSON.stringify(message));
  const ready = new Promise<void>((resolve) => {
    socket.on("message", (data) => (isReady(String(data)) ? resolve() : count(String(data), received)));
  });
  for (const message of [greeting, initialized, level]) say(message);
  await ready;
  socket.on("close", () => (received.isClosed = true)).on("error", () => {});
  return { send: say, pause: () => socket.pause(), resume: () => socket.resume(), end: () => socket.terminate() };
}

async function openHttp({ url }: ServerProcess, received: Received): Promise<Reader> {
  const { headers: fields } = await send(url, undefined, { body: greeting });
  const headers = { "mcp-session-id": String(fields["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  for (const body of [initialized, level]) await send(url, undefined, { body, headers });
  let response: IncomingMessage | undefined;
  let isPaused = false;
  const sent = (message: object): void => {
    const fields = { ...headers, accept: acceptBoth, "content-type": "application/json" };
    const post = request(url, { method: "POST", headers: fields, agent: false }, (found) => {
      response = found;
      if (!isPaused) void readAll(found, received);
    });
    post.on("error", () => (received.isClosed = true)).end(JSON.stringify(message));
  };
  return {
    send: sent,
    pause: () => (isPaused = true),
    resume: () => void (response && readAll(response, received)),
    end: () => response?.destroy(),
  };
}

/** Until this is called, nothing of the body is read. */
async function readAll(response: IncomingMessage, received: Received): Promise<void> {
  const read = async (): Promise<void> => {
    for await (const { data } of readEvents(response)) if (data !== "") count(data, received);
  };
  // The connection may break: what has arrived counts.
  await read().catch(() => {});
  received.isClosed = true;
}
