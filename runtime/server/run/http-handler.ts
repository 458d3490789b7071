import { createHttpHandler as createHandler, type HttpHandler } from "../../transport/http-server/handler.ts";
import type { HttpOptions, HttpService } from "../../transport/http-server/settings.ts";
import { createParamHeaderReader } from "../tools/param-headers.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../create-server.ts";

/** How a server is served over HTTP. */
export type ServeHttpOptions = HttpOptions & ServerConnectionOptions;

/** A server as a function from HTTP requests to answers, for any platform and framework. */
export function createHttpHandler(server: CoreServer, options: ServeHttpOptions = {}): HttpHandler {
  return createHandler(toHttpService(server, options), { onError: server.onError, ...options });
}

/**
 * A server as the transport sees it. Where every POST stands alone no news can be told, and where nobody says who they are no task could
 * be found again.
 */
export function toHttpService(server: CoreServer, options: ServeHttpOptions): HttpService {
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
  };
}
