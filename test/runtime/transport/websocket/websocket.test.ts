import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import { connect as connectSocket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { createAcceptor } from "../../../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { Connection } from "../../../../runtime/protocol/peer/peer.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { createWebSocketTransport } from "../../../../runtime/transport/websocket/websocket-client.ts";
import {
  createWsTransport,
  serveWebSocket,
  type WsClientOptions,
  type WsServerOptions,
} from "../../../../runtime/transport/websocket/ws-package.ts";
import { block, inTime } from "../../../kit/time.ts";
import { newest } from "../../../kit/revisions.ts";
import { openingResult } from "../../../kit/scripted-server.ts";
import { createSuiteServer } from "../transport.suite-server.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const info = { info: { name: "c", version: "1" }, revisions: [newest] };

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const address = server.address();
  return `ws://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`;
}

async function serve(
  options: Partial<WsServerOptions> = {},
): Promise<{ readonly url: string; readonly connections: Connection[] }> {
  const connections: Connection[] = [];
  const accept = createSuiteServer();
  const http = createServer();
  const url = await listen(http);
  const service = serveWebSocket(http, { accept: (transport) => connections.push(accept(transport)), ...options });
  open.push(() => service.close());
  return { url, connections };
}

/** A server of the bare library: it opens sessions, and does nothing else. */
async function serveBare(onSocket: (socket: WebSocket) => void, options: { protocol?: string } = {}): Promise<string> {
  const http = createServer();
  const handleProtocols = (): string => options.protocol ?? "mcp.v1";
  const sockets = new WebSocketServer({ server: http, handleProtocols });
  sockets.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(String(data));
      if (method === "initialize") socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: openingResult(params) }));
      if (method === "notifications/initialized") onSocket(socket);
    });
  });
  return listen(http);
}

/** Lets those in who have asked, all at once. */
function createGate(): {
  readonly authenticate: () => Promise<{ principal: string }>;
  readonly admit: () => void;
  readonly requested: () => number;
} {
  const waiting: (() => void)[] = [];
  return {
    authenticate: () => new Promise((resolve) => waiting.push(() => resolve({ principal: "me" }))),
    admit: () => waiting.forEach((resolve) => resolve()),
    requested: () => waiting.length,
  };
}

async function connectWs(url: string, options?: WsClientOptions): Promise<ClientConnection> {
  const client = await connect(createWsTransport(url, options), info);
  open.push(() => client.close());
  return client;
}

/** A socket of the bare library, when it is open. */
async function openBare(url: string, protocols: string[] = ["mcp.v1"]): Promise<WebSocket> {
  const socket = new WebSocket(url, protocols);
  open.push(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return socket;
}

const closeCode = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once("close", resolve));
const nextMessage = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(String(data)))));

describe("subprotocols", () => {
  test.each([
    [["mcp.v1", "mcp"], "mcp.v1"],
    [["mcp", "mcp.v1"], "mcp.v1"],
    [["mcp"], "mcp"],
    [["other", "mcp"], "mcp"],
    [[], ""],
  ])("a server that is offered the subprotocols %j selects %s", async (offered, taken) => {
    const { url } = await serve();
    expect((await openBare(url, offered)).protocol).toBe(taken);
  });

  test("a client with other subprotocols only is rejected", async () => {
    const { url } = await serve();
    await expect(openBare(url, ["graphql"])).rejects.toThrow("400");
  });

  test.each(["mcp.v1", "mcp"])(
    "a client offers both subprotocols, and accepts a server that selects %s",
    async (protocol) => {
      const { promise, resolve } = deferred<string>();
      const url = await serveBare((socket) => resolve(socket.protocol), { protocol });
      await connectWs(url);
      expect(await promise).toBe(protocol);
    },
  );
});

describe("a server", () => {
  const upgrade = (url: string, headers: Readonly<Record<string, string | string[]>>): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(url.replace("ws:", "http:"), {
        headers: {
          connection: "upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          ...headers,
        },
      });
      request.on("response", ({ statusCode = 0 }) => resolve(statusCode));
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      request.on("error", reject);
      request.end();
    });

  test.each([
    [{}, 101],
    [{ host: "localhost:1234", origin: "http://localhost:1234" }, 101],
    [{ host: "127.0.0.1", origin: "http://127.0.0.1" }, 101],
    [{ host: "127.0.0.1:1234", origin: "http://localhost:1235" }, 403],
    [{ origin: "http://localhost:5173" }, 403],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ host: "evil.example" }, 403],
    [{ host: "evil.example", origin: "http://evil.example" }, 403],
    [{ origin: ["http://localhost", "http://evil.example"] }, 400],
  ])(
    "a server with headers %j responds to an upgrade with %i (T-70, R30, R31, R67, B-014)",
    async (headers, status) => {
      const { url, connections } = await serve();
      expect(await upgrade(url, headers)).toBe(status);
      if (status !== 101) expect(connections).toEqual([]);
    },
  );

  test("a server rejects an upgrade whose target names another host than its Host header (R30)", async () => {
    const { url, connections } = await serve();
    const { host, port } = new URL(url);
    const socket = connectSocket(Number(port), "127.0.0.1");
    open.push(() => socket.destroy());
    const fields = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket`;
    socket.write(`GET http://evil.example/mcp HTTP/1.1\r\n${fields}\r\n\r\n`);
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1.1 400 /);
    expect(connections).toEqual([]);
  });

  test("a server rejects an upgrade with so many header fields that Node may drop some (R35)", async () => {
    const { url } = await serve();
    const fields = Array.from({ length: 1_100 }, (_, index): [string, string] => [`a${index}`, ""]);
    expect(await upgrade(url, Object.fromEntries(fields))).toBe(431);
  });

  test("a server closes a connection that cannot be served and reports the reason", async () => {
    const failures: string[] = [];
    const { url } = await serve({
      accept: () => {
        throw new Error("no");
      },
      onError({ error }) {
        failures.push(error.message);
        throw new Error("The hook fails, too");
      },
    });
    const socket = new WebSocket(url, ["mcp.v1"]);
    open.push(() => socket.terminate());
    expect(await closeCode(socket.on("error", () => {}))).toBe(1006);
    expect(failures).toEqual(["no"]);
  });

  test("a server disconnects clients that it rejects, even if they stay connected", async () => {
    const http = createServer();
    const url = await listen(http);
    const service = serveWebSocket(http, { accept: () => {} });
    open.push(() => service.close());
    const { host, port } = new URL(url);
    const socket = connectSocket({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    open.push(() => socket.destroy());
    const ended = new Promise((resolve) => socket.on("error", resolve).on("end", resolve).resume());
    const fields = `Host: ${host}\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket`;
    socket.write(`GET /mcp HTTP/1.1\r\n${fields}\r\n\r\n`);
    await ended;
    const count = (): Promise<number> => new Promise((resolve) => http.getConnections((_, found) => resolve(found)));
    await expect.poll(count).toBe(0);
  });

  test("a server accepts the hosts and origins of its options", async () => {
    const reports: string[] = [];
    const { url } = await serve({
      allowedHosts: ["mcp.example"],
      allowedOrigins: ["https://app.example"],
      onError: ({ error }) => reports.push(error.message.split(";")[0] ?? ""),
    });
    expect(await upgrade(url, { host: "mcp.example", origin: "https://app.example" })).toBe(101);
    expect(await upgrade(url, { host: "mcp.example", origin: "https://mcp.example" })).toBe(403);
    expect(await upgrade(url, {})).toBe(403);
    expect(reports).toEqual([
      "The origin https://mcp.example is not in allowedOrigins",
      `The host ${new URL(url).host} is not in allowedHosts`,
    ]);
  });

  test("a server rejects an opening handshake of HTTP/1.0", async () => {
    const { url, connections } = await serve();
    const { host, port } = new URL(url);
    const statusOf = (version: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectSocket({ port: Number(port), host: "127.0.0.1" });
        open.push(() => socket.destroy());
        socket.on("error", () => {});
        socket.once("data", (data) => resolve(String(data).split("\r\n")[0] ?? ""));
        const fields = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13`;
        socket.write(`GET /mcp HTTP/${version}\r\n${fields}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
      });
    expect(await statusOf("1.0")).toBe("HTTP/1.1 400 Bad Request");
    expect(connections).toEqual([]);
    expect(await statusOf("1.1")).toBe("HTTP/1.1 101 Switching Protocols");
  });

  test("a server authenticates the client, and its handlers receive the principal (R38)", async () => {
    const origins: unknown[] = [];
    const serveSession = createAcceptor({
      info: { name: "s", version: "1" },
      revisions: [newest],
      capabilities: { tools: {} },
      handlers: {
        listTools: (_: unknown, { origin }: CallContext) => ({ tools: [], _meta: { origin: origins.push(origin) } }),
      },
    });
    const { url } = await serve({
      accept: (transport) => serveSession(transport),
      authenticate: async (head) => {
        await Promise.resolve();
        const shown = head.header("authorization");
        if (shown === undefined) throw new Error("nobody");
        return shown === "Bearer right" ? { principal: "me" } : { status: 401 };
      },
    });
    expect(await upgrade(url, {})).toBe(401);
    expect(await upgrade(url, { authorization: "Bearer wrong" })).toBe(401);
    const client = await connectWs(url, { headers: { authorization: "Bearer right" } });
    await client.request("tools/list", {});
    expect(origins).toEqual([{ identity: { principal: "me" } }]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("a server responds with 401 when authentication %s, and reports it", async (_, authenticate) => {
    const reports: ErrorReport[] = [];
    const { url } = await serve({ authenticate, onError: (report) => reports.push(report) });
    expect(await upgrade(url, {})).toBe(401);
    expect(reports).toMatchObject([{ kind: "transport", error: { message: "broken" } }]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("a server closes a connection that cannot be served because `accept` %s, and reports it", async (_, accept) => {
    const reports: ErrorReport[] = [];
    const { url } = await serve({ accept, onError: (report) => reports.push(report), maxConnections: 1 });
    await expect(connectWs(url)).rejects.toMatchObject({ name: "ClosedError" });
    expect(reports).toMatchObject([{ kind: "transport", error: { message: "broken" } }]);
    await expect.poll(() => upgrade(url, {})).toBe(101);
  });

  test("a server sends its response headers, whatever is in their values", async () => {
    const { url } = await serve({
      authenticate: () => ({ status: 401, headers: { "www-authenticate": 'Bearer error="a\r\nSet-Cookie: b=c"' } }),
    });
    const headers = await new Promise<IncomingHttpHeaders>((resolve) => {
      const socket = new WebSocket(url);
      socket.on("error", () => {}).on("unexpected-response", (_, response) => resolve(response.headers));
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(headers["www-authenticate"]).toBe('Bearer error="a Set-Cookie: b=c"');
  });

  test("a server rejects connections above the limit", async () => {
    const { url } = await serve({ maxConnections: 1 });
    const first = await openBare(url);
    expect(await upgrade(url, {})).toBe(503);
    first.terminate();
    await expect.poll(() => upgrade(url, {})).toBe(101);
  });

  test("a server counts the connections that it accepts, not the attempts", async () => {
    const { authenticate, admit, requested } = createGate();
    const { url } = await serve({ maxConnections: 1, authenticate });
    const statuses = Promise.all([upgrade(url, {}), upgrade(url, {}), upgrade(url, {})]);
    await expect.poll(() => requested()).toBe(3);
    admit();
    expect((await statuses).sort()).toEqual([101, 503, 503]);
  });

  test("a server accepts no connections after it has closed", async () => {
    const { authenticate, admit, requested } = createGate();
    const http = createServer();
    const url = await listen(http);
    const connections: unknown[] = [];
    const service = serveWebSocket(http, { accept: (transport) => connections.push(transport), authenticate });
    const status = upgrade(url, {});
    await expect.poll(() => requested()).toBe(1);
    await service.close();
    admit();
    expect(await status).toBe(503);
    expect(connections).toEqual([]);
  });

  test("a server accepts its own path only", async () => {
    const { url } = await serve({ path: "/mcp" });
    expect(await upgrade(url, {})).toBe(101);
    expect(await upgrade(`${url}?x=1`, {})).toBe(101);
    expect(await upgrade(url.replace("/mcp", "/other"), {})).toBe(404);
  });

  test("a server closes with code 1001", async () => {
    const http = createServer();
    const url = await listen(http);
    const accept = createSuiteServer();
    const service = serveWebSocket(http, { accept });
    const code = closeCode(await openBare(url));
    await service.close();
    expect(await code).toBe(1001);
    expect(http.listening).toBe(true);
  });

  test.each<readonly [string, number, (socket: WebSocket) => void]>([
    ["a binary frame", 1003, (socket) => socket.send(Buffer.from("{}"))],
    ["more than the limit", 1009, (socket) => socket.send("x".repeat(2_000))],
    [
      "more than the limit in pieces",
      1009,
      (socket) => Array.from({ length: 20 }, () => socket.send("x".repeat(100), { fin: false })),
    ],
  ])("a server closes with %i after %s (R44)", async (_, code, act) => {
    const { url, connections } = await serve({ limits: { maxMessageBytes: 1_000 } });
    const socket = await openBare(url);
    const closed = closeCode(socket);
    act(socket);
    expect(await closed).toBe(code);
    expect(await connections[0]?.closed).toBeInstanceOf(Error);
  });

  test("a server closes with code 1007 after bytes that are not UTF-8", async () => {
    const { url } = await serve();
    const socket = await openBare(url);
    const closed = closeCode(socket);
    socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await closed).toBe(1007);
  });

  test("a server responds to invalid JSON with an error and stays connected (R2)", async () => {
    const { url } = await serve();
    const socket = await openBare(url);
    const response = nextMessage(socket);
    socket.send("{");
    expect(await response).toMatchObject({ error: { code: -32700 } });
    const pong = nextMessage(socket);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
    expect(await pong).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("a server disconnects a client that does not respond to its pings", async () => {
    const { url, connections } = await serve({ pingInterval: 20 });
    const { port } = new URL(url);
    const deaf = connectSocket(Number(port), "127.0.0.1");
    open.push(() => deaf.destroy());
    deaf.on("error", () => {});
    deaf.write(
      `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await expect.poll(() => connections.length).toBe(1);
    expect(await connections[0]?.closed).toBeInstanceOf(Error);
  });

  test("a server disconnects a client that sends pongs and does not read its pings", async () => {
    const { url, connections } = await serve({ pingInterval: 200 });
    const { port } = new URL(url);
    const deaf = connectSocket(Number(port), "127.0.0.1");
    deaf.on("error", () => {});
    deaf.write(
      `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    // A masked pong without content.
    const timer = setInterval(() => deaf.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0])), 20);
    open.push(() => {
      clearInterval(timer);
      deaf.destroy();
    });
    await expect.poll(() => connections.length).toBe(1);
    expect(await connections[0]?.closed).toBeInstanceOf(Error);
  });

  test("services of one HTTP server reject an upgrade for the path of none of them, and leave others to the application", async () => {
    const http = createServer();
    const url = await listen(http);
    for (const path of ["/a", "/b"]) {
      const service = serveWebSocket(http, { path, accept: () => {} });
      open.push(() => service.close());
    }
    const statusOf = (path: string): Promise<number> => upgrade(url.replace("/mcp", path), {});
    expect([await statusOf("/a"), await statusOf("/b"), await statusOf("/c")]).toEqual([101, 101, 404]);
    http.on("upgrade", (request, stream) => {
      if (request.url === "/c") stream.end("HTTP/1.1 418 Own\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
    expect([await statusOf("/a"), await statusOf("/b"), await statusOf("/c")]).toEqual([101, 101, 418]);
  });

  test("a server that was busy for longer than its interval reads the responses to its pings first", async () => {
    const { url } = await serve({ pingInterval: 40 });
    const socket = await openBare(url);
    const isOpen = new Promise((resolve) => {
      let pings = 0;
      socket.on("ping", () => {
        block(100);
        pings += 1;
        if (pings === 3) resolve(true);
      });
      socket.on("close", () => resolve(false));
    });
    expect(await isOpen).toBe(true);
  });

  test.each([
    ["says nothing", undefined],
    ["says nothing that is a message", "nonsense"],
  ])("a server releases the connection of a client that %s", async (_, text) => {
    const { url, connections } = await serve({ handshakeTimeout: 50, maxConnections: 1 });
    const socket = await openBare(url);
    const code = closeCode(socket);
    if (text !== undefined) socket.send(text);
    expect(await code).toBe(1008);
    expect(Object(await connections[0]?.closed).message).toContain("No message was received within 50 ms");
    await expect.poll(() => upgrade(url, {})).toBe(101);
  });

  test("a server disconnects a client that splits a message into a great many pieces (R44)", async () => {
    const { url, connections } = await serve();
    const socket = await openBare(url);
    const closed = closeCode(socket);
    for (let count = 0; count < 20_000; count += 1) socket.send("x", { fin: false });
    expect(await closed).toBe(1008);
    expect(await connections[0]?.closed).toBeInstanceOf(Error);
  });

  test("a server lets a client be idle after its first message", async () => {
    const { url, connections } = await serve({ handshakeTimeout: 50 });
    const socket = await openBare(url);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(connections[0]?.state).not.toBe("DISCONNECTED");
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  test("a server disconnects a client that requests pongs and does not read them", async () => {
    const { url, connections } = await serve({ limits: { maxBufferedBytes: 1_000_000 } });
    const socket = await openBare(url);
    socket.pause();
    let isOver = false;
    void connections[0]?.closed.then(() => (isOver = true));
    const payload = Buffer.alloc(125);
    for (let round = 0; round < 2_000 && !isOver; round += 1) {
      for (let count = 0; count < 100; count += 1) socket.ping(payload, true, () => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isOver).toBe(true);
  });

  test("a server disconnects a client that does not read (R25)", async () => {
    const { url, connections } = await serve({ limits: { maxBufferedBytes: 100_000 } });
    const socket = await openBare(url);
    const opened = nextMessage(socket);
    const params = { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
    await opened;
    socket.pause();
    for (let id = 1; id < 20; id += 1) {
      const call = { name: "large", arguments: { n: 500_000, text: "" } };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: call }));
    }
    expect(Object(await connections[0]?.closed).message).toContain("does not read");
  });
});

describe("a client", () => {
  test("a client over the platform's WebSocket exchanges the same messages", async () => {
    const { url } = await serve();
    const client = await connect(createWebSocketTransport(url, { WebSocket }), info);
    expect(await client.request("ping")).toEqual({});
    await client.close();
    expect(await client.closed).toBeUndefined();
  });

  test("a client over the platform's WebSocket uses close codes that pages may use", async () => {
    let code: Promise<number> | undefined;
    const url = await serveBare((socket) => {
      code = closeCode(socket);
      socket.send(Buffer.from("{}"));
    });
    const client = await connect(createWebSocketTransport(url, { WebSocket }), info);
    expect(Object(await client.closed).message).toContain("code 1003");
    expect(await code).toBe(4_003);
  });

  test("a client reports the remedy where the platform has no WebSocket", () => {
    vi.stubGlobal("WebSocket", undefined);
    expect(() => createWebSocketTransport("ws://127.0.0.1/")).toThrow("The platform has no WebSocket");
    vi.unstubAllGlobals();
  });

  test("a client reports the reason of a rejection", async () => {
    const { url } = await serve({ authenticate: () => ({ status: 401 }) });
    await expect(connectWs(url)).rejects.toMatchObject({
      name: "ClosedError",
      cause: { message: expect.stringContaining("401") },
    });
  });

  test("a client fails when no server listens", async () => {
    await expect(connectWs("ws://127.0.0.1:1/")).rejects.toMatchObject({ name: "ClosedError" });
  });

  test("a client disconnects a server that sends more than the limit (R50)", async () => {
    const url = await serveBare((socket) => socket.send("x".repeat(2_000)));
    const client = await connectWs(url, { limits: { maxMessageBytes: 1_000 } });
    expect(await client.closed).toBeInstanceOf(Error);
  });

  test("a client gets an error for a result of more than 16 MiB at once, and stays connected", async () => {
    const { url } = await serve();
    const client = await connectWs(url);
    const call = (name: string, n: number): Promise<unknown> =>
      client.request("tools/call", { name, arguments: { n, text: "other" } });
    const other = call("later", 500);
    await expect(call("large", 6_000_000)).rejects.toMatchObject({
      code: -32603,
      message: "The message is longer than 16777216 bytes; send smaller messages",
    });
    expect(await other).toMatchObject({ content: [{ text: "other" }] });
  });

  test("a client cannot send a request of more than 16 MiB, and stays connected", async () => {
    const { url } = await serve();
    const client = await connectWs(url);
    const params = { name: "echo", arguments: { text: "x".repeat(17 * 1024 * 1024) } };
    await expect(client.request("tools/call", params)).rejects.toThrow("The message is longer than 16777216 bytes");
    expect(await client.request("ping")).toEqual({});
  });

  test("a client gets a longer result when both ends allow it", async () => {
    const limits = { maxMessageBytes: 32 * 1024 * 1024 };
    const { url } = await serve({ limits });
    const client = await connectWs(url, { limits });
    const result = await client.request("tools/call", { name: "large", arguments: { n: 6_000_000, text: "" } });
    expect(JSON.stringify(result).length).toBeGreaterThan(6_000_000);
  });

  test("a client that closes does not wait for a silent server", async () => {
    const url = await serveBare((socket) => socket.pause());
    const client = await connectWs(url, { closeTimeout: 50 });
    await inTime(client.close(), "The end of the client");
    expect(await client.closed).toBeUndefined();
  });
});

function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => (resolve = done));
  return { promise, resolve };
}
