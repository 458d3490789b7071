import { listenHttp, type HttpListener, type ListenOptions } from "../../transport/http-server/listen.ts";
import type { ServerConnectionOptions } from "./acceptor.ts";
import { toHttpService } from "./http-handler.ts";
import type { CoreServer } from "../server.ts";

/**
 * Serves a server over HTTP on a port of this machine.
 *
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 *
 * const listener = await serveHttp(server, { port: 3000 });
 * console.log(listener.url); // http://127.0.0.1:3000/mcp
 * await listener.close();
 * ```
 */
export function serveHttp(
  server: CoreServer,
  options: ListenOptions & ServerConnectionOptions = {},
): Promise<HttpListener> {
  return listenHttp(toHttpService(server, options), { onError: server.onError, ...options });
}
