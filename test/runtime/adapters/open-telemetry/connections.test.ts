import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { SpanKind, type Attributes } from "@opentelemetry/api";
import { revisions } from "../../../../generated/revisions.ts";
import { openTelemetry } from "../../../../runtime/adapters/open-telemetry/index.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { createTcpTransport, listenTcp } from "../../../../runtime/transport/tcp/tcp.ts";
import { createWsTransport, listenWebSocket } from "../../../../runtime/transport/websocket/index.ts";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { collect } from "./collected.ts";

const collected = collect();
const telemetry = openTelemetry();
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const server = createServer(
  {
    name: "server",
    version: "1",
    tools: [
      {
        name: "asking",
        async execute(_none, { elicit }) {
          const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
          return JSON.stringify(typeof elicit === "function" && (await elicit({ message: "Name?", requestedSchema })));
        },
      },
    ],
  },
  revisions,
);
const accept = createServerAcceptor(server, { telemetry });
const client = { info: { name: "client", version: "1" }, revisions, lifecycle: "handshake", telemetry } as const;
const host = "127.0.0.1";

/** Connections over a transport, and the attributes of the network at the client, except for the port. */
const connections: readonly (readonly [string, () => Promise<ClientConnection>, Attributes])[] = [
  [
    "TCP",
    async () => {
      const listener = await listenTcp({ accept });
      ends.push(() => listener.close());
      return connect(createTcpTransport({ port: listener.port }), client);
    },
    { "network.transport": "tcp" },
  ],
  [
    "WebSocket",
    async () => {
      const listener = await listenWebSocket({ accept });
      ends.push(() => listener.close());
      return connect(createWsTransport(listener.url), client);
    },
    { "network.transport": "tcp", "network.protocol.name": "websocket" },
  ],
  [
    "Streamable HTTP",
    async () => {
      const listener = await serveHttp(server, { telemetry });
      ends.push(() => listener.close());
      return connectHttp(listener.url, client);
    },
    { "network.transport": "tcp", "network.protocol.name": "http" },
  ],
  [
    "HTTP with SSE",
    async () => {
      const listener = await serveHttp(server, { telemetry });
      ends.push(() => listener.close());
      return connectHttp(new URL("/sse", listener.url), client);
    },
    { "network.transport": "tcp", "network.protocol.name": "http" },
  ],
];

test.each(connections)("spans over %s have the addresses of both ends", async (_name, open, network) => {
  const connection = await open();
  ends.push(() => connection.close());
  await connection.request("tools/list", {});
  const port: unknown = expect.any(Number);
  for (const method of ["initialize", "notifications/initialized", "tools/list"]) {
    const [receiver, sender] = [SpanKind.SERVER, SpanKind.CLIENT].map((kind) =>
      collected.spans().find((span) => span.kind === kind && span.name === method),
    );
    expect(sender?.attributes).toMatchObject({ ...network, "server.address": host, "server.port": port });
    expect(receiver?.attributes).toMatchObject({ ...network, "client.address": host, "client.port": port });
  }
});

test.skipIf(process.platform === "win32")("spans over a local socket have no address", async () => {
  const path = join(await createTemporaryFolder("socket"), "server");
  const listener = await listenTcp({ accept, path });
  ends.push(() => listener.close());
  const connection = await connect(createTcpTransport({ path }), client);
  ends.push(() => connection.close());
  const attributes = collected.spans().flatMap((span) => Object.entries(span.attributes));
  expect(attributes).toContainEqual(["network.transport", "unix"]);
  expect(attributes.filter(([key]) => key.endsWith(".address"))).toEqual([]);
});

describe("a gateway", () => {
  test("a request to the client passes through the gateway in the trace of the call", async () => {
    const gateway = await createGateway(
      (options) => {
        const [near, far] = createInMemoryTransports();
        accept(far);
        return connect(near, { ...options, lifecycle: "handshake" });
      },
      { revisions, telemetry },
    );
    ends.push(() => gateway.close());
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const connection = await connect(near, {
      ...client,
      capabilities: { elicitation: { form: {} } },
      handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
    });
    ends.push(() => connection.close());
    await connection.request("tools/call", { name: "asking" });
    expect(collected.pathTo("elicitation/create")).toEqual([
      ["tools/call asking", "CLIENT"],
      ["tools/call asking", "SERVER"],
      ["tools/call asking", "CLIENT"],
      ["tools/call asking", "SERVER"],
      ["elicitation/create", "CLIENT"],
      ["elicitation/create", "SERVER"],
      ["elicitation/create", "CLIENT"],
      ["elicitation/create", "SERVER"],
    ]);
  });
});
