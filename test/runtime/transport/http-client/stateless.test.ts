import { createServer as createNodeServer, type IncomingHttpHeaders } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import type { HttpListener } from "../../../../runtime/transport/http-server/listen.ts";
import { createHttpClientTransport } from "../../../../runtime/transport/http-client/http-client.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../../kit/revisions.ts";

const info = { name: "test", version: "1" };
const closers: (() => Promise<unknown>)[] = [];
const begun: string[] = [];
const aborted: string[] = [];
afterEach(async () => {
  begun.length = 0;
  aborted.length = 0;
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(served: readonly Revision[] = revisions): Promise<HttpListener> {
  const { defineServer, defineTool, definePrompt } = forRevisions<Declarations>(served);
  const mirrored = defineTool({
    name: "mirrored",
    inputSchema: z.object({
      region: z.string().nullish().meta({ title: "Region" }),
      place: z.object({ city: z.string().meta({ "x-mcp-header": "City" }) }).optional(),
      method: z.string().optional().meta({ "x-mcp-header": "Method" }),
      count: z.int().optional().meta({ "x-mcp-header": "Count" }),
      flag: z.boolean().optional().meta({ "x-mcp-header": "Flag" }),
    }),
    execute: (args) => JSON.stringify(args),
  });
  const wait = defineTool({
    name: "wait",
    async execute(_args, { signal }) {
      begun.push("wait");
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.push("wait");
      return "late";
    },
  });
  const listener = await serveHttp(
    defineServer({
      name: "demo",
      version: "1",
      tools: [mirrored, wait],
      prompts: [definePrompt({ name: "Grüße ", get: () => "hi" })],
      onError: () => {},
    }),
  );
  closers.push(() => listener.close());
  return listener;
}

/** Request of a client: headers and method. */
interface Seen {
  readonly headers: Headers;
  readonly method: string;
}

interface Watched {
  readonly client: ClientConnection;
  readonly seen: Seen[];
  readonly reports: ErrorReport[];
}

async function open(url: string, spoken: readonly Revision[] = revisions): Promise<Watched> {
  const seen: Seen[] = [];
  const reports: ErrorReport[] = [];
  const transport = createHttpClientTransport(url, {
    fetch(target, init) {
      const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
      const method = isObject(body) ? String(body.method) : String(init.method);
      seen.push({ headers: new Headers(init.headers), method });
      return fetch(target, init);
    },
  });
  const onError = (report: ErrorReport): void => void reports.push(report);
  const client = await connect(transport, { info, revisions: spoken, onError });
  closers.push(() => client.close());
  return { client, seen, reports };
}

/** The headers of the protocol in one request. */
function mirrored({ headers }: Seen): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("mcp-")));
}

describe("a stateless client over HTTP", () => {
  test("a stateless client repeats members of its messages in headers (TH-04, TH-05, TH-11, TH-17)", async () => {
    const { url } = await serve();
    const { client, seen } = await open(url);
    expect(client.revision).toBe(statelessRevision);
    await client.request("tools/list");
    await client.request("tools/call", { name: "mirrored" });
    await client.request("prompts/get", { name: "Grüße " });
    const version = { "mcp-protocol-version": statelessRevision.id };
    expect(seen.map(mirrored)).toEqual([
      { ...version, "mcp-method": "server/discover" },
      { ...version, "mcp-method": "tools/list" },
      { ...version, "mcp-method": "tools/call", "mcp-name": "mirrored" },
      { ...version, "mcp-method": "prompts/get", "mcp-name": "=?base64?R3LDvMOfZSA=?=" },
    ]);
    for (const { headers } of seen) expect(headers.get("accept")).toBe("application/json, text/event-stream");
  });

  test.each([
    [{ place: { city: "Köln" } }, { "mcp-param-city": "=?base64?S8O2bG4=?=" }],
    [{ method: "" }, { "mcp-param-method": "" }],
    [{ method: "=?base64?SGVsbG8=?=" }, { "mcp-param-method": "=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?=" }],
    [
      { count: -42, flag: false },
      { "mcp-param-count": "-42", "mcp-param-flag": "false" },
    ],
    [{ region: null }, {}],
    [{}, {}],
  ])("a stateless client sends %j as param headers (TH-20, TH-23, TH-24)", async (args, headers) => {
    const { url } = await serve();
    const { client, seen } = await open(url);
    await client.request("tools/list");
    const result = await client.request("tools/call", { name: "mirrored", arguments: args });
    expect(result).toMatchObject({ content: [{ text: JSON.stringify(args) }] });
    expect(
      Object.fromEntries([...(seen.at(-1)?.headers ?? [])].filter(([name]) => name.startsWith("mcp-param"))),
    ).toEqual(headers);
  });

  test("a stateless client cancels by closing the connection, and sends no notification (2.13, TH-10)", async () => {
    const { url } = await serve();
    const { client, seen } = await open(url);
    const stop = new AbortController();
    const call = client.request("tools/call", { name: "wait" }, { signal: stop.signal });
    await expect.poll(() => begun).toEqual(["wait"]);
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => aborted).toEqual(["wait"]);
    expect(seen.map(({ method }) => method)).toEqual(["server/discover", "tools/call"]);
  });

  test("a stateless client reads errors whatever their status (3.4, trap 13)", async () => {
    const { url } = await serve();
    const { client } = await open(url);
    await expect(client.request("tools/call", { name: "none" })).rejects.toMatchObject({ code: -32602 });
    const row = statelessRevision.clientRequests["server/discover"];
    if (!row) throw new Error("no row");
    const unknown = { ...row, method: "unknown/method" };
    await expect(client.request(unknown, {})).rejects.toMatchObject({ code: -32601 });
  });
});

describe("a client of both eras over HTTP", () => {
  test.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
    "a client of both eras opens a session with a server at %s (3.1, DE-06)",
    async (_id, revision) => {
      const { url } = await serve([revision]);
      const { client, seen } = await open(url);
      expect(client.revision).toBe(revision);
      expect(seen.slice(0, 2).map(({ method }) => method)).toEqual(["server/discover", "initialize"]);
      expect(await client.request("tools/list")).toMatchObject({ tools: expect.any(Array) });
      for (const sent of seen.slice(1)) expect(mirrored(sent)).not.toHaveProperty("mcp-method");
    },
  );
});

/** A server that responds to everything like this. */
async function respondToAll(
  respond: (body: unknown, headers: IncomingHttpHeaders) => { readonly status: number; readonly body?: unknown },
): Promise<string> {
  const server = createNodeServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { status, body } = respond(text === "" ? undefined : JSON.parse(text), request.headers);
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(body === undefined ? "" : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
  const address = server.address();
  return `http://127.0.0.1:${isObject(address) ? String(address.port) : ""}/mcp`;
}

describe("the first response over HTTP", () => {
  const opened = (body: unknown): object => ({
    jsonrpc: "2.0",
    id: isObject(body) ? body.id : undefined,
    result: { protocolVersion: newest.id, capabilities: {}, serverInfo: info },
  });
  const isOpening = (body: unknown): boolean => isObject(body) && body.method === "initialize";

  test.each([
    [400, undefined],
    [400, { hello: "proxy" }],
    [404, undefined],
    [405, undefined],
    [200, { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "Server not initialized" } }],
  ])("the response %d with %j leads to initialize (TH-32, 3.4)", async (status, body) => {
    const url = await respondToAll((sent) => {
      if (isOpening(sent)) return { status: 200, body: opened(sent) };
      return isObject(sent) && sent.method === "server/discover" ? { status, body } : { status: 202 };
    });
    const { client } = await open(url);
    expect(client.revision).toBe(newest);
  });

  test.each([401, 403, 500, 503])("the response %d does not determine the era (3.4)", async (status) => {
    const sent: unknown[] = [];
    const url = await respondToAll((body) => (sent.push(body), { status }));
    await expect(open(url)).rejects.toMatchObject({ status });
    expect(sent.filter(isOpening)).toEqual([]);
  });
});

test("tools with invalid param headers are left out, and that is reported (TH-22)", async () => {
  const text = (mark: string): object => ({ type: "string", "x-mcp-header": mark });
  const tool = (name: string, property: object): object => ({
    name,
    inputSchema: { type: "object", properties: { a: property } },
  });
  const tools = [
    tool("good", text("A")),
    tool("bad", text("a b")),
    tool("worse", { type: "number", "x-mcp-header": "A" }),
  ];
  const head = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const url = await respondToAll((body) => {
    const { id, method } = isObject(body) ? body : {};
    const result =
      method === "tools/list"
        ? { ...head, tools }
        : { ...head, supportedVersions: [statelessRevision.id], capabilities: { tools: {} } };
    return { status: 200, body: { jsonrpc: "2.0", id, result } };
  });
  const { client, reports } = await open(url);
  expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "good" }] });
  expect(reports.map(({ error }) => error.message)).toEqual([
    expect.stringContaining('"bad"'),
    expect.stringContaining('"worse"'),
  ]);
});

test("a result of an unknown type is an error (C-005, C-006)", async () => {
  const url = await respondToAll((body) => {
    const { id, method } = isObject(body) ? body : {};
    const capabilities = { tools: {}, prompts: {} };
    const known = { supportedVersions: [statelessRevision.id], capabilities, tools: [], prompts: [] };
    const kind = method === "tools/list" ? { resultType: "surprise" } : {};
    return { status: 200, body: { jsonrpc: "2.0", id, result: { ...known, ...kind } } };
  });
  const { client } = await open(url);
  await expect(client.request("tools/list")).rejects.toThrow(/resultType.*"complete"/);
  expect(await client.request("prompts/list")).toMatchObject({ prompts: [] });
});
