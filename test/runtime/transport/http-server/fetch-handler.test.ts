import { afterEach, describe, expect, it } from "vitest";
import { createServiceHandler, type HttpHandler } from "../../../../runtime/transport/http-server/handler.ts";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import type { HttpResponse } from "../../../../runtime/transport/http-server/exchange/exchange.ts";
import type { HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { acceptBoth, call, initialize, textOf } from "../../../kit/http-exchange.ts";
import { createService, log } from "../../../kit/http-server.ts";

const tools = {
  echo: (_: CallContext, args: Record<string, unknown>) => args.text,
  chatty: async (context: CallContext) => {
    await log(context, "one");
    return "done";
  },
  flood: async (context: CallContext, args: Record<string, unknown>) => {
    for (let n = 0; n < Number(args.times); n += 1) await log(context, "x".repeat(50_000));
    return "done";
  },
};

let handler: HttpHandler | undefined;

afterEach(() => handler?.close());

/** The handler of the web platform, as a worker would call it. */
function open(options: HttpOptions = {}): (init?: RequestInit & { path?: string }) => Promise<Response> {
  const made = createServiceHandler(createService(tools), options);
  handler = made;
  return ({ path = "/mcp", method = "POST", headers, ...init } = {}) => {
    const fields = {
      accept: acceptBoth,
      "content-type": "application/json",
      ...Object.fromEntries(new Headers(headers)),
    };
    return made.fetch(new Request(`http://localhost${path}`, { ...init, method, headers: fields }));
  };
}

async function begin(send: ReturnType<typeof open>): Promise<Record<string, string>> {
  const response = await send({ body: JSON.stringify(initialize("2025-11-25")) });
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

describe("the handler of the web platform", () => {
  it("the fetch handler responds as JSON and as a stream (T-26)", async () => {
    const send = open();
    const headers = await begin(send);
    const plain = await send({ headers, body: JSON.stringify(call(1, "echo", { text: "é" })) });
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(textOf(await plain.json())).toBe("é");
    const streamed = await send({ headers, body: JSON.stringify(call(2, "chatty")) });
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    expect((await streamed.text()).match(/^event: message$/gm)).toHaveLength(2);
  });

  it.each([
    ["notifications", {}, '{"jsonrpc":"2.0","method":"notifications/initialized"}', 202],
    ["a foreign page", { origin: "https://evil.example" }, "{}", 403],
    ["broken JSON", {}, "{", 400],
    ["a long body", {}, "x".repeat(5_000), 413],
    ["bytes that are no text", {}, new Uint8Array([0xff]), 400],
    ["another type", { "content-type": "text/plain" }, "{}", 415],
    ["another version", { "mcp-protocol-version": "1" }, '{"jsonrpc":"2.0","id":1,"method":"ping"}', 400],
  ])("the fetch handler makes the same checks: %s", async (_, more, body, status) => {
    const send = open({ limits: { maxMessageBytes: 4_096 } });
    const headers = { ...(await begin(send)), ...more };
    expect((await send({ headers, body })).status).toBe(status);
  });

  it("the fetch handler rejects a foreign host", async () => {
    open();
    const response = await handler?.fetch(new Request("http://evil.example/mcp", { method: "POST", body: "{}" }));
    expect(response?.status).toBe(403);
  });

  it("the fetch handler opens GET streams and ends them with the session", async () => {
    const send = open();
    const headers = await begin(send);
    const stream = await send({ method: "GET", headers });
    expect(stream.status).toBe(200);
    expect((await send({ method: "DELETE", headers })).status).toBe(204);
    // Its first event only carries the id to come back with.
    expect(await stream.text()).toMatch(/^id: \S+-0\nretry: 1000\ndata: \n\n$/);
  });

  it("the fetch handler waits for slow readers, and detects those that disconnected (R25)", async () => {
    const send = open({ events: false });
    const headers = await begin(send);
    const slow = await send({ headers, body: JSON.stringify(call(1, "flood", { times: 20 })) });
    expect((await slow.text()).match(/^data: /gm)).toHaveLength(21);
    const gone = await send({ headers, body: JSON.stringify(call(2, "flood", { times: 20 })) });
    await gone.body?.cancel();
    expect((await send({ headers, body: JSON.stringify(call(3, "echo", { text: "on" })) })).status).toBe(200);
  });

  it("the fetch handler serves every path, unless one is given", async () => {
    expect((await open()({ path: "/any", body: "{" })).status).toBe(400);
    expect((await open({ path: "/mcp" })({ path: "/any", body: "{" })).status).toBe(404);
  });
});

describe("a document", () => {
  const tagged = { status: 200, headers: { "content-type": "text/x", etag: '"1"' }, body: "text" };
  const documents = new Map<string, HttpResponse>([
    ["/tagged", tagged],
    ["/plain", { status: 200, headers: { "content-type": "text/x" }, body: "text" }],
  ]);

  /** Fields of a response without those of its content. */
  const fieldsOf = (response: Response): unknown => Object.fromEntries(response.headers);
  const allowed = { "access-control-allow-origin": "*" };
  const revalidated = {
    ...allowed,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "Content-Type, If-None-Match",
    "access-control-expose-headers": "ETag",
    etag: '"1"',
  };

  it.each([
    ["GET", "/tagged", undefined, 200, { ...revalidated, "content-type": "text/x" }],
    ["HEAD", "/tagged", undefined, 200, { ...revalidated, "content-type": "text/x" }],
    ["GET", "/plain", undefined, 200, { ...allowed, "content-type": "text/x" }],
    ["GET", "/plain", "*", 200, { ...allowed, "content-type": "text/x" }],
    ["GET", "/tagged", '"1"', 304, revalidated],
    ["HEAD", "/tagged", '"0" , W/"1"', 304, revalidated],
    ["GET", "/tagged", "*", 304, revalidated],
    ["GET", "/tagged", '"11", 1, xW/"1"', 200, { ...revalidated, "content-type": "text/x" }],
    [
      "OPTIONS",
      "/tagged",
      undefined,
      204,
      {
        ...allowed,
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": "Content-Type, If-None-Match, MCP-Protocol-Version",
        "access-control-max-age": "600",
      },
    ],
  ])("a document for %s %s with the tags %j has status %i", async (method, path, tags, status, fields) => {
    const send = open({ documents, authenticate: () => ({ status: 401 }) });
    const headers = { origin: "https://page.example", ...(tags !== undefined && { "if-none-match": tags }) };
    const response = await send({ path, method, headers });
    expect([response.status, fieldsOf(response)]).toEqual([status, fields]);
    expect(await response.text()).toBe(status === 200 ? "text" : "");
  });

  it("a document is not served for another method, or by a closing server", async () => {
    const send = open({ documents });
    const rejected = await send({ path: "/tagged", method: "POST", body: "{}" });
    expect([rejected.status, rejected.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    await handler?.close();
    expect((await send({ path: "/tagged", method: "GET" })).status).toBe(503);
  });
});

it("the preflight response for an allowed page names all methods and headers of the protocol", async () => {
  const send = open({ allowedOrigins: ["https://app.example"], cors: { maxAge: 5, headers: ["X-Tenant"] } });
  const requested = "mcp-param-a, x-other, Mcp-Param-B, mcp-param-, xmcp-param-c";
  const headers = { origin: "https://app.example", "access-control-request-headers": requested };
  const { status, headers: fields } = await send({ method: "OPTIONS", headers });
  expect([status, Object.fromEntries(fields)]).toEqual([
    204,
    {
      "access-control-allow-origin": "https://app.example",
      "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After",
      vary: "Origin",
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers":
        "Accept, Authorization, Content-Type, DPoP, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Tenant, mcp-param-a, Mcp-Param-B",
      "access-control-max-age": "5",
    },
  ]);
});

describe("a rejection of a document", () => {
  const documents = new Map([["/card", { status: 200, headers: {}, body: "{}" }]]);

  it.each([
    ["a host that is not allowed", 403, { method: "GET", headers: { host: "elsewhere.example" } }],
    ["another method", 405, { method: "PUT" }],
  ])("a rejection of %s is counted, and has the form of the profile", async (_name, status, init) => {
    const metrics = new Metrics();
    const profile = {
      name: "test",
      toHttpError: (): { code: number; message: string } => ({ code: 7, message: "No" }),
    };
    const send = open({ documents, metrics, profile });
    expect((await send({ path: "/card", method: "GET" })).status).toBe(200);
    const response = await send({ path: "/card", ...init });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: 7, message: "No" } });
    expect([...metrics.read().rejected]).toEqual([[status, 1]]);
  });
});
