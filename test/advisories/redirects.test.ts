import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../generated/revisions.ts";
import { connect } from "../../runtime/client/connect.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { createSseClientTransport } from "../../runtime/transport/http-sse/http-sse-client.ts";
import { serveRaw, type RawServer } from "../kit/raw-server.ts";

/* A server that a client trusts redirects it elsewhere. The client sends a key in a header of its own, which no platform removes. */

async function serve(...[handle]: Parameters<typeof serveRaw>): Promise<RawServer> {
  const server = await serveRaw(handle);
  onTestFinished(() => server.close());
  return server;
}

const info = { name: "test", version: "1" };
const headers = (): Record<string, string> => ({ "x-api-key": "secret", authorization: "Bearer secret" });

const clients: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  "Streamable HTTP": (url) => connectHttp(url, { info, revisions, headers }),
  "HTTP with SSE": (url) => connect(createSseClientTransport(url, { headers }), { info, revisions }),
  "a gateway": (url) => createGateway({ kind: "url", url, headers }, { revisions }),
};

test.each(
  Object.keys(clients).flatMap((client) => [301, 302, 303, 307, 308].map((status) => [client, status] as const)),
)("a redirect of %s with HTTP %i takes no header to another origin", async (client, status) => {
  const stolen: unknown[] = [];
  const other = await serve((request, response) => {
    stolen.push(request.headers);
    response.writeHead(500).end();
  });
  const keys: unknown[] = [];
  const trusted = await serve((request, response) => {
    keys.push(request.headers["x-api-key"]);
    response.writeHead(status, { location: other.url }).end();
  });
  await expect(clients[client]?.(trusted.url)).rejects.toThrow(/redirect/);
  expect(keys).toContain("secret");
  expect(stolen).toEqual([]);
});
