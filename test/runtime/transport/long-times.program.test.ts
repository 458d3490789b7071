import { createServer as createHttpServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { introspectTokens } from "../../../runtime/auth/server/index.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { withDeadline } from "../../../cluster/engine/deadline.ts";
import { createServerCardReader } from "../../../runtime/server-card/client/card-reader.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createTcpTransport, listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { createWsTransport } from "../../../runtime/transport/websocket/ws-package.ts";
import { listenWebSocket } from "../../../runtime/transport/websocket/websocket-server.ts";
import { createProgram } from "../../kit/programs.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { joinGateway } from "../gateway/connect-client.ts";
import { collectWarnings } from "../many-input-requests.ts";
import type { Run } from "../server/input/raw-client.ts";
import { createGate } from "../../kit/time.ts";
import { createSuiteServer } from "./transport.suite-server.ts";

/* Times that are longer than a timer of the platform, which fires at once then: `Infinity` is none, and others are as long as they say. */

const script = await createProgram(new URL("./stdio/fixtures/suite-server.ts", import.meta.url));
const info = { name: "test", version: "1.0.0" };

const execute: Run = async (_args, { elicit }) => {
  await elicit({ message: "Go on?", requestedSchema: { type: "object", properties: {} } });
  return "done";
};
const asking = createServer({ ...info, tools: [{ name: "t", execute }] }, [newest]);

async function open(transport: Transport, time: number): Promise<ClientConnection> {
  const timeouts = { request: time, work: time, wait: time, total: time, handler: time, drain: time };
  const client = await connect(transport, { info, revisions: [newest], timeouts });
  onTestFinished(() => client.close());
  return client;
}

/** Calls the server, and closes the connection. */
async function use(transport: Transport, time: number): Promise<void> {
  const client = await open(transport, time);
  expect(await client.request("ping")).toEqual({});
  await client.close();
}

/** Serves a tool over HTTP, with every time. */
async function serve(time: number): Promise<{
  readonly url: string;
  readonly begun: Promise<void>;
  readonly finish: () => void;
  readonly close: () => Promise<void>;
}> {
  const [begun, finished] = [createGate(), createGate()];
  const execute = async (): Promise<string> => {
    begun.open();
    await finished.opened;
    return "done";
  };
  const server = createServer({ ...info, tools: [{ name: "work", execute }] }, [newest]);
  const times = { headersTimeout: time, requestTimeout: time, keepAliveTimeout: time, bodyTimeout: time };
  const sessions = { ttl: time };
  const options = {
    ...times,
    closeTimeout: time,
    keepAlive: time,
    sessions,
    sse: { path: "/sse", handshakeTimeout: time },
  };
  const listener = await serveHttp(server, options);
  onTestFinished(() => listener.close());
  return { url: listener.url, begun: begun.opened, finish: finished.open, close: () => listener.close() };
}

async function respondWith(body: string): Promise<string> {
  const server = createHttpServer((_request, response) => void response.end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

type Case = readonly [name: string, run: (time: number) => Promise<void>];

const cases: readonly Case[] = [
  [
    "a closing HTTP server waits for running calls",
    async (time) => {
      const server = await serve(time);
      const options = { acceptTimeout: time, closeTimeout: time, reconnect: { initialDelay: time, maxDelay: time } };
      const client = await open(createHttpClientTransport(server.url, options), time);
      const working = client.request("tools/call", { name: "work" });
      await server.begun;
      const closing = server.close();
      server.finish();
      expect(await working).toMatchObject({ content: [{ text: "done" }] });
      await client.close();
      await closing;
    },
  ],
  [
    "HTTP with SSE",
    async (time) => {
      const { url } = await serve(time);
      const options = { endpointTimeout: time, acceptTimeout: time };
      await use(createSseClientTransport(new URL("/sse", url).href, options), time);
    },
  ],
  [
    "TCP",
    async (time) => {
      const listener = await listenTcp({ accept: createSuiteServer(), handshakeTimeout: time, flushTimeout: time });
      onTestFinished(() => listener.close());
      await use(createTcpTransport({ port: listener.port, flushTimeout: time }), time);
    },
  ],
  [
    "WebSocket",
    async (time) => {
      const options = { handshakeTimeout: time, pingInterval: time, closeTimeout: time };
      const listener = await listenWebSocket({ accept: createSuiteServer(), ...options });
      onTestFinished(() => listener.close());
      await use(createWsTransport(listener.url, options), time);
    },
  ],
  [
    "stdio of a child process",
    async (time) => {
      const shutdown = { terminate: time, kill: time };
      const command = { command: process.execPath, args: [script], stderr: "ignore" } as const;
      await use(createStdioClientTransport({ ...command, shutdown }), time);
    },
  ],
  [
    "a client that pings, caches and reconnects",
    async (time) => {
      const { url } = await serve(time);
      const options = { keepAlive: { interval: time, timeout: time }, cache: { maxAge: time } };
      const client = createClient({ info, revisions: [newest], ...options, reconnect: { initialDelay: time } });
      const session = await client.connect((options) => connect(createHttpClientTransport(url), options));
      expect(await session.listTools()).toMatchObject([{ name: "work" }]);
      await session.close();
    },
  ],
  [
    "a gateway that waits for input responses",
    async (time) => {
      const options = { revisions, inputTimeout: time, idleTimeout: time };
      // A server with sessions: the gateway itself waits for the responses.
      const gateway = await createGateway((given) => {
        const [near, far] = createInMemoryTransports();
        createServerAcceptor(asking)(far);
        return connect(near, given);
      }, options);
      onTestFinished(() => gateway.close());
      const client = await joinGateway(gateway, statelessRevision, { elicitation: { form: {} } });
      onTestFinished(() => client.close());
      const first = await client.request("tools/call", { name: "t" });
      // A timer that fires at once is due by now.
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (!isObject(first) || !isObject(first.inputRequests)) return expect.unreachable("The tool needs input");
      const responses = Object.keys(first.inputRequests).map((key) => [key, { action: "decline" }]);
      const retry = { requestState: first.requestState, inputResponses: Object.fromEntries(responses) };
      const result = await client.request("tools/call", { name: "t", ...retry });
      expect(result).toMatchObject({ content: [{ text: "done" }] });
    },
  ],
  [
    "introspection of tokens",
    async (timeout) => {
      const endpoint = await respondWith('{"active":false}');
      const verify = introspectTokens({ endpoint, clientId: "a", clientSecret: "b", timeout });
      expect(await verify("token", { issuers: ["https://login.example.com"] })).toBeUndefined();
    },
  ],
  [
    "a reader of server cards",
    async (timeout) => {
      const url = await respondWith("{}");
      const reader = createServerCardReader({ timeout, networks: ["loopback"] });
      expect(String(await reader.readCatalog(url).catch(String))).not.toMatch(/took longer/);
    },
  ],
  [
    "an operation of an engine",
    async (time) => {
      const reply = new Promise<string>((resolve) => void setTimeout(resolve, 5, "done"));
      expect(await withDeadline(reply, time)).toBe("done");
    },
  ],
];

describe.each([Infinity, 2 ** 31, 2_147_483_647])("times of %d milliseconds", (time) => {
  test.each(cases)("times that are too long for a timer do not end early: %s", async (_name, run) => {
    const warnings = collectWarnings();
    await run(time);
    expect(await warnings()).toEqual([]);
  });
});
