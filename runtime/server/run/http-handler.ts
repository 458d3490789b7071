import { createServiceHandler, type HttpHandler } from "../../transport/http-server/handler.ts";
import type { HttpOptions, HttpService } from "../../transport/http-server/settings.ts";
import { createParamHeaderReader } from "../tools/param-headers.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../server.ts";

/** Options of a server over HTTP. */
export type ServeHttpOptions = HttpOptions & ServerConnectionOptions;

/**
 * Creates a function from HTTP requests to responses, for any platform and framework.
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "mcp-server-runtime";
 *
 * const handler = createHttpHandler(server, { allowedHosts: ["mcp.example.com"] });
 * export default { fetch: (request: Request) => handler.fetch(request) };
 * ```
 */
export function createHttpHandler(server: CoreServer, options: ServeHttpOptions = {}): HttpHandler {
  return createServiceHandler(toHttpService(server, options), { onError: server.onError, ...options });
}

/**
 * Adapts a server to the HTTP transport. Without sessions, handshake revisions offer no change notifications. Without sessions and authentication, no
 * tasks are offered, as their owner could not be identified again.
 */
export function toHttpService(server: CoreServer, options: ServeHttpOptions): HttpService {
  server.cluster.shared ??= options.cluster?.shared;
  const isStateless = options.sessions === false;
  const accept = createServerAcceptor(server, {
    ...options,
    ...(isStateless && { changes: false }),
    ...(isStateless && !options.authenticate && { tasks: false }),
  });
  return {
    revisions: server.revisions,
    accept,
    readParamHeaders: createParamHeaderReader(server),
    readScopes: server.readScopes,
    clients: server.clients,
    startTasks: (node) => server.startTasks(node),
  };
}
