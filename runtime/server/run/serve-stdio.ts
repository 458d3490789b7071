import type { Connection } from "../../protocol/peer/peer.ts";
import { acceptStdio, type ServeStdioOptions, type StdioConnection } from "../../transport/stdio/stdio-server.ts";
import type { Transport } from "../../transport/transport.ts";
import { closeServer } from "./close-server.ts";
import { serve, type ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../server.ts";

/** A server on stdin and stdout. */
export interface StdioService {
  /** Resolves when the client has disconnected and all output is written, if the process continues (`exit: false`). By default the process ends. */
  readonly closed: Promise<void>;
  /** Shuts down gracefully, like the end of stdin, SIGINT, SIGTERM, SIGHUP and Ctrl-Break do: running calls get a short time to finish. */
  close(): Promise<void>;
}

/**
 * Serves a server on stdin and stdout until the client disconnects. From then on, `console.log` writes to stderr.
 *
 * @example
 * ```ts
 * import { serveStdio } from "mcp-server-runtime";
 *
 * await serveStdio(server);
 * ```
 */
export function serveStdio(
  server: CoreServer,
  options: ServerConnectionOptions & ServeStdioOptions = {},
): StdioService {
  let connection: Connection | undefined;
  const accept = (transport: Transport): StdioConnection => {
    const opened = (connection = serve(server, transport, options));
    if (options.exit === false) return opened;
    // With the process end the tasks that do not end with the connection.
    return { closed: opened.closed.then(() => closeServer(server, options)), close: () => opened.close() };
  };
  const closed = acceptStdio(accept, options);
  return {
    closed,
    async close() {
      await connection?.close();
      await closed;
    },
  };
}
