import { afterEach, describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { ClientEvent } from "../../../../runtime/client/events.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function create(): Server {
  const resources = ["note://a", "note://b", "dir://x"].map((uri) => ({ uri, name: uri, read: () => uri }));
  return createServer(
    {
      name: "s",
      version: "1",
      tools: [{ name: "a", execute: () => "" }],
      resources,
      listChanged: true,
      subscribe: true,
    },
    revisions,
  );
}

describe.each(revisions)("subscriptions at $id", (revision) => {
  const pinned = { revisions: [revision] };

  test("a client subscribes to a resource and to those below it, until it unsubscribes", async () => {
    const server = create();
    await using client = await connectInMemory<Declarations>(server, pinned);
    const received: string[] = [];
    const stop = await client.subscribe("note://a", (uri) => received.push(uri));
    const stopOther = await client.subscribe("dir://x", (uri) => received.push(uri));
    server.resources.notifyUpdated("note://a");
    server.resources.notifyUpdated("note://b");
    server.resources.notifyUpdated("dir://x/file", { under: "dir://x" });
    await settle();
    expect(received).toEqual(expect.arrayContaining(["note://a", "dir://x/file"]));
    expect(received).not.toContain("note://b");
    await stop();
    await stopOther();
    await settle();
    received.length = 0;
    server.resources.notifyUpdated("note://a");
    await settle();
    expect(received).toEqual([]);
  });

  test("a subscription to an unknown resource fails, and those of known ones work (C-070)", async () => {
    const server = create();
    await using client = await connectInMemory<Declarations>(server, pinned);
    const received: string[] = [];
    await client.subscribe("note://a", (uri) => received.push(uri));
    await expect(client.subscribe("note://none", () => {})).rejects.toThrow();
    server.resources.notifyUpdated("note://a");
    await settle();
    expect(received).toContain("note://a");
  });

  test("a client with a listener receives list-changed notifications", async () => {
    const server = create();
    const changed: string[] = [];
    await using _client = await connectInMemory<Declarations>(server, {
      ...pinned,
      onListChanged: (list) => changed.push(list),
    });
    await settle();
    server.tools.add({ name: "b", execute: () => "" });
    await expect.poll(() => changed).toEqual(["tools"]);
  });
});

interface Raw {
  readonly session: DefaultClientSession;
  readonly wires: readonly Wire[];
  readonly clock: ManualClock;
  readonly events: ClientEvent[];
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
const discovered = { resultType: "complete", supportedVersions: [statelessRevision.id], capabilities, ttlMs: 0 };

/** A session whose server is played by the test, apart from the first question; the last connection comes first. */
async function open(options: Partial<AnyClientOptions> = {}): Promise<Raw> {
  const wires: Wire[] = [];
  const events: ClientEvent[] = [];
  const clock = new ManualClock();
  const client = createUntypedClient({
    info: { name: "c", version: "1" },
    revisions: [statelessRevision],
    clock,
    onEvent: (event) => events.push(event),
    ...options,
  });
  closers.push(() => client.close());
  const session = await client.connect((opening) => {
    const wire = new Wire();
    wires.unshift(wire);
    const connecting = connect(wire, opening);
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    wire.sent.length = 0;
    return connecting;
  });
  await settle();
  return { session, wires, clock, events };
}

interface Listen {
  readonly id: unknown;
  readonly filter: unknown;
}

/** The requests to listen that were sent since the last look. */
function takeListens(wire: Wire): Listen[] {
  return wire.sent.splice(0).flatMap((message) => {
    if (!isObject(message) || message.method !== "subscriptions/listen" || !isObject(message.params)) return [];
    return [{ id: message.id, filter: message.params.notifications }];
  });
}

function acknowledge(wire: Wire, { id, filter }: Listen, notifications = filter): Promise<void> {
  return notify(wire, "subscriptions/acknowledged", { notifications, _meta: { [meta.subscription]: id } });
}

function notify(wire: Wire, method: string, params: object): Promise<void> {
  wire.post({ jsonrpc: "2.0", method: `notifications/${method}`, params });
  return settle();
}

const only = <Item>(items: readonly Item[]): Item => {
  const [item] = items;
  if (items.length !== 1 || item === undefined) throw new Error(`${items.length} items`);
  return item;
};

const first = ([wire]: readonly Wire[]): Wire => wire ?? expect.unreachable("no connection");

describe("the listen requests of a client", () => {
  test("listen requests are one for all subscriptions of a moment", async () => {
    const { session, wires } = await open();
    const wire = first(wires);
    const subscribing = ["a:1", "a:2", "a:3"].map((uri) => session.subscribe(uri, () => {}));
    await settle();
    const listen = only(takeListens(wire));
    expect(listen.filter).toEqual({ resourceSubscriptions: ["a:1", "a:2", "a:3"] });
    await acknowledge(wire, listen);
    await Promise.all(subscribing);
  });

  test("listen requests are not sent without subscriptions, and carry the request metadata (C-002)", async () => {
    const { session, wires } = await open({ cacheLists: false });
    const wire = first(wires);
    expect(wire.sent).toEqual([]);
    void session.subscribe("a:1", () => {}).catch(() => {});
    await settle();
    expect(wire.sent).toMatchObject([
      { params: { _meta: { [meta.version]: statelessRevision.id, [meta.capabilities]: {} } } },
    ]);
  });

  test("a listen request replaces another: the old one is read until the new one is acknowledged, and a little longer", async () => {
    const { session, wires, clock } = await open();
    const wire = first(wires);
    const received: string[] = [];
    const listen = (uri: string): Promise<unknown> => session.subscribe(uri, (changed) => received.push(changed));
    const one = listen("a:1");
    await settle();
    const old = only(takeListens(wire));
    await acknowledge(wire, old);
    await one;
    const two = listen("a:2");
    await settle();
    const fresh = only(takeListens(wire));
    expect(fresh).toEqual({ id: expect.any(Number), filter: { resourceSubscriptions: ["a:1", "a:2"] } });
    await notify(wire, "resources/updated", { uri: "a:1", _meta: { [meta.subscription]: old.id } });
    await acknowledge(wire, fresh);
    await two;
    await notify(wire, "resources/updated", { uri: "a:1", _meta: { [meta.subscription]: old.id } });
    await notify(wire, "resources/updated", { uri: "a:2", _meta: { [meta.subscription]: fresh.id } });
    expect(received).toEqual(["a:1", "a:1", "a:2"]);
    expect(wire.sent).toEqual([]);
    await clock.pass(250);
    expect(wire.sent).toMatchObject([{ method: "notifications/cancelled", params: { requestId: old.id } }]);
    await notify(wire, "resources/updated", { uri: "a:1", _meta: { [meta.subscription]: old.id } });
    expect(received).toHaveLength(3);
  });

  test("a listen request ends with the last subscription (TS-05)", async () => {
    const { session, wires, clock } = await open();
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    await settle();
    const listen = only(takeListens(wire));
    await acknowledge(wire, listen);
    const stop = await subscribing;
    await stop();
    await clock.pass(250);
    expect(wire.sent).toMatchObject([{ method: "notifications/cancelled", params: { requestId: listen.id } }]);
  });

  test("a listen request has no time-out after its acknowledgement (C-020)", async () => {
    const { session, wires, clock, events } = await open();
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    await settle();
    await acknowledge(wire, only(takeListens(wire)));
    await subscribing;
    await clock.pass(86_400_000);
    expect([wire.sent, events]).toEqual([[], []]);
  });
});

describe("notifications of a listen request", () => {
  test.each([
    ["the id as a text", (id: unknown) => ({ [meta.subscription]: String(id) })],
    ["the id of nobody", () => ({ [meta.subscription]: 999 })],
    ["no id", () => ({})],
  ])("a notification with %s belongs to no request, and is ignored (C-071, TS-07)", async (_what, toMeta) => {
    const changed: string[] = [];
    const { wires } = await open({ onListChanged: (list) => changed.push(list) });
    const wire = first(wires);
    const listen = only(takeListens(wire));
    expect(listen.filter).toEqual({ toolsListChanged: true, resourcesListChanged: true });
    await acknowledge(wire, listen);
    await notify(wire, "tools/list_changed", { _meta: toMeta(listen.id) });
    expect(changed).toEqual([]);
    await notify(wire, "tools/list_changed", { _meta: { [meta.subscription]: listen.id } });
    expect(changed).toEqual(["tools"]);
  });

  test("an acknowledgement with less than the request is reported to the client (C-070)", async () => {
    const { wires, events } = await open({ onListChanged: () => {} });
    const wire = first(wires);
    await acknowledge(wire, only(takeListens(wire)), { toolsListChanged: true });
    expect(events).toMatchObject([{ kind: "restoreFailed", what: { kind: "listChanges", list: "resources" } }]);
  });
});

describe("a server without listen requests", () => {
  test("an error of a listen request fails the subscription", async () => {
    const { session, wires } = await open();
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    await settle();
    const { id } = only(takeListens(wire));
    wire.post({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
    await expect(subscribing).rejects.toMatchObject({ code: -32601 });
  });

  test("a time-out of a listen request fails the subscription, and the request is cancelled", async () => {
    const { session, wires, clock } = await open();
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    subscribing.catch(() => {});
    await settle();
    const { id } = only(takeListens(wire));
    await clock.pass(5_000);
    await expect(subscribing).rejects.toThrow(/subscriptions\/listen/);
    expect(wire.sent).toMatchObject([{ method: "notifications/cancelled", params: { requestId: id } }]);
  });
});

describe("a subscription whose signal is aborted", () => {
  test("a subscription is given up at once, and its request ends when the server agrees after all", async () => {
    const { session, wires, clock } = await open();
    const wire = first(wires);
    const stop = new AbortController();
    const subscribing = session.subscribe("a:1", () => {}, { signal: stop.signal });
    await settle();
    const listen = only(takeListens(wire));
    stop.abort(new Error("given up"));
    await expect(subscribing).rejects.toThrow("given up");
    await acknowledge(wire, listen);
    await clock.pass(250);
    expect(wire.sent).toMatchObject([{ method: "notifications/cancelled", params: { requestId: listen.id } }]);
  });

  test("a subscription is not sent if its signal was aborted before", async () => {
    const { session, wires } = await open();
    const subscribing = session.subscribe("a:1", () => {}, { signal: AbortSignal.abort(new Error("given up")) });
    await expect(subscribing).rejects.toThrow("given up");
    expect(takeListens(first(wires))).toEqual([]);
  });
});

describe("a listen stream that ends", () => {
  const endings: readonly (readonly [string, (wire: Wire, id: unknown) => void])[] = [
    [
      "with its result",
      (wire, id) => wire.post({ jsonrpc: "2.0", id, result: { _meta: { [meta.subscription]: id } } }),
    ],
    [
      "because the server takes it back (2.10)",
      (wire, id) => wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }),
    ],
  ];

  test.each(endings)(
    "a listen stream that ends %s is opened again after a while (C-073, S-034)",
    async (_what, end) => {
      const received: string[] = [];
      const { session, wires, clock, events } = await open();
      const wire = first(wires);
      const subscribing = session.subscribe("a:1", (uri) => received.push(uri));
      await settle();
      const old = only(takeListens(wire));
      await acknowledge(wire, old);
      await subscribing;
      end(wire, old.id);
      await settle();
      expect(events).toMatchObject([{ kind: "notificationsLost" }]);
      expect(takeListens(wire)).toEqual([]);
      await clock.pass(1_000);
      const fresh = only(takeListens(wire));
      expect(fresh.filter).toEqual(old.filter);
      expect(fresh.id).not.toBe(old.id);
      await acknowledge(wire, fresh);
      expect(events.at(-1)).toEqual({ kind: "hearing" });
      await notify(wire, "resources/updated", { uri: "a:1", _meta: { [meta.subscription]: fresh.id } });
      expect(received).toEqual(["a:1"]);
    },
  );

  test("a listen stream that ends repeatedly is given up after some attempts, each later than the one before", async () => {
    const { session, wires, clock, events } = await open({ reconnect: { attempts: 3, initialDelay: 100 } });
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    await settle();
    for (let round = 0; round < 4; round += 1) {
      const listen = only(takeListens(wire));
      await acknowledge(wire, listen);
      await subscribing;
      wire.post({ jsonrpc: "2.0", id: listen.id, result: { _meta: { [meta.subscription]: listen.id } } });
      await clock.pass(1_000);
    }
    expect(takeListens(wire)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ kind: "restoreFailed", what: { kind: "subscription", uri: "a:1" } });
  });

  test("a listen stream that ends with an error is not opened again", async () => {
    const { session, wires, clock, events } = await open();
    const wire = first(wires);
    const subscribing = session.subscribe("a:1", () => {});
    await settle();
    const listen = only(takeListens(wire));
    await acknowledge(wire, listen);
    await subscribing;
    wire.post({ jsonrpc: "2.0", id: listen.id, error: { code: -32603, message: "broken" } });
    await clock.pass(60_000);
    expect(takeListens(wire)).toEqual([]);
    expect(events.map(({ kind }) => kind)).toEqual(["notificationsLost", "restoreFailed"]);
  });

  test("a listen stream that ends with its connection is opened on the next one (C-072, TS-07)", async () => {
    const received: string[] = [];
    const { session, wires, clock } = await open({ reconnect: {} });
    const subscribing = session.subscribe("a:1", (uri) => received.push(uri));
    await settle();
    await acknowledge(first(wires), only(takeListens(first(wires))));
    await subscribing;
    first(wires).end(new Error("cut"));
    await clock.pass(2_000);
    expect(wires).toHaveLength(2);
    const wire = first(wires);
    const listen = only(takeListens(wire));
    expect(listen.filter).toEqual({ resourceSubscriptions: ["a:1"] });
    await acknowledge(wire, listen);
    await notify(wire, "resources/updated", { uri: "a:1", _meta: { [meta.subscription]: listen.id } });
    expect(received).toEqual(["a:1"]);
  });
});
