import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { revisions } from "../../generated/revisions.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../runtime/gateway/serve.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import type { Authenticate } from "../../runtime/transport/http-server/identity.ts";
import type { HttpListener, ListenOptions } from "../../runtime/transport/http-server/listen.ts";

/* A gateway over HTTP, between attackers and a server over HTTP that trusts the gateway. */

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Behind {
  readonly listener: HttpListener;
  /** Headers of each request that has reached the server. */
  readonly received: readonly string[];
}

const names = ["authorization", "x-api-key", "cookie", "mcp-session-id", "x-user"];

async function openGateway(options: ListenOptions = {}): Promise<Behind> {
  const received: string[] = [];
  const authenticate: Authenticate = (head) => {
    received.push(JSON.stringify(names.map((name) => head.header(name) ?? "")));
    return { principal: "gateway" };
  };
  const tool = { name: "touch", execute: () => "touched" };
  const server = await serveHttp(createServer({ name: "test", version: "1", tools: [tool] }, revisions), {
    authenticate,
  });
  open.push(() => server.close());
  const headers = (): Record<string, string> => ({ authorization: "Bearer of-the-gateway" });
  const gateway = await createGateway({ kind: "url", url: server.url, headers }, { revisions });
  open.push(() => gateway.close());
  const listener = await serveGatewayHttp(gateway, options);
  open.push(() => listener.close());
  return { listener, received };
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

/** Sends a request with any headers, which `fetch` does not, and returns its status and its session. */
function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body = initialize,
): Promise<{ status: number; session: string }> {
  return new Promise((resolve, reject) => {
    const given = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers };
    const sent = request(url, { method: "POST", headers: given }, (response) => {
      response.resume();
      const { statusCode: status = 0, headers: fields } = response;
      resolve({ status, session: String(fields["mcp-session-id"] ?? "") });
    });
    sent.on("error", reject).end(body);
  });
}

test("a page with a rebound host name does not reach the server behind a gateway", async () => {
  const { listener, received } = await openGateway();
  const before = received.length;
  for (const host of ["evil.example", "127.0.0.1.evil.example", `localhost.evil.example:${new URL(listener.url).port}`])
    for (const origin of [{}, { origin: `http://${host}` }])
      expect((await send(listener.url, { host, ...origin })).status).toBe(403);
  expect((await send(listener.url, { origin: "https://evil.example" })).status).toBe(403);
  expect((await send(listener.url, { "content-type": "text/plain" })).status).toBe(415);
  expect(received.length).toBe(before);
  expect((await send(listener.url, {})).status).toBe(200);
});

test.each(revisions.map(({ id }) => id))("a gateway passes no credentials of its clients on", async (id) => {
  const { listener, received } = await openGateway();
  const client = await connectHttp(listener.url, {
    info: { name: "test", version: "1" },
    revisions: revisions.filter((revision) => revision.id === id),
    headers: () => ({
      authorization: "Bearer of-the-client",
      "x-api-key": "key-of-the-client",
      cookie: "of=the-client",
    }),
  });
  open.push(() => client.close());
  expect(await client.request("tools/call", { name: "touch" })).toMatchObject({ content: [{ text: "touched" }] });
  expect(received.length).toBeGreaterThan(0);
  expect(received.join()).toContain("Bearer of-the-gateway");
  expect(received.join()).not.toContain("the-client");
});

test("a session of a gateway is unknown to another principal, and its id is not that of the server", async () => {
  const authenticate: Authenticate = (head) => ({ principal: head.header("x-user") ?? "anonymous" });
  const { listener, received } = await openGateway({ authenticate });
  const { status, session } = await send(listener.url, { "x-user": "alice" });
  expect([status, session]).toEqual([200, expect.stringMatching(/.{20}/)]);
  const touch = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "touch" } });
  const fields = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  expect((await send(listener.url, { ...fields, "x-user": "bob" }, touch)).status).toBe(404);
  expect((await send(listener.url, { ...fields, "x-user": "alice" }, touch)).status).toBe(200);
  expect(received.join()).not.toContain(session);
});
