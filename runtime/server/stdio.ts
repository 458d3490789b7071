import { serveStdio as serveStandardStreams, type ServeStdioOptions } from "../transport/stdio.ts";
import type { Connection } from "../rpc/peer.ts";
import { serve, type ServerConnectionOptions } from "./serve.ts";
import type { Server } from "./server.ts";

/** A server on stdin and stdout. */
export interface StdioService {
  /** Resolves when the client is gone and everything was written. Afterwards the process ends, unless `exit` is `false`. */
  readonly closed: Promise<void>;
  /** Ends it in order, as the end of stdin, SIGINT, SIGTERM and SIGHUP do: running calls may finish for a moment. */
  close(): Promise<void>;
}

/** Serves a server on stdin and stdout until the client goes away. From now on `console.log` writes to stderr. */
export function serveStdio(server: Server, options: ServerConnectionOptions & ServeStdioOptions = {}): StdioService {
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
