import type { Connection } from "../protocol/peer/peer.ts";
import { listenHttp, type HttpListener, type ListenOptions } from "../transport/http-server/listen.ts";
import { acceptStdio, type StdioConnection } from "../transport/stdio/stdio-server.ts";
import type { Gateway } from "./gateway.ts";

/**
 * Serves a gateway over HTTP on a port of this machine. Closing the listener leaves the gateway open.
 *
 * @example
 * ```ts
 * import { createGateway, serveGatewayHttp } from "mcp-server-runtime/gateway";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const gateway = await createGateway({ kind: "command", command: "node", args: ["dist/server.js"] }, { revisions });
 * const { url } = await serveGatewayHttp(gateway, { port: 3000 });
 * ```
 */
export function serveGatewayHttp(gateway: Gateway, options: ListenOptions = {}): Promise<HttpListener> {
  const limits = { exactNumbers: true, ...options.limits };
  const service = options.sessions === false ? { ...gateway, accept: gateway.acceptStateless } : gateway;
  return listenHttp(service, { ...options, limits });
}

/**
 * Serves a gateway on stdin and stdout until the client disconnects, or the server behind it ends the session, and then closes the gateway.
 * Resolves to the reason why the server has ended the session, if it has.
 *
 * @example
 * ```ts
 * import { createGateway, serveGatewayStdio } from "mcp-server-runtime/gateway";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const gateway = await createGateway({ kind: "url", url: "https://mcp.example.com/mcp" }, { revisions });
 * const loss = await serveGatewayStdio(gateway);
 * if (loss) console.error(loss.message);
 * ```
 */
export async function serveGatewayStdio(gateway: Gateway): Promise<Error | undefined> {
  let loss: Error | undefined;
  const accept = (transport: Parameters<Gateway["accept"]>[0]): StdioConnection => {
    const connection: Connection = gateway.accept(transport);
    const closed = connection.closed.then(() => (loss = gateway.lossOf(connection)));
    return { closed, close: () => connection.close() };
  };
  await acceptStdio(accept, { exit: false, limits: { exactNumbers: true } });
  await gateway.close();
  return loss;
}
