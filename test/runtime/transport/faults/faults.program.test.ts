import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { createAcceptor } from "../../../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { Timeouts } from "../../../../runtime/jsonrpc/limits.ts";
import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import { createHttpClientTransport } from "../../../../runtime/transport/http-client/http-client.ts";
import { createTcpTransport, listenTcp, type TcpServer } from "../../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../../runtime/transport/transport.ts";
import { createProgram, isAlive } from "../../../kit/programs.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { initialize, initialized } from "../../../kit/messages.ts";
import { fixture, tinyServer } from "../stdio/fixture.ts";

const script = await createProgram(new URL("../../../interop/our-http-server.ts", import.meta.url));
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  open.push(() => child.kill("SIGKILL"));
  return child;
}

async function readLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("The child has no output.");
  const [chunk] = await once(child.stdout, "data");
  return String(chunk).trim();
}

async function join(transport: Transport, timeouts: Partial<Timeouts> = {}): Promise<ClientConnection> {
  const info = { name: "c", version: "1" };
  const connection = await connect(transport, { info, revisions: handshakeRevisions, timeouts });
  open.push(() => connection.close());
  return connection;
}

/** A TCP server whose tools are these; notes what was aborted. */
async function serveTools(
  tools: Readonly<Record<string, (context: CallContext) => unknown>>,
  options: { readonly handler?: number; readonly maxBufferedBytes?: number } = {},
): Promise<TcpServer> {
  const { handler = 10_000, maxBufferedBytes = 1024 * 1024 } = options;
  const accept = createAcceptor({
    info: { name: "s", version: "1" },
    revisions: handshakeRevisions,
    capabilities: { tools: {} },
    timeouts: { handler, drain: 0 },
    handlers: {
      callTool: async ({ name }: { readonly name: string }, context: CallContext) => {
        const text = String(await tools[name]?.(context));
        return { content: [{ type: "text", text }] };
      },
    },
  });
  const server = await listenTcp({ accept, limits: { maxBufferedBytes } });
  open.push(() => server.close());
  return server;
}

function call(connection: ClientConnection, name: string): Promise<unknown> {
  return connection.request("tools/call", { name });
}

const hang = (): Promise<never> => new Promise(() => {});

test("a stdio server ends when its client is killed in the middle of a call (R27)", async () => {
  const lines = [
    initialize("2025-11-25"),
    initialized,
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hang" } },
  ];
  const client = start([
    "-e",
    `const { spawn } = require("node:child_process");
    const server = spawn(${JSON.stringify(fixture.command)}, ${JSON.stringify(fixture.args)}, { stdio: ["pipe", "pipe", "ignore"] });
    server.stdin.write(${JSON.stringify(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))});
    server.stdout.once("data", () => console.log(server.pid));`,
  ]);
  const pid = Number(await readLine(client));
  open.push(() => isAlive(pid) && process.kill(pid, "SIGKILL"));
  expect(isAlive(pid)).toBe(true);
  client.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("an HTTP server that is killed in the middle of a stream fails the call, and calls after it (R29, R52)", async () => {
  const server = start([script]);
  const url = await readLine(server);
  const reconnect = { initialDelay: 5, maxDelay: 10, maxAttempts: 3 };
  const connection = await join(createHttpClientTransport(url, { reconnect }));
  const failing = call(connection, "wait").catch((error: unknown) => error);
  expect(await call(connection, "echo").catch(() => "answered")).toBeDefined();
  server.kill("SIGKILL");
  expect(await failing).toBeInstanceOf(Error);
  await expect(connection.request("ping")).rejects.toBeInstanceOf(Error);
});

test("a server whose stdin is closed while it runs fails the calls (EPIPE, R29)", async () => {
  const server = tinyServer(
    "answer = () => { process.stdin.destroy(); fs.closeSync(0); setInterval(() => {}, 1000); };",
  );
  const shutdown = { terminate: 50, kill: 50 };
  const connection = await join(createStdioClientTransport({ ...server, stderr: "ignore", shutdown }));
  const first = connection.request("ping").catch((error: unknown) => error);
  // Nobody reads any more: sooner or later, a write must fail.
  const writing = setInterval(() => void connection.request("ping").catch(() => {}), 10);
  open.push(() => clearInterval(writing));
  expect(await first).toMatchObject({ name: "ClosedError" });
  expect(await connection.closed).toBeInstanceOf(Error);
});

describe("a TCP server", () => {
  test("a TCP server stops the calls of a client whose connection is reset, and serves the others (R29)", async () => {
    const aborted: unknown[] = [];
    const server = await serveTools({
      hang: ({ signal, requestId }) => {
        signal.addEventListener("abort", () => aborted.push(requestId));
        return hang();
      },
      echo: () => "here",
    });
    const other = await join(createTcpTransport({ port: server.port }));
    const socket = await openRaw(server.port);
    for (let id = 1; id <= 10; id += 1) say(socket, { id, method: "tools/call", params: { name: "hang" } });
    say(socket, { id: 11, method: "ping" });
    await once(socket, "data");
    socket.resetAndDestroy();
    await expect.poll(() => aborted.length).toBe(10);
    expect(await call(other, "echo")).toMatchObject({ content: [{ text: "here" }] });
  });

  test("a TCP server stops serving a client that sends requests and never reads, and serves the others (R25)", async () => {
    let served = 0;
    const server = await serveTools({
      large: () => {
        served += 1;
        return "x".repeat(20_000);
      },
    });
    const other = await join(createTcpTransport({ port: server.port }));
    const socket = await openRaw(server.port);
    socket.pause();
    for (let id = 1; id <= 20_000; id += 1) say(socket, { id, method: "tools/call", params: { name: "large" } });
    let before = -1;
    while (before !== served || served === 0) {
      before = served;
      await delay(50);
    }
    expect(served).toBeLessThan(10_000);
    expect(await call(other, "large")).toMatchObject({ content: [{ type: "text" }] });
  });

  test("a TCP server cancels a handler that hangs, and the connection stays open", async () => {
    const server = await serveTools({ hang }, { handler: 30 });
    const connection = await join(createTcpTransport({ port: server.port }));
    const rejection = { code: -32603, message: "Request timed out" };
    await expect(call(connection, "hang")).rejects.toMatchObject(rejection);
    expect(await connection.request("ping")).toEqual({});
  });
});

describe("a client", () => {
  test("a client times out when a server accepts and never responds", async () => {
    const port = await listenSilently();
    const timeouts = { initialize: 50, drain: 0 };
    await expect(join(createTcpTransport({ port }), timeouts)).rejects.toMatchObject({ name: "TimeoutError" });
    const overHttp = createHttpClientTransport(`http://127.0.0.1:${port}/mcp`);
    await expect(join(overHttp, timeouts)).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("a client times out a call of a silent server, and cancels it (half-open, C-01)", async () => {
    const server = await serveTools({ hang });
    const relay = await createRelay(server.port);
    const connection = await join(createTcpTransport({ port: relay.port }), { work: 50, request: 50 });
    relay.swallow();
    await expect(call(connection, "hang")).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(connection.request("ping")).rejects.toMatchObject({ name: "TimeoutError" });
    expect(connection.state).toBe("INITIALIZED");
    await expect.poll(() => relay.swallowed()).toContain("notifications/cancelled");
  });
});

async function openRaw(port: number): Promise<Socket> {
  const socket = connectSocket(port, "127.0.0.1");
  open.push(() => socket.destroy());
  socket.on("error", () => {});
  say(socket, initialize("2025-11-25"), initialized);
  await once(socket, "data");
  return socket;
}

function say(socket: Socket, ...messages: readonly object[]): void {
  for (const message of messages) socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Accepts connections, reads nothing and says nothing. */
async function listenSilently(): Promise<number> {
  return listen((socket) => void socket.pause());
}

interface Relay {
  readonly port: number;
  /** From now on nothing passes. */
  swallow(): void;
  swallowed(): string;
}

/** Stands between both ends, until it lets nothing through any more and both believe that they are connected. */
async function createRelay(target: number): Promise<Relay> {
  let isSwallowing = false;
  let swallowed = "";
  const port = await listen((socket) => {
    const far = connectSocket(target, "127.0.0.1");
    open.push(() => far.destroy());
    socket.on("data", (chunk) => {
      if (isSwallowing) swallowed += String(chunk);
      else far.write(chunk);
    });
    far.on("data", (chunk) => isSwallowing || socket.write(chunk));
  });
  return { port, swallow: () => void (isSwallowing = true), swallowed: () => swallowed };
}

async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    open.push(() => socket.destroy());
    socket.on("error", () => {});
    accept(socket);
  });
  server.listen(0, "127.0.0.1");
  open.push(() => server.close());
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
