import type { Server as NodeServer } from "node:http";
import type { Socket } from "node:net";
import { longestTimer, pause, repeat, startTimer, systemClock } from "../../internal/timers.ts";
import {
  ListenError,
  isLoopback,
  portOf,
  startListening,
  toAuthority,
  watchSockets,
  type AddressOptions,
} from "../listening.ts";
import { createServiceHandler, type HttpHandler } from "./handler.ts";
import { createHostRules } from "./host-rules.ts";
import { respondWithPage, type MetricsPage } from "./metrics-page.ts";
import type { HttpOptions, HttpService } from "./settings.ts";

/** Limits of connections, and of the time in which a request has to arrive. */
interface ConnectionLimits {
  /** Connections at a time. Default 25,000. */
  readonly maxConnections?: number;
  /**
   * Milliseconds for the headers of a request to arrive, and before that for TLS; then the connection is closed, for headers with 408. Default 10 s, and
   * no more than `requestTimeout`.
   */
  readonly headersTimeout?: number;
  /** Milliseconds for a whole request to arrive, including its body, at any rate of bytes; responses and streams may take longer. Default 30 s. */
  readonly requestTimeout?: number;
  /**
   * Milliseconds for which a connection without a request stays open. Behind a load balancer, set it longer than the load balancer keeps its
   * connections: a request is lost when its connection closes just then. Default 75 s for a node of a cluster, else 5 s.
   */
  readonly keepAliveTimeout?: number;
}

/** Paths at which load balancers and monitors read the state of the server. */
interface ProbeOptions {
  /** Path with status `200` while the server accepts requests, for load balancers: `/health`. Default: none. */
  readonly health?: string;
  /** Path with status `200` as long as the process responds: `/live`. Default: none. */
  readonly live?: string;
  /**
   * Path with status `200` while the server accepts requests: `/ready`. Its body has `"status":"degraded"` while the engine of a cluster does not work
   * fully: the engine is the same for all nodes, so a load balancer must not remove them. Default: none.
   */
  readonly ready?: string;
  /**
   * Page with figures, as returned by `createMetricsPage` of `mcp-server-runtime/metrics`. It is served to programs which address the server by a
   * name in `allowedHosts`. It needs no authorization: every client can read it. Default: none.
   */
  readonly metricsPage?: MetricsPage;
}

/** Times of a server that closes. */
interface ClosingTimes {
  /**
   * Milliseconds for which a closing server still serves while `health` and `ready` respond with 503: load balancers notice it before it rejects
   * connections. Default 5 s for a node of a cluster with one of these paths, else 0.
   */
  readonly drainDelay?: number;
  /**
   * Milliseconds for running calls to finish when the server closes; then their connections are closed. Programs of `runHttp` and `runServer` give
   * running tasks the same time. Default 10 s.
   */
  readonly closeTimeout?: number;
}

/** Options of an HTTP server that listens on a port. */
export interface ListenOptions extends AddressOptions, HttpOptions, ConnectionLimits, ProbeOptions, ClosingTimes {}

/** Listening HTTP server. */
export interface HttpListener {
  readonly url: string;
  readonly handler: HttpHandler;
  /** Rejects new requests, waits for running calls, and closes. May be called again. */
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
  const probes = toProbes(options, () => closing !== undefined);
  const served = withMetrics(withProbes(handler, probes), options);
  const server = await createNodeServer(served, options);
  // With a limit on their number Node would drop headers silently: the size of the head is the limit.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  const silent = watchSilent(server, tls ? "secureConnection" : "connection");
  const sockets = watchSockets(server);
  await startListening(server, { port, host });
  return {
    url: `${tls ? "https" : "http"}://${toAuthority(host)}:${portOf(server)}${path}`,
    handler,
    close: () => (closing ??= close(server, { handler, sockets, silent, timeout: closeTimeout, options })),
  };
}

/** Default of `closeTimeout` in milliseconds. */
export const defaultCloseTimeout = 10_000;

/** Bounds to keep slow or endless requests from holding a connection; streams are responses and may last indefinitely. */
const bounds = {
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
} as const;

/** Milliseconds for which a connection of a load balancer stays open: most load balancers keep connections for up to 60 s. */
const behindBalancer = 75_000;

/** Imports `node:http` or `node:https` on demand: servers on stdio load this module too and must not wait for it. */
async function createNodeServer(result: HttpHandler["node"], options: ListenOptions): Promise<NodeServer> {
  const { tls, requestTimeout = 30_000, headersTimeout = Math.min(10_000, requestTimeout || Infinity) } = options;
  const { keepAliveTimeout = options.cluster ? behindBalancer : 5_000 } = options;
  // A time of 0 is no limit; as an interval it would be a millisecond.
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout || Infinity, requestTimeout || Infinity);
  const times = {
    keepAliveTimeout: toNodeTimeout(keepAliveTimeout),
    headersTimeout: toNodeTimeout(headersTimeout),
    requestTimeout: toNodeTimeout(requestTimeout),
  };
  const all = { ...bounds, ...times, connectionsCheckingInterval };
  if (!tls) return (await import("node:http")).createServer(all, result);
  return (await import("node:https")).createServer(
    { ...all, handshakeTimeout: Math.min(headersTimeout, longestTimer), ...tls },
    result,
  );
}

/** Returns a time as Node takes it: a whole number to which it may add a second, and 0 for no limit. */
function toNodeTimeout(milliseconds: number): number {
  return milliseconds > longestTimer - 1_000 ? 0 : Math.ceil(milliseconds);
}

/** Path for load balancers, and its present state. */
interface Probe {
  readonly path: string;
  read(): ProbeState;
}

type ProbeState = "ok" | "degraded" | "closing";

function toProbes({ health, live, ready, cluster }: ListenOptions, isClosing: () => boolean): readonly Probe[] {
  const readHealth = (): ProbeState => (isClosing() ? "closing" : "ok");
  const readReady = (): ProbeState => {
    const state = cluster?.status?.().state ?? "ready";
    return isClosing() || state === "ready" ? readHealth() : "degraded";
  };
  return [
    ...(health === undefined ? [] : [{ path: health, read: readHealth }]),
    ...(live === undefined ? [] : [{ path: live, read: (): ProbeState => "ok" }]),
    ...(ready === undefined ? [] : [{ path: ready, read: readReady }]),
  ];
}

/** Milliseconds for which a node of a cluster still serves by default: load balancers look every 2 s. */
const clusterDrainDelay = 5_000;

/** Returns the milliseconds for which a closing server still serves. */
export function toDrainDelay({ drainDelay, cluster, health, ready }: ListenOptions): number {
  const isWatched = health !== undefined || ready !== undefined;
  return drainDelay ?? (cluster && isWatched ? clusterDrainDelay : 0);
}

/** Adds the paths of probes. A closing server is not ready: it responds with 503. */
function withProbes({ node }: HttpHandler, probes: readonly Probe[]): HttpHandler["node"] {
  if (probes.length === 0) return node;
  return (request, response) => {
    const path = request.url?.split("?")[0];
    const probe = probes.find((candidate) => candidate.path === path);
    if (!probe) return node(request, response);
    request.resume();
    const isRead = request.method === "GET" || request.method === "HEAD";
    const fields = { "content-type": "application/json", "cache-control": "no-store" };
    const state = probe.read();
    const status = state === "closing" ? 503 : 200;
    response.writeHead(isRead ? status : 405, isRead ? fields : { ...fields, allow: "GET, HEAD" });
    response.end(request.method === "GET" ? `{"status":"${state}"}` : undefined);
  };
}

/** Adds the page with figures. The host of its requests has to be an allowed one, because web pages can resolve their own names to this machine. */
function withMetrics(serve: HttpHandler["node"], options: ListenOptions): HttpHandler["node"] {
  const { metricsPage, onError } = options;
  if (!metricsPage) return serve;
  const { isHost } = createHostRules(options);
  return (request, response) => {
    if (request.url?.split("?")[0] !== metricsPage.path) return serve(request, response);
    request.resume();
    if (!isHost(request.headers.host ?? "")) return void response.writeHead(403).end();
    respondWithPage(request, response, { metricsPage, onError });
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

/** Milliseconds to send the responses to calls which did not finish in time. */
const lastResponseTime = 1_000;

interface Closing {
  readonly handler: HttpHandler;
  readonly sockets: ReadonlySet<Socket>;
  readonly silent: ReadonlySet<Socket>;
  readonly timeout: number;
  readonly options: ListenOptions;
}

async function close(server: NodeServer, { handler, sockets, silent, timeout, options }: Closing): Promise<void> {
  const delay = toDrainDelay(options);
  if (delay > 0) await pause(delay, options.clock ?? systemClock);
  const stop = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  // What running calls of sessions wait for may come on another connection; in a cluster it comes through other nodes.
  const stopped = options.cluster || handler.sessions.size === 0 ? stop() : undefined;
  const stopWaiting = startTimer(timeout + lastResponseTime, () => sockets.forEach((socket) => socket.destroy()));
  await handler.close({ drain: timeout });
  const closed = stopped ?? stop();
  for (const socket of silent) socket.destroy();
  // Clients keep connections for their next request: each is closed as soon as its last response has been sent.
  const stopSweeps = repeat(50, () => server.closeIdleConnections());
  server.closeIdleConnections();
  await closed;
  stopSweeps();
  stopWaiting();
}
