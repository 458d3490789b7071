import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestRow } from "../../../../generated/support.ts";
import { findRow } from "../../../../runtime/protocol/methods/method-rows.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { RequestOptions } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { TimeoutError } from "../../../../runtime/jsonrpc/errors.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { createGate } from "../../../kit/time.ts";
import { welcome } from "../raw-server.ts";

interface Reconnecting {
  readonly session: DefaultClientSession;
  readonly clock: ManualClock;
  readonly wires: readonly Wire[];
  /** Lets the server respond to the handshake of the last connection. */
  respond(): Promise<void>;
}

/** A session whose server responds to the handshake of its first connection only. */
async function open(options: Partial<AnyClientOptions> = {}): Promise<Reconnecting> {
  const clock = new ManualClock();
  const wires: Wire[] = [];
  const client = createUntypedClient({
    info: { name: "c", version: "1" },
    revisions: handshakeRevisions,
    clock,
    reconnect: { initialDelay: 10, retry: "safe" },
    ...options,
  });
  onTestFinished(() => client.close());
  const respond = async (): Promise<void> => {
    wires[0]?.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id) });
    await settle();
    wires[0]?.sent.splice(0);
  };
  const session = await client.connect((opening) => {
    const wire = new Wire();
    wires.unshift(wire);
    const connecting = connect(wire, opening);
    if (wires.length === 1) void respond();
    return connecting;
  });
  await settle();
  return { session, clock, wires, respond };
}

/** The same session after the loss of its connection, while the server does not respond to the handshake of the next one. */
async function openLost(options: Partial<AnyClientOptions> = {}): Promise<Reconnecting> {
  const opened = await open(options);
  opened.wires[0]?.end(new Error("cut"));
  await opened.clock.pass(10);
  expect(opened.wires).toHaveLength(2);
  return opened;
}

function listRow({ revision }: DefaultClientSession): RequestRow {
  return findRow(revision.clientRequests, "listTools") ?? expect.unreachable("The revision has no lists of tools");
}

const calls: readonly (readonly [string, string, (session: DefaultClientSession, given: RequestOptions) => unknown])[] =
  [
    ["a tool call", "tools/call", (session, given) => session.callTool("x", {}, given)],
    ["a list", "tools/list", (session, given) => session.listTools(given)],
    ["the items of a list", "tools/list", (session, given) => session.items("tools", given).next()],
    ["a request by its method", "tools/list", (session, given) => session.request("tools/list", {}, given)],
    ["a request by its row", "tools/list", (session, given) => session.request(listRow(session), {}, given)],
    ["a read", "resources/read", (session, given) => session.readResource("a:b", given)],
    ["a subscription", "resources/subscribe", (session, given) => session.subscribe("a:b", () => {}, given)],
  ];

describe.each(calls)("%s while the client reconnects", (_what, method, call) => {
  test("a call rejects with the reason of its signal", async () => {
    const { session, clock } = await openLost();
    const timers = clock.active;
    const stop = new AbortController();
    const calling = call(session, { signal: stop.signal, timeout: 500 });
    await settle();
    stop.abort(new Error("stopped"));
    await expect(calling).rejects.toThrow("stopped");
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    expect(clock.active).toBe(timers);
  });

  test.each([{ timeout: 500 }, { timeout: 1_000, totalTimeout: 500 }])("a call rejects after %j", async (limits) => {
    const { session, clock } = await openLost();
    const { signal } = new AbortController();
    const calling = Promise.resolve(call(session, { signal, ...limits }));
    let isSettled = false;
    calling.catch(() => (isSettled = true));
    await clock.pass(499);
    expect(isSettled).toBe(false);
    await clock.pass(1);
    await expect(calling).rejects.toEqual(new TimeoutError(method, 500));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

test("a tool call with a validator rejects after its timeout while the client reconnects", async () => {
  const { session, clock } = await openLost({ validator: () => [] });
  const rejected = expect(session.callTool("x", {}, { timeout: 500 })).rejects.toEqual(
    new TimeoutError("tools/list", 500),
  );
  await clock.pass(500);
  await rejected;
});

test.each([{ timeout: 500 }, { totalTimeout: 500 }])(
  "a tool call with a validator rejects after %j while the server does not list its tools",
  async (limits) => {
    const { session, clock, wires } = await open({ validator: () => [] });
    const calling = session.callTool("x", {}, limits);
    const rejected = expect(calling).rejects.toEqual(new TimeoutError("tools/list", 500));
    await clock.pass(499);
    expect(wires[0]?.sent).toMatchObject([{ method: "tools/list" }]);
    await clock.pass(1);
    await rejected;
  },
);

test("a call without limits rejects after the total timeout of the client while it reconnects", async () => {
  const { session, clock } = await openLost({ timeouts: { total: 2_000 } });
  const rejected = expect(session.ping()).rejects.toEqual(new TimeoutError("ping", 2_000));
  await clock.pass(2_000);
  await rejected;
});

test("a call that waited for a connection has the rest of its total timeout", async () => {
  const { session, clock, wires, respond } = await openLost();
  const rejected = expect(session.ping({ totalTimeout: 1_000 })).rejects.toMatchObject({ name: "TimeoutError" });
  await clock.pass(600);
  await respond();
  await clock.pass(399);
  expect(wires[0]?.sent).toEqual([]);
  await clock.pass(1);
  await rejected;
  expect(wires[0]?.sent).toMatchObject([{ method: "notifications/cancelled" }]);
});

test("a call that was cut rejects with the reason of its signal before it is sent again", async () => {
  const { session, wires } = await open();
  const stop = new AbortController();
  const calling = session.listTools({ signal: stop.signal });
  await settle();
  wires[0]?.end(new Error("cut"));
  await settle();
  stop.abort(new Error("stopped"));
  await expect(calling).rejects.toThrow("stopped");
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a call that was cut has the rest of its total timeout", async () => {
  const { session, wires, clock } = await open();
  const rejected = expect(session.listTools({ totalTimeout: 1_000 })).rejects.toEqual(
    new TimeoutError("tools/list", 1_000),
  );
  await clock.pass(600);
  wires[0]?.end(new Error("cut"));
  await clock.pass(400);
  await rejected;
});

test("a call that was never sent, and one that was, say so in their errors when no connection follows", async () => {
  const { session, wires } = await open();
  const [wire = expect.unreachable("the session is open")] = wires;
  const listing = session.listTools().catch((error: unknown) => error);
  await settle();
  expect(wire.sent.splice(0)).toMatchObject([{ method: "tools/list" }]);
  const [closing, gate] = [createGate(), createGate()];
  Object.assign(wire, {
    close() {
      closing.open();
      return gate.opened;
    },
  });
  wire.receiver?.ended?.();
  await closing.opened;
  const calling = session.callTool("t").catch((error: unknown) => error);
  await settle();
  gate.open();
  await settle();
  await session.close();
  expect(await calling).toMatchObject({ name: "ClosedError", unsent: true });
  expect(await listing).toMatchObject({ name: "ClosedError", unsent: false });
  expect(wire.sent).toEqual([]);
});
