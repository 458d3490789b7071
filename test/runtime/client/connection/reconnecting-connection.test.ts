import { describe, expect, test } from "vitest";
import type { ClientEvent } from "../../../../runtime/client/events.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import { ClosedError, VersionError } from "../../../../runtime/jsonrpc/errors.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { runTranscript } from "../../../../runtime/testing/transcript.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { HttpError, LostError, SessionExpiredError } from "../../../../runtime/transport/http-client/errors.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactoryOptions } from "../../../../runtime/client/connection-factory.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { welcome } from "../raw-server.ts";
import { createGate, type Gate, inTime } from "../../../kit/time.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { openSession, type RawServer, type WiredSession } from "../session/session-wire.ts";

const server: RawServer = {
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
};

async function open(
  options: Partial<AnyClientOptions> = {},
): Promise<WiredSession & { readonly clock: ManualClock; readonly events: ClientEvent[] }> {
  const clock = new ManualClock();
  const events: ClientEvent[] = [];
  const wired = await openSession({ clock, reconnect: {}, onEvent: (event) => events.push(event), ...options }, server);
  return { ...wired, clock, events };
}

/** The connection breaks, and time passes until there is another one. */
async function breakAndReturn({ wires, clock }: Awaited<ReturnType<typeof open>>): Promise<Wire> {
  const count = wires.length;
  wires[0]?.end(new Error("cut"));
  for (let tries = 0; wires.length === count && tries < 100; tries += 1) await clock.pass(500);
  await settle();
  const [next] = wires;
  if (!next) throw new Error("no connection");
  next.sent.splice(0, 2);
  return next;
}

const tool = { name: "t", inputSchema: { type: "object" } };

describe("a lost connection is replaced", () => {
  test("a lost connection is replaced with its log level and subscriptions, and cached lists are dropped (P-02)", async () => {
    const opened = await open({ logLevel: "info" });
    const { wire, session, events } = opened;
    await runTranscript(wire, ['~ {"id": 2, "method": "logging/setLevel"}', '> {"id": 2, "result": {}}']);
    const received: string[] = [];
    const subscribing = session.subscribe("file:///a", (uri) => received.push(uri));
    await runTranscript(wire, ['~ {"id": 3, "method": "resources/subscribe"}', '> {"id": 3, "result": {}}']);
    const listing = session.listTools();
    await runTranscript(wire, ['~ {"id": 4, "method": "tools/list"}', [">", { id: 4, result: { tools: [tool] } }]]);
    await Promise.all([subscribing, listing]);
    const next = await breakAndReturn(opened);
    await runTranscript(next, [
      '~ {"id": 2, "method": "logging/setLevel", "params": {"level": "info"}}',
      '~ {"id": 3, "method": "resources/subscribe", "params": {"uri": "file:///a"}}',
      '> {"id": 2, "result": {}}',
      '> {"id": 3, "result": {}}',
      '> {"method": "notifications/resources/updated", "params": {"uri": "file:///a"}}',
    ]);
    expect(received).toEqual(["file:///a"]);
    expect(events.map(({ kind }) => kind)).toEqual(["disconnected", "reconnecting", "reconnected"]);
    const again = session.listTools();
    await runTranscript(next, ['~ {"id": 4, "method": "tools/list"}', '> {"id": 4, "result": {"tools": []}}']);
    expect(await again).toEqual([]);
    expect(session.state).toBe("INITIALIZED");
  });

  test("a lost connection is replaced with an event for subscriptions that cannot be restored", async () => {
    const opened = await open();
    const subscribing = opened.session.subscribe("file:///a", () => {});
    await runTranscript(opened.wire, ['~ {"id": 2}', '> {"id": 2, "result": {}}']);
    await subscribing;
    const next = await breakAndReturn(opened);
    await runTranscript(next, ['~ {"id": 2}', '> {"id": 2, "error": {"code": -32002, "message": "gone"}}']);
    expect(opened.events).toContainEqual({
      kind: "restoreFailed",
      what: { kind: "subscription", uri: "file:///a" },
      error: expect.objectContaining({ message: "gone" }),
    });
  });

  test("a lost connection is replaced before new calls are sent", async () => {
    const opened = await open();
    opened.wire.end();
    await settle();
    expect(opened.session.state).toBe("INITIALIZING");
    const calling = opened.session.callTool("t");
    await opened.clock.pass(2_000);
    const [next] = opened.wires;
    next?.sent.splice(0, 2);
    if (next)
      await runTranscript(next, ['~ {"id": 2, "method": "tools/call"}', '> {"id": 2, "result": {"content": []}}']);
    expect(await calling).toEqual({ content: [] });
  });

  test("a call that finds the lost connection closing is sent on the new one", async () => {
    const opened = await open();
    opened.wire.end();
    expect(opened.session.state).toBe("DISCONNECTED");
    const calling = opened.session.callTool("t");
    await opened.clock.pass(2_000);
    const [next] = opened.wires;
    next?.sent.splice(0, 2);
    if (next)
      await runTranscript(next, ['~ {"id": 2, "method": "tools/call"}', '> {"id": 2, "result": {"content": []}}']);
    expect(await calling).toEqual({ content: [] });
    await runTranscript(opened.wire, []);
  });

  test("a lost connection is replaced after unanswered pings as well (P-02)", async () => {
    const opened = await open({ keepAlive: { interval: 1_000, timeout: 1_000, failures: 1 } });
    await opened.clock.pass(5_000);
    expect(opened.wires.length).toBeGreaterThan(1);
    expect(opened.events.map(({ kind }) => kind).slice(0, 4)).toEqual([
      "pingFailed",
      "disconnected",
      "reconnecting",
      "reconnected",
    ]);
  });

  test("a lost connection is not replaced without the option", async () => {
    const clock = new ManualClock();
    const { wire, wires, session } = await openSession({ clock });
    const calling = session.callTool("t");
    wire.end(new Error("cut"));
    await expect(calling).rejects.toMatchObject({ name: "ClosedError" });
    expect(await session.closed).toMatchObject({ message: "cut" });
    await clock.pass(60_000);
    expect(wires).toHaveLength(1);
    await expect(session.ping()).rejects.toMatchObject({ name: "ClosedError" });
  });

  test.each([{}, { reconnect: undefined }])("a closed connection is reported once: %j", async (options) => {
    const events: ClientEvent[] = [];
    const { session } = await openSession({
      clock: new ManualClock(),
      ...(!("reconnect" in options) && { reconnect: {} }),
      onEvent: (event) => events.push(event),
    });
    await session.close();
    await session.close();
    await settle();
    expect([events, await session.closed]).toEqual([[{ kind: "closed", reason: undefined }], undefined]);
  });

  test("a closed connection is not replaced", async () => {
    const opened = await open();
    opened.wire.end();
    await settle();
    const calling = opened.session.ping();
    calling.catch(() => {});
    await opened.session.close();
    await expect(calling).rejects.toMatchObject({ name: "ClosedError" });
    await opened.clock.pass(60_000);
    expect(opened.wires).toHaveLength(1);
    expect(opened.clock.active).toBe(0);
    expect(opened.events.at(-1)).toEqual({ kind: "closed", reason: undefined });
  });
});

test("a call that is running when the session closes fails with the reason of its connection, and is not sent again", async () => {
  const { session, wire, wires } = await open({ reconnect: { retry: "safe" } });
  const calling = session.listTools();
  calling.catch(() => {});
  await settle();
  expect(wire.sent).toMatchObject([{ method: "tools/list" }]);
  await session.close();
  await expect(calling).rejects.toThrow("The connection was closed before the response was sent");
  expect([wires.length, wire.sent.length]).toEqual([1, 1]);
});

describe("a call that fails because its session has ended", () => {
  interface Opened {
    readonly session: DefaultClientSession;
    readonly wire: Wire;
    readonly clock: ManualClock;
  }

  /** Opens a session that is lost for good when its connection breaks. */
  async function openOnce(): Promise<Opened> {
    const clock = new ManualClock();
    const reconnect = { retry: "safe", initialDelay: 10, factor: 1, attempts: 500 } as const;
    const profile = { readRetry: () => ({ delay: 1_000, isBeforeWork: true }) };
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions: handshakeRevisions,
      clock,
      reconnect,
      profile,
    });
    const wire = new Wire();
    let count = 0;
    const session = await client.connect((options) => {
      count += 1;
      if (count > 1) return Promise.reject(new Error("refused"));
      const connecting = connect(wire, options);
      wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id, { tools: {} }) });
      return connecting;
    });
    return { session, wire, clock };
  }

  type Step = (opened: Opened) => Promise<unknown>;
  const breakOff: Step = async ({ wire }) => (wire.end(new Error("cut")), await settle());
  const giveUp: Step = ({ clock }) => clock.pass(600_000);
  const close: Step = ({ session }) => session.close();
  const rejectForNow: Step = async ({ wire }) => {
    wire.post({ jsonrpc: "2.0", id: 2, error: { code: -32000, message: "Later" } });
    await settle();
  };

  test.each<[unsent: boolean, what: string, before: readonly Step[], after: readonly Step[]]>([
    [true, "begins after the end", [close], []],
    [true, "begins after the client has given up", [breakOff, giveUp], []],
    [true, "waits for a connection at the end", [breakOff], [close]],
    [true, "waits for a connection until the client gives up", [breakOff], [giveUp]],
    [false, "runs at the end", [], [close]],
    [false, "was sent, and waits for a connection at the end", [], [breakOff, close]],
    [false, "was sent, and waits for a connection until the client gives up", [], [breakOff, giveUp]],
    [false, "was rejected for now, and then waits until the client gives up", [], [rejectForNow, breakOff, giveUp]],
  ])(
    "a call that fails because its session has ended is unsent, %s, when it %s",
    async (unsent, _what, before, after) => {
      const opened = await openOnce();
      for (const step of before) await step(opened);
      const calling = opened.session.listTools();
      calling.catch(() => {});
      await settle();
      for (const step of after) await step(opened);
      await expect(calling).rejects.toMatchObject({ name: "ClosedError", unsent });
      await opened.session.close();
    },
  );
});

describe("interrupted calls", () => {
  test.each([
    ["a tool call", "never", (opened: WiredSession) => opened.session.callTool("t")],
    ["a list", "never", (opened: WiredSession) => opened.session.listTools()],
    ["a tool call that may do something twice", "safe", (opened: WiredSession) => opened.session.callTool("t")],
    ["a subscription", "safe", (opened: WiredSession) => opened.session.subscribe("a:b", () => {})],
  ] as const)("interrupted calls fail: %s with %s", async (_, retry, call) => {
    const opened = await open({ reconnect: { retry } });
    const calling = call(opened);
    calling.catch(() => {});
    await settle();
    const next = await breakAndReturn(opened);
    await expect(calling).rejects.toMatchObject({ name: "ClosedError" });
    await runTranscript(next, []);
  });

  test.each([
    ["lists", (opened: WiredSession) => opened.session.listTools(), { tools: [] }, []],
    ["reads", (opened: WiredSession) => opened.session.readResource("a:b"), { contents: [] }, { contents: [] }],
    ["requests by row", (opened: WiredSession) => opened.session.request("ping"), {}, {}],
  ])("interrupted calls are sent again when they are safe: %s", async (_, call, result, expected) => {
    const opened = await open({ reconnect: { retry: "safe" } });
    const calling = call(opened);
    await settle();
    const next = await breakAndReturn(opened);
    await runTranscript(next, ['~ {"id": 2}', [">", { id: 2, result }]]);
    await expect(inTime<unknown>(calling, "The call")).resolves.toEqual(expected);
  });

  test.each(["readOnlyHint", "idempotentHint"])(
    "interrupted calls are sent again when the annotations of the tool allow it: %s (TL-04)",
    async (hint) => {
      const opened = await open();
      const listing = opened.session.listTools();
      const tools = [{ ...tool, annotations: { [hint]: true } }];
      await runTranscript(opened.wire, ['~ {"id": 2}', [">", { id: 2, result: { tools } }]]);
      await listing;
      const calling = opened.session.callTool("t", {}, { retry: "safe" });
      await settle();
      const next = await breakAndReturn(opened);
      await runTranscript(next, ['~ {"id": 2, "method": "tools/call"}', '> {"id": 2, "result": {"content": []}}']);
      expect(await calling).toEqual({ content: [] });
    },
  );

  test.each<object>([
    { readOnlyHint: true },
    { idempotentHint: true },
    { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  ])(
    "interrupted calls are not sent again for annotations of the tool without the option: %j (TL-03, C-080)",
    async (annotations) => {
      const opened = await open();
      const listing = opened.session.listTools();
      await runTranscript(opened.wire, [
        '~ {"id": 2}',
        [">", { id: 2, result: { tools: [{ ...tool, annotations }] } }],
      ]);
      await listing;
      const calling = expect(opened.session.callTool("t")).rejects.toMatchObject({ name: "ClosedError" });
      await settle();
      const next = await breakAndReturn(opened);
      await calling;
      expect(next.sent.filter((message) => Reflect.get(Object(message), "method") === "tools/call")).toEqual([]);
      await opened.session.close();
    },
  );

  test("interrupted calls are sent again on the same connection when only their own stream ended", async () => {
    const opened = await open({ reconnect: { retry: "safe" } });
    let count = 0;
    const outcome = opened.session.listTools();
    await settle();
    // Over HTTP, a response may be lost while the session goes on.
    opened.wire.receiver?.message({ jsonrpc: "2.0", id: 2, error: { code: 1, message: "x" } });
    await expect(outcome).rejects.toMatchObject({ code: 1 });
    const send = opened.wire.send.bind(opened.wire);
    opened.wire.sent.length = 0;
    Object.assign(opened.wire, {
      send(message: never) {
        count += 1;
        if (count === 1) return Promise.reject(new LostError("cut"));
        return send(message);
      },
    });
    const again = opened.session.listTools();
    await runTranscript(opened.wire, ['~ {"id": 4, "method": "tools/list"}', '> {"id": 4, "result": {"tools": []}}']);
    expect(await again).toEqual([]);
    expect(opened.wires).toHaveLength(1);
  });
});

test.each<readonly [string, (wire: Wire, options: ConnectionFactoryOptions) => Promise<ClientConnection>]>([
  ["obeys the signal", connect],
  ["ignores it", (wire, { signal: _signal, ...options }) => connect(wire, options)],
])("a client that is closed while it connects is not connected, with an opener that %s", async (_what, open) => {
  const wire = new Wire();
  const client = createUntypedClient({ info: { name: "c", version: "1" }, revisions: handshakeRevisions });
  const connecting = client.connect((options) => open(wire, options));
  connecting.catch(() => {});
  const closing = client.close();
  await settle();
  wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id) });
  await expect(connecting).rejects.toMatchObject({ name: "ClosedError" });
  await closing;
  expect(wire.isClosed).toBe(true);
});

describe("attempts", () => {
  async function failing(
    error: Error,
    reconnect: AnyClientOptions["reconnect"],
  ): Promise<{ readonly events: ClientEvent[]; readonly closed: Error | undefined; ping(): Promise<void> }> {
    const clock = new ManualClock();
    const events: ClientEvent[] = [];
    const info = { name: "c", version: "1" };
    const client = createUntypedClient({
      info,
      revisions: handshakeRevisions,
      clock,
      ...(reconnect && { reconnect }),
      onEvent: (event) => events.push(event),
    });
    let wire: Wire | undefined;
    const session = await client.connect((options) => {
      if (wire) return Promise.reject(error);
      wire = new Wire();
      const connecting = connect(wire, options);
      const [revision] = handshakeRevisions;
      wire.post({
        jsonrpc: "2.0",
        id: 1,
        result: { protocolVersion: revision?.id, capabilities: {}, serverInfo: { name: "s", version: "1" } },
      });
      return connecting;
    });
    wire?.end();
    await clock.pass(600_000);
    return { events, closed: await session.closed, ping: () => session.ping() };
  }

  test("attempts have growing, bounded and random delays, and end (P-04)", async () => {
    const { events, closed, ping } = await failing(new Error("refused"), {
      attempts: 6,
      initialDelay: 1_000,
      factor: 2,
      maxDelay: 5_000,
    });
    const delays = events.flatMap((event) => (event.kind === "reconnecting" ? [event.delay] : []));
    expect(delays).toHaveLength(6);
    for (const [index, ceiling] of [1_000, 2_000, 4_000, 5_000, 5_000, 5_000].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(ceiling / 2);
      expect(delays[index]).toBeLessThanOrEqual(ceiling);
    }
    expect(closed).toBeInstanceOf(ClosedError);
    expect(closed?.cause).toMatchObject({ message: "refused" });
    expect(events.at(-1)?.kind).toBe("closed");
    expect(events.filter(({ kind }) => kind === "reconnectFailed")).toHaveLength(6);
    await expect(ping()).rejects.toThrow("The session is closed");
  });

  test("attempts end at once when the server returns without a common revision (L-09)", async () => {
    const { events, closed } = await failing(new VersionError(["a"], ["b"]), {});
    expect(events.filter(({ kind }) => kind === "reconnecting")).toHaveLength(1);
    expect(closed?.cause).toBeInstanceOf(VersionError);
  });

  test("attempts start over after a connection that lasted, and not after a short one", async () => {
    const opened = await open({ reconnect: { initialDelay: 1_000, factor: 4, stableAfter: 10_000 } });
    const attempts = (): number[] =>
      opened.events.flatMap((event) => (event.kind === "reconnecting" ? [event.attempt] : []));
    await breakAndReturn(opened);
    await breakAndReturn(opened);
    expect(attempts()).toEqual([1, 2]);
    await opened.clock.pass(10_000);
    await breakAndReturn(opened);
    expect(attempts()).toEqual([1, 2, 1]);
  });

  test("attempts need a connection factory", async () => {
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions: handshakeRevisions,
      reconnect: {},
    });
    await expect(client.connect(createInMemoryTransports()[0])).rejects.toThrow(
      "requires a function that creates transports",
    );
  });
});

describe("a connection that takes long to close or to open", () => {
  /** Keeps the connection of a wire from being closed until the gate opens. */
  function holdClose({ wire }: WiredSession): Gate {
    const gate = createGate();
    Object.assign(wire, { close: () => gate.opened });
    return gate;
  }

  test("a connection is opened after the last one has closed", async () => {
    const opened = await open({ keepAlive: { interval: 1_000, timeout: 1_000, failures: 1 } });
    const gate = holdClose(opened);
    await opened.clock.pass(60_000);
    expect([opened.wires.length, opened.events.map(({ kind }) => kind)]).toEqual([1, ["pingFailed", "disconnected"]]);
    gate.open();
    await opened.clock.pass(1_000);
    expect(opened.wires).toHaveLength(2);
  });

  test("a connection that is closing has calls that wait for the next one", async () => {
    const opened = await open();
    const gate = holdClose(opened);
    opened.wire.receiver?.ended?.();
    await settle();
    const calling = opened.session.callTool("t");
    calling.catch(() => {});
    await settle();
    gate.open();
    for (let tries = 0; opened.wires.length === 1 && tries < 100; tries += 1) await opened.clock.pass(500);
    await settle();
    const [next] = opened.wires;
    const hasMethod = (message: unknown): boolean => Reflect.get(Object(message), "method") === "tools/call";
    expect(next?.sent.filter(hasMethod)).toMatchObject([{ id: 2, params: { name: "t" } }]);
    next?.post({ jsonrpc: "2.0", id: 2, result: { content: [] } });
    expect(await calling).toEqual({ content: [] });
  });

  test.each([
    ["fails when the session is closed", true],
    ["ignores that the session is closed", false],
  ])("a connection whose opening %s ends before the session is closed", async (_how, isHeeded) => {
    const clock = new ManualClock();
    const events: ClientEvent[] = [];
    const gate = createGate();
    const wires: Wire[] = [];
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions: handshakeRevisions,
      clock,
      reconnect: { initialDelay: 10 },
      onEvent: (event) => events.push(event),
    });
    const session = await client.connect(async ({ signal, ...options }) => {
      const wire = new Wire();
      wires.push(wire);
      if (wires.length > 1 && isHeeded) {
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
      if (wires.length > 1) await gate.opened;
      const connecting = connect(wire, options);
      wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id) });
      return connecting;
    });
    wires[0]?.end();
    await clock.pass(10);
    let isClosed = false;
    const closing = session.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(isHeeded);
    gate.open();
    await closing;
    expect(wires[1]?.isClosed).toBe(!isHeeded);
    expect(events.map(({ kind }) => kind)).toEqual(["disconnected", "reconnecting", "closed"]);
  });
});

test.each<[string, Error, number]>([
  ["is sent again after the loss of its stream", new LostError("cut"), 2],
  ["is sent again after the end of its session", new SessionExpiredError("expired"), 2],
  ["is not sent again after a rejection", new HttpError("forbidden", { status: 403, body: "" }), 1],
])("a safe call %s", async (_what, error, times) => {
  const { session, wire, wires } = await open({ reconnect: { retry: "safe" } });
  const send = wire.send.bind(wire);
  let count = 0;
  Object.assign(wire, {
    send(message: never) {
      count += 1;
      return count === 1 ? Promise.reject(error) : send(message);
    },
  });
  const listing = session.listTools().catch((thrown: unknown) => thrown);
  await settle();
  wire.post({ jsonrpc: "2.0", id: 3, result: { tools: [] } });
  expect(await listing).toEqual(times === 1 ? error : []);
  expect([count, wires.length]).toEqual([times, 1]);
});

test.each([
  [9_499, [1, 2]],
  [9_500, [1, 1]],
])("a connection that lasted another %i ms after half a second has the attempts %j", async (time, expected) => {
  const opened = await open({ reconnect: { initialDelay: 0 } });
  await breakAndReturn(opened);
  await opened.clock.pass(time);
  await breakAndReturn(opened);
  expect(opened.events.flatMap((event) => (event.kind === "reconnecting" ? [event.attempt] : []))).toEqual(expected);
});

test("a session that the transport renewed is restored as well (T-55)", async () => {
  const { wire, opening, events } = await open({ logLevel: "error" });
  await runTranscript(wire, ['~ {"id": 2, "method": "logging/setLevel"}', '> {"id": 2, "result": {}}']);
  opening.onNewSession();
  await runTranscript(wire, ['~ {"id": 3, "method": "logging/setLevel"}', '> {"id": 3, "result": {}}']);
  expect(events).toEqual([{ kind: "reconnected" }]);
});
