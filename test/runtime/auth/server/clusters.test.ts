import { describe, expect, test } from "vitest";
import {
  createRevocations,
  introspectTokens,
  limitAuthFailures,
  requireApiKey,
  requireBearerToken,
  type FailureLimit,
  type Guard,
} from "../../../../runtime/auth/server/index.ts";
import { readBounded } from "../../../../runtime/auth/server/read-bounded.ts";
import { MemoryRateStore } from "../../../../runtime/stores/rate-store.ts";
import { MemoryReplayStore } from "../../../../runtime/stores/replay-store.ts";
import type { SharedParts } from "../../../../runtime/stores/shared-parts.ts";
import { createGate } from "../../../kit/time.ts";
import { createHead } from "./request-head.ts";

/* Guards that share a cluster, and concurrent requests of one guard. */

const resource = "https://mcp.example/mcp";
const issuer = "https://login.example";
const claims = { iss: issuer, aud: resource, sub: "ada", exp: Date.now() / 1_000 + 3_600 };
const key = "correct-horse-battery-staple-0123";

function createShared(): SharedParts {
  return {
    replays: new MemoryReplayStore(),
    rates: new MemoryRateStore(),
    revocations: createRevocations(),
    deriveKeys: () => [new Uint8Array(32)],
  };
}

async function statusOf(guard: Guard, field: string, value: string): Promise<number> {
  const outcome = await guard.authenticate(createHead(field, value), { addFields: () => {} });
  return "status" in outcome ? outcome.status : 200;
}

describe("failed authentications at the guards of one cluster", () => {
  const createGuard = (shared: SharedParts, options: Partial<FailureLimit> = {}): Guard => {
    const keys = requireApiKey({ keys: [{ principal: "ci", key }] });
    const guard = limitAuthFailures(keys, { burst: 1, perSecond: 0.001, ...options });
    guard.useCluster?.(shared);
    return guard;
  };
  const guess = (guard: Guard): Promise<number> => statusOf(guard, "x-api-key", "wrong-horse-battery-staple-01234");

  test("failed authentications count at every guard", async () => {
    const shared = createShared();
    const [first, second, other] = [createGuard(shared), createGuard(shared), createGuard(createShared())];
    expect([await guess(first), await guess(first)]).toEqual([401, 401]);
    expect([await guess(second), await statusOf(second, "x-api-key", key)]).toEqual([429, 429]);
    expect([await guess(other), await statusOf(other, "x-api-key", key)]).toEqual([401, 200]);
  });

  test("failed authentications count in the store of the options, if there is one", async () => {
    const shared = createShared();
    const own = createGuard(shared, { store: new MemoryRateStore() });
    expect([await guess(own), await guess(own), await guess(own)]).toEqual([401, 401, 429]);
    expect(await guess(createGuard(shared))).toBe(401);
  });
});

test("a guard within limitAuthFailures uses the revocations of the cluster", async () => {
  const shared = createShared();
  const inner = requireBearerToken({ resource, issuer, verify: () => claims });
  const guard = limitAuthFailures(inner, { burst: 5, perSecond: 1 });
  guard.useCluster?.(shared);
  expect(await statusOf(guard, "authorization", "Bearer one")).toBe(200);
  await shared.revocations.revoke({ token: "one", until: Date.now() + 60_000 });
  expect(await statusOf(guard, "authorization", "Bearer one")).toBe(401);
  expect(await statusOf(guard, "authorization", "Bearer two")).toBe(200);
});

test.each([
  [600, undefined],
  [601, /^clockSkew is 601; use at most 600/],
])("a clock skew of %i s beside revocations has the error %s", (clockSkew, problem) => {
  const options = { resource, issuer, clockSkew, verify: () => claims };
  const join = (): void => requireBearerToken(options).useCluster?.(createShared());
  const create = (): Guard => requireBearerToken({ ...options, revocations: createRevocations() });
  for (const run of [join, create]) {
    if (problem) expect(run).toThrow(problem);
    else expect(run).not.toThrow();
  }
});

describe("a token of concurrent requests", () => {
  /** Guard whose verifications wait for `open`, and the number of them. */
  const createWaiting = (outcome: () => typeof claims) => {
    const gate = createGate();
    const verified: string[] = [];
    const verify = async (token: string): Promise<typeof claims> => {
      verified.push(token);
      await gate.opened;
      return outcome();
    };
    const errors: unknown[] = [];
    const guard = requireBearerToken({ resource, issuer, verify, onError: (error) => errors.push(error) });
    const send = (token: string): Promise<number> => statusOf(guard, "authorization", `Bearer ${token}`);
    return { send, verified, errors, open: gate.open };
  };

  test("a token is verified once", async () => {
    const { send, verified, open } = createWaiting(() => claims);
    const sent = ["one", "one", "two"].map(send);
    open();
    expect(await Promise.all(sent)).toEqual([200, 200, 200]);
    expect(await send("one")).toBe(200);
    expect(verified).toEqual(["one", "two"]);
  });

  test("a token whose verification fails is verified again by the next request", async () => {
    const { send, verified, errors, open } = createWaiting(() => {
      throw new Error("no connection");
    });
    const sent = ["one", "one"].map(send);
    open();
    expect(await Promise.all(sent)).toEqual([503, 503]);
    expect([verified, errors.map(String)]).toEqual([["one"], Array.from({ length: 2 }, () => "Error: no connection")]);
    expect(await send("one")).toBe(503);
    expect(verified).toEqual(["one", "one"]);
  });
});

test.each([
  [1_024, 200],
  [1_025, 401],
])("an API key of %i characters gets %i", async (length, status) => {
  const guard = requireApiKey({ keys: () => ({ principal: "ci" }) });
  expect(await statusOf(guard, "x-api-key", "k".repeat(length))).toBe(status);
});

test.each([
  [undefined, "An API key is required", "no-credentials"],
  ["k".repeat(1_025), "The API key is not valid", "invalid-credentials"],
])("the response to an API key names the problem (%#)", async (value, message, reason) => {
  const guard = requireApiKey({ keys: () => ({ principal: "ci" }) });
  const outcome = await guard.authenticate(createHead("x-api-key", value), { addFields: () => {} });
  expect(JSON.stringify(outcome)).toContain(message);
  expect(outcome).toMatchObject({ reason });
});

test.each([
  ["was revoked", {}, "The access token was revoked"],
  ["is bound to a key", { cnf: { jkt: "x" } }, "The access token is bound to a key; DPoP is not supported"],
])("the response to a token that %s says so", async (_which, more, message) => {
  const revocations = createRevocations();
  const guard = requireBearerToken({ resource, issuer, revocations, verify: () => ({ ...claims, ...more }) });
  if (!("cnf" in more)) await revocations.revoke({ token: "one", until: Date.now() + 60_000 });
  const outcome = await guard.authenticate(createHead("authorization", "Bearer one"), { addFields: () => {} });
  expect([JSON.stringify(outcome).includes(message), outcome]).toMatchObject([true, { status: 401 }]);
});

test.each([{ timeout: NaN }, { maxConcurrent: -1 }])("requests about tokens with %j are rejected at once", (limits) => {
  const endpoint = "https://login.example/introspect";
  const create = (): unknown => introspectTokens({ endpoint, clientId: "a", clientSecret: "b", ...limits });
  expect(create).toThrow(Object.keys(limits)[0]);
});

test("a token that is bound to no certificate is accepted on a connection with one", async () => {
  const guard = requireBearerToken({ resource, issuer, verify: () => claims });
  const certificate = { thumbprint: "x", subject: "CN=a", issuer: "CN=b" };
  const head = { ...createHead("authorization", "Bearer one"), certificate: () => certificate };
  expect(await guard.authenticate(head, { addFields: () => {} })).toMatchObject({ principal: expect.any(String) });
});

test.each<readonly [string, Uint8Array<ArrayBuffer> | string, RegExp]>([
  ["is too large", `"${"x".repeat(9)}"`, /returned more than 10 bytes/],
  ["is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /./],
  ["is no JSON", "{", /returned invalid JSON/],
])("a response of an authorization server that %s is an error", async (_which, body, message) => {
  await expect(readBounded(new Response(body), 10)).rejects.toThrow(message);
  expect(await readBounded(new Response(`"${"x".repeat(8)}"`), 10)).toBe("xxxxxxxx");
});
