import { afterEach, describe, expect, test } from "vitest";
import type { ReconnectOptions } from "../../../runtime/client/options.ts";
import type { DefaultClientSession } from "../../../runtime/client/session/default-session.ts";
import { communityProfile, communityReconnect } from "../../../runtime/compatibility/community-profile.ts";
import { createRejection, rejections, type RejectionName } from "../../../runtime/compatibility/rejections.ts";
import { rejectionCodes } from "../../../runtime/jsonrpc/rejection-codes.ts";
import type { Profile } from "../../../runtime/protocol/profile.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { isObject } from "../../../generated/support.ts";
import { openSession } from "../client/session/session-wire.ts";

/* A client that is given the community profile, and a server that refuses its requests for now (R51). */

interface Rejecting {
  readonly session: DefaultClientSession;
  readonly clock: ManualClock;
  /** Number of arrivals of a request. */
  count(): number;
  /** Responds to what has come, and lets time pass. */
  pass(milliseconds: number): Promise<void>;
}

interface RejectingOptions {
  readonly error: object;
  /** Number of requests to reject. */
  readonly times?: number;
  readonly profile?: Profile | undefined;
  readonly reconnect?: ReconnectOptions;
}

const sessions: DefaultClientSession[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
});

const results: Readonly<Record<string, object>> = {
  "tools/call": { content: [] },
  "tools/list": { tools: [] },
};

async function open({ error, times = 1, ...options }: RejectingOptions): Promise<Rejecting> {
  const clock = new ManualClock();
  const { profile } = { profile: communityProfile, ...options };
  const { reconnect } = options;
  const given = { clock, ...(profile && { profile }), ...(reconnect && { reconnect }) };
  const { session, wire } = await openSession(given, { capabilities: { tools: {} } });
  sessions.push(session);
  let count = 0;
  const respond = (message: unknown): void => {
    if (!isObject(message) || message.id === undefined) return;
    count += 1;
    const { id, method } = message;
    if (count <= times) wire.post({ jsonrpc: "2.0", id, error });
    else wire.post({ jsonrpc: "2.0", id, result: results[String(method)] });
  };
  return {
    session,
    clock,
    count: () => count,
    async pass(milliseconds) {
      await settle();
      for (const message of wire.sent.splice(0)) respond(message);
      await settle();
      await clock.pass(milliseconds);
      await settle();
      for (const message of wire.sent.splice(0)) respond(message);
      await settle();
    },
  };
}

function rejection(name: RejectionName, retryAfter?: number): object {
  const { code, message, data } = createRejection(name, "Not now", retryAfter === undefined ? {} : { retryAfter });
  return { code, message, data };
}

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "done",
    (error: unknown) => error,
  );

const early = Object.entries(rejections).flatMap(([name, { status, retryable }]) =>
  status === 429 && retryable ? [name] : [],
);

describe("a call of a tool", () => {
  test.each(early)("a tool call that is rejected with %s is sent again after the time that is named", async (name) => {
    const { code } = new Map(Object.entries(rejections)).get(name) ?? { code: 0 };
    const error = { code, message: "Not now", data: { retryable: true, retryAfter: 2 } };
    const server = await open({ error, times: 2 });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(1_999);
    expect(server.count()).toBe(1);
    await server.pass(2_000);
    expect(server.count()).toBe(2);
    await server.pass(5_000);
    expect(await outcome).toBe("done");
    expect(server.count()).toBe(3);
  });

  test("a tool call above the rate is sent again, also where only the time is named", async () => {
    const error = { code: rejectionCodes.tooMany, message: "Too many", data: { retryAfter: 0 } };
    const server = await open({ error });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(1_500);
    expect([await outcome, server.count()]).toEqual(["done", 2]);
  });

  test.each<[string, number, ReconnectOptions | undefined]>([
    ["five retries", 5, undefined],
    ["the three retries of the guides", 3, communityReconnect],
  ])("a tool call that is rejected repeatedly fails after %s", async (_, retries, reconnect) => {
    const error = rejection("rateExceeded");
    const server = await open({ error, times: Infinity, ...(reconnect && { reconnect }) });
    const outcome = outcomeOf(server.session.callTool("t"));
    for (let waits = 0; waits < 10; waits += 1) await server.pass(30_000);
    expect(await outcome).toMatchObject({ name: "PeerError", code: rejections.rateExceeded.code });
    expect(server.count()).toBe(retries + 1);
  });

  test.each([
    ["without data", {}],
    ["with a time that is none", { data: { retryAfter: -1 } }],
  ])("a tool call that is rejected %s is sent again if the catalogue says so", async (_, more) => {
    const server = await open({ error: { code: rejections.rateExceeded.code, message: "no", ...more } });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(1_500);
    expect([await outcome, server.count()]).toEqual(["done", 2]);
  });

  test("a tool call that is cancelled while it waits is not sent again", async () => {
    const server = await open({ error: rejection("queueFull", 8) });
    const controller = new AbortController();
    const outcome = outcomeOf(server.session.callTool("t", {}, { signal: controller.signal }));
    await server.pass(1_000);
    controller.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    await server.pass(60_000);
    expect(server.count()).toBe(1);
  });

  test("a tool call that waits ends with its session", async () => {
    const server = await open({ error: rejection("queueFull", 8) });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(1_000);
    await server.session.close();
    expect(await outcome).toMatchObject({ name: "ClosedError" });
  });

  test.each([
    ["that may have run", rejection("dependencyUnavailable", 1)],
    ["for longer than the longest wait", rejection("rateExceeded", 11)],
    ["for good", rejection("quotaExceeded")],
    ["for good, with a time", { ...rejection("rateExceeded"), data: { retryable: false, retryAfter: 1 } }],
    ["for good, without data", { code: rejections.quotaExceeded.code, message: "no" }],
    ["with an unknown code", { code: 1234, message: "no" }],
  ])("a tool call that is rejected %s is not sent again", async (_how, error) => {
    const server = await open({ error });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(60_000);
    expect(await outcome).toMatchObject({ name: "PeerError" });
    expect(server.count()).toBe(1);
  });

  test("a tool call that is rejected temporarily is not sent again without the profile", async () => {
    const server = await open({ error: rejection("rateExceeded", 1), profile: undefined });
    const outcome = outcomeOf(server.session.callTool("t"));
    await server.pass(60_000);
    expect(await outcome).toMatchObject({ name: "PeerError" });
    expect(server.count()).toBe(1);
  });
});

describe("a safe call", () => {
  const error = rejection("dependencyUnavailable", 1);

  test("a safe call is sent again with the option, whatever the server has done before", async () => {
    const server = await open({ error, reconnect: { retry: "safe" } });
    const outcome = outcomeOf(server.session.listTools());
    await server.pass(5_000);
    expect([await outcome, server.count()]).toEqual(["done", 2]);
  });

  test("a safe call is not sent again without the option", async () => {
    const server = await open({ error });
    const outcome = outcomeOf(server.session.listTools());
    await server.pass(5_000);
    expect(await outcome).toMatchObject({ name: "PeerError" });
    expect(server.count()).toBe(1);
  });
});
