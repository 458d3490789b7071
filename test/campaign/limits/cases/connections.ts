import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { LimitCase } from "../limit-case.ts";
import { openRawTcp, openRawWs, openSocket, readStatus } from "../raw-client.ts";
import { openHttpRig, openTcpRig, openWsRig } from "../rig.ts";

/** Limits of connections. The other client of the rig has one connection, or two over HTTP. */
export const connectionCases: readonly LimitCase[] = [
  {
    ...{ limit: "TcpServerOptions.maxConnections", over: "tcp", action: "one more connection", outcome: "closed" },
    open: () => openTcpRig({ listen: { maxConnections: 1 } }),
    reach: async ({ url }) => (await openRawTcp(url)).closed,
  },
  {
    ...{ limit: "WsServerOptions.maxConnections", over: "websocket", action: "one more connection", outcome: "503" },
    open: () => openWsRig({ listen: { maxConnections: 1 } }),
    async reach({ url }) {
      const socket = new WebSocket(url, ["mcp"]);
      socket.on("error", () => {});
      const [, response]: { statusCode?: number }[] = await once(socket, "unexpected-response");
      return String(response?.statusCode);
    },
  },
  {
    ...{ limit: "ListenOptions.maxConnections", over: "http", action: "more connections", outcome: "closed" },
    open: () => openHttpRig({ listen: { maxConnections: 4 } }),
    async reach({ url }) {
      const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(url)));
      const closing = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve).resume()));
      // Sockets that are silent are closed later for another reason.
      const closed = await Promise.race([Promise.any(closing).then(() => "closed"), delay(5_000, "open")]);
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  },
  {
    ...{ limit: "TcpServerOptions.handshakeTimeout", over: "tcp", action: "no first message", outcome: "closed" },
    open: () => openTcpRig({ listen: { handshakeTimeout: 4_000 } }),
    reach: async ({ url }) => (await openRawTcp(url)).closed,
  },
  {
    ...{ limit: "WsServerOptions.handshakeTimeout", over: "websocket", action: "no first message" },
    outcome: "closed with 1008",
    open: () => openWsRig({ listen: { handshakeTimeout: 4_000 } }),
    reach: async ({ url }) => (await openRawWs(url)).closed,
  },
  {
    ...{ limit: "SseOptions.handshakeTimeout", over: "http", action: "no first message", outcome: "200, ended" },
    open: () => openHttpRig({ listen: { sse: { handshakeTimeout: 4_000 } } }),
    async reach({ url }) {
      const response = await fetch(new URL("/sse", url), { headers: { accept: "text/event-stream" } });
      await response.text();
      return `${response.status}, ended`;
    },
  },
  {
    ...{ limit: "ListenOptions.headersTimeout", over: "http", action: "half of a request head", outcome: "408" },
    open: () => openHttpRig({ listen: { headersTimeout: 1_000 } }),
    async reach({ url }) {
      const socket = await openSocket(url);
      socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
      return readStatus(socket);
    },
  },
  {
    ...{ limit: "HttpOptions.bodyTimeout", over: "http", action: "half of a body", outcome: "408" },
    open: () => openHttpRig({ listen: { bodyTimeout: 1_000 } }),
    reach: async ({ url }) => postSlowly(url, () => {}),
  },
  {
    ...{ limit: "ListenOptions.requestTimeout", over: "http", action: "a body in small parts", outcome: "408" },
    open: () => openHttpRig({ listen: { requestTimeout: 1_000, bodyTimeout: 10_000 } }),
    reach: async ({ url }) => postSlowly(url, (write) => setInterval(write, 20)),
  },
  {
    ...{ limit: "request head: 16 KiB", over: "http", action: "a header of 20 KiB", outcome: "431" },
    open: openHttpRig,
    async reach({ url }) {
      const socket = await openSocket(url);
      socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Filler: ${"x".repeat(20 * 1024)}\r\n\r\n`);
      return readStatus(socket);
    },
  },
];

/** Begins a POST, and sends the rest of its body at the given times. Returns the status. */
async function postSlowly(url: string, schedule: (write: () => void) => NodeJS.Timeout | void): Promise<string> {
  const socket = await openSocket(url);
  const { host } = new URL(url);
  const head = [`POST /mcp HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json", "Content-Length: 10000"];
  socket.write(`${[...head, "Accept: application/json, text/event-stream"].join("\r\n")}\r\n\r\n{`);
  const timer = schedule(() => void socket.write(" "));
  const status = await readStatus(socket);
  clearInterval(timer ?? undefined);
  socket.destroy();
  return status;
}
