import { beforeEach, describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { SubscriptionError } from "../../../../runtime/client/errors.ts";
import type { RestoredState } from "../../../../runtime/client/events.ts";
import { Listening, mayPass, type ListeningHost } from "../../../../runtime/client/subscriptions/listen.ts";
import { ClosedError, PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { toReconnection } from "../../../../runtime/transport/http-client/reconnect-delay.ts";
import { HttpError, LostError } from "../../../../runtime/transport/http-client/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { connectWire } from "../raw-server.ts";
import { openLine, type Line } from "../tasks/task-line.ts";

/* Subscriptions to changes at a server inside the test. */

const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
};

interface Listen {
  readonly id: unknown;
  readonly filter: unknown;
}

let clock = new ManualClock();
/** Calls of the host since the last look. */
let told: unknown[] = [];
/** Resources of resumed subscriptions. */
let resumed: readonly string[] = [];
let line: Line;
let listening: Listening;

function create(options: Partial<ListeningHost> = {}): Listening {
  return new Listening({
    clock,
    reconnection: toReconnection({ initialDelay: 100, factor: 2, attempts: 2 }),
    timeout: 1_000,
    wantsLists: false,
    notificationsLost: (reason) => told.push(["notificationsLost", reason?.message]),
    hearing: () => told.push(["hearing"]),
    lost: (what: readonly RestoredState[], { message }: Error) => told.push(["lost", what, message]),
    resume: () => resumed,
    ...options,
  });
}

async function adopt(options?: Partial<ListeningHost>): Promise<void> {
  listening = create(options);
  line = await open();
  listening.adopt(line.connection);
  await settle();
}

const open = (): Promise<Line> => openLine({ revisions: [statelessRevision], clock }, everything);

beforeEach(async () => {
  clock = new ManualClock();
  told = [];
  resumed = [];
  await adopt();
});

const takeTold = (): readonly unknown[] => told.splice(0);

/** Messages since the last look: requests to listen by their filters, and ids of cancelled requests. */
async function take({ wire }: Line = line): Promise<{
  readonly listens: readonly Listen[];
  readonly ended: unknown[];
}> {
  await settle();
  const listens: Listen[] = [];
  const ended: unknown[] = [];
  for (const message of wire.sent.splice(0).filter(isObject)) {
    const params = isObject(message.params) ? message.params : {};
    if (message.method === "subscriptions/listen") listens.push({ id: message.id, filter: params.notifications });
    if (message.method === "notifications/cancelled") ended.push(params.requestId);
  }
  return { listens, ended };
}

async function takeListen(from?: Line): Promise<Listen> {
  const { listens } = await take(from);
  const [listen] = listens;
  if (!listen || listens.length > 1) throw new Error(`There are ${listens.length} requests to listen`);
  return listen;
}

async function accept({ id, filter }: Listen, notifications: unknown = filter): Promise<void> {
  listening.accept({ notifications, _meta: { [meta.subscription]: id } });
  await settle();
}

async function respond({ id }: Listen, body: object, { wire }: Line = line): Promise<void> {
  wire.post({ jsonrpc: "2.0", id, ...body });
  await settle();
}

/** Ends a request in order. */
function end(listen: Listen): Promise<void> {
  return respond(listen, { result: { resultType: "complete", _meta: { [meta.subscription]: listen.id } } });
}

const rejected = (code: number): object => ({ error: { code, message: "no" } });
const ofUris = (...uris: readonly string[]): object => ({ resourceSubscriptions: uris });
const subscriptionTo = (uri: string): object => ({ kind: "subscription", uri });

/** Starts a subscription, whose outcome is looked at later. */
function subscribe(uri: string, signal?: AbortSignal): Promise<unknown> {
  return listening.subscribe(uri, signal ? { signal } : {}).then(
    () => "subscribed",
    (error: unknown) => error,
  );
}

/** Subscribes to resources one after the other. Returns the last request. */
async function subscribeTo(...uris: readonly string[]): Promise<Listen> {
  let listen: Listen = { id: undefined, filter: undefined };
  for (const uri of uris) {
    const subscribing = subscribe(uri);
    listen = await takeListen();
    await accept(listen);
    expect(await subscribing).toBe("subscribed");
  }
  await clock.pass(250);
  await take();
  return listen;
}

describe("subscriptions of a client", () => {
  test("a client listens to the lists of the server from the start if it wants them", async () => {
    await adopt({ wantsLists: true });
    const { filter } = await takeListen();
    expect(filter).toEqual({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
  });

  test("a client reports lists that the server does not notify of once", async () => {
    await adopt({ wantsLists: true });
    await accept(await takeListen(), { toolsListChanged: true });
    const kinds = ["resources", "prompts"];
    const lists = kinds.map((list) => ({ kind: "listChanges", list }));
    expect(takeTold()).toEqual([["lost", lists, new SubscriptionError(kinds).message]]);
    const subscribing = subscribe("x:1");
    await accept(await takeListen(), { toolsListChanged: true, ...ofUris("x:1") });
    expect([await subscribing, takeTold()]).toEqual(["subscribed", []]);
  });

  test("a client does not request lists again that the server rejects", async () => {
    await adopt({ wantsLists: true });
    await respond(await takeListen(), rejected(-32602));
    expect((await take()).listens).toEqual([]);
    const what = ["tools", "prompts", "resources"].map((list) => ({ kind: "listChanges", list }));
    expect(takeTold()).toEqual([["lost", expect.arrayContaining(what), "no"]]);
  });

  test("a client listens to a list that it watches, once, and not to one that the server does not notify of", async () => {
    line = await openLine({ revisions: [statelessRevision], clock }, { tools: { listChanged: true }, prompts: {} });
    listening.adopt(line.connection);
    expect((await take()).listens).toEqual([]);
    listening.watch("tools");
    const listen = await takeListen();
    expect(listen.filter).toEqual({ toolsListChanged: true });
    await accept(listen);
    listening.watch("tools");
    listening.watch("prompts");
    expect(await take()).toEqual({ listens: [], ended: [] });
  });

  test("a client does not listen where the revision has no such requests", async () => {
    const { client, wire } = await connectWire({}, { revision: newest.id, capabilities: everything });
    expect(listening.isOffered).toBe(true);
    listening.adopt(client);
    listening.watch("tools");
    await settle();
    expect([listening.isOffered, wire.sent]).toEqual([false, []]);
    // Lists of an earlier session are not kept, so that no caller waits for their changes.
    line = await open();
    listening.adopt(line.connection);
    expect(await take()).toEqual({ listens: [], ended: [] });
  });

  test("a client that subscribes while a request is pending sends one request for all further resources", async () => {
    const first = subscribe("x:1");
    const listen = await takeListen();
    const others = [subscribe("x:2"), subscribe("x:3")];
    expect((await take()).listens).toEqual([]);
    await accept(listen);
    const next = await takeListen();
    expect(next.filter).toEqual(ofUris("x:1", "x:2", "x:3"));
    await accept(next);
    expect(await Promise.all([first, ...others])).toEqual(["subscribed", "subscribed", "subscribed"]);
    const fourth = subscribe("x:4");
    const third = await takeListen();
    const fifth = subscribe("x:5");
    await accept(third);
    await accept(await takeListen());
    expect(await Promise.all([fourth, fifth])).toEqual(["subscribed", "subscribed"]);
    expect(takeTold()).toEqual([]);
  });

  test("a client that unsubscribes from an unknown resource waits for no request", async () => {
    void subscribe("x:1");
    let isDone = false;
    void listening.unsubscribe("x:2").then(() => (isDone = true));
    await take();
    expect(isDone).toBe(true);
  });

  test("a client that unsubscribes from an unknown resource sends nothing", async () => {
    await subscribeTo("x:1");
    await listening.unsubscribe("x:2");
    expect(await take()).toEqual({ listens: [], ended: [] });
  });

  test.each([
    [undefined, 250],
    [1_000, 1_000],
  ])("a client ends the stream that it replaces after a while: %j", async (overlap, expected) => {
    await adopt(overlap === undefined ? {} : { overlap });
    const first = await takeFirst();
    void subscribe("x:2");
    await accept(await takeListen());
    await clock.pass(expected - 1);
    expect((await take()).ended).toEqual([]);
    await clock.pass(1);
    expect((await take()).ended).toEqual([first.id]);
  });

  test("a client without an overlap ends the stream that it replaces at once", async () => {
    await adopt({ overlap: 0 });
    const first = await takeFirst();
    void subscribe("x:2");
    await accept(await takeListen());
    expect((await take()).ended).toEqual([first.id]);
    const second = listening.unsubscribe("x:1");
    await accept(await takeListen());
    await second;
  });

  async function takeFirst(): Promise<Listen> {
    void subscribe("x:1");
    const listen = await takeListen();
    await accept(listen);
    return listen;
  }
});

describe("messages about a request to listen", () => {
  test.each<[string, (id: unknown) => unknown]>([
    ["no params", () => undefined],
    ["no metadata", () => ({ notifications: ofUris("x:1") })],
    ["metadata that is no object", () => ({ notifications: ofUris("x:1"), _meta: null })],
    ["another id", () => ({ notifications: ofUris("x:1"), _meta: { [meta.subscription]: 999 } })],
    ["the id as a text", (id) => ({ notifications: ofUris("x:1"), _meta: { [meta.subscription]: String(id) } })],
  ])("a message with %s belongs to no request", async (_what, toParams) => {
    const subscribing = subscribe("x:1");
    const listen = await takeListen();
    const params = toParams(listen.id);
    listening.accept(params);
    expect(listening.hears(params)).toBe(false);
    await clock.pass(1_000);
    expect(await subscribing).toMatchObject({ name: "TimeoutError" });
  });

  test.each([undefined, null, {}, { requestId: 999 }])(
    "a message that cancels another request has no effect: %j",
    async (params) => {
      const { id } = await subscribeTo("x:1");
      listening.cancelled(params);
      await settle();
      expect(listening.hears({ _meta: { [meta.subscription]: id } })).toBe(true);
      expect(takeTold()).toEqual([]);
    },
  );
});

describe("a resource that the server does not accept", () => {
  test("a resource without which the request is acknowledged is an error, and is not requested again", async () => {
    await subscribeTo("x:1");
    const subscribing = subscribe("x:2");
    await accept(await takeListen(), ofUris("x:1"));
    const error = await subscribing;
    expect(error).toBeInstanceOf(SubscriptionError);
    expect(String(error)).toContain("x:2");
    const without = await takeListen();
    expect(without.filter).toEqual(ofUris("x:1"));
    await accept(without);
    const again = subscribe("x:3");
    const next = await takeListen();
    expect(next.filter).toEqual(ofUris("x:1", "x:3"));
    await accept(next);
    expect([await again, takeTold()]).toEqual(["subscribed", []]);
  });

  test("a resource that the server no longer accepts is lost", async () => {
    await subscribeTo("x:1", "x:2");
    const subscribing = subscribe("x:3");
    await accept(await takeListen(), ofUris("x:2", "x:3"));
    expect(await subscribing).toBe("subscribed");
    expect(takeTold()).toEqual([["lost", [subscriptionTo("x:1")], new SubscriptionError(["x:1"]).message]]);
    void subscribe("x:4");
    expect((await takeListen()).filter).toEqual(ofUris("x:2", "x:3", "x:4"));
  });

  test("a resource that was requested by itself is not requested again after an error", async () => {
    const subscribing = subscribe("x:1");
    await respond(await takeListen(), rejected(-32602));
    expect(await subscribing).toMatchObject({ code: -32602 });
    expect((await take()).listens).toEqual([]);
  });

  test("a resource is not requested apart from others if the server does not know the method", async () => {
    const subscribing = [subscribe("x:1"), subscribe("x:2"), subscribe("x:3")];
    const filters: unknown[] = [];
    for (let { listens } = await take(); listens.length > 0; { listens } = await take()) {
      for (const listen of listens) {
        filters.push(listen.filter);
        await respond(listen, rejected(-32601));
      }
    }
    for (const one of subscribing) expect(await one).toMatchObject({ code: -32601 });
    expect(filters).toEqual([ofUris("x:1", "x:2", "x:3"), ofUris("x:2", "x:3")]);
  });

  test("a resource that the server rejects does not affect the lists", async () => {
    await adopt({ wantsLists: true });
    await accept(await takeListen());
    await clock.pass(250);
    const subscribing = subscribe("x:1");
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const whole = { ...lists, ...ofUris("x:1") };
    for (const filter of [whole, lists, whole]) {
      const listen = await takeListen();
      expect(listen.filter).toEqual(filter);
      await (filter === lists ? accept(listen) : respond(listen, rejected(-32602)));
    }
    expect(await subscribing).toMatchObject({ code: -32602 });
    expect(takeTold()).toEqual([]);
  });
});

describe("a stream that ends", () => {
  test("a stream that lasted is opened again after the first delay each time", async () => {
    let listen = await subscribeTo("x:1");
    for (let times = 0; times < 4; times += 1) {
      await clock.pass(10_000);
      await end(listen);
      expect(takeTold()).toEqual([["notificationsLost", undefined]]);
      await clock.pass(100);
      listen = await takeListen();
      await accept(listen);
      expect(takeTold()).toEqual([["hearing"]]);
    }
  });

  test("a stream that ends soon each time is given up", async () => {
    let listen = await subscribeTo("x:1");
    for (const delay of [100, 200]) {
      await clock.pass(9_000);
      await end(listen);
      await clock.pass(delay / 2 - 1);
      expect((await take()).listens).toEqual([]);
      await clock.pass(delay / 2 + 1);
      listen = await takeListen();
      await accept(listen);
    }
    takeTold();
    await end(listen);
    await clock.pass(60_000);
    expect((await take()).listens).toEqual([]);
    const message = "The server ends every subscription immediately";
    expect(takeTold()).toEqual([
      ["notificationsLost", undefined],
      ["lost", [subscriptionTo("x:1")], message],
    ]);
    expect(listening.isLost).toBe(true);
  });

  test("a stream that was lost is restored on demand, once", async () => {
    let listen = await subscribeTo("x:1");
    for (let times = 0; times < 2; times += 1) {
      await end(listen);
      await clock.pass(200);
      listen = await takeListen();
      await accept(listen);
    }
    await end(listen);
    expect(listening.isLost).toBe(true);
    takeTold();
    resumed = ["x:1", "x:2"];
    listening.restore();
    expect(listening.isLost).toBe(false);
    const restored = await takeListen();
    expect(restored.filter).toEqual(ofUris("x:1", "x:2"));
    await accept(restored);
    expect(takeTold()).toEqual([["hearing"]]);
    listening.restore();
    expect([await take(), takeTold()]).toEqual([{ listens: [], ended: [] }, []]);
  });

  test("a stream that the server rejects for good is not opened again, nor restored", async () => {
    const listen = await subscribeTo("x:1");
    await respond(listen, rejected(-32603));
    await clock.pass(60_000);
    expect(takeTold()).toEqual([
      ["notificationsLost", "no"],
      ["lost", [subscriptionTo("x:1")], "no"],
    ]);
    expect([listening.isLost, (await take()).listens]).toEqual([false, []]);
    resumed = ["x:1"];
    listening.restore();
    expect((await take()).listens).toEqual([]);
  });

  test("a stream that ends with its connection is left to the next one", async () => {
    const listen = await subscribeTo("x:1");
    await end(listen);
    line.wire.end(new Error("cut"));
    await clock.pass(60_000);
    expect([takeTold(), clock.active]).toEqual([[["notificationsLost", undefined]], 0]);
  });

  test("a stream that is lost on one connection is not lost on the next one", async () => {
    const listen = await subscribeTo("x:1");
    await end(listen);
    for (const delay of [100, 200]) {
      await clock.pass(delay);
      await end(await takeListen());
    }
    expect(listening.isLost).toBe(true);
    line = await open();
    listening.adopt(line.connection);
    expect([listening.isLost, (await take()).listens]).toEqual([false, []]);
    await end(await subscribeTo("x:1"));
    await clock.pass(100);
    expect((await takeListen()).filter).toEqual(ofUris("x:1"));
  });
});

describe("a subscription and the next connection", () => {
  test("a subscription is over on the next connection, and can be made again", async () => {
    const { id } = await subscribeTo("x:1");
    line = await open();
    listening.adopt(line.connection);
    expect(await take()).toEqual({ listens: [], ended: [] });
    expect(listening.hears({ _meta: { [meta.subscription]: id } })).toBe(false);
    const { filter } = await subscribeTo("x:1");
    expect([filter, takeTold()]).toEqual([ofUris("x:1"), []]);
  });

  test("a subscription that is restored is lost even if it was pending on the last connection", async () => {
    void subscribe("x:1");
    await take();
    line = await open();
    listening.adopt(line.connection);
    let listen = await subscribeTo("x:2");
    for (const delay of [100, 200]) {
      await end(listen);
      await clock.pass(delay);
      listen = await takeListen();
      await accept(listen);
    }
    await end(listen);
    takeTold();
    resumed = ["x:1", "x:2"];
    listening.restore();
    await accept(await takeListen(), ofUris("x:2"));
    const message = new SubscriptionError(["x:1"]).message;
    expect(takeTold()).toEqual([["lost", [subscriptionTo("x:1")], message], ["hearing"]]);
  });

  test("a subscription that is pending is an error of its caller, whatever fails on the last connection", async () => {
    void subscribe("x:1");
    const request = await takeListen();
    const next = await open();
    listening.adopt(next.connection);
    const subscribing = subscribe("x:1");
    const listen = await takeListen(next);
    await respond(request, rejected(-32602));
    void subscribe("x:2");
    expect((await take(next)).listens).toEqual([]);
    await accept(listen, {});
    await accept(await takeListen(next), {});
    expect(await subscribing).toBeInstanceOf(SubscriptionError);
    expect(takeTold()).toEqual([]);
  });

  test("a subscription that fails on the last connection does not affect the same one on the next", async () => {
    const old = subscribe("x:1");
    const request = await takeListen();
    const next = await open();
    listening.adopt(next.connection);
    const subscribing = subscribe("x:1");
    const listen = await takeListen(next);
    await respond(request, rejected(-32602));
    expect(await old).toMatchObject({ code: -32602 });
    await accept(listen);
    expect(await subscribing).toBe("subscribed");
    void listening.subscribe("x:2").catch(() => {});
    expect((await takeListen(next)).filter).toEqual(ofUris("x:1", "x:2"));
  });

  test("a subscription that is given up leaves the stream when the server acknowledges it", async () => {
    await subscribeTo("x:1");
    const stop = new AbortController();
    const subscribing = subscribe("x:2", stop.signal);
    const listen = await takeListen();
    stop.abort(new Error("enough"));
    expect(await subscribing).toMatchObject({ message: "enough" });
    await accept(listen);
    const next = await takeListen();
    expect(next.filter).toEqual(ofUris("x:1"));
    await accept(next);
    expect(takeTold()).toEqual([]);
  });
});

test.each<[Error | undefined, boolean]>([
  [undefined, true],
  [new Error("other"), true],
  [new LostError("lost"), true],
  [new ClosedError("closed"), true],
  [new HttpError("unavailable", { status: 503, body: "" }), true],
  [new HttpError("forbidden", { status: 403, body: "" }), false],
  [new PeerError({ code: 503, message: "no" }), false],
])("an attempt after %s may succeed: %s", (reason, expected) => {
  expect(mayPass(reason)).toBe(expected);
});
