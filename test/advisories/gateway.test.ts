import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../generated/revisions.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createGateway } from "../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../runtime/gateway/serve.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import type { Authenticate } from "../../runtime/transport/http-server/identity.ts";
import type { HttpListener, ListenOptions } from "../../runtime/transport/http-server/listen.ts";
import { call, initialize, send, type HttpResponse } from "../kit/http-exchange.ts";

/* A gateway over HTTP, between attackers and a server over HTTP that trusts the gateway. */

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
  onTestFinished(() => server.close());
  const headers = (): Record<string, string> => ({ authorization: "Bearer of-the-gateway" });
  const gateway = await createGateway({ kind: "url", url: server.url, headers }, { revisions });
  onTestFinished(() => gateway.close());
  const listener = await serveGatewayHttp(gateway, options);
  onTestFinished(() => listener.close());
  return { listener, received };
}

const revision = "2025-11-25";

function post(url: string, headers: Record<string, string>, body = initialize(revision)): Promise<HttpResponse> {
  return send(url, undefined, { body, headers });
}

test("a page with a rebound host name does not reach the server behind a gateway", async () => {
  const { listener, received } = await openGateway();
  const before = received.length;
  for (const host of ["evil.example", "127.0.0.1.evil.example", `localhost.evil.example:${new URL(listener.url).port}`])
    for (const origin of [{}, { origin: `http://${host}` }])
      expect((await post(listener.url, { host, ...origin })).status).toBe(403);
  expect((await post(listener.url, { origin: "https://evil.example" })).status).toBe(403);
  expect((await post(listener.url, { "content-type": "text/plain" })).status).toBe(415);
  expect(received.length).toBe(before);
  expect((await post(listener.url, {})).status).toBe(200);
});

test.each(revisions.map(({ id }) => id))("a gateway passes no credentials of its clients on at %s", async (id) => {
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
  onTestFinished(() => client.close());
  expect(await client.request("tools/call", { name: "touch" })).toMatchObject({ content: [{ text: "touched" }] });
  expect(received.length).toBeGreaterThan(0);
  expect(received.join()).toContain("Bearer of-the-gateway");
  expect(received.join()).not.toContain("the-client");
});

test("a session of a gateway is unknown to another principal, and its id is not that of the server", async () => {
  const authenticate: Authenticate = (head) => ({ principal: head.header("x-user") ?? "anonymous" });
  const { listener, received } = await openGateway({ authenticate });
  const { status, headers } = await post(listener.url, { "x-user": "alice" });
  const session = String(headers["mcp-session-id"]);
  expect([status, session]).toEqual([200, expect.stringMatching(/.{20}/)]);
  const fields = { "mcp-session-id": session, "mcp-protocol-version": revision };
  expect((await post(listener.url, { ...fields, "x-user": "bob" }, call(2, "touch"))).status).toBe(404);
  expect((await post(listener.url, { ...fields, "x-user": "alice" }, call(2, "touch"))).status).toBe(200);
  expect(received.join()).not.toContain(session);
});
