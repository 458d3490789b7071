import type { Server as NodeServer } from "node:http";
import type { ServerOptions as SecureOptions } from "node:https";
import type { Socket } from "node:net";
import { ListenError, isLoopback, portOf, startListening, toAuthority, watchSockets } from "../listening.ts";
import { createServiceHandler, type HttpHandler } from "./handler.ts";
import type { HttpOptions, HttpService } from "./settings.ts";

/** Options of an HTTP server that listens on a port. */
export interface ListenOptions extends HttpOptions {
  /** Port to listen on. Default: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`; others need `allowedHosts`. */
  readonly host?: string;
  /** Path of the endpoint. Default `/mcp`. */
  readonly path?: string;
  /** Connections at a time. Default 25,000. */
  readonly maxConnections?: number;
  /**
   * Milliseconds for the headers of a request to arrive, and before that for TLS; then the connection is closed, for headers with 408. Default 10 s.
   */
  readonly headersTimeout?: number;
  /** Milliseconds for a whole request to arrive, including its body, at any rate of bytes; responses and streams may take longer. Default 30 s. */
  readonly requestTimeout?: number;
  /**
   * Milliseconds for running calls to finish when the server closes; then their connections are closed. Programs of `runHttp` and `runServer` give
   * running tasks the same time. Default 10 s.
   */
  readonly closeTimeout?: number;
  /** Path with status `200` while the server accepts requests, for load balancers: `/health`. Default: none. */
  readonly health?: string;
  /** TLS options of Node: `key`, `cert`, `ca`, `requestCert`, ... */
  readonly tls?: SecureOptions;
}

/** Listening HTTP server. */
export interface HttpListener {
  readonly url: string;
  readonly handler: HttpHandler;
  /** Accepts no new connections, waits for running calls, and closes. May be called again. */
  close(): Promise<void>;
}

/**
 * Serves HTTP on a port of this machine, by default only for programs on this machine.
 *
 * @throws {ListenError} when other machines could connect and `allowedHosts` is not set, or when the server cannot listen
 */
export async function listenHttp(service: HttpService, options: ListenOptions = {}): Promise<HttpListener> {
  const { port = 0, host = "127.0.0.1", path = "/mcp", maxConnections = 25_000, tls } = options;
  const { closeTimeout = defaultCloseTimeout } = options;
  if (!options.allowedHosts && !isLoopback(host)) {
    throw new ListenError(
      `The address ${host} is reachable from other machines; set allowedHosts or the environment variable ALLOWED_HOSTS`,
    );
  }
  const handler = createServiceHandler(service, { ...options, path });
  let closing: Promise<void> | undefined;
  const isReady = (): boolean => closing === undefined;
  const server = await createNodeServer(withHealth(handler, options.health, isReady), options);
  // With a limit on their number Node would drop headers silently: the size of the head is the limit.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  const silent = watchSilent(server, tls ? "secureConnection" : "connection");
  const sockets = watchSockets(server);
  await startListening(server, { port, host });
  return {
    url: `${tls ? "https" : "http"}://${toAuthority(host)}:${portOf(server)}${path}`,
    handler,
    close: () => (closing ??= close(server, { handler, sockets, silent, timeout: closeTimeout })),
  };
}

/** Default of `closeTimeout` in milliseconds. */
export const defaultCloseTimeout = 10_000;

/** Bounds that keep slow or endless requests from holding a connection; streams are responses and may last indefinitely. */
const bounds = {
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
} as const;

/** Imports `node:http` or `node:https` on demand: servers on stdio load this module too and must not wait for it. */
async function createNodeServer(result: HttpHandler["node"], options: ListenOptions): Promise<NodeServer> {
  const { tls, headersTimeout = 10_000, requestTimeout = 30_000 } = options;
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout, requestTimeout);
  const all = { ...bounds, headersTimeout, requestTimeout, connectionsCheckingInterval };
  if (!tls) return (await import("node:http")).createServer(all, result);
  return (await import("node:https")).createServer({ ...all, handshakeTimeout: headersTimeout, ...tls }, result);
}

/** Adds the health path. A closing server is not ready: it responds with 503 on open connections. */
function withHealth({ node }: HttpHandler, health: string | undefined, isReady: () => boolean): HttpHandler["node"] {
  if (health === undefined) return node;
  return (request, response) => {
    if (request.url?.split("?")[0] !== health) return node(request, response);
    request.resume();
    const isRead = request.method === "GET" || request.method === "HEAD";
    const fields = { "content-type": "application/json", "cache-control": "no-store" };
    const status = isReady() ? 200 : 503;
    response.writeHead(isRead ? status : 405, isRead ? fields : { ...fields, allow: "GET, HEAD" });
    response.end(request.method === "GET" ? `{"status":"${isReady() ? "ok" : "closing"}"}` : undefined);
  };
}

/** Connections without any request so far: clients open them early, and Node does not count them as idle. */
function watchSilent(server: NodeServer, event: "connection" | "secureConnection"): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.on("request", ({ socket }) => silent.delete(socket));
  return silent;
}

/** Milliseconds to send the responses to calls that did not finish in time. */
const lastResponseTime = 1_000;

interface Closing {
  readonly handler: HttpHandler;
  readonly sockets: ReadonlySet<Socket>;
  readonly silent: ReadonlySet<Socket>;
  readonly timeout: number;
}

async function close(server: NodeServer, { handler, sockets, silent, timeout }: Closing): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => sockets.forEach((socket) => socket.destroy()), timeout + lastResponseTime);
  await handler.close({ drain: timeout });
  for (const socket of silent) socket.destroy();
  // Clients keep connections for their next request: each is closed as soon as its last response has been sent.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
