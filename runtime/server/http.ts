import { listenHttp, type HttpListener, type ListenOptions } from "../transport/http/listen.ts";
import type { ServerConnectionOptions } from "./serve.ts";
import { toHttpService } from "./serve-http.ts";
import type { CoreServer } from "./server.ts";

/** Serves a server over HTTP on a port of this machine. */
export function serveHttp(
  server: CoreServer,
  options: ListenOptions & ServerConnectionOptions = {},
): Promise<HttpListener> {
  return listenHttp(toHttpService(server, options), { onError: server.onError, ...options });
}
