import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { findingsOf, type CheckReport } from "../../generator/check/finding.ts";

/** Something that listens until it is closed. */
export interface Running {
  readonly url: string;
  close(): Promise<unknown>;
}

/** Serves with a bare function, so that everything can be done wrong. */
export async function serveRaw(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Running> {
  const server = createServer(handle);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`,
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

/** Rules that were broken, each once. */
export function rulesOf(report: CheckReport): string[] {
  return [...new Set(findingsOf(report).map(({ rule }) => rule))].sort();
}
