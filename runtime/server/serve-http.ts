import { createHttpHandler as createHandler, type HttpHandler } from "../transport/http/handler.ts";
import type { HttpOptions, HttpService } from "../transport/http/settings.ts";
import { createMirrorReader } from "./mirrors.ts";
import { createServerAcceptor, type ServerConnectionOptions } from "./serve.ts";
import type { Server } from "./server.ts";

/** How a server is served over HTTP. */
export type ServeHttpOptions = HttpOptions & ServerConnectionOptions;

/** A server as a function from HTTP requests to answers, for any platform and framework. */
export function createHttpHandler(server: Server, options: ServeHttpOptions = {}): HttpHandler {
  return createHandler(toHttpService(server, options), { onError: server.onError, ...options });
}

/** A server as the transport sees it. Where every POST stands alone and nobody says who they are, no task could be found again. */
export function toHttpService(server: Server, options: ServeHttpOptions): HttpService {
  const isAnonymous = options.sessions === false && !options.authenticate;
  const accept = createServerAcceptor(server, isAnonymous ? { ...options, tasks: false } : options);
  return { revisions: server.revisions, accept, readMirrors: createMirrorReader(server) };
}
