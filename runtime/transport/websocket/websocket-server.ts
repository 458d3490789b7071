import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, type ServerOptions as SecureOptions } from "node:https";
import { loopbackHosts } from "../http-server/host-rules.ts";
import { toGuard } from "../http-server/identity.ts";
import { ListenError, portOf, startListening, toAuthority, watchSockets, type AddressOptions } from "../listening.ts";
import { serveWebSocket, type WsServerOptions } from "./ws-package.ts";

/** Options for a WebSocket listener. */
export interface WsListenOptions extends AddressOptions, WsServerOptions {}

/** Listening WebSocket server. */
export interface WsListener {
  /** URL of the server: `ws://`, or `wss://` with TLS. */
  readonly url: string;
  /** Accepts no more connections and closes the open ones. */
  close(): Promise<void>;
}

/**
 * Serves WebSockets, and nothing else, on a port of this machine. `serveWebSocket` adds them to an existing HTTP server.
 *
 * @throws {ListenError} when other machines could connect and `allowedHosts` is not set, or when the server cannot listen
 * @example
 * ```ts
 * import { serve } from "mcp-server-runtime";
 * import { listenWebSocket } from "mcp-server-runtime/transports/websocket-server";
 *
 * const { url } = await listenWebSocket({ port: 4001, accept: (transport) => serve(server, transport) });
 * console.error(url);
 * ```
 */
export async function listenWebSocket(options: WsListenOptions): Promise<WsListener> {
  const { port = 0, host = "127.0.0.1", path = "/mcp", tls, maxConnections = 1_000 } = options;
  if (!options.allowedHosts && !loopbackHosts.includes(toAuthority(host)))
    throw new ListenError(
      `The address ${host} is reachable from other machines; set allowedHosts or the environment variable ALLOWED_HOSTS`,
    );
  const server = createNodeServer(createRequestListener(options), tls);
  // More connections than are upgraded: the additional ones get 503 instead of being dropped.
  server.maxConnections = maxConnections + 100;
  const sockets = watchSockets(server);
  const service = serveWebSocket(server, { ...options, path, maxConnections });
  await startListening(server, { port, host });
  return {
    url: `${tls ? "wss" : "ws"}://${toAuthority(host)}:${portOf(server)}${path}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await service.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Bounds to keep slow or endless requests from holding a connection. */
const bounds = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
} as const;

function createNodeServer(result: RequestListener, tls: SecureOptions | undefined): Server {
  return tls
    ? createSecureServer({ ...bounds, handshakeTimeout: bounds.headersTimeout, ...tls }, result)
    : createServer(bounds, result);
}

/** Responds to requests for anything but a WebSocket: with a document of the guard, or with 426. */
function createRequestListener({ authenticate }: WsListenOptions): RequestListener {
  const documents = toGuard(authenticate)?.documents;
  return (request, response) => {
    request.resume();
    const document = request.method === "GET" ? documents?.get(request.url?.split("?")[0] ?? "") : undefined;
    const result = document ?? { status: 426, headers: { upgrade: "websocket", connection: "upgrade, close" } };
    response.writeHead(result.status, result.headers).end(result.body);
  };
}
