import { createServer } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createAcceptor, type Acceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import { listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import { serveWebSocket } from "../../../runtime/transport/websocket/ws-package.ts";
import { newest } from "../../kit/revisions.ts";
import { initialize } from "../../kit/messages.ts";
import { call } from "../../kit/http-exchange.ts";
import { log, start } from "../../kit/http-server.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Logs 48 MiB without waiting for any of it. */
async function logMuch(context: CallContext): Promise<string> {
  for (let count = 0; count < 750; count += 1) void log(context, "x".repeat(64 * 1024));
  return "done";
}

function createLogger(metrics: Metrics): Acceptor {
  return createAcceptor({
    info: { name: "s", version: "1" },
    revisions: [newest],
    capabilities: { tools: {}, logging: {} },
    metrics,
    handlers: {
      callTool: async (_params: unknown, context: CallContext) => ({
        content: [{ type: "text", text: await logMuch(context) }],
      }),
    },
  });
}

const requests = [initialize(newest.id), { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "log" } }];

/** Messages that a client has read: number of log messages, and the result if it has arrived. */
interface Read {
  readonly logs: number;
  readonly hasResult: boolean;
}

function sumUp(text: string): Read {
  return { logs: text.split("notifications/message").length - 1, hasResult: text.includes('"text":"done"') };
}

async function expectFewer({ logs, hasResult }: Read, metrics: Metrics): Promise<void> {
  const dropped = metrics.read().dropped.get("log") ?? 0;
  expect(hasResult).toBe(true);
  expect(logs + dropped).toBe(750);
  // 8 MiB wait here, and some more where the system keeps what is on its way.
  expect(logs).toBeLessThan(400);
}

test("a TCP client that does not read gets its response, and at most 8 MiB of log messages wait for it", async () => {
  const metrics = new Metrics();
  const server = await listenTcp({ accept: createLogger(metrics) });
  open.push(() => server.close());
  const socket: Socket = connectSocket(server.port, "127.0.0.1");
  open.push(() => socket.destroy());
  socket.pause();
  socket.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  await expect.poll(() => metrics.read().dropped.get("log") ?? 0).toBeGreaterThan(0);
  expect(metrics.read().buffered).toBeLessThan(8.5 * 1024 * 1024);
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.resume();
  await expect.poll(() => text.endsWith('"done"}]}}\n')).toBe(true);
  await expectFewer(sumUp(text), metrics);
});

test("a WebSocket client that does not read gets its response, and at most 8 MiB of log messages wait for it", async () => {
  const metrics = new Metrics();
  const http = createServer();
  const service = serveWebSocket(http, { accept: createLogger(metrics) });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  open.push(() => http.close());
  open.push(() => service.close());
  const address = http.address();
  const socket = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, "mcp");
  open.push(() => socket.terminate());
  await new Promise((resolve) => socket.once("open", resolve));
  socket.pause();
  for (const request of requests) socket.send(JSON.stringify(request));
  await expect.poll(() => metrics.read().dropped.get("log") ?? 0).toBeGreaterThan(0);
  let text = "";
  socket.on("message", (data) => (text += String(data)));
  socket.resume();
  await expect.poll(() => text.includes('"text":"done"')).toBe(true);
  await expectFewer(sumUp(text), metrics);
});

test("an HTTP client gets its response on the stream of the call, which log messages do not end", async () => {
  const metrics = new Metrics();
  const rig = await start({ log: logMuch }, { metrics }, { metrics, capabilities: { tools: {}, logging: {} } });
  open.push(() => rig.close());
  const session = await rig.open();
  const response = await session.post(call(1, "log"));
  await expectFewer(sumUp(response.text), metrics);
  expect(metrics.read().dropped.get("stream")).toBeUndefined();
});
