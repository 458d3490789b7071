import { createServer as createHttpServer } from "node:http";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { createProofReader, verifyJwt } from "../../../runtime/adapters/jose.ts";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { clientCredentials, createLoopbackRedirect, createOAuthProvider } from "../../../runtime/auth/client/index.ts";
import { introspectTokens, limitAuthFailures, requireBearerToken } from "../../../runtime/auth/server/index.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { toLimits, toTimeouts } from "../../../runtime/jsonrpc/limits.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { rateLimit } from "../../../runtime/server/middleware/rate-limit.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { MemoryEventStore } from "../../../runtime/stores/memory-event-store.ts";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { MemoryRateStore } from "../../../runtime/stores/rate-store.ts";
import { MemorySessionStore } from "../../../runtime/stores/memory-session-store.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import { createRevocations } from "../../../runtime/stores/revocations.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createServerCard } from "../../../runtime/server-card/create-card.ts";
import { createServerCardReader } from "../../../runtime/server-card/client/card-reader.ts";
import { createSessionState } from "../../../runtime/server/session-state.ts";
import { createSharedCredentials } from "../../../cluster/shared-credentials.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createWebSocketTransport } from "../../../runtime/transport/websocket/websocket-client.ts";
import { createWsTransport, serveWebSocket } from "../../../runtime/transport/websocket/ws-package.ts";
import { checkBounds } from "../../../runtime/adapters/schema-bounds.ts";
import { EvaluationLimit } from "../../../runtime/adapters/evaluation-limit.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { serveMetrics } from "../../../cluster/metrics/serve-metrics.ts";
import { createStdioTransport } from "../../../runtime/transport/stdio/stdio-server.ts";
import { createTcpTransport, listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import { listenWebSocket } from "../../../runtime/transport/websocket/websocket-server.ts";

const url = "https://mcp.example.com/mcp";
const info = { name: "demo", version: "1.0.0" };
const rate = { burst: 10, perSecond: 1 };
const key = new Uint8Array(32);
const server = createServer(info, revisions);
const token = { resource: url, issuer: "https://login.example.com", verify: () => undefined };
const introspection = { endpoint: "https://login.example.com/introspect", clientId: "a", clientSecret: "b" };
const grant = clientCredentials({ registered: [] });
const accept = (): never => {
  throw new Error("Nothing connects");
};

/** Functions with an option that is a number. */
const cases: readonly (readonly [name: string, create: (value: number) => unknown])[] = [
  ["limits: maxMessageBytes", (maxMessageBytes) => toLimits({ maxMessageBytes })],
  ["timeouts: request", (request) => toTimeouts({ request })],
  ["requireBearerToken: clockSkew", (clockSkew) => requireBearerToken({ ...token, clockSkew })],
  ["requireBearerToken: maxTokenLength", (maxTokenLength) => requireBearerToken({ ...token, maxTokenLength })],
  ["introspectTokens: maxConcurrent", (maxConcurrent) => introspectTokens({ ...introspection, maxConcurrent })],
  ["verifyJwt: maxStale", (maxStale) => verifyJwt({ maxStale })],
  [
    "limitAuthFailures: trustedProxies",
    (trustedProxies) => limitAuthFailures(requireBearerToken(token), { ...rate, trustedProxies }),
  ],
  ["rateLimit: maxKeys", (maxKeys) => rateLimit({ ...rate, maxKeys })],
  ["MemoryTaskStore: maxTasks", (maxTasks) => new MemoryTaskStore({ maxTasks })],
  ["MemoryEventStore: maxSize", (maxSize) => new MemoryEventStore({ maxSize })],
  ["MemorySessionStore: maxSessions", (maxSessions) => new MemorySessionStore({ maxSessions })],
  ["MemoryRateStore: maxKeys", (maxKeys) => new MemoryRateStore({ maxKeys })],
  ["MemoryLedger: maxSteps", (maxSteps) => new MemoryLedger({ maxSteps })],
  ["joinCluster: lease", (lease) => joinCluster(createMemoryCluster().connect(), { lease })],
  [
    "createRedisEngine: timeout",
    (timeout) => createRedisEngine({ url: "redis://a", keys: [key], prefix: "a", timeout }),
  ],
  [
    "createNatsEngine: timeout",
    (timeout) => createNatsEngine({ servers: "nats://a", keys: [key], prefix: "a", timeout }),
  ],
  ["createGateway: idleTimeout", (idleTimeout) => createGateway({ kind: "url", url }, { revisions, idleTimeout })],
  ["createOAuthProvider: maxBytes", (maxBytes) => createOAuthProvider(url, { grant, maxBytes })],
  ["createLoopbackRedirect: timeout", (timeout) => createLoopbackRedirect({ timeout })],
  ["createClient: maxInputRounds", (maxInputRounds) => createClient({ info, revisions, maxInputRounds })],
  ["createClient: reconnect.attempts", (attempts) => createClient({ info, revisions, reconnect: { attempts } })],
  ["createHttpClientTransport: acceptTimeout", (acceptTimeout) => createHttpClientTransport(url, { acceptTimeout })],
  ["createHttpHandler: maxStreamBytes", (maxStreamBytes) => createHttpHandler(server, { maxStreamBytes })],
  [
    "createHttpHandler: sessions.maxSessions",
    (maxSessions) => createHttpHandler(server, { sessions: { maxSessions } }),
  ],
  ["listenTcp: maxConnections", (maxConnections) => listenTcp({ port: 0, maxConnections, accept })],
  ["listenWebSocket: port", (port) => listenWebSocket({ port, accept })],
  ["createWebSocketTransport: closeTimeout", (closeTimeout) => createWebSocketTransport(url, { closeTimeout })],
  ["createWsTransport: pingInterval", (pingInterval) => createWsTransport(url, { pingInterval })],
  [
    "serveWebSocket: maxConnections",
    (maxConnections) => serveWebSocket(createHttpServer(), { maxConnections, accept }),
  ],
  ["createTcpTransport: flushTimeout", (flushTimeout) => createTcpTransport({ port: 1, flushTimeout })],
  ["createSseClientTransport: acceptTimeout", (acceptTimeout) => createSseClientTransport(url, { acceptTimeout })],
  [
    "createStdioClientTransport: shutdown.kill",
    (kill) => createStdioClientTransport({ command: process.execPath, shutdown: { kill } }),
  ],
  [
    "createHttpClientTransport: reconnect.attempts",
    (attempts) => createHttpClientTransport(url, { reconnect: { attempts } }),
  ],
  ["serveHttp: port", (port) => serveHttp(server, { port })],
  ["serveMetrics: port", (port) => serveMetrics({}, { port })],
  ["createServerCard: maxAge", (maxAge) => createServerCard(server, { url, maxAge })],
  ["createServerCardReader: timeout", (timeout) => createServerCardReader({ timeout })],
  ["createSessionState: maxBytes", (maxBytes) => createSessionState("a", z.object({}), { maxBytes })],
  [
    "createServer: requestState.settleTime",
    (settleTime) => createServer({ ...info, requestState: { settleTime } }, revisions),
  ],
  ["createMemoryCluster: maxSessions", (maxSessions) => createMemoryCluster({ maxSessions })],
  [
    "createSharedCredentials: ttl",
    (ttl) => createSharedCredentials(createMemoryCluster().connect(), { owner: "a", ttl }),
  ],
  [
    "requireBearerToken: dpop.maxAge",
    (maxAge) => requireBearerToken({ ...token, dpop: { proofs: createProofReader(), maxAge } }),
  ],
  ["EvaluationLimit: maxEvaluations", (maxEvaluations) => new EvaluationLimit({ maxEvaluations }, 1)],
  ["checkBounds: maxDepth", (maxDepth) => checkBounds({}, { maxDepth })],
  ["createStdioTransport: flushTimeout", (flushTimeout) => createStdioTransport({ flushTimeout })],
];

describe.each([NaN, -1])("an option that is %d is rejected", (value) => {
  test.each(cases)("%s", async (_name, create) => {
    const created = (async () => create(value))();
    await expect(created).rejects.toBeInstanceOf(SetupError);
    await expect(created).rejects.toThrow(` is ${value}; use a number of 0 or more, or omit it for the default`);
  });
});

const engine = createMemoryCluster().connect();
const limit = { keys: [key], prefix: "a" };

/** Functions with an option that is sent or stored. */
const finite: readonly (readonly [name: string, create: (value: number) => unknown])[] = [
  ["createHttpHandler: retry", (retry) => createHttpHandler(server, { retry })],
  ["createHttpHandler: cors.maxAge", (maxAge) => createHttpHandler(server, { cors: { maxAge } })],
  [
    "createServerCard: maxAge",
    (maxAge) => createServerCard(server, { name: "com.example/demo", url, maxAge, description: "A card" }),
  ],
  ["joinCluster: lease", (lease) => joinCluster(createMemoryCluster().connect(), { lease })],
  ["createSharedCredentials: ttl", (ttl) => createSharedCredentials(engine, { owner: "a", ttl })],
  ["createSharedCredentials: lease", (lease) => createSharedCredentials(engine, { owner: "a", lease })],
  [
    "createServer: requestState.lifetime",
    (lifetime) => createServer({ ...info, requestState: { lifetime } }, revisions),
  ],
  ["createServer: tasks.pollInterval", (pollInterval) => createServer({ ...info, tasks: { pollInterval } }, revisions)],
  ["createRedisEngine: timeout", (timeout) => createRedisEngine({ url: "redis://a", ...limit, timeout })],
  [
    "createRedisEngine: limits.sessionTtl",
    (sessionTtl) => createRedisEngine({ url: "redis://a", ...limit, limits: { sessionTtl } }),
  ],
  ["createNatsEngine: timeout", (timeout) => createNatsEngine({ servers: "nats://a", ...limit, timeout })],
  [
    "createNatsEngine: limits.ledgerTtl",
    (ledgerTtl) => createNatsEngine({ servers: "nats://a", ...limit, limits: { ledgerTtl } }),
  ],
];

describe("an option that is sent or stored is not Infinity", () => {
  test.each(finite)("%s", async (_name, create) => {
    const created = (async () => create(Infinity))();
    await expect(created).rejects.toBeInstanceOf(SetupError);
    await expect(created).rejects.toThrow(" is Infinity; use a finite number, or omit it for the default");
    await expect((async () => create(2 ** 31))()).resolves.toBeDefined();
  });
});

test("a revocation without an end is rejected, and not kept as one that has ended", async () => {
  const revocations = createRevocations();
  await expect(revocations.revoke({ principal: "ada", until: NaN })).rejects.toThrow("until is NaN");
});

test("expired tokens are not accepted for longer than a revocation is kept", async () => {
  const revocations = createRevocations();
  expect(() => requireBearerToken({ ...token, revocations, clockSkew: 601 })).toThrow(
    "clockSkew is 601; use at most 600 where tokens can be revoked",
  );
  expect(() => requireBearerToken({ ...token, revocations, clockSkew: 600 })).not.toThrow();

  const cluster = await joinCluster(createMemoryCluster().connect());
  const guard = requireBearerToken({ ...token, clockSkew: 601 });
  expect(() => cluster.protect(guard)).toThrow("clockSkew is 601");
  await cluster.close();
});
