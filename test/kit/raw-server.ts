import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { portOf, startListening } from "../../runtime/transport/listening.ts";

/** Something that listens until it is closed. */
export interface Running {
  readonly url: string;
  close(): Promise<unknown>;
}

/** HTTP server whose responses a test writes itself. */
export interface RawServer extends Running {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves with a bare function, so that everything can be done wrong. */
export async function serveRaw(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<RawServer> {
  const server = createServer(handle);
  await startListening(server, { port: 0, host: "127.0.0.1" });
  const origin = `http://127.0.0.1:${portOf(server)}`;
  return {
    url: `${origin}/mcp`,
    origin,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** The body of a request. */
export async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
