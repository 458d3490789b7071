import { createServer as createHttpServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createTcpTransport, listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import { createWebSocketTransport } from "../../../runtime/transport/websocket/websocket-client.ts";
import { serveWebSocket } from "../../../runtime/transport/websocket/ws-package.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { serveScript } from "../../kit/scripted-server.ts";

/* One endpoint for every revision, at the same time, over transports that are neither stdio nor HTTP. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const server = createServer(
  {
    name: "both",
    version: "1",
    tools: [{ name: "say", execute: (_args, { revision }) => revision }],
    resources: [{ uri: "note://a", name: "a", read: () => "" }],
    subscribe: true,
    listChanged: true,
  },
  revisions,
);

async function overTcp(): Promise<ConnectionFactory> {
  const accept = createServerAcceptor(server);
  const listener = await listenTcp({ accept });
  closers.push(() => listener.close());
  return (options) => connect(createTcpTransport({ port: listener.port }), options);
}

async function overWebSocket(): Promise<ConnectionFactory> {
  const accept = createServerAcceptor(server);
  const http = createHttpServer();
  const service = serveWebSocket(http, { accept });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    await service.close();
    http.close();
  });
  const address = http.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return (options) => connect(createWebSocketTransport(`ws://127.0.0.1:${port}/`, { WebSocket }), options);
}

describe.each([
  ["TCP", overTcp],
  ["WebSocket", overWebSocket],
])("over %s", (_name, listen) => {
  test("clients of every revision are served by one endpoint, at the same time (DE-01, DE-02, TX-01)", async () => {
    const open = await listen();
    const clients = revisions.map((revision) =>
      createClient<Declarations>({ info: { name: "c", version: "1" }, revisions: [revision] }),
    );
    closers.push(() => Promise.all(clients.map((client) => client.close())));
    const sessions = await Promise.all(clients.map((client) => client.connect(open)));
    expect(sessions.map((session) => session.revision)).toEqual(revisions);
    const received: string[] = [];
    for (const session of sessions) {
      const { id } = session.revision;
      expect((await session.callTool("say")).content).toEqual([{ type: "text", text: id }]);
      await session.subscribe("note://a", () => received.push(id));
    }
    server.resources.notifyUpdated("note://a");
    await expect.poll(() => [...received].sort()).toEqual(revisions.map(({ id }) => id).sort());
  });

  test("a client of every revision needs no session (TX-04)", async () => {
    const open = await listen();
    const client = createClient<Declarations>({ info: { name: "c", version: "1" }, revisions });
    closers.push(() => client.close());
    const session = await client.connect(open);
    expect(session.revision).toBe(statelessRevision);
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(session.callTool("say", {}, { signal: stop.signal })).rejects.toThrow("enough");
    expect((await session.callTool("say")).content).toEqual([{ type: "text", text: statelessRevision.id }]);
  });
});

test("a stream over HTTP that breaks is lost, whatever ids its events have: nothing is resumed (TH-31)", async () => {
  const scripted = await serveScript(({ message: { id, method } }, response) => {
    const result = { resultType: "complete", supportedVersions: [statelessRevision.id], capabilities: { tools: {} } };
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "server/discover") response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    else response.end("id: 7\nretry: 1\ndata:\n\n");
    return true;
  });
  closers.push(() => scripted.close());
  const info = { name: "c", version: "1" };
  const client: ClientConnection = await connect(createHttpClientTransport(scripted.url), { info, revisions });
  closers.push(() => client.close());
  await expect(client.request("tools/list")).rejects.toMatchObject({ name: "LostError" });
  expect(scripted.requests.map(({ method, message }) => [method, message.id])).toEqual([
    ["POST", 1],
    ["POST", 2],
  ]);
});
