import { STATUS_CODES, type IncomingMessage, type Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from "ws";
import type { Awaitable } from "../../generated/support.ts";
import { toLimits } from "../rpc/limits.ts";
import { createHostRules, type HostOptions, type HostRules } from "./http/hosts.ts";
import type { Identity } from "./http/origin.ts";
import type { Transport } from "./transport.ts";
import {
  WebSocketTransport,
  closeCodes,
  toCloseReason,
  webSocketProtocols,
  type MessageSocket,
  type SocketEvents,
  type WebSocketOptions,
} from "./websocket.ts";

/** Options of either end over the library ws. */
export interface WsOptions extends WebSocketOptions {
  /** Milliseconds between pings; a peer that has not answered one by the next is taken for gone. `Infinity`: none. Default 15 s. */
  readonly pingInterval?: number;
}

/** Options of a client over the library ws. */
export interface WsClientOptions extends WsOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of the library and of Node's `https`, such as certificates. */
  readonly connection?: ClientOptions;
}

/** Options of a server over the library ws. */
export interface WsServerOptions extends WsOptions, HostOptions {
  /** Only upgrades of this path are taken. Default: every path. */
  readonly path?: string;
  /** Connections at a time; more are refused with 503. Default 1,000. */
  readonly maxConnections?: number;
  /** Serves a connection. */
  readonly accept: (transport: Transport) => unknown;
  /** Finds out who wants to connect, for `context.origin` of the handlers; nobody is refused with 401. Default: everybody may, unasked. */
  readonly authenticate?: (request: IncomingMessage) => Awaitable<Identity | undefined>;
}

/** Connections over WebSocket that come in through an HTTP server. */
export interface WsServer {
  /** Takes no more connections and ends those that are open. The HTTP server stays as it is. */
  close(): Promise<void>;
}

/** Connects to a server by the library ws. */
export function createWsTransport(url: string | URL, options: WsClientOptions = {}): Transport {
  const socket = new WebSocket(url, [...webSocketProtocols], {
    ...options.connection,
    headers: { ...options.connection?.headers, ...options.headers },
    maxPayload: toLimits(options.limits).maxMessageBytes,
    perMessageDeflate: false,
  });
  return new WebSocketTransport(toMessageSocket(socket, options), options);
}

/**
 * Serves WebSockets on a server of `node:http` or `node:https`. Like the HTTP transport it refuses foreign hosts and origins: pages of the web
 * can open WebSockets to this machine, and nothing else keeps them from it.
 */
export function serveWebSocket(server: HttpServer | HttpsServer, options: WsServerOptions): WsServer {
  const { maxConnections = 1_000 } = options;
  const rules = createHostRules(options);
  const transports = new Set<WebSocketTransport>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: toLimits(options.limits).maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => chooseProtocol(offered) ?? false,
  });
  const open = (socket: WebSocket, identity: Identity | undefined): void => {
    const transport = new WebSocketTransport(toMessageSocket(socket, options), { ...options, origin: { identity } });
    transports.add(transport);
    socket.once("close", () => transports.delete(transport));
    options.accept(transport);
  };
  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const status = findRefusal(request, rules);
    if (status !== undefined) return refuse(stream, status);
    if (transports.size >= maxConnections) return refuse(stream, 503);
    const identity = await identify(request, options);
    if (identity === "nobody") return refuse(stream, 401);
    sockets.handleUpgrade(request, stream, head, (socket) => open(socket, identity));
  };
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    stream.on("error", ignore);
    if (isOurs(request, options.path)) void upgrade(request, stream, head);
    else if (server.listenerCount("upgrade") === 1) refuse(stream, 404);
  };
  server.on("upgrade", onUpgrade);
  return {
    async close() {
      server.off("upgrade", onUpgrade);
      await Promise.all([...transports].map((transport) => transport.close(closeCodes.goingAway)));
    },
  };
}

/** Above this the writer is asked to wait. */
const highWaterMark = 1024 * 1024;

function toMessageSocket(socket: WebSocket, { pingInterval = 15_000 }: WsOptions): MessageSocket {
  return {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    listen(events) {
      listen(socket, events);
      if (pingInterval !== Infinity) keepAlive(socket, pingInterval);
    },
    send(text) {
      if (socket.bufferedAmount < highWaterMark) return socket.send(text, ignore);
      return new Promise((resolve) => socket.send(text, () => resolve()));
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}

function listen(socket: WebSocket, events: SocketEvents): void {
  let failure: Error | undefined;
  socket.on("message", (data, isBinary) => {
    if (isBinary) events.binary();
    else events.text(toText(data));
  });
  socket.on("error", (error) => (failure = error));
  socket.on("close", (code, reason) => events.closed(failure ?? toCloseReason(code, reason.toString())));
  if (socket.readyState === WebSocket.OPEN) events.opened();
  else socket.on("open", () => events.opened());
}

/** A connection whose other end has gone without a word would stay open for hours. */
function keepAlive(socket: WebSocket, milliseconds: number): void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping(undefined, undefined, ignore);
  }, milliseconds);
  timer.unref();
  socket.on("pong", () => (isAlive = true));
  socket.on("message", () => (isAlive = true));
  socket.on("close", () => clearInterval(timer));
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}

function chooseProtocol(offered: ReadonlySet<string>): string | undefined {
  return webSocketProtocols.find((protocol) => offered.has(protocol));
}

function isOurs(request: IncomingMessage, path: string | undefined): boolean {
  return path === undefined || request.url?.split("?")[0] === path;
}

/** Host and origin come first, before anything else is looked at. */
function findRefusal(request: IncomingMessage, rules: HostRules): number | undefined {
  const { host = [], origin = [], "sec-websocket-protocol": offered } = request.headersDistinct;
  const [name] = host;
  if (name === undefined || host.length > 1 || origin.length > 1) return 400;
  if (!rules.isHost(name) || !origin.every((page) => rules.isOrigin(page))) return 403;
  const protocols = offered?.flatMap((line) => line.split(",").map((protocol) => protocol.trim()));
  return protocols && chooseProtocol(new Set(protocols)) === undefined ? 400 : undefined;
}

/** Who cannot be identified is nobody, whatever went wrong. */
async function identify(
  request: IncomingMessage,
  { authenticate }: WsServerOptions,
): Promise<Identity | "nobody" | undefined> {
  if (!authenticate) return undefined;
  try {
    return (await authenticate(request)) ?? "nobody";
  } catch {
    return "nobody";
  }
}

function refuse(stream: Duplex, status: number): void {
  const reason = STATUS_CODES[status] ?? "";
  stream.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function ignore(): void {}
