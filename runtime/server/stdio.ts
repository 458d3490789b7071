import { serveStdio as serveStandardStreams, type ServeStdioOptions } from "../transport/stdio.ts";
import { serve, type ServerConnectionOptions } from "./serve.ts";
import type { Server } from "./server.ts";

/** Serves a server on stdin and stdout until the client goes away. From then on `console.log` writes to stderr. */
export function serveStdio(server: Server, options: ServerConnectionOptions & ServeStdioOptions = {}): Promise<void> {
  return serveStandardStreams((transport) => serve(server, transport, options), options);
}
