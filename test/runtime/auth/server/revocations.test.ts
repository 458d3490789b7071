import { describe, expect, test } from "vitest";
import {
  createRevocations,
  rejectRevoked,
  requireApiKey,
  requireBearerToken,
  type Guard,
  type Identity,
} from "../../../../runtime/auth/server/index.ts";
import { MemoryRateStore } from "../../../../runtime/stores/rate-store.ts";
import { MemoryReplayStore } from "../../../../runtime/stores/replay-store.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { createHead } from "./request-head.ts";

/* Revocations of one process: what guards reject, and which streams they end. */

const resource = "https://mcp.example/mcp";
const issuer = "https://login.example";
const keys = ["first-key-of-ada-0123456789", "second-key-of-ada-0123456789"] as const;
const until = Date.now() + 3_600_000;
const claims = { iss: issuer, aud: resource, sub: "ada", exp: until / 1_000 };

/** Guard with revocations, and two credentials of one principal that it accepts. */
interface Guarded {
  readonly guard: Guard;
  readonly revocations: ReturnType<typeof createRevocations>;
  readonly credentials: readonly [first: string, second: string];
  readonly field: string;
}

const guards: readonly (readonly [name: string, open: () => Guarded])[] = [
  [
    "requireBearerToken",
    () => {
      const revocations = createRevocations();
      const guard = requireBearerToken({ resource, issuer, revocations, verify: () => claims });
      return { guard, revocations, credentials: ["one", "two"], field: "authorization" };
    },
  ],
  [
    "rejectRevoked with API keys",
    () => {
      const revocations = createRevocations();
      const guard = requireApiKey({ keys: keys.map((key) => ({ principal: "ada", key })) });
      return { guard: rejectRevoked(guard, revocations), revocations, credentials: keys, field: "x-api-key" };
    },
  ],
];

/** Returns the identity that a guard finds in a credential, or the status of its rejection. */
async function admit({ guard, field }: Guarded, credential: string): Promise<Identity | number> {
  const value = field === "authorization" ? `Bearer ${credential}` : credential;
  const outcome = await guard.authenticate(createHead(field, value), { addFields: () => {} });
  return "status" in outcome ? outcome.status : outcome;
}

/** A stream of a sender: whether it has ended, and how it stops watching. */
async function openStream(guarded: Guarded, credential: string): Promise<{ ends: number; leave: () => void }> {
  const identity = await admit(guarded, credential);
  if (typeof identity === "number") throw new Error(`rejected with ${identity}`);
  const stream = { ends: 0, leave: (): void => {} };
  stream.leave = guarded.guard.watchRevocation?.(identity, () => void (stream.ends += 1)) ?? expect.unreachable();
  return stream;
}

describe.each(guards)("revocations of %s", (_name, open) => {
  test("a revoked token is rejected, and another of the same principal is not", async () => {
    const guarded = open();
    const [first, second] = guarded.credentials;
    expect(await admit(guarded, first)).toMatchObject({ principal: expect.stringContaining("ada") });
    await guarded.revocations.revoke({ token: first, until });
    expect(await admit(guarded, first)).toBe(401);
    expect(await admit(guarded, second)).toMatchObject({ principal: expect.stringContaining("ada") });
  });

  test("a revoked principal is rejected with each of its tokens", async () => {
    const guarded = open();
    const identity = await admit(guarded, guarded.credentials[0]);
    const principal = typeof identity === "number" ? "" : identity.principal;
    await guarded.revocations.revoke({ principal, until });
    for (const credential of guarded.credentials) expect(await admit(guarded, credential)).toBe(401);
  });

  test("the streams of a revoked token end, but for those that have ended before", async () => {
    const guarded = open();
    const [first, second] = guarded.credentials;
    const [running, ended] = [await openStream(guarded, first), await openStream(guarded, first)];
    const other = await openStream(guarded, second);
    ended.leave();
    await guarded.revocations.revoke({ token: first, until });
    await settle();
    expect([running.ends, ended.ends, other.ends]).toEqual([1, 0, 0]);
    other.leave();
  });

  test("a stream ends whose token is revoked before it watches", async () => {
    const guarded = open();
    const identity = await admit(guarded, guarded.credentials[0]);
    await guarded.revocations.revoke({ token: guarded.credentials[0], until });
    if (typeof identity === "number") return expect.unreachable();
    let ends = 0;
    guarded.guard.watchRevocation?.(identity, () => void (ends += 1));
    await settle();
    expect(ends).toBe(1);
  });
});

test("the rejection by a guard is the response, also for a token that is revoked", async () => {
  const revocations = createRevocations();
  const rejection = { status: 403, body: "no" };
  const guard = rejectRevoked({ authenticate: () => rejection }, revocations);
  await revocations.revoke({ token: "one", until });
  expect(await guard.authenticate(createHead("authorization", "Bearer one"), { addFields: () => {} })).toBe(rejection);
});

test("a sender without a token is admitted until its principal is revoked", async () => {
  const revocations = createRevocations();
  const guard = rejectRevoked({ authenticate: () => ({ principal: "ada" }) }, revocations);
  const admitted = async (): Promise<object> =>
    guard.authenticate(createHead("authorization", undefined), { addFields: () => {} });
  await revocations.revoke({ token: "undefined", until });
  expect(await admitted()).toEqual({ principal: "ada" });
  await revocations.revoke({ principal: "ada", until });
  expect(await admitted()).toMatchObject({ status: 401 });
});

test("the stream of an identity that another guard has copied ends with its principal", async () => {
  const revocations = createRevocations();
  const guard = rejectRevoked({ authenticate: () => ({ principal: "ada" }) }, revocations);
  const guarded = { guard, revocations, credentials: ["one", "two"], field: "authorization" } as const;
  const identity = await admit(guarded, "one");
  let ends = 0;
  guard.watchRevocation?.({ ...Object(identity) }, () => void (ends += 1));
  await revocations.revoke({ principal: "ada", until });
  await settle();
  expect(ends).toBe(1);
});

test("a guard without revocations ends no stream", async () => {
  const guard = requireBearerToken({ resource, issuer, verify: () => claims });
  const guarded = {
    guard,
    revocations: createRevocations(),
    credentials: ["one", "two"],
    field: "authorization",
  } as const;
  const stream = await openStream(guarded, "one");
  await guarded.revocations.revoke({ token: "one", until });
  stream.leave();
  expect(stream.ends).toBe(0);
});

test.each(["token", "principal"])(
  "a %s that was verified before the guard joined a cluster is rejected once it is revoked",
  async (revoked) => {
    const guard = requireBearerToken({ resource, issuer, verify: () => claims });
    const revocations = createRevocations();
    const guarded = { guard, revocations, credentials: ["one", "two"], field: "authorization" } as const;
    const identity = await admit(guarded, "one");
    const principal = typeof identity === "number" ? "" : identity.principal;
    const stores = { replays: new MemoryReplayStore(), rates: new MemoryRateStore() };
    guard.useCluster?.({ ...stores, revocations, deriveKeys: () => [new Uint8Array(32)] });
    await revocations.revoke(revoked === "token" ? { token: "one", until } : { principal, until });
    expect(await admit(guarded, "one")).toBe(401);
  },
);
