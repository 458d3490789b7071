import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import type { Gateway } from "../../../../runtime/gateway/gateway.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { joinAs, joinGateway } from "../connect-client.ts";
import { openScripted, urisOf, type Received, type Script } from "./scripted-server.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

/* Subscriptions to resources through a gateway, at servers that hesitate, reject, or say nothing. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const capabilities = { resources: { subscribe: true } };
const stateless = { revision: statelessRevision, capabilities, ends };
const withSessions = { revision: newest, capabilities, ends };

/** Client that has subscribed to resources. */
interface Subscriber {
  readonly client: ClientConnection;
  /** Parts of filters that the gateway has acknowledged. */
  readonly acknowledged: readonly unknown[];
  readonly updated: readonly string[];
  readonly stop: AbortController;
  /** Settles with the result or error of the request. */
  readonly over: Promise<unknown>;
}

function subscribe(gateway: Gateway, ...uris: readonly string[]): Promise<Subscriber> {
  return subscribeWith((handlers) => joinGateway(gateway, statelessRevision, { handlers }), uris);
}

async function subscribeWith(
  join: (handlers: object) => Promise<ClientConnection>,
  resourceSubscriptions: readonly string[],
): Promise<Subscriber> {
  const acknowledged: unknown[] = [];
  const updated: string[] = [];
  const handlers = {
    subscriptionsAcknowledged: (params: { readonly notifications: unknown }) =>
      void acknowledged.push(params.notifications),
    resourceUpdated: ({ uri }: { readonly uri: string }) => void updated.push(uri),
  };
  const client = await join(handlers);
  ends.push(() => client.close());
  const stop = new AbortController();
  const params = { notifications: { resourceSubscriptions } };
  const over = client.request("subscriptions/listen", params, { signal: stop.signal }).catch((error: unknown) => error);
  return { client, acknowledged, updated, stop, over };
}

/** Notifies of a resource on each of the subscriptions. */
function update(uri: string, listens: readonly Received[]): void {
  for (const { id, notify } of listens)
    notify("notifications/resources/updated", { uri, ...(id !== undefined && { _meta: { [meta.subscription]: id } }) });
}

/** Handles subscription requests: rejects those with a secret resource, and acknowledges the others. */
function decide(message: Received): void {
  if (urisOf(message).includes("x://secret")) message.reject("No such resource");
  else message.acknowledge();
}

/** Script for subscription requests. */
function onListen(handle: (message: Received) => void): Script {
  return (message) => {
    if (message.method === "subscriptions/listen") handle(message);
    return undefined;
  };
}

describe("subscriptions at a server without sessions", () => {
  test("a resource that the server rejects for one client does not affect what another one subscribes to meanwhile", async () => {
    const held: (() => void)[] = [];
    let isHeld = true;
    const script = onListen((message) => {
      if (isHeld) held.push(() => decide(message));
      else decide(message);
    });
    const { gateway, received } = await openScripted(stateless, script);
    const secret = await subscribe(gateway, "x://secret");
    await expect.poll(() => held.length).toBe(1);
    const good = await subscribe(gateway, "x://good");
    await good.client.request("server/discover");
    isHeld = false;
    for (const release of held) release();
    await expect.poll(() => secret.acknowledged).toEqual([{}]);
    await expect.poll(() => good.acknowledged).toEqual([{ resourceSubscriptions: ["x://good"] }]);
    const open = received("subscriptions/listen").filter((listen) => !urisOf(listen).includes("x://secret"));
    update("x://good", open);
    await expect.poll(() => good.updated).toContain("x://good");
  });

  test("many resources of one client take one subscription request, and one when the client leaves", async () => {
    const { gateway, received } = await openScripted(
      stateless,
      onListen((message) => message.acknowledge()),
    );
    const rest = await subscribe(gateway, "x://rest");
    await expect.poll(() => rest.acknowledged).toHaveLength(1);
    const many = await subscribe(gateway, ...Array.from({ length: 500 }, (_, index) => `x://${index}`));
    await expect.poll(() => many.acknowledged).toHaveLength(1);
    many.stop.abort();
    await expect
      .poll(() => received("subscriptions/listen").map((listen) => urisOf(listen).length))
      .toEqual([1, 501, 1]);
  });

  test("a request with too many characters is rejected before the server receives any of its resources", async () => {
    const { gateway, received } = await openScripted(
      stateless,
      onListen((message) => message.acknowledge()),
    );
    const uris = Array.from({ length: 300 }, (_, index) => `x://${index}/${"a".repeat(1_000)}`);
    const long = await subscribe(gateway, ...uris);
    expect(String(await long.over)).toContain("the limit of a request is 262144 characters");
    const short = await subscribe(gateway, "x://a");
    await expect.poll(() => short.acknowledged).toHaveLength(1);
    expect(received("subscriptions/listen").map(urisOf)).toEqual([["x://a"]]);
  });

  test("a gateway acknowledges only what the server honours, and rejects the rest for sessions", async () => {
    const honoured = { resourceSubscriptions: ["x://a"] };
    const { gateway } = await openScripted(
      stateless,
      onListen((message) => message.acknowledge(honoured)),
    );
    const listening = await subscribe(gateway, "x://a", "x://b");
    await expect.poll(() => listening.acknowledged).toEqual([honoured]);
    const session = await joinGateway(gateway, newest);
    ends.push(() => session.close());
    await expect(session.request("resources/subscribe", { uri: "x://b" })).rejects.toThrow(
      "does not notify of changes",
    );
  });

  test("a request ends when the server no longer notifies of its resource", async () => {
    let isGone = false;
    const script = onListen((message) => (isGone ? message.reject("No such resource") : message.acknowledge()));
    const { gateway, received } = await openScripted(stateless, script);
    const { acknowledged, over } = await subscribe(gateway, "x://a");
    await expect.poll(() => acknowledged).toHaveLength(1);
    isGone = true;
    const [listen] = received("subscriptions/listen");
    listen?.respond({ resultType: "complete", _meta: { [meta.subscription]: listen.id } });
    expect(await over).toMatchObject({ resultType: "complete" });
  });

  test("a session has at most 1000 subscriptions", async () => {
    const { gateway } = await openScripted(
      stateless,
      onListen((message) => message.acknowledge()),
    );
    const session = await joinGateway(gateway, newest);
    ends.push(() => session.close());
    const subscribing = Array.from({ length: 1_001 }, (_, index) =>
      session.request("resources/subscribe", { uri: `x://${index}` }).then(() => "subscribed", String),
    );
    const outcomes = await Promise.all(subscribing);
    expect(outcomes.filter((outcome) => outcome !== "subscribed")).toEqual([
      expect.stringContaining("the limit of a session is 1000"),
    ]);
  });
});

test("the resources of all clients together are limited", async () => {
  const { gateway } = await openScripted(
    stateless,
    onListen((message) => message.acknowledge()),
  );
  const long = (name: string): string[] =>
    Array.from({ length: 125 }, (_, index) => `x://${name}/${index}/${"a".repeat(2_000)}`);
  const first = await subscribe(gateway, ...long("first"));
  const others = await Promise.all(["x", "y", "z"].map((name) => subscribe(gateway, ...long(name))));
  for (const { acknowledged } of [first, ...others]) await expect.poll(() => acknowledged).toHaveLength(1);
  const second = await subscribe(gateway, ...long("second"));
  expect(String(await second.over)).toContain("Too many subscriptions of all clients");
  first.stop.abort();
  await first.over;
  const third = await subscribe(gateway, ...long("third"));
  await expect.poll(() => third.acknowledged).toHaveLength(1);
});

test("the resources of one principal leave room for those of others, and for their own after it has left", async () => {
  const { gateway } = await openScripted(
    stateless,
    onListen((message) => message.acknowledge()),
  );
  const subscribeAs = (principal: string, uris: readonly string[]): Promise<Subscriber> =>
    subscribeWith((handlers) => joinAs(gateway, statelessRevision, principal, handlers), uris);
  const long = (name: string): string[] =>
    Array.from({ length: 240 }, (_, index) => `x://${name}/${index}/${"a".repeat(1_000)}`);
  const first = await subscribeAs("mallory", long("first"));
  const second = await subscribeAs("mallory", long("second"));
  for (const { acknowledged } of [first, second]) await expect.poll(() => acknowledged).toHaveLength(1);
  const third = await subscribeAs("mallory", long("third").slice(0, 150));
  expect(String(await third.over)).toContain("Too many subscriptions");
  const shared = await subscribeAs("alice", long("first").slice(0, 100));
  await expect.poll(() => shared.acknowledged).toHaveLength(1);
  const own = await subscribeAs("bob", long("bob").slice(0, 100));
  await expect.poll(() => own.acknowledged).toHaveLength(1);
  first.stop.abort();
  await first.over;
  await settle();
  // What alice still watches is part of her share.
  const fourth = await subscribeAs("mallory", long("fourth").slice(0, 150));
  await expect.poll(() => fourth.acknowledged).toHaveLength(1);
});

test("the subscriptions of a session are limited in characters, also while they are pending", async () => {
  const { gateway } = await openScripted(withSessions, () => undefined);
  const session = await joinGateway(gateway, newest);
  ends.push(() => session.close());
  const stop = new AbortController();
  const failures: string[] = [];
  const subscribing = Array.from({ length: 20 }, (_, index) =>
    session
      .request("resources/subscribe", { uri: `x://${index}/${"a".repeat(60_000)}` }, { signal: stop.signal })
      .catch((error: unknown) => failures.push(String(error))),
  );
  await expect.poll(() => failures).toHaveLength(3);
  for (const failure of failures) expect(failure).toContain("the limit of a session is 1048576 characters");
  stop.abort(new Error("enough"));
  await Promise.all(subscribing);
  expect(failures).toHaveLength(20);
});

test("a request ends when another stream of the server no longer honours its resource", async () => {
  const { gateway } = await openScripted(
    stateless,
    onListen((message) => message.acknowledge({ resourceSubscriptions: urisOf(message).slice(-1) })),
  );
  const first = await subscribe(gateway, "x://a");
  await expect.poll(() => first.acknowledged).toEqual([{ resourceSubscriptions: ["x://a"] }]);
  const second = await subscribe(gateway, "x://b");
  await expect.poll(() => second.acknowledged).toEqual([{ resourceSubscriptions: ["x://b"] }]);
  expect(await first.over).toMatchObject({ resultType: "complete" });
});

describe("requests that a server with sessions does not respond to", () => {
  const silent = { revision: newest, capabilities: { resources: { subscribe: true }, logging: {} }, ends };
  const requests: readonly (readonly [string, object])[] = [
    ["resources/subscribe", { uri: "x://a" }],
    ["resources/unsubscribe", { uri: "x://a" }],
    ["logging/setLevel", { level: "info" }],
  ];

  test.each(requests)("%s is cancelled at the server with the request of the client", async (method, params) => {
    const { gateway, received } = await openScripted(silent, () => undefined);
    const session = await joinGateway(gateway, newest);
    ends.push(() => session.close());
    const stop = new AbortController();
    const sent = session.request(method, params, { signal: stop.signal });
    await expect.poll(() => received(method)).toHaveLength(1);
    stop.abort(new Error("enough"));
    await expect(sent).rejects.toThrow("enough");
    await expect.poll(() => received("notifications/cancelled")).toHaveLength(1);
  });

  test.each(requests)("%s fails after the time of the gateway's own requests", async (method, params) => {
    const { gateway, received } = await openScripted(silent, () => undefined);
    const session = await joinGateway(gateway, newest);
    ends.push(() => session.close());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const sent = session.request(method, params, { timeout: Infinity, totalTimeout: Infinity }).catch(String);
    await expect.poll(() => received(method)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await sent).toContain("timed out; the server sent nothing for 30000 ms");
  });

  test("a level is acknowledged when the server has set it, however often it is requested", async () => {
    const held: Received[] = [];
    const { gateway } = await openScripted(silent, (message) => {
      if (message.method === "logging/setLevel") held.push(message);
      return undefined;
    });
    const session = await joinGateway(gateway, newest);
    ends.push(() => session.close());
    const outcomes: string[] = [];
    const set = (name: string): Promise<unknown> =>
      session.request("logging/setLevel", { level: "info" }).then(
        () => outcomes.push(`${name} set`),
        () => outcomes.push(`${name} failed`),
      );
    const both = Promise.all([set("first"), set("second")]);
    await expect.poll(() => held).toHaveLength(1);
    await session.request("ping");
    expect(outcomes).toEqual([]);
    held[0]?.reject("no such level");
    await expect.poll(() => held).toHaveLength(2);
    expect(outcomes).toEqual(["first failed"]);
    held[1]?.respond({});
    await both;
    expect(outcomes).toEqual(["first failed", "second set"]);
  });
});

test("a gateway does not acknowledge a resource that a server with sessions rejects", async () => {
  const { gateway } = await openScripted(withSessions, ({ method, params }) => {
    if (method === "resources/subscribe" && params.uri === "x://gone") throw new RpcError(-32002, "No such resource");
    return {};
  });
  const { acknowledged } = await subscribe(gateway, "x://gone", "x://a");
  await expect.poll(() => acknowledged).toEqual([{ resourceSubscriptions: ["x://a"] }]);
});

test("a subscription that the server does not respond to is cancelled with the last client that waits for it", async () => {
  let isSilent = true;
  const { gateway, received } = await openScripted(withSessions, ({ method }) =>
    method === "resources/subscribe" && isSilent ? undefined : {},
  );
  const first = await subscribe(gateway, "x://a");
  const second = await subscribe(gateway, "x://a");
  await expect.poll(() => received("resources/subscribe")).toHaveLength(1);
  await second.client.request("server/discover");
  first.stop.abort();
  await first.over;
  await second.client.request("server/discover");
  expect(received("notifications/cancelled")).toEqual([]);
  second.stop.abort();
  await expect.poll(() => received("notifications/cancelled")).toHaveLength(1);
  isSilent = false;
  const third = await subscribe(gateway, "x://a");
  await expect.poll(() => third.acknowledged).toEqual([{ resourceSubscriptions: ["x://a"] }]);
});

test.each([
  ["without sessions", stateless],
  ["with sessions", withSessions],
])("clients hear of changes below their resource, from a server %s", async (_, server) => {
  const { gateway, received } = await openScripted(server, (message) => {
    if (message.method === "subscriptions/listen") message.acknowledge();
    return message.method.startsWith("resources/") ? {} : undefined;
  });
  const { acknowledged, updated } = await subscribe(gateway, "file:///dir");
  await expect.poll(() => acknowledged).toHaveLength(1);
  const sources = received(server === stateless ? "subscriptions/listen" : "notifications/initialized");
  for (const uri of ["file:///directory", "file:///dir/a.txt", "file:///dir"]) update(uri, sources);
  await expect.poll(() => updated).toEqual(["file:///dir/a.txt", "file:///dir"]);
});

test("calls that are cancelled before the server has set their log level release their connection", async () => {
  const { gateway, received } = await openScripted(
    { revision: newest, capabilities: { tools: {}, logging: {} }, ends, maxConnections: 2 },
    ({ method }) => ({ "tools/list": { tools: [] }, "tools/call": { content: [] } })[method],
  );
  const client = await joinGateway(gateway, statelessRevision);
  ends.push(() => client.close());
  const call = { name: "t", arguments: {} };
  for (let count = 1; count <= 2; count += 1) {
    const stop = new AbortController();
    const params = { ...call, _meta: { [meta.logLevel]: "info" } };
    const called = client.request("tools/call", params, { signal: stop.signal }).catch(() => {});
    await expect.poll(() => received("logging/setLevel")).toHaveLength(count);
    stop.abort();
    await called;
  }
  expect(await client.request("tools/call", call)).toMatchObject({ content: [] });
});
