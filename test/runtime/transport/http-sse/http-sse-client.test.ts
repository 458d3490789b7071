import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection, type ConnectOptions } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import {
  createSseClientTransport,
  type SseClientOptions,
} from "../../../../runtime/transport/http-sse/http-sse-client.ts";
import { newest, revisionOf, statelessRevision } from "../../../kit/revisions.ts";
import {
  openingResult,
  serveScript,
  usual,
  type Received,
  type Script,
  type ScriptedServer,
} from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";

const first = revisionOf("2024-11-05");
const info = { info: { name: "c", version: "1" }, revisions: [first] };

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** An old server: one stream, and a URL to post to. */
interface OldServer extends ScriptedServer {
  /** The stream of the client that came last. */
  stream(): ServerResponse;
}

async function serveOld(script: Script = () => usual, endpoint: string = "/post?session=1"): Promise<OldServer> {
  let stream: ServerResponse | undefined;
  const server = await serveScript((request, response) => {
    if (script(request, response) !== usual) return undefined;
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      return stream.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    }
    if (!request.path.startsWith("/post")) return response.writeHead(405).end();
    response.writeHead(202).end("Accepted");
    const { id, method, params } = request.message;
    const result = method === "initialize" ? openingResult(params) : {};
    return (
      id !== undefined &&
      method !== undefined &&
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
    );
  });
  open.push(() => server.close());
  return {
    ...server,
    stream() {
      if (!stream) throw new Error("Nobody listens");
      return stream;
    },
  };
}

async function connectOld(
  server: ScriptedServer,
  options: SseClientOptions & Partial<ConnectOptions> = {},
): Promise<ClientConnection> {
  const client = await connect(createSseClientTransport(server.url, options), { ...info, ...options });
  open.push(() => client.close());
  return client;
}

test("messages are posted to the URL of the first event, relative to the stream's (T-11, T-12, T-13)", async () => {
  const server = await serveOld();
  const client = await connectOld(server);
  expect(await client.request("ping")).toEqual({});
  await client.close();
  expect(server.requests.map(({ method, path, message }) => [method, path, message.method])).toEqual([
    ["GET", "/mcp", undefined],
    ["POST", "/post?session=1", "initialize"],
    ["POST", "/post?session=1", "notifications/initialized"],
    ["POST", "/post?session=1", "ping"],
  ]);
});

test("a client of HTTP with SSE sends no session, no version and no event ids (T-15)", async () => {
  const server = await serveOld();
  const client = await connectOld(server);
  await client.request("ping");
  await client.close();
  for (const { headers } of server.requests) {
    expect(Object.keys(headers).filter((name) => /^mcp-|last-event-id/.test(name))).toEqual([]);
  }
});

test("the session ends with the stream: every pending request fails, and nothing is reconnected (T-15, R29)", async () => {
  const server = await serveOld((request, response) =>
    request.message.method === "tools/call" ? response.writeHead(202).end() : usual,
  );
  const client = await connectOld(server);
  const running = client.request("tools/call", { name: "x" });
  running.catch(() => {});
  await until(() => server.requests.some(({ message }) => message.method === "tools/call"));
  server.stream().end();
  await expect(running).rejects.toMatchObject({ name: "ClosedError", cause: { name: "LostError" } });
  expect(await client.closed).toMatchObject({ name: "LostError" });
  expect(server.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
});

test.each(["http://127.0.0.1:1/post", "https://127.0.0.1/post", "//evil.example/post", "file:///post"])(
  "an endpoint of another origin is rejected: %s (trap 30)",
  async (endpoint) => {
    const server = await serveOld(undefined, endpoint);
    await expect(connectOld(server)).rejects.toThrow("another origin");
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
  },
);

test("an endpoint that is not a URL is rejected", async () => {
  const server = await serveOld(undefined, "http://");
  await expect(connectOld(server)).rejects.toThrow("invalid URL");
});

test("a later endpoint event changes nothing", async () => {
  const server = await serveOld();
  const client = await connectOld(server);
  server.stream().write("event: endpoint\ndata: /elsewhere\n\n");
  expect(await client.request("ping")).toEqual({});
  expect(server.requests.at(-1)?.path).toBe("/post?session=1");
});

test("a stream without an endpoint event times out", async () => {
  const server = await serveOld((request, response) => {
    if (request.method !== "GET") return usual;
    return response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
  });
  await expect(connectOld(server, { endpointTimeout: 30 })).rejects.toThrow("sent no endpoint event within 30 ms");
});

test.each([
  [401, "text/plain", "HTTP 401"],
  [200, "text/html", "did not return an event stream"],
])("HTTP %i with %s instead of the stream fails the handshake with the reason", async (status, type, message) => {
  const server = await serveOld((_, response) => response.writeHead(status, { "content-type": type }).end("no"));
  await expect(connectOld(server)).rejects.toThrow(message);
});

test("a message that is rejected fails by itself", async () => {
  const server = await serveOld((request, response) =>
    request.message.method === "ping" ? response.writeHead(500).end() : usual,
  );
  const client = await connectOld(server);
  await expect(client.request("ping")).rejects.toMatchObject({ name: "HttpError", status: 500 });
  expect(await client.request("tools/call", { name: "x" }).catch(({ name }: Error) => name)).toBe(
    "InvalidMessageError",
  );
});

describe("a client of a server of unknown age (4.10)", () => {
  const connectUnknown = (server: ScriptedServer): Promise<ClientConnection> =>
    connectHttp(server.url, { ...info, revisions: [newest, first], endpointTimeout: 200 });
  const isPostToStream = ({ method, path }: Received): boolean => method === "POST" && path === "/mcp";

  test.each([400, 404, 405])(
    "a client takes HTTP %i to initialize for an old server, and uses HTTP with SSE",
    async (status) => {
      const server = await serveOld((request, response) =>
        isPostToStream(request) ? response.writeHead(status).end() : usual,
      );
      const client = await connectUnknown(server);
      expect(await client.request("ping")).toEqual({});
      await client.close();
      expect(server.requests.filter(isPostToStream)).toHaveLength(1);
    },
  );

  test.each([401, 403, 500, 503])("a client does not take HTTP %i to initialize for an old server", async (status) => {
    const server = await serveOld((request, response) =>
      isPostToStream(request) ? response.writeHead(status).end() : usual,
    );
    await expect(connectUnknown(server)).rejects.toMatchObject({ name: "HttpError", status });
    expect(server.requests.some(({ method }) => method === "GET")).toBe(false);
  });

  test("a client that knows stateless requests as well opens a session by HTTP with SSE", async () => {
    const server = await serveOld();
    const client = await connectHttp(server.url, {
      ...info,
      revisions: [statelessRevision, newest, first],
      endpointTimeout: 200,
    });
    expect(await client.request("ping")).toEqual({});
    await client.close();
    const posted = server.requests.filter(({ path }) => path.startsWith("/post")).map(({ message }) => message.method);
    expect(posted).toEqual(["initialize", "notifications/initialized", "ping"]);
  });

  test("a client uses Streamable HTTP where it is served", async () => {
    const server = await serveScript();
    open.push(() => server.close());
    const client = await connectUnknown(server);
    expect(client.revision).toBe(newest);
    await client.close();
  });

  test.each<readonly [string, Script]>([
    ["refuses", (_, response) => response.writeHead(405).end()],
    ["says nothing", (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n")],
  ])("a client reports the first failure when the stream %s as well", async (_, script) => {
    const server = await serveOld((request, response) =>
      request.method === "POST" ? response.writeHead(400).end("the real reason") : script(request, response),
    );
    await expect(connectUnknown(server)).rejects.toMatchObject({ status: 400, body: "the real reason" });
  });
});
