import { describe, expect, test } from "vitest";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactoryOptions } from "../../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { ClientEvent } from "../../../../runtime/client/events.ts";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { runTranscript, type TranscriptLine } from "../../../../runtime/testing/transcript.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { welcome } from "../raw-server.ts";
import { openSession, type WiredSession } from "./session-wire.ts";

const info = { name: "c", version: "1" };
const tool = { name: "t", inputSchema: { type: "object" } };
const server = {
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
  },
};

/** Reads the list of tools, which the server sends if it is not cached. Returns true if it was cached. */
async function isCached({ session, wire }: WiredSession): Promise<boolean> {
  const listing = session.listTools();
  listing.catch(() => {});
  await settle();
  const [request] = wire.sent.splice(0);
  if (!request) return listing.then(() => true);
  wire.post({ jsonrpc: "2.0", id: Reflect.get(Object(request), "id"), result: { tools: [tool] } });
  return listing.then(() => false);
}

describe("the options of a connection", () => {
  /** Options of the first connection of a client, which fails. */
  async function optionsOf(options: Partial<AnyClientOptions>): Promise<Partial<ConnectionFactoryOptions>> {
    let opening: Partial<ConnectionFactoryOptions> = {};
    const client = createUntypedClient({ info, revisions: handshakeRevisions, ...options });
    const connecting = client.connect((given) => {
      opening = given;
      return Promise.reject(new Error("stop"));
    });
    await expect(connecting).rejects.toThrow("stop");
    return opening;
  }

  const always = ["info", "revisions", "eras", "logLevel", "signal", "capabilities", "handlers", "onNewSession"];
  const reports = ["onNotificationsLost", "onNotificationsOpened"];

  test("options that a client does not have are absent", async () => {
    expect(Object.keys(await optionsOf({})).sort()).toEqual([...always, ...reports].sort());
  });

  test("options of a client are those of each connection", async () => {
    const given = {
      lifecycle: "handshake",
      onError: () => {},
      onLoss: "error",
      clock: new ManualClock(),
      limits: { maxValues: 5 },
      timeouts: { request: 5 },
      profile: {},
      progressRate: { burst: 1, perSecond: 1 },
      metrics: new Metrics(),
      telemetry: { observe: <Given>(channel: Given): Given => channel },
    } as const;
    const opening = await optionsOf({ ...given, logLevel: "info" });
    for (const [name, value] of Object.entries(given)) expect(Reflect.get(opening, name)).toBe(value);
    expect([opening.info, opening.logLevel?.()]).toEqual([info, "info"]);
  });

  test("a signal of `connect` ends the first connection only", async () => {
    const stop = new AbortController();
    const clock = new ManualClock();
    const signals: (AbortSignal | undefined)[] = [];
    const wires: Wire[] = [];
    const client = createUntypedClient({ info, revisions: handshakeRevisions, clock, reconnect: { initialDelay: 10 } });
    const session = await client.connect(
      (opening) => {
        const wire = new Wire();
        wires.push(wire);
        signals.push(opening.signal);
        const connecting = connect(wire, opening);
        wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id) });
        return connecting;
      },
      { signal: stop.signal },
    );
    wires[0]?.end();
    await clock.pass(10);
    stop.abort();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
    await session.close();
    expect(signals[1]?.aborted).toBe(true);
  });
});

describe("notifications of a session over HTTP", () => {
  async function open(): Promise<WiredSession & { takeEvents(): readonly ClientEvent[] }> {
    const events: ClientEvent[] = [];
    const opened = await openSession({ onEvent: (event) => events.push(event) }, server);
    return { ...opened, takeEvents: () => events.splice(0) };
  }

  const reason = new Error("cut");

  test("notifications that were never received are not lost", async () => {
    const { opening, takeEvents } = await open();
    opening.onNotificationsLost(reason);
    opening.onNotificationsOpened?.();
    expect(takeEvents()).toEqual([]);
  });

  test("notifications that are lost are reported once, until they are received again", async () => {
    const { opening, takeEvents } = await open();
    for (const _time of [1, 2]) {
      opening.onNotificationsOpened?.();
      expect(takeEvents()).toEqual([]);
      opening.onNotificationsLost(reason);
      opening.onNotificationsLost(new Error("again"));
      expect(takeEvents()).toEqual([{ kind: "notificationsLost", reason }]);
      opening.onNotificationsOpened?.();
      expect(takeEvents()).toEqual([{ kind: "hearing" }]);
    }
  });

  test("notifications that are lost drop each list, which is not cached until they are received again", async () => {
    const opened = await open();
    opened.opening.onNotificationsOpened?.();
    expect([await isCached(opened), await isCached(opened)]).toEqual([false, true]);
    // The first message of a stream is no change.
    opened.opening.onNotificationsOpened?.();
    expect(await isCached(opened)).toBe(true);
    opened.opening.onNotificationsLost(reason);
    expect([await isCached(opened), await isCached(opened)]).toEqual([false, false]);
    opened.opening.onNotificationsOpened?.();
    expect([await isCached(opened), await isCached(opened)]).toEqual([false, true]);
    opened.opening.onNotificationsOpened?.();
    expect(await isCached(opened)).toBe(true);
  });

  test("notifications that are lost while the client connects keep lists from being cached", async () => {
    const wire = new Wire();
    const client = createUntypedClient({ info, revisions: handshakeRevisions });
    const openings: ConnectionFactoryOptions[] = [];
    const session = await client.connect((given) => {
      openings.push(given);
      given.onNotificationsLost();
      const connecting = connect(wire, given);
      wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id, server.capabilities) });
      return connecting;
    });
    await settle();
    wire.sent.splice(0);
    const [opening] = openings;
    if (!opening) throw new Error("The client has not connected");
    const opened = { client, session, wire, wires: [wire], reports: [], declared: {}, opening };
    expect([await isCached(opened), await isCached(opened)]).toEqual([false, false]);
    opening.onNotificationsOpened?.();
    expect([await isCached(opened), await isCached(opened)]).toEqual([false, true]);
  });
});

describe("callbacks of a client", () => {
  const updated = "notifications/resources/updated";
  const rows: readonly (readonly [string, string, object])[] = [
    ["onListChanged", "notifications/tools/list_changed", {}],
    ["onListChanged", "notifications/prompts/list_changed", {}],
    ["onListChanged", "notifications/resources/list_changed", {}],
    ["onResourceUpdated", updated, { uri: "a:b" }],
    ["onLog", "notifications/message", { level: "info", data: 1 }],
  ];

  test.each(rows)("a callback that fails is reported with its notification: %s of %s", async (name, method, params) => {
    let isSync = true;
    const fail = (): unknown => {
      if (isSync) throw new Error("sync");
      return Promise.reject(new Error("async"));
    };
    const { wire, reports } = await openSession({ [name]: fail }, server);
    await runTranscript(wire, [[">", { method, params }]]);
    isSync = false;
    await runTranscript(wire, [[">", { method, params }]]);
    expect(reports).toMatchObject([
      { kind: "callback", method, error: { message: "sync" } },
      { kind: "callback", method, error: { message: "async" } },
    ]);
  });

  test.each(rows)("a callback may be absent: %s of %s", async (_name, method, params) => {
    const { wire, reports, session } = await openSession({}, server);
    await runTranscript(wire, [[">", { method, params }]]);
    expect([reports, session.state]).toEqual([[], "INITIALIZED"]);
  });

  test.each(rows)("a callback that fails like `onError` has no effect: %s of %s", async (name, method, params) => {
    const onError = (): never => {
      throw new Error("no");
    };
    const { wire, session } = await openSession({ [name]: onError, onError }, server);
    await runTranscript(wire, [[">", { method, params }]]);
    expect(session.state).toBe("INITIALIZED");
  });

  test("a callback for events that fails is reported as one of the connection", async () => {
    const { session, reports } = await openSession({
      onEvent: () => {
        throw new Error("no");
      },
    });
    await session.close();
    expect(reports).toMatchObject([{ kind: "callback", method: "connection", error: { message: "no" } }]);
  });
});

describe("a session that is new at the server", () => {
  test("a new session has the log level and the subscriptions of the last one, and then an event", async () => {
    const events: ClientEvent[] = [];
    const { wire, session, opening } = await openSession({ onEvent: (event) => events.push(event) }, server);
    const subscribing = session.subscribe("a:b", () => {});
    const setting = session.setLogLevel("error");
    await runTranscript(wire, ['~ {"id": 2}', '> {"id": 2, "result": {}}', '~ {"id": 3}', '> {"id": 3, "result": {}}']);
    await Promise.all([subscribing, setting]);
    opening.onNewSession();
    const levels: TranscriptLine = ["~", { id: 4, method: "logging/setLevel", params: { level: "error" } }];
    await runTranscript(wire, [levels, ["~", { id: 5, method: "resources/subscribe", params: { uri: "a:b" } }]]);
    const error = { code: -32603, message: "no" };
    await runTranscript(wire, [[">", { id: 4, error }]]);
    expect(events).toMatchObject([{ kind: "restoreFailed", what: { kind: "logLevel", level: "error" }, error }]);
    await runTranscript(wire, [[">", { id: 5, error }]]);
    expect(events.slice(1)).toMatchObject([
      { kind: "restoreFailed", what: { kind: "subscription", uri: "a:b" }, error },
      { kind: "reconnected" },
    ]);
  });
});

test.each([
  ["that does not log", newest, { tools: {} }],
  ["whose requests carry their level", statelessRevision, { logging: {} }],
])("a client with a log level and pings sends neither to a server %s", async (_what, revision, capabilities) => {
  const [clock, wire, events] = [new ManualClock(), new Wire(), new Array<string>()];
  const isStateless = revision === statelessRevision;
  const client = createUntypedClient({
    info,
    revisions: [revision],
    clock,
    logLevel: "info",
    onEvent: ({ kind }) => void events.push(kind),
    ...(isStateless && { keepAlive: { interval: 1_000, failures: 1 } }),
  });
  const connecting = client.connect(wire);
  await settle();
  const result = isStateless ? { supportedVersions: [revision.id], capabilities } : welcome(revision.id, capabilities);
  wire.post({ jsonrpc: "2.0", id: 1, result });
  const session = await connecting;
  await settle();
  wire.sent.length = 0;
  if (isStateless) await session.setLogLevel("error");
  await clock.pass(60_000);
  expect([wire.sent, events]).toEqual([[], []]);
  wire.end();
  await session.closed;
});

describe("calls of a session", () => {
  test("a call with invalid metadata is not sent", async () => {
    const { wire, session } = await openSession();
    await expect(session.callTool("t", {}, { meta: { "a b/": 1 } })).rejects.toThrow(
      "The _meta of callTool is not valid: ",
    );
    await runTranscript(wire, []);
  });

  test("a call that the revision of the session does not have is not sent", async () => {
    const { session, wire } = await openSession({}, { revision: "2025-06-18" });
    await expect(session.listTasks()).rejects.toThrow("Revision 2025-06-18 of the session has no listTasks requests");
    expect(wire.sent).toEqual([]);
  });

  test("a notification is sent by its row and by its method", async () => {
    const { wire, session } = await openSession({ roots: [] });
    const row = session.revision.clientNotifications["notifications/roots/list_changed"];
    if (!row) throw new Error("The revision has no such notification");
    await session.notify(row, undefined);
    await session.notify("notifications/roots/list_changed");
    const line: TranscriptLine = '< {"method": "notifications/roots/list_changed"}';
    await runTranscript(wire, [line, line]);
  });

  test("changed roots are not notified while the client reconnects, nor where the revision has no such message", async () => {
    const clock = new ManualClock();
    const { wire, session } = await openSession({ roots: [], clock, reconnect: {} });
    wire.end();
    await settle();
    session.notifyRootsListChanged();
    await runTranscript(wire, []);
    expect(session.state).toBe("INITIALIZING");
    await session.close();
    expect(session.state).toBe("DISCONNECTED");
    const stateless = new Wire();
    const client = createUntypedClient({ info, revisions: [statelessRevision], roots: [] });
    const connecting = client.connect(stateless);
    await settle();
    const result = { resultType: "complete", supportedVersions: [statelessRevision.id], capabilities: {}, ttlMs: 0 };
    stateless.post({ jsonrpc: "2.0", id: 1, result });
    const connected = await connecting;
    stateless.sent.splice(0);
    connected.notifyRootsListChanged();
    await runTranscript(stateless, []);
  });
});
