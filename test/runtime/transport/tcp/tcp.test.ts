import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { Connection } from "../../../../runtime/protocol/peer/peer.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import {
  createSocketTransport,
  createTcpTransport,
  listenTcp,
  type TcpClientOptions,
  type TcpServer,
  type TcpServerOptions,
} from "../../../../runtime/transport/tcp/tcp.ts";
import { inTime } from "../../../kit/time.ts";
import { newest } from "../../../kit/revisions.ts";
import { createSuiteServer } from "../transport.suite-server.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(
  options: Partial<TcpServerOptions> = {},
): Promise<{ readonly server: TcpServer; readonly connections: Connection[]; readonly sockets: Socket[] }> {
  const accept = createSuiteServer();
  const connections: Connection[] = [];
  const sockets: Socket[] = [];
  const server = await listenTcp({
    accept: (transport) => connections.push(accept(transport)),
    admit: (socket) => sockets.push(socket) > 0,
    ...options,
  });
  open.push(() => server.close());
  return { server, connections, sockets };
}

async function connectTcp(options: TcpClientOptions): Promise<ClientConnection> {
  const client = await connect(createTcpTransport(options), { info: { name: "c", version: "1" }, revisions: [newest] });
  open.push(() => client.close());
  return client;
}

/** A bare connection, and what it has received line by line. */
function openBare(port: number): { readonly socket: Socket; readonly lines: () => unknown[] } {
  const socket = connectSocket({ port, host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.on("error", () => {});
  open.push(() => socket.destroy());
  return {
    socket,
    lines: () =>
      text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

test("a server listens on loopback only, by default (T-71, B-014)", async () => {
  const { server, sockets } = await serve();
  await connectTcp({ port: server.port });
  expect(sockets[0]?.localAddress).toBe("127.0.0.1");
});

test("a server listens on a local socket", async () => {
  const path = join(tmpdir(), `mcp-${process.pid}-${Math.random()}.sock`);
  const { server } = await serve({ path });
  const client = await connectTcp({ path });
  expect(await client.request("ping")).toEqual({});
  expect(server.port).toBe(0);
});

describe.skipIf(process.platform === "win32")("a path that exists", () => {
  const toPath = (): string => join(tmpdir(), `mcp-${process.pid}-${Math.random()}.sock`);

  /** Creates the file of a local socket on which no program listens. */
  async function leaveSocket(): Promise<string> {
    const path = toPath();
    const crashed = createServer();
    await new Promise<void>((resolve) => crashed.listen(path, resolve));
    // The end of a server would remove its file.
    await rename(path, `${path}.kept`);
    await new Promise((resolve) => crashed.close(resolve));
    await rename(`${path}.kept`, path);
    return path;
  }

  test("a server listens on a local socket that a crash has left", async () => {
    const path = await leaveSocket();
    await serve({ path });
    expect(await (await connectTcp({ path })).request("ping")).toEqual({});
  });

  test("a server does not take the path of another one", async () => {
    const path = toPath();
    await serve({ path });
    const error = { code: "EADDRINUSE", message: expect.stringContaining("the path is in use") };
    await expect(listenTcp({ path, accept() {} })).rejects.toMatchObject(error);
    expect(await (await connectTcp({ path })).request("ping")).toEqual({});
  });

  test("a server does not remove a file that is no socket", async () => {
    const path = toPath();
    await writeFile(path, "text");
    open.push(() => rm(path));
    await expect(listenTcp({ path, accept() {} })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(await readFile(path, "utf8")).toBe("text");
  });
});

test("connections have sessions of their own", async () => {
  const { server, connections } = await serve();
  const [a, b] = await Promise.all([connectTcp({ port: server.port }), connectTcp({ port: server.port })]);
  await a.close();
  expect(await b.request("ping")).toEqual({});
  expect(connections).toHaveLength(2);
});

test("a client that closes its sending side still gets its responses (half-close)", async () => {
  const { server } = await serve();
  const { socket, lines } = openBare(server.port);
  const params = { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const call = { name: "later", arguments: { n: 50, text: "late" } };
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\r\n\n`);
  socket.end(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call })}\n`);
  await new Promise((resolve) => socket.once("end", resolve));
  expect(lines()).toMatchObject([{ id: 1 }, { id: 2, result: { content: [{ text: "late" }] } }]);
});

test("bytes may come in any pieces (T-03, TX-03)", async () => {
  const { server } = await serve();
  const { socket, lines } = openBare(server.port);
  socket.setNoDelay(true);
  for (const byte of Buffer.from(`{"jsonrpc":"2.0","id":"ä€😀","method":"ping"}\n`)) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(lines).toEqual([{ jsonrpc: "2.0", id: "ä€😀", result: {} }]);
});

test("invalid JSON gets a response, and the connection stays open (R2)", async () => {
  const { server } = await serve();
  const { socket, lines } = openBare(server.port);
  const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;
  socket.write(`${ping(1)}nonsense\n${ping(2)}`);
  await expect.poll(lines).toMatchObject([{ id: 1, result: {} }, { error: { code: -32700 } }, { id: 2, result: {} }]);
});

describe("a connection that does not begin with a message", () => {
  const call = { jsonrpc: "2.0", id: 2, method: "ping" };
  const bodyOf = (...messages: object[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

  test.each([
    ["an HTTP request", `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\n${bodyOf(call)}`],
    ["blanks and an HTTP request", `\r\n \t\nPOST / HTTP/1.1\r\n\r\n${bodyOf(call)}`],
    ["the hello of TLS", `\u0016\u0003\u0001\n${bodyOf(call)}`],
    ["a text", `"text"\n${bodyOf(call)}`],
  ])(
    "a connection that does not begin with a message is closed, and nothing on it is executed: %s",
    async (_, text) => {
      const { server, connections } = await serve();
      const { socket, lines } = openBare(server.port);
      const ended = new Promise((resolve) => socket.once("end", resolve));
      socket.write(text);
      await ended;
      expect(lines()).toEqual([{ jsonrpc: "2.0", error: expect.objectContaining({ code: -32700 }) }]);
      socket.end();
      await connections[0]?.closed;
    },
  );

  test("a connection that does not begin with a message is closed when it sends byte by byte", async () => {
    const { server } = await serve();
    const { socket, lines } = openBare(server.port);
    socket.setNoDelay(true);
    const ended = new Promise((resolve) => socket.once("end", resolve));
    for (const byte of Buffer.from(`\n\nPOST /\n${bodyOf(call)}`)) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    expect(lines()).toEqual([{ jsonrpc: "2.0", error: expect.objectContaining({ code: -32700 }) }]);
  });

  test("a POST of a page with a whole session in its body opens no session", async () => {
    const { server, connections } = await serve();
    const body = `\n${bodyOf(opening, call)}`;
    const headers = { origin: "https://evil.example", "content-type": "text/plain" };
    const response = await fetch(`http://127.0.0.1:${server.port}`, { method: "POST", body, headers }).catch(String);
    expect(response).toContain("TypeError");
    expect(connections[0]?.session).toBeUndefined();
  });

  test("a socket that the program accepts itself is closed without a first message", async () => {
    const accept = createSuiteServer();
    const server = createServer({ allowHalfOpen: true }, (socket) => accept(createSocketTransport(socket)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(() => server.close());
    const address = server.address();
    const { socket, lines } = openBare(typeof address === "object" && address ? address.port : 0);
    const ended = new Promise((resolve) => socket.once("end", resolve));
    socket.end(`POST / HTTP/1.1\r\n\r\n${bodyOf(call)}`);
    await ended;
    expect(lines()).toEqual([{ jsonrpc: "2.0", error: expect.objectContaining({ code: -32700 }) }]);
  });

  test.each([
    ["blank lines", "\r\n\n"],
    ["a byte order mark", "\ufeff"],
  ])("a connection may begin with %s before the first message", async (_, before) => {
    const { server } = await serve();
    const { socket, lines } = openBare(server.port);
    socket.write(`${before}${bodyOf(call)}`);
    await expect.poll(lines).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });
});

test("a line over the limit gets one response and is skipped (R24)", async () => {
  const { server } = await serve({ limits: { maxMessageBytes: 1_000 } });
  const { socket, lines } = openBare(server.port);
  socket.write(`{${"x".repeat(5_000)}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
  await expect.poll(lines).toMatchObject([{ error: { code: -32600 } }, { id: 1, result: {} }]);
});

test("a result above the limit of the client fails its call at once, and no other", async () => {
  const { server } = await serve();
  const client = await connectTcp({ port: server.port, limits: { maxMessageBytes: 1_000_000 } });
  const call = (name: string, n: number): Promise<unknown> =>
    client.request("tools/call", { name, arguments: { n, text: "other" } });
  const other = call("later", 500);
  await expect(call("large", 1_000_000)).rejects.toThrow("The message is longer than 1000000 bytes");
  expect(await other).toMatchObject({ content: [{ text: "other" }] });
});

test("a request above the limit of the server fails at once, and no other", async () => {
  const { server } = await serve({ limits: { maxMessageBytes: 1_000_000 } });
  const client = await connectTcp({ port: server.port });
  const params = { name: "echo", arguments: { n: 0, text: "x".repeat(2_000_000) } };
  await expect(client.request("tools/call", params)).rejects.toMatchObject({ code: -32600 });
  expect(await client.request("ping")).toEqual({});
});

test.each([
  ["says no", () => false],
  ["returns nothing", () => Object(undefined)],
  ["returns a text", () => Promise.resolve(Object("no"))],
  ["fails", () => Promise.reject(new Error("no"))],
])("a connection is dropped when the hook %s", async (_, admit) => {
  const { server, connections } = await serve({ admit });
  await expect(connectTcp({ port: server.port })).rejects.toMatchObject({ name: "ClosedError" });
  expect(connections).toEqual([]);
});

test.each([
  [
    "accepts connections throws",
    {
      accept: () => {
        throw new Error("broken");
      },
    },
  ],
  ["accepts connections rejects", { accept: () => Promise.reject(new Error("broken")) }],
  [
    "admits connections throws",
    {
      admit: () => {
        throw new Error("broken");
      },
    },
  ],
  ["admits connections rejects", { admit: () => Promise.reject(new Error("broken")) }],
])("a hook that %s is reported, and the connection is closed", async (_, hooks) => {
  const reports: ErrorReport[] = [];
  const { server, sockets } = await serve({ onError: (report) => reports.push(report), ...hooks });
  const { socket } = openBare(server.port);
  await inTime(
    new Promise((resolve) => socket.once("close", resolve).once("end", resolve)),
    "The end of the connection",
  );
  expect(reports).toMatchObject([{ kind: "transport", error: { message: "broken" } }]);
  expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  await expect(inTime(server.close(), "The end of the server")).resolves.toBeUndefined();
});

test("a throwing error hook does not end the process", async () => {
  const fail = (): never => {
    throw new Error("broken");
  };
  const { server } = await serve({ onError: fail, accept: fail });
  await expect(connectTcp({ port: server.port })).rejects.toMatchObject({ name: "ClosedError" });
});

test("connections above the limit are closed", async () => {
  const { server } = await serve({ maxConnections: 1 });
  await connectTcp({ port: server.port });
  await expect(connectTcp({ port: server.port })).rejects.toMatchObject({ name: "ClosedError" });
});

test("a server that closes does not wait for connections in authentication", async () => {
  let admit = (_: boolean): void => {};
  let isRequested = false;
  const { server, connections } = await serve({
    admit: () => {
      isRequested = true;
      return new Promise<boolean>((resolve) => (admit = resolve));
    },
  });
  openBare(server.port);
  await expect.poll(() => isRequested).toBe(true);
  await server.close();
  admit(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(connections).toEqual([]);
});

test("a server that closes does not wait for a TLS client without a handshake", async () => {
  const { server } = await serve({ tls: {} });
  const { socket } = openBare(server.port);
  const ended = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  await new Promise((resolve) => socket.once("connect", resolve));
  await expect(inTime(server.close(), "The end of the server")).resolves.toBeUndefined();
  await inTime(ended, "The end of the connection");
});

test("a server that closes accepts nothing more, and responds to running requests (R27)", async () => {
  const { server } = await serve({ accept: createSuiteServer() });
  const client = await connectTcp({ port: server.port });
  const result = client.request("tools/call", { name: "later", arguments: { n: 100, text: "done" } });
  await client.request("ping");
  const closed = server.close();
  await expect(connectTcp({ port: server.port })).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  expect(await result).toMatchObject({ content: [{ text: "done" }] });
  await closed;
});

test("a client gets an error when no server listens", async () => {
  const { server } = await serve();
  await server.close();
  await expect(connectTcp({ port: server.port })).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

test("a port in use is an error of `listen`", async () => {
  const { server } = await serve();
  await expect(listenTcp({ port: server.port, accept() {} })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a client that closes does not wait for a server that stays connected", async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    open.push(() => socket.destroy());
    socket.once("data", (data) => {
      const { id, params } = JSON.parse(String(data));
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
      };
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => server.close());
  const address = server.address();
  const client = await connectTcp({
    port: typeof address === "object" && address ? address.port : 0,
    flushTimeout: 50,
  });
  await inTime(client.close(), "The end of the client");
  expect(await client.closed).toBeUndefined();
});

const opening = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "c", version: "1" } },
};

test.each([
  ["says nothing", ""],
  ["says only half of something", '{"jsonrpc":'],
  ["says nothing that is a message", "{nonsense\n"],
])("a client that %s releases its connection", async (_, text) => {
  const { server, connections } = await serve({ handshakeTimeout: 50, maxConnections: 1 });
  const { socket } = openBare(server.port);
  socket.write(text);
  const hungUp = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  await expect.poll(() => connections.length).toBe(1);
  expect(Object(await connections[0]?.closed).message).toContain("No message was received within 50 ms");
  await hungUp;
  socket.destroy();
  await expect.poll(() => connectTcp({ port: server.port }).then(() => "open", String)).toBe("open");
});

test("a TLS client without a handshake releases its connection", async () => {
  const { server } = await serve({ handshakeTimeout: 50, tls: {} });
  const { socket, lines } = openBare(server.port);
  await inTime(
    new Promise((resolve) => socket.once("end", resolve).once("close", resolve)),
    "The end of the connection",
  );
  expect(lines()).toEqual([]);
});

test("a client that has sent a message may be idle without limit", async () => {
  const { server, connections } = await serve({ handshakeTimeout: 50 });
  const { socket, lines } = openBare(server.port);
  socket.write(`${JSON.stringify(opening)}\n`);
  await new Promise((resolve) => setTimeout(resolve, 150));
  socket.write(`{"jsonrpc":"2.0","id":2,"method":"ping"}\n`);
  await expect.poll(lines).toMatchObject([{ id: 1 }, { id: 2, result: {} }]);
  expect(connections[0]?.state).not.toBe("DISCONNECTED");
});

test("the time-out of the first message can be switched off", async () => {
  const { server } = await serve({ handshakeTimeout: Infinity, tls: {} });
  const { socket } = openBare(server.port);
  await new Promise((resolve) => socket.once("connect", resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(socket.readableEnded).toBe(false);
});

test("a client that does not read its responses is disconnected (R25)", async () => {
  const { server, connections, sockets } = await serve();
  const { socket } = openBare(server.port);
  socket.pause();
  socket.write(`${JSON.stringify(opening)}\n`);
  const call = { name: "large", arguments: { n: 4_000_000, text: "" } };
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call })}\n`);
  await expect.poll(() => sockets[0]?.writableLength).toBeGreaterThan(0);
  expect(sockets[0]?.timeout).toBe(30_000);
  sockets[0]?.setTimeout(50);
  expect(Object(await connections[0]?.closed).message).toContain("The peer does not read");
});

test("a client that has read every response may be idle without limit", async () => {
  const { server, connections, sockets } = await serve();
  const { socket, lines } = openBare(server.port);
  socket.write(`${JSON.stringify(opening)}\n`);
  await expect.poll(lines).toHaveLength(1);
  sockets[0]?.setTimeout(20);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(connections[0]?.state).not.toBe("DISCONNECTED");
});
