import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import {
  limitAuthFailures,
  requireApiKey,
  requireBearerToken,
  type Guard,
} from "../../../runtime/auth/server/index.ts";
import { readPrincipal } from "../../../runtime/auth/server/claims.ts";
import { initialized, meta, request } from "../../kit/messages.ts";
import { joinCluster, type Cluster } from "../../../cluster/cluster.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { rateLimit } from "../../../runtime/server/middleware/rate-limit.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { createSigner } from "../../../runtime/server/signer.ts";
import { toRequestStateSettings } from "../../../runtime/server/input/request-state-options.ts";
import type { HttpHandler } from "../../../runtime/transport/http-server/handler.ts";
import { acceptBoth, call, initialize } from "../../kit/http-exchange.ts";
import { selectFixture, type TestCluster } from "../engine-fixture.ts";

const resource = "http://localhost/mcp";
const issuer = "https://login.example.com";
const thumbprint = "thumbprint";

/** Creates a guard that accepts any token: its text is the subject, and what follows a dot distinguishes tokens of one subject. */
function createGuard(): Guard {
  return requireBearerToken({
    resource,
    issuer,
    verify: (token) => ({
      iss: issuer,
      aud: resource,
      exp: Date.now() / 1_000 + 3_600,
      sub: token.split(".")[0] ?? "",
    }),
  });
}

/** Creates a guard for tokens that are bound to a key. A proof is the JSON text of its claims in base64. */
function createBoundGuard(): Guard {
  return requireBearerToken({
    resource,
    issuer,
    verify: (token) => ({
      iss: issuer,
      aud: resource,
      exp: Date.now() / 1_000 + 3_600,
      sub: token,
      cnf: { jkt: thumbprint },
    }),
    dpop: {
      proofs: { algorithms: ["ES256"], read: (text) => ({ claims: JSON.parse(atob(text)), thumbprint }) },
      nonces: true,
    },
  });
}

interface Node {
  readonly cluster: Cluster;
  readonly handler: HttpHandler;
  send(headers: Readonly<Record<string, string>>, body?: object): Promise<Response>;
}

interface TwoNodes {
  readonly store: TestCluster;
  readonly first: Node;
  readonly second: Node;
}

/** Starts two nodes. Each has a server of its own, and a guard. */
async function startNodes(guardOf: (cluster: Cluster) => Guard | Guard["authenticate"]): Promise<TwoNodes> {
  const store = await selectFixture().start();
  onTestFinished(() => store.stop());
  return { store, first: await startNode(store, guardOf), second: await startNode(store, guardOf) };
}

async function startNode(store: TestCluster, guardOf: Parameters<typeof startNodes>[0]): Promise<Node> {
  const cluster = await joinCluster(await store.connect());
  const tools = ["one", "two", "three"].map((name) => ({ name, execute: () => name }));
  const limit = rateLimit({ burst: 2, perSecond: 0.001, methods: ["tools/call"], store: cluster.rates });
  const server = createServer({ name: "shared", version: "1", tools, pageSize: 2, middleware: [limit] }, revisions);
  const handler = createHttpHandler(server, { cluster, authenticate: guardOf(cluster) });
  onTestFinished(async () => {
    await handler.close({ drain: 0 });
    await cluster.close();
  });
  return {
    cluster,
    handler,
    send: (headers, body) => handler.fetch(new Request(resource, toInit(headers, body))),
  };
}

function toInit(headers: Readonly<Record<string, string>>, body: object | undefined): RequestInit {
  const fields = { host: "localhost", accept: acceptBoth, ...headers };
  if (!body) return { headers: fields };
  return { method: "POST", headers: { ...fields, "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function openSession({ send }: Node, headers: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const opened = await send(headers, initialize("2025-11-25"));
  expect(opened.status).toBe(200);
  await opened.text();
  const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await (await send(session, initialized)).text();
  return session;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Returns a request of a session. */
function rpc(id: number, method: string, params?: object): object {
  return { jsonrpc: "2.0", id, method, ...(params && { params }) };
}

/** Resolves when a stream has ended. */
async function readToEnd(response: Response): Promise<string> {
  return response.text().catch(() => "broken");
}

describe("keys of a cluster", () => {
  test("a cursor of one node is valid on the other, without keys of the server", async () => {
    const { first, second } = await startNodes(createGuard);
    const session = await openSession(first, bearer("ada"));
    const page = await readJson(await first.send(session, rpc(1, "tools/list")));
    const { nextCursor: cursor } = page.result ?? {};
    expect(cursor).toBeTypeOf("string");
    const next = await readJson(await second.send(session, rpc(2, "tools/list", { cursor })));
    expect(next.result).toMatchObject({ tools: [{ name: "three" }] });
  });

  test("keys that the server has already set win over those of the cluster", async () => {
    const { first } = await startNodes(createGuard);
    const { shared } = first.cluster;
    const own = createSigner("cursorKeys", [new Uint8Array(32).fill(1)], { shared });
    const derived = createSigner("cursorKeys", undefined, { shared });
    const signed = await own.sign("scope", new Uint8Array([1]));
    expect(await derived.verify("scope", signed)).toBeUndefined();
    expect(await createSigner("keys", [new Uint8Array(32).fill(1)]).verify("scope", signed)).toBeDefined();
  });

  test("keys for different purposes differ, and the old key is accepted while it is replaced", async () => {
    const store = await selectFixture().start();
    onTestFinished(() => store.stop());
    const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const join = async (keys: readonly Uint8Array[]): Promise<Cluster> => {
      const cluster = await joinCluster(await store.connect(), { keys });
      onTestFinished(() => cluster.close());
      return cluster;
    };
    const [before, after] = [await join([old]), await join([current, old])];
    const signed = await createSigner("cursorKeys", undefined, before).sign("scope", new Uint8Array([1]));
    expect(await createSigner("cursorKeys", undefined, after).verify("scope", signed)).toBeDefined();
    expect(await createSigner("nonces", undefined, after).verify("scope", signed)).toBeUndefined();
  });

  test("a cluster without keys is a setup error", async () => {
    const store = await selectFixture().start();
    onTestFinished(() => store.stop());
    const engine = Object.assign(Object.create(await store.connect()), { deriveKeys: undefined });
    await expect(joinCluster(engine)).rejects.toThrow("give joinCluster the option keys");
    await expect(joinCluster(engine, { keys: [new Uint8Array(16)] })).rejects.toThrow("32 random bytes");
  });
});

describe("uses that are counted once in the cluster (E13)", () => {
  test("a DPoP proof is accepted by one node, with the nonce of any, and by none while the store is lost", async () => {
    const { store, first, second } = await startNodes(createBoundGuard);
    const offered = (await first.send(toProof("a", ""), initialize("2025-11-25"))).headers.get("dpop-nonce") ?? "";
    const proof = toProof("b", offered);
    expect((await second.send(proof, initialize("2025-11-25"))).status).toBe(200);
    const again = await first.send(proof, initialize("2025-11-25"));
    expect(again.status).toBe(401);
    expect(again.headers.get("www-authenticate")).toContain("already used");
    await store.kill?.();
    expect((await first.send(toProof("c", offered), initialize("2025-11-25"))).status).toBe(503);
  });

  test("a request state is accepted by one node, and by none while the store is lost", async () => {
    const { store, first, second } = await startNodes(createGuard);
    const statesOf = ({ cluster }: Node): ReturnType<typeof toRequestStateSettings>["states"] =>
      toRequestStateSettings({ requestState: { replays: true } }, cluster).states;
    const record = { questions: [], steps: [], told: 0 };
    const state = await statesOf(first).sign("call", record);
    await statesOf(second).verify("call", state, "ada");
    await expect(statesOf(first).verify("call", state, "ada")).rejects.toThrow("has not been used");
    const other = await statesOf(first).sign("call", record);
    await store.kill?.();
    await expect(statesOf(second).verify("call", other, "ada")).rejects.toMatchObject({ code: 503 });
  });
});

describe("rates of a cluster (E14)", () => {
  test("a rate of requests holds for both nodes, and for each while the store is lost", async () => {
    const { store, first, second } = await startNodes(createGuard);
    const session = await openSession(first, bearer("ada"));
    const outcomes: unknown[] = [];
    for (const [index, node] of [first, second, first, second].entries()) {
      const { error } = await readJson(await node.send(session, call(index + 1, "one")));
      outcomes.push(error?.code);
    }
    expect(outcomes).toEqual([undefined, undefined, 429, 429]);
    await store.kill?.();
    expect(await first.cluster.rates.take("other", { burst: 1, perSecond: 0.001 })).toBe(0);
    expect(await first.cluster.rates.take("other", { burst: 1, perSecond: 0.001 })).toBeGreaterThan(0);
  });

  test("failures to authenticate at one node count at the other", async () => {
    const { first, second } = await startNodes(({ rates: store }) =>
      limitAuthFailures(
        { authenticate: () => ({ status: 401 }) },
        { burst: 2, perSecond: 0.001, key: () => "eve", store },
      ),
    );
    const statuses: number[] = [];
    for (const node of [first, second, first, second, first])
      statuses.push((await node.send(bearer("guess"), initialize("2025-11-25"))).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});

describe("guards of generated projects", () => {
  test("failures at one node count at the other, without a store of their own", async () => {
    const { store, first, second } = await startNodes(() =>
      limitAuthFailures({ authenticate: () => ({ status: 401 }) }, { burst: 2, perSecond: 0.001, trustedProxies: 1 }),
    );
    const statuses: number[] = [];
    const guess = async (node: Node, client: string): Promise<number> =>
      (await node.send({ ...bearer("guess"), "x-forwarded-for": client }, initialize("2025-11-25"))).status;
    for (const node of [first, second, first, second, first]) statuses.push(await guess(node, "192.0.2.1"));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(await guess(second, "192.0.2.2")).toBe(401);
    await store.kill?.();
    expect(await guess(second, "192.0.2.3")).toBe(401);
  });

  test("a revoked principal is rejected by both nodes, also with an API key", async () => {
    const key = "correct-horse-battery-staple-0123";
    const { first, second } = await startNodes(() =>
      limitAuthFailures(requireApiKey({ keys: [{ principal: "ci", key }] }), { burst: 100, perSecond: 1 }),
    );
    const open = async (node: Node): Promise<number> =>
      (await node.send({ "x-api-key": key }, initialize("2025-11-25"))).status;
    expect([await open(first), await open(second)]).toEqual([200, 200]);
    await first.cluster.revocations.revoke({ principal: "ci", until: Date.now() + 3_600_000 });
    await expect.poll(() => open(second)).toBe(401);
    expect(await open(first)).toBe(401);
  });
});

describe("revocations of a cluster (E15)", () => {
  const until = Date.now() + 3_600_000;

  test("a revoked token is rejected by the other node, and its streams end; another token of the principal works", async () => {
    const { first, second } = await startNodes(createGuard);
    const session = await openSession(first, bearer("ada.1"));
    const stream = await second.send({ ...session, accept: "text/event-stream" });
    expect(stream.status).toBe(200);
    const other = await second.send({ ...session, ...bearer("ada.2"), accept: "text/event-stream" });
    const ended = readToEnd(stream);
    await first.cluster.revocations.revoke({ token: "ada.1", until });
    await ended;
    for (const [index, node] of [first, second].entries()) {
      const rejected = await node.send(session, rpc(1, "ping"));
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get("www-authenticate")).toContain("The access token was revoked");
      expect((await node.send({ ...session, ...bearer("ada.2") }, rpc(index + 2, "ping"))).status).toBe(200);
    }
    await other.body?.cancel();
  });

  test("a revoked principal is rejected with any token, and a stateless stream ends", async () => {
    const { first, second } = await startNodes(createGuard);
    const headers = { ...bearer("ada.1"), "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const listening = request(
      1,
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      {
        [meta.capabilities]: {},
      },
    );
    const stream = await second.send(headers, listening);
    expect(stream.status).toBe(200);
    const ended = readToEnd(stream);
    await first.cluster.revocations.revoke({ principal: readPrincipal({ iss: issuer, sub: "ada" }) ?? "", until });
    await ended;
    const statuses: number[] = [];
    for (const token of ["ada.1", "ada.2", "bob"])
      statuses.push((await second.send(bearer(token), initialize("2025-11-25"))).status);
    expect(statuses).toEqual([401, 401, 200]);
  });

  test("a guard that knows nothing of revocations rejects revoked principals and keys in a cluster", async () => {
    const { first, second } = await startNodes(() => (head) => ({ principal: head.header("x-api-key") ?? "nobody" }));
    const session = await openSession(first, { "x-api-key": "ada" });
    const stream = await second.send({ ...session, accept: "text/event-stream" });
    const ended = readToEnd(stream);
    await first.cluster.revocations.revoke({ principal: "ada", until });
    await first.cluster.revocations.revoke({ token: "bob", until });
    await ended;
    await expect
      .poll(async () => {
        const statuses: number[] = [];
        for (const key of ["ada", "bob", "carl"])
          statuses.push((await second.send({ "x-api-key": key }, initialize("2025-11-25"))).status);
        return statuses;
      })
      .toEqual([401, 401, 200]);
  });
});

/** Headers with a proof of possession. */
function toProof(jti: string, nonce: string): Record<string, string> {
  const ath = createHash("sha256").update("ada").digest("base64url");
  const claims = { htm: "POST", htu: resource, iat: Math.floor(Date.now() / 1_000), jti, ath, nonce };
  return { authorization: "DPoP ada", dpop: btoa(JSON.stringify(claims)) };
}

async function readJson(response: Response): Promise<{
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}> {
  const text = await response.text();
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data);
}
