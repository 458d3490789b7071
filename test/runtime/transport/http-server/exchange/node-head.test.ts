import { createServer } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../../generated/revisions.ts";
import { forRevisions } from "../../../../../runtime/server/for-revisions.ts";
import { createHttpHandler } from "../../../../../runtime/server/run/http-handler.ts";
import { serveHttp } from "../../../../../runtime/server/run/serve-http.ts";
import type { HttpOptions } from "../../../../../runtime/transport/http-server/settings.ts";
import { portOf, startListening } from "../../../../../runtime/transport/listening.ts";
import { statelessRevision } from "../../../../kit/revisions.ts";
import { request } from "../../../../kit/messages.ts";
import { initialize } from "../../../../kit/http-exchange.ts";

const { defineTool, defineServer, defineResource } = forRevisions<Declarations>(revisions);

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const mirrored = defineTool({
  name: "mirrored",
  inputSchema: z.object({ tenant: z.string().meta({ "x-mcp-header": "Tenant" }) }),
  execute: ({ tenant }) => tenant,
});

const server = defineServer({
  name: "s",
  version: "1",
  tools: [mirrored],
  resources: ["x:public, x:secret", "x://a,b"].map((uri) => defineResource({ uri, name: uri, read: () => "text" })),
  onError: () => {},
});

/** Serves as a project does; the port of the listener. */
async function listen(options: HttpOptions = {}): Promise<number> {
  const listener = await serveHttp(server, options);
  closers.push(() => listener.close());
  return Number(new URL(listener.url).port);
}

/** Serves as a handler that is mounted in a server of the user. */
async function mount(added: Readonly<Record<string, string>> = {}): Promise<number> {
  const handler = createHttpHandler(server);
  const http = createServer((incoming, response) => {
    Object.assign(incoming.headers, added);
    handler.node(incoming, response);
  });
  await startListening(http, { port: 0, host: "127.0.0.1" });
  closers.push(
    () => http.close(),
    () => http.closeAllConnections(),
  );
  return portOf(http);
}

interface Sent {
  readonly target?: string;
  readonly host?: string;
  readonly lines?: readonly string[];
  readonly body?: object;
}

/** POSTs with exactly these header lines; gives the status and the body. */
function post(port: number, { target = "/mcp", host = `localhost:${port}`, lines = [], body }: Sent): Promise<string> {
  const text = JSON.stringify(body ?? initialize("2025-11-25"));
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${host}`,
    "Accept: application/json, text/event-stream",
    ...(lines.some((line) => line.startsWith("Content-Type")) ? [] : ["Content-Type: application/json"]),
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
    ...lines,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let response = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => (response += String(chunk)));
    socket.on("error", reject);
    socket.on("close", () => resolve(response.replace(/^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/, "$1 ")));
    socket.write([...head, "", text].join("\r\n"));
  });
}

const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `a${index}:`);

/** Lines of a request that stands alone, and the message that they belong to. */
function toStateless(method: string, params: object, lines: readonly string[]): Sent {
  return {
    lines: [`MCP-Protocol-Version: ${statelessRevision.id}`, `Mcp-Method: ${method}`, ...lines],
    body: request(1, method, params),
  };
}

describe("header lines behind many others", () => {
  test.each([
    ["a foreign origin", ["Origin: https://evil.example"], 403],
    ["a second host", ["Host: evil.example"], 400],
    ["a coding", ["Content-Encoding: gzip"], 415],
  ])("header lines behind many others are read: %s (R30, R31, R35)", async (_, lines, status) => {
    const port = await listen();
    expect(await post(port, { lines: many(150) })).toMatch(/^200 /);
    expect(await post(port, { lines: [...many(150), ...lines] })).toMatch(new RegExp(`^${status} `));
  });

  test("header lines are bounded by the size of the head (R35)", async () => {
    const port = await listen();
    expect(await post(port, { lines: many(5_000) })).toMatch(/^431 /);
  });

  test("header lines cannot be dropped where the user owns the server (R35)", async () => {
    const port = await mount();
    expect(await post(port, { lines: many(150) })).toMatch(/^200 /);
    expect(await post(port, { lines: [...many(1_100), "Origin: https://evil.example"] })).toMatch(/^431 /);
  });
});

describe("repeated header lines", () => {
  test.each([
    ["Content-Type", ["Content-Type: application/json", "Content-Type: text/plain"]],
    ["Mcp-Session-Id", ["Mcp-Session-Id: a", "Mcp-Session-Id: b"]],
    ["Last-Event-ID", ["Last-Event-ID: a-1", "last-event-id: a-1"]],
  ])("a repeated header that a check reads is rejected: %s (R35)", async (name, lines) => {
    expect(await post(await listen(), { lines })).toMatch(
      `400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The header ${name} must be sent once"}}`,
    );
  });

  test.each([
    ["Host", ["Host: evil.example"]],
    ["Content-Type", ["Content-Type: application/json", "Content-Type: text/plain"]],
  ])("a repeated header is rejected where a middleware has added another one: %s (R30, R35)", async (_, lines) => {
    const port = await mount({ "x-request-id": "1" });
    expect(await post(port, {})).toMatch(/^200 /);
    expect(await post(port, { lines })).toMatch(/^400 /);
  });

  const read = { uri: "x:public, x:secret" };
  const call = { name: "mirrored", arguments: { tenant: "acme, evil" } };
  test.each([
    ["Mcp-Name", toStateless("resources/read", read, ["Mcp-Name: x:public", "Mcp-Name: x:secret"])],
    ["Mcp-Method", toStateless("tools/list", {}, ["Mcp-Method: tools/list"])],
    [
      "Mcp-Param-Tenant",
      toStateless("tools/call", call, ["Mcp-Name: mirrored", "Mcp-Param-Tenant: acme", "mcp-param-tenant: evil"]),
    ],
    ["MCP-Protocol-Version", toStateless("tools/list", {}, [`MCP-Protocol-Version: ${statelessRevision.id}`])],
  ])(
    "a repeated header %s of a stateless request is rejected with the error of the revision (R35, R37)",
    async (name, sent) => {
      const response = await post(await listen(), sent);
      expect(response).toMatch(/^400 /);
      expect(JSON.parse(response.slice(4))).toMatchObject({ id: 1, error: { code: -32020, data: { header: name } } });
      expect(response).toContain(`The header ${name} must be sent once; encode a value with a comma as base64`);
    },
  );

  test("one header line with the same value is not rejected", async () => {
    const sent = toStateless("resources/read", read, ["Mcp-Name: x:public, x:secret"]);
    expect(await post(await listen(), sent)).toMatch(/^200 /);
  });
});

describe("header lines that the platform joins", () => {
  const send = async (sent: Sent): Promise<Response> => {
    const handler = createHttpHandler(server);
    closers.push(() => handler.close());
    const headers = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
    for (const line of sent.lines ?? [])
      headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
    return handler.fetch(
      new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(sent.body) }),
    );
  };
  const joined = "x:public, x:secret";

  test.each([
    ["two lines are refused", joined, ["Mcp-Name: x:public", "Mcp-Name: x:secret"], 400],
    ["so is the value that they add up to", joined, [`Mcp-Name: ${joined}`], 400],
    ["which is taken in base64", joined, [`Mcp-Name: =?base64?${btoa(joined)}?=`], 200],
    ["a comma that joins nothing is taken", "x://a,b", ["Mcp-Name: x://a,b"], 200],
  ])("joined header lines: %s (R35, R37)", async (_, uri, lines, status) => {
    expect((await send(toStateless("resources/read", { uri }, lines))).status).toBe(status);
  });

  test("two content types and two sessions are rejected (R35)", async () => {
    const body = initialize("2025-11-25");
    expect((await send({ body, lines: ["Content-Type: application/json"] })).status).toBe(400);
    expect((await send({ body, lines: ["Mcp-Session-Id: a", "Mcp-Session-Id: b"] })).status).toBe(400);
  });
});

describe("the origin of a loopback page", () => {
  test.each([
    ["the same port", (port: number) => `http://localhost:${port}`, 200],
    ["the same port under another loopback name", (port: number) => `http://127.0.0.1:${port}`, 200],
    ["another port", () => "http://localhost:5173", 403],
    ["the usual port", () => "http://localhost", 403],
  ])(
    "a page is of the same origin when its port is that of the server, over HTTP: %s (R30, R31)",
    async (_, toOrigin, status) => {
      const port = await listen();
      expect(await post(port, { lines: [`Origin: ${toOrigin(port)}`] })).toMatch(new RegExp(`^${status} `));
    },
  );

  test.each([
    ["mcp.example", "https://mcp.example", 200],
    ["mcp.example", "https://mcp.example:8443", 403],
    ["mcp.example:443", "https://mcp.example", 200],
    ["mcp.example:8443", "https://mcp.example", 403],
    ["mcp.example", "https://pages.example:8443", 200],
    ["mcp.example", "https://pages.example", 403],
    ["mcp.example", "https://other.example", 403],
  ])("a page under the host %s with the origin %s gets %i", async (host, origin, status) => {
    const port = await listen({ allowedHosts: ["mcp.example", "pages.example:8443"] });
    expect(await post(port, { host, lines: [`Origin: ${origin}`] })).toMatch(new RegExp(`^${status} `));
  });

  test("a list of origins replaces the check of the same origin", async () => {
    const port = await listen({ allowedOrigins: ["http://localhost:5173"] });
    expect(await post(port, { lines: ["Origin: http://localhost:5173"] })).toMatch(/^200 /);
    expect(await post(port, { lines: [`Origin: http://localhost:${port}`] })).toMatch(/^403 /);
  });
});

describe("the target of a request on the web platform", () => {
  test.each([
    ["http://evil.example/mcp", "127.0.0.1", 403],
    ["http://127.0.0.1/mcp", "evil.example", 403],
    ["http://127.0.0.1/mcp", "127.0.0.1, evil.example", 400],
    ["http://localhost:80/mcp", "localhost:80", 200],
    ["http://localhost:3000/mcp", "localhost:3000", 200],
    ["http://localhost:3000/mcp", "127.0.0.1", 200],
  ])("the target %s with Host: %s gets %i (R30)", async (url, host, status) => {
    const handler = createHttpHandler(server);
    closers.push(() => handler.close());
    const headers = {
      host,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
    const body = JSON.stringify(initialize("2025-11-25"));
    expect((await handler.fetch(new Request(url, { method: "POST", headers, body }))).status).toBe(status);
  });
});
