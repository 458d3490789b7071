import { createServer as createTcpServer } from "node:net";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { revisions } from "../../../generated/revisions.ts";
import { examine } from "../../../tools/check/examine.ts";
import type { CheckReport } from "../../../tools/check/finding.ts";
import { createTcpWires } from "../../../tools/check/wires/tcp-wire.ts";
import { createWebSocketWires } from "../../../tools/check/wires/websocket-wire.ts";
import type { WireFactory } from "../../../tools/check/wires/wire.ts";
import type { RequestHead } from "../../../runtime/transport/http-server/exchange/exchange.ts";
import { createOurServer } from "../../interop/our-server.ts";
import { serveSockets, serveTcp } from "../live/socket-servers.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { rulesOf } from "./rules-of.ts";

const ids = handshakeRevisions.map(({ id }) => id);

function wiresOf(address: string, headers = {}): WireFactory {
  const url = new URL(address);
  const timeout = 50_000;
  return url.protocol === "tcp:"
    ? createTcpWires({ host: url.hostname, port: Number(url.port), timeout })
    : createWebSocketWires({ url, headers, timeout });
}

function look(wires: WireFactory, spoken = revisions): Promise<CheckReport> {
  return examine(wires, { target: "test", revisions: spoken });
}

/** Responds to handshakes and pings, and to nothing well. */
function respondToLine(line: string, send: (text: string) => void): void {
  const { id, method, params } = parse(line);
  const result = {
    protocolVersion: params?.protocolVersion,
    capabilities: {},
    serverInfo: { name: "bare", version: "0" },
  };
  if (id === undefined) return;
  if (method === "initialize") send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  else if (method === "ping") send(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  else send(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
}

function parse(line: string): { id?: unknown; method?: unknown; params?: { protocolVersion: string } } {
  try {
    return JSON.parse(line);
  } catch {
    // Passes over what is not JSON.
    return {};
  }
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

describe("`check` over TCP", () => {
  test(
    "`check` over TCP finds only missing descriptions of tools in a server of this package",
    { timeout: 120_000 },
    async () => {
      const report = await look(wiresOf(await serveTcp(createOurServer(ids))));
      expect(report).toMatchObject({ server: { name: "ours" }, revisions: ids });
      expect(rulesOf(report)).toEqual(["tool-description"]);
      expect(report.results.map(({ rule }) => rule.id)).toContain("tcp-http-request");
    },
  );

  test("`check` over TCP reports a server that reads the body of an HTTP request", { timeout: 60_000 }, async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.setEncoding("utf8").on("data", (text) => {
          for (const line of String(text).split("\n")) respondToLine(line, (response) => socket.write(`${response}\n`));
        });
      }),
    );
    expect(rulesOf(await look(wiresOf(`tcp://127.0.0.1:${port}`), [newest]))).toContain("tcp-http-request");
  });

  test("`check` over TCP reports the reason when a connection cannot be opened", { timeout: 60_000 }, async () => {
    const report = await look(wiresOf("tcp://127.0.0.1:1"), [newest]);
    expect(rulesOf(report)).toEqual(["known-revision"]);
    expect(JSON.stringify(report.results)).toMatch(/ECONNREFUSED/);
  });
});

describe("`check` over WebSocket", () => {
  test(
    "`check` over WebSocket finds only missing descriptions of tools in a server of this package",
    { timeout: 120_000 },
    async () => {
      const report = await look(wiresOf(await serveSockets(createOurServer(ids))));
      expect(report).toMatchObject({ server: { name: "ours" }, revisions: ids });
      expect(rulesOf(report)).toEqual(["tool-description"]);
      expect(report.results.map(({ rule }) => rule.id)).toContain("http-origin");
    },
  );

  test(
    "`check` over WebSocket reports a server that accepts foreign origins and sends binary data",
    { timeout: 60_000 },
    async () => {
      const http = createServer();
      const sockets = new WebSocketServer({ server: http });
      sockets.on("connection", (socket) => {
        socket.on("error", () => {});
        socket.on("message", (data) => {
          socket.send(Buffer.from([1]));
          respondToLine(String(data), (response) => socket.send(response));
        });
      });
      const port = await listen(http);
      onTestFinished(() => sockets.clients.forEach((socket) => socket.terminate()));
      const broken = rulesOf(await look(wiresOf(`ws://127.0.0.1:${port}/mcp`), [newest]));
      expect(broken).toEqual(expect.arrayContaining(["http-origin", "clean-output"]));
    },
  );

  test(
    "`check` over WebSocket sends headers, and reports a connection that is rejected",
    { timeout: 60_000 },
    async () => {
      const authenticate = (head: RequestHead) =>
        head.header("authorization") === "Bearer key" ? { principal: "me" } : { status: 401 };
      const url = await serveSockets(createOurServer(ids), { authenticate });
      const rejected = await look(wiresOf(url), [newest]);
      expect(rulesOf(rejected)).toEqual(["known-revision"]);
      expect(JSON.stringify(rejected.results)).toMatch(/401/);
      expect((await look(wiresOf(url, { Authorization: "Bearer key" }), [newest])).revisions).toEqual([newest.id]);
    },
  );
});
