import type { Connection } from "../../protocol/peer.ts";
import { serveStdio as serveStandardStreams, type ServeStdioOptions } from "../../transport/stdio/stdio-server.ts";
import { serve, type ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../create-server.ts";

/** A server on stdin and stdout. */
export interface StdioService {
  /** Resolves when the client is gone and everything was written, if the process then goes on (`exit: false`); by default it ends. */
  readonly closed: Promise<void>;
  /** Ends it in order, as the end of stdin, SIGINT, SIGTERM, SIGHUP and Ctrl-Break do: running calls may finish for a moment. */
  close(): Promise<void>;
}

/** Serves a server on stdin and stdout until the client goes away. From now on `console.log` writes to stderr. */
export function serveStdio(
  server: CoreServer,
  options: ServerConnectionOptions & ServeStdioOptions = {},
): StdioService {
  let connection: Connection | undefined;
  const closed = serveStandardStreams((transport) => (connection = serve(server, transport, options)), options);
  return {
    closed,
    async close() {
      await connection?.close();
      await closed;
    },
  };
}
