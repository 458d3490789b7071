import { afterEach, expect, it } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import type { HttpListener } from "../../../../runtime/transport/http-server/listen.ts";
import { acceptBoth, call, initialize, textOf } from "../../../kit/http-exchange.ts";

let listener: HttpListener | undefined;

afterEach(() => listener?.close());

const server = createServer(
  { name: "fixture", version: "1", tools: [{ name: "hello", execute: () => "hello" }] },
  revisions,
);

const headers = { accept: acceptBoth, "content-type": "application/json" };

it("a server listens on a loopback port", async () => {
  listener = await serveHttp(server);
  expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const opened = await fetch(listener.url, { method: "POST", headers, body: JSON.stringify(initialize("2025-11-25")) });
  const session = { "mcp-session-id": String(opened.headers.get("mcp-session-id")) };
  const body = JSON.stringify(call(1, "hello"));
  const response = await fetch(listener.url, { method: "POST", headers: { ...headers, ...session }, body });
  expect(textOf(await response.json())).toBe("hello");
});

it("a server is a function from requests to responses", async () => {
  const handler = createHttpHandler(server, { sessions: false, allowedHosts: ["mcp.example"] });
  const send = (body: unknown): Promise<Response> =>
    handler.fetch(new Request("https://mcp.example/", { method: "POST", headers, body: JSON.stringify(body) }));
  expect((await send(initialize("2025-11-25"))).status).toBe(200);
  expect(textOf(await (await send(call(1, "hello"))).json())).toBe("hello");
  await handler.close();
});
