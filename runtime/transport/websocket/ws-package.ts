import { STATUS_CODES, type IncomingMessage, type Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from "ws";
import type { NetworkDetails } from "../../jsonrpc/channel.ts";
import { toLimits } from "../../jsonrpc/limits.ts";
import { createFail, type OnError } from "../../jsonrpc/error-report.ts";
import { afterReads, repeat, systemClock } from "../../internal/timers.ts";
import { AcceptedTransports } from "../accepted-transports.ts";
import { defaultFirstMessageTimeout } from "../first-message.ts";
import type { HttpResponse, HeaderFields } from "../http-server/exchange/exchange.ts";
import { createHostRules, type HostOptions, type HostRules } from "../http-server/host-rules.ts";
import { NodeHead } from "../http-server/exchange/node-head.ts";
import { checkOutcome, toGuard, type Authenticate, type Guard, type Identity } from "../http-server/identity.ts";
import type { Transport } from "../transport.ts";
import {
  WebSocketTransport,
  closeCodes,
  toCloseReason,
  webSocketProtocols,
  type MessageSocket,
  type SocketEvents,
  type WebSocketOptions,
  toClientNetwork,
} from "./websocket-transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of a client or server with the library ws. */
export interface WsOptions extends WebSocketOptions {
  /** Milliseconds between pings; a peer without a response before the next one counts as disconnected. `Infinity`: no pings. Default 15 s. */
  readonly pingInterval?: number;
}

/** Options of a client with the library ws. */
export interface WsClientOptions extends WsOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Options of the library and of Node's `https`, such as certificates. */
  readonly connection?: ClientOptions;
}

/** Options of a server with the library ws. */
export interface WsServerOptions extends WsOptions, HostOptions {
  /** Path of the accepted upgrades. Default: every path. */
  readonly path?: string;
  /** Connections at a time; further ones are rejected with 503. Default 1,000. */
  readonly maxConnections?: number;
  /** Milliseconds for a client's first message; then the connection is closed with 1008. Afterwards it may be silent indefinitely. Default 30 s. */
  readonly handshakeTimeout?: number;
  /**
   * Serves a connection over its transport; called for each admitted one. If it returns an object with `close`, such as the connection of `serve`,
   * the server closes this object first: running requests get time to finish.
   */
  readonly accept: (transport: Transport) => unknown;
  /**
   * Authenticates clients, as over HTTP; the connection lasts as long as the credentials. Documents of a guard are served by the HTTP handler of the
   * same server. An error rejects with 401. Default: no authentication.
   */
  readonly authenticate?: Authenticate | Guard;
  /** Reports errors of the upgrade, of `authenticate` and of `accept`; the connection is then rejected or closed. */
  readonly onError?: OnError;
}

/** WebSocket connections of an HTTP server. */
export interface WsServer {
  /** Accepts no more connections and closes the open ones. The HTTP server is unaffected. */
  close(): Promise<void>;
}

/**
 * Connects to a server with the library ws.
 *
 * @example
 * ```ts
 * import { connectClient } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 * import { createWsTransport } from "mcp-server-runtime/transports/websocket-server";
 *
 * const headers = { Authorization: `Bearer ${process.env["TOKEN"]}` };
 * const transport = createWsTransport("wss://mcp.example.com/mcp", { headers });
 * const info = { name: "my-client", version: "1.0.0" };
 * const client = await connectClient<Declarations>(transport, { info, revisions });
 * ```
 */
export function createWsTransport(url: string | URL, options: WsClientOptions = {}): Transport {
  return new WebSocketTransport(createWsSocket(url, options), { ...options, network: toClientNetwork(url) });
}

/** Creates a connection with the library ws. It passes text frames on unchanged, for programs to examine servers with. */
export function createWsSocket(url: string | URL, options: WsClientOptions = {}): MessageSocket {
  checkNumbers(options);
  const socket = new WebSocket(url, [...webSocketProtocols], {
    ...options.connection,
    headers: { ...options.connection?.headers, ...options.headers },
    maxPayload: toLimits(options.limits).maxMessageBytes,
    perMessageDeflate: false,
  });
  return toMessageSocket(socket, options);
}

/**
 * Serves WebSockets on a server of `node:http` or `node:https`. Rejects foreign hosts and origins, as the HTTP transport does: web pages can open
 * WebSockets to this machine, and nothing else prevents it.
 *
 * @throws {SetupError} when a value of `allowedOrigins` is not an origin
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { serve } from "mcp-server-runtime";
 * import { serveWebSocket } from "mcp-server-runtime/transports/websocket-server";
 *
 * const http = createServer().listen(4001, "127.0.0.1");
 * serveWebSocket(http, { accept: (transport) => serve(server, transport) });
 * ```
 */
export function serveWebSocket(server: HttpServer | HttpsServer, options: WsServerOptions): WsServer {
  checkNumbers(options);
  const { maxConnections = 1_000, handshakeTimeout = defaultFirstMessageTimeout } = options;
  const rules = createHostRules(options);
  const guard = toGuard(options.authenticate);
  const added = new WeakMap<IncomingMessage, HeaderFields>();
  const transports = new AcceptedTransports<WebSocketTransport>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: toLimits(options.limits).maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => chooseProtocol(offered) ?? false,
  });
  sockets.on("headers", (lines, request) => lines.push(...toLines(added.get(request) ?? {})));
  let isClosed = false;
  const isFull = (): boolean => isClosed || transports.size >= maxConnections;
  const open = async (
    socket: WebSocket,
    { identity, network }: { readonly identity: Identity | undefined; readonly network: NetworkDetails },
  ): Promise<void> => {
    const details = { ...options, handshakeTimeout, origin: { identity }, network };
    const transport = new WebSocketTransport(toMessageSocket(socket, options), details);
    socket.once("close", () => transports.remove(transport));
    if (identity?.until !== undefined) closeAt(identity.until, socket, transport);
    const unwatch = identity && guard?.watchRevocation?.(identity, () => void transport.close(closeCodes.policy));
    if (unwatch) socket.once("close", unwatch);
    await transports.serve(transport, options.accept);
  };
  const fail = createFail(options.onError);
  const drop = (stream: Duplex, thrown: unknown): void => {
    fail(thrown);
    stream.destroy();
  };
  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const status = findRejection(request, rules);
    if (status !== undefined) return reject(stream, { status });
    if (isFull()) return reject(stream, full);
    const { outcome, fields } = await identify(request, guard, fail);
    if (outcome && "status" in outcome)
      return reject(stream, { ...outcome, headers: { ...outcome.headers, ...fields } });
    // Other connections may have been opened in the meantime.
    if (isFull()) return reject(stream, full);
    added.set(request, fields);
    const { remoteAddress: address, remotePort } = request.socket;
    const network: NetworkDetails = { transport: "tcp", protocol: "websocket", address, port: remotePort };
    sockets.handleUpgrade(request, stream, head, (socket) => {
      open(socket, { identity: outcome, network }).catch((thrown: unknown) => drop(stream, thrown));
    });
  };
  const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    stream.on("error", ignore);
    if (isOurs(request, options.path)) upgrade(request, stream, head).catch((thrown: unknown) => drop(stream, thrown));
    else if (isUnserved(request, server.listeners("upgrade"), listener)) reject(stream, { status: 404 });
  };
  const listener = Object.assign(onUpgrade, { [servedPath]: options.path });
  server.on("upgrade", listener);
  return {
    async close() {
      isClosed = true;
      server.off("upgrade", listener);
      for (const transport of transports.open) transport.closeCode = closeCodes.goingAway;
      await transports.close();
    },
  };
}

/** Bytes above which the writer has to wait. */
const highWaterMark = 1024 * 1024;

function toMessageSocket(socket: WebSocket, { pingInterval = 15_000 }: WsOptions): MessageSocket {
  // The transport reads errors from its start; without a listener, an earlier one would end the process.
  socket.on("error", ignore);
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

/**
 * Detects a peer which has disappeared or does not read: its connection would stay open for hours. Only a pong with the content of the latest ping
 * counts, because the peer has read this ping then.
 */
function keepAlive(socket: WebSocket, milliseconds: number): void {
  let isAlive = true;
  let pings = 0;
  const check = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    pings += 1;
    socket.ping(String(pings), undefined, ignore);
  };
  // After a time in which this process did not run, timers are due before what has arrived is read.
  const cancel = repeat(milliseconds, () => afterReads(check));
  socket.on("pong", (data) => (isAlive ||= data.toString() === String(pings)));
  socket.on("message", () => (isAlive = true));
  socket.on("close", cancel);
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}

function chooseProtocol(offered: ReadonlySet<string>): string | undefined {
  return webSocketProtocols.find((protocol) => offered.has(protocol));
}

function isOurs(request: IncomingMessage, path: string | undefined): boolean {
  return path === undefined || new NodeHead(request).path === path;
}

/** Path of a listener for upgrades; present on the listeners of `serveWebSocket`. */
const servedPath = Symbol("servedPath");

function isService(listener: object): listener is { readonly [servedPath]: string | undefined } {
  return servedPath in listener;
}

/** True if no listener of a server takes an upgrade, and this one is the last: an application may have listeners of its own. */
function isUnserved(request: IncomingMessage, listeners: readonly object[], listener: object): boolean {
  if (listeners.at(-1) !== listener) return false;
  return listeners.every((other) => isService(other) && !isOurs(request, other[servedPath]));
}

/**
 * Minimum HTTP version of an upgrade request.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455#section-4.2.1
 */
const leastHttpVersion = 1.1;

/** Returns the status to reject an upgrade with. Runs before all other checks: foreign hosts and origins are rejected first. */
function findRejection(request: IncomingMessage, rules: HostRules): number | undefined {
  const { origin = [], "sec-websocket-protocol": offered } = request.headersDistinct;
  const { host, isCut } = new NodeHead(request);
  if (isCut) return 431;
  if (Number(request.httpVersion) < leastHttpVersion) return 400;
  if (host === undefined || origin.length > 1) return 400;
  if (!rules.isHost(host) || !origin.every((page) => rules.isOrigin(page, [host]))) return 403;
  const protocols = offered?.flatMap((line) => line.split(",").map((protocol) => protocol.trim()));
  return protocols && chooseProtocol(new Set(protocols)) === undefined ? 400 : undefined;
}

/**
 * Returns the identity of a client or the response to reject it with, and the fields for either response. Any error of the guard rejects with 401.
 */
async function identify(
  request: IncomingMessage,
  guard: Guard | undefined,
  fail: (thrown: unknown) => void,
): Promise<{ readonly outcome: Identity | HttpResponse | undefined; readonly fields: HeaderFields }> {
  let fields: HeaderFields = {};
  if (!guard) return { outcome: undefined, fields };
  const addFields = (more: HeaderFields): void => void (fields = { ...fields, ...more });
  try {
    return { outcome: checkOutcome(await guard.authenticate(new NodeHead(request), { addFields })), fields };
  } catch (thrown) {
    fail(thrown);
    return { outcome: { status: 401 }, fields };
  }
}

function closeAt(until: number, socket: WebSocket, transport: WebSocketTransport): void {
  const wait = Math.max(0, until - Date.now());
  socket.once(
    "close",
    systemClock.after(wait, () => void transport.close(closeCodes.policy)),
  );
}

/** Response while there are too many connections. */
const full: HttpResponse = { status: 503, headers: { "retry-after": "30" } };

function reject(stream: Duplex, { status, headers, body = "" }: HttpResponse): void {
  const fields = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
  // HTTP timeouts no longer apply to upgrades: a client that never closes would keep its connection indefinitely.
  stream.once("finish", () => stream.destroy());
  stream.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...toLines(fields), "", body].join("\r\n"));
}

/** Formats header lines. Nothing else validates them: a value with a line break would become several lines. */
function toLines(fields: HeaderFields): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}: ${String(value).replaceAll(/[\r\n\0]+/g, " ")}`);
}

function ignore(): void {}
