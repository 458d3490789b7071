import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { runCheck } from "../../../cli/commands/check.ts";
import { runDiff } from "../../../cli/commands/diff.ts";
import { explain } from "../../../cli/commands/explain.ts";
import { fetchContract } from "../../../tools/live/fetch-contract.ts";
import { readServerAddress, toServer } from "../../../tools/live/server-address.ts";
import { readTarget } from "../../../tools/live/target.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/index.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { captured, client } from "../../kit/commands.ts";
import type { RequestHead } from "../../../runtime/transport/http-server/exchange/exchange.ts";
import { createOurServer } from "../../interop/our-server.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { serveSockets, serveTcp } from "./socket-servers.ts";

const ids = handshakeRevisions.map(({ id }) => id);
const access = { headers: {}, env: {}, timeout: 50_000, sse: false };

const flat = '{"name":"flat","inputSchema":{"type":"object"}}';

const transports = [
  ["TCP", () => serveTcp(createOurServer(ids))],
  ["WebSocket", () => serveSockets(createOurServer(ids))],
] as const;

test.each(transports)("`client` writes a typed client of a server over %s", async (_name, serve) => {
  const out = join(mkdtempSync(join(tmpdir(), "sockets-")), "client");
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const { code, stdout, stderr } = await client([await serve()], { out });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/createOursClient/);
});

test("`client` names a tool that is nested too deeply, and writes the others", async () => {
  const schema = (levels: number): string => `${'{"a":'.repeat(levels)}{}${"}".repeat(levels)}`;
  const tools = [`{"name":"deep","inputSchema":{"type":"object","properties":${schema(600)}}}`, flat];
  const results: Readonly<Record<string, string>> = {
    initialize: `{"protocolVersion":"${newest.id}","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}`,
    "tools/list": `{"tools":[${tools.join(",")}]}`,
  };
  const server = createTcpServer((socket) => {
    createInterface({ input: socket }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const body = results[method] ? `"result":${results[method]}` : '"error":{"code":-32601,"message":"none"}';
      if (id !== undefined) socket.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const out = join(mkdtempSync(join(tmpdir(), "sockets-")), "client");
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const { code, stdout, stderr } = await client([`tcp://127.0.0.1:${port}`], { out });
  expect(code).toBe(0);
  expect(stdout).toContain("1 tool");
  expect(stderr).toContain('"deep" is left out of the list');
});

test.each(transports)("`diff` compares servers over %s", async (_name, serve) => {
  const address = await serve();
  const { code, stdout } = await captured(() => runDiff({ older: address, newer: address, format: "json" }));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ changes: [] });
});

test.each(transports)("`explain` reads a server over %s", async (_name, serve) => {
  const explanation = await explain({ server: [await serve()], protocol: newest.id });
  expect(explanation.server.name).toBe("ours");
});

test.each(transports)("the gateway serves a server over %s at every revision", async (_name, serve) => {
  const gateway = await createGateway(toServer(await readServerAddress([await serve()], { headers: {}, env: {} })), {
    revisions,
  });
  onTestFinished(() => gateway.close());
  for (const revision of revisions) {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const connection = await connect(near, { info: { name: "test", version: "1" }, revisions: [revision] });
    const { tools } = Object(await connection.request("tools/list", {}));
    expect(tools.length).toBeGreaterThan(0);
    await connection.close();
  }
});

test("headers are sent with the upgrade of a WebSocket", async () => {
  const authenticate = (head: RequestHead) =>
    head.header("x-key") === "right" ? { principal: "me" } : { status: 401 };
  const target = readTarget([await serveSockets(createOurServer(ids), { authenticate })]);
  const pull = (headers: Readonly<Record<string, string>>) => fetchContract(target, { ...access, revisions, headers });
  await expect(pull({})).rejects.toThrow(/401.*which headers it requires/);
  expect((await pull({ "X-Key": "right" })).server.name).toBe("ours");
});

test.each([
  ["tcp://127.0.0.1:1", /tcp:\/\/127\.0\.0\.1:1 cannot be read: .*ECONNREFUSED.*Check that the server is running/],
  [
    "ws://127.0.0.1:1/mcp",
    /ws:\/\/127\.0\.0\.1:1\/mcp cannot be read: .*ECONNREFUSED.*Check that the server is running/,
  ],
])("`client` reports that no server listens at %s", async (address, says) => {
  const { code, stderr } = await client([address]);
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
});

test("`client` reports the HTTP status when the server of a WebSocket address serves only HTTP", async () => {
  const http = createServer((_request, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const place = http.address();
  const port = typeof place === "object" && place ? place.port : 0;
  expect((await client([`ws://127.0.0.1:${port}/mcp`])).stderr).toMatch(/cannot be read: .*404/);
});

test.each([
  [{ header: ["X-Key: k"] }, "tcp://127.0.0.1:1", /--header does not apply to TCP, which has no headers; remove it/],
  [{ sse: true }, "tcp://127.0.0.1:1", /--sse applies to http and https addresses only; remove it/],
  [{ sse: true }, "ws://127.0.0.1:1", /--sse applies to http and https addresses only; remove it/],
])(
  "`client` and `check` reject an option that the transport does not support: %j of %s",
  async (flags, address, says) => {
    const requested = await client([address], flags);
    const checked = await captured(() => runCheck({ target: [address], format: "text", failOn: "error", ...flags }));
    for (const { code, stderr } of [requested, checked]) {
      expect(code).toBe(2);
      expect(stderr).toMatch(says);
    }
  },
);
