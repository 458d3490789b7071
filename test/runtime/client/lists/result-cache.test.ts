import { afterEach, describe, expect, test } from "vitest";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { ResultCache } from "../../../../runtime/client/lists/result-cache.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import { isObject } from "../../../../generated/support.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { openSession } from "../session/session-wire.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that responds by method, counts requests, and lets clients keep results or not. */
class CountingServer extends Wire {
  readonly requested: string[] = [];
  hint: object = {};
  respond: (method: string, params: Record<string, unknown>) => object = usual;

  override send(message: Parameters<Wire["send"]>[0]): void {
    super.send(message);
    const request: unknown = this.sent.at(-1);
    if (!isObject(request) || request.id === undefined || !isObject(request.params)) return;
    const { id, method, params } = request;
    this.requested.push(String(method));
    if (method === "subscriptions/listen") return this.#acknowledge(id, params.notifications);
    const { error, ...result } = { error: undefined, ...this.respond(String(method), params) };
    const outcome = error ? { error } : { result: { resultType: "complete", ...this.hint, ...result } };
    queueMicrotask(() => this.post({ jsonrpc: "2.0", id, ...outcome }));
  }

  notify(method: string, params: object = {}): Promise<void> {
    const _meta = { [meta.subscription]: this.#listenId };
    this.post({ jsonrpc: "2.0", method: `notifications/${method}`, params: { ...params, _meta } });
    return settle();
  }

  #listenId: unknown;

  #acknowledge(id: unknown, notifications: unknown): void {
    this.#listenId = id;
    queueMicrotask(() => void this.notify("subscriptions/acknowledged", { notifications }));
  }

  /** Returns the requests since the last call by method, without subscriptions. */
  take(): string[] {
    return this.requested.splice(0).filter((method) => method !== "subscriptions/listen");
  }
}

const tool = { name: "t", inputSchema: { type: "object" } };
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
};

function usual(method: string, params: Record<string, unknown>): object {
  if (method === "server/discover") return { supportedVersions: [statelessRevision.id], capabilities };
  if (method === "tools/list") return { tools: [tool] };
  if (method === "prompts/list") return { prompts: [] };
  if (method === "resources/list") return { resources: [] };
  return { contents: [{ uri: params.uri, text: String(params.uri) }] };
}

async function open(
  options: Partial<AnyClientOptions> = {},
  hint: object = { ttlMs: 1_000, cacheScope: "private" },
): Promise<{ readonly session: DefaultClientSession; readonly server: CountingServer; readonly clock: ManualClock }> {
  const clock = new ManualClock();
  const server = new CountingServer();
  server.hint = hint;
  const client = createUntypedClient({
    info: { name: "c", version: "1" },
    revisions: [statelessRevision],
    clock,
    ...options,
  });
  closers.push(() => client.close());
  const session = await client.connect((opening) => connect(server, opening));
  server.take();
  return { session, server, clock };
}

describe("a list", () => {
  test("a list is fresh for the time to live from its receipt, and is not polled (C-062, C-063, C-064)", async () => {
    const { session, server, clock } = await open();
    const first = await session.listTools();
    clock.advance(999);
    expect(await session.listTools()).toBe(first);
    expect(server.take()).toEqual(["tools/list"]);
    clock.advance(1);
    expect(await session.listTools()).toEqual([tool]);
    expect(server.take()).toEqual(["tools/list"]);
    await clock.pass(1_000_000);
    expect(server.take()).toEqual([]);
  });

  test.each([
    ["no time", {}],
    ["no time at all", { ttlMs: 0 }],
    ["a negative time", { ttlMs: -5 }],
  ])("a list with %s is stale at once (C-062)", async (_what, hint) => {
    const { session, server } = await open();
    server.hint = hint;
    expect(await session.listPrompts()).toEqual([]);
    expect(await session.listPrompts()).toEqual([]);
    expect(server.take()).toEqual(["prompts/list", "prompts/list"]);
  });

  test("a list with a text in place of its time to live has none", async () => {
    const { session, server } = await open();
    server.hint = { ttlMs: "1000" };
    await expect(session.listPrompts()).rejects.toMatchObject({ issue: { path: "ttlMs" } });
  });

  test("a list with a negative time to live does not make the server an older one (C-062)", async () => {
    const { session } = await open({}, { ttlMs: -1 });
    expect(session.revision).toBe(statelessRevision);
  });

  test("a list is never kept for longer than a day, whatever the server says", async () => {
    const { session, server, clock } = await open();
    server.hint = { ttlMs: Number.MAX_SAFE_INTEGER };
    await session.listTools();
    clock.advance(86_400_000 - 1);
    await session.listTools();
    expect(server.take()).toEqual(["tools/list"]);
    clock.advance(1);
    await session.listTools();
    expect(server.take()).toEqual(["tools/list"]);
  });

  test("a list is requested when the caller or the client bypasses the cache", async () => {
    const { session, server } = await open();
    await session.listTools();
    await session.listTools({ refresh: true });
    expect(server.take()).toEqual(["tools/list", "tools/list"]);
    const keepsNothing = await open({ cacheLists: false });
    await keepsNothing.session.listTools();
    await keepsNothing.session.listTools();
    expect(keepsNothing.server.take()).toEqual(["tools/list", "tools/list"]);
  });

  test("a list is dropped at a list-changed notification, however fresh it is (2.12)", async () => {
    const { session, server } = await open();
    await session.listTools();
    await settle();
    await settle();
    await server.notify("tools/list_changed");
    await session.listTools();
    expect(server.take()).toEqual(["tools/list", "tools/list"]);
  });

  test("a list is as fresh as the page that becomes stale first (C-066)", async () => {
    const { session, server, clock } = await open();
    server.respond = (_method, { cursor }) =>
      cursor === undefined ? { tools: [tool], nextCursor: "2", ttlMs: 10 } : { tools: [tool], ttlMs: 1_000 };
    expect(await session.listTools()).toHaveLength(2);
    expect(await session.listTools()).toHaveLength(2);
    expect(server.take()).toHaveLength(2);
    clock.advance(10);
    await session.listTools();
    expect(server.take()).toHaveLength(2);
  });

  test.each([
    ["a tool", [tool]],
    ["no tool", []],
  ])(
    "a list whose cursor is rejected after a page with %s is read from the start once more (C-066)",
    async (_what, tools) => {
      const { session, server } = await open();
      let rejections = 1;
      server.respond = (_method, { cursor }) => {
        if (cursor === undefined) return { tools, nextCursor: "2" };
        if (rejections === 0) return { tools: [tool] };
        rejections -= 1;
        return { error: { code: -32602, message: "Invalid cursor" } };
      };
      expect(await session.listTools()).toEqual([...tools, tool]);
      expect(server.take()).toHaveLength(4);
    },
  );
});

describe("a list that the server rejects", () => {
  test("a list is not read again if its first page is rejected", async () => {
    const { session, server } = await open();
    server.respond = () => ({ error: { code: -32602, message: "Invalid params" } });
    await expect(session.listTools()).rejects.toMatchObject({ code: -32602 });
    expect(server.take()).toEqual(["tools/list"]);
  });

  test("a list is not read again after an error that is not about its cursor", async () => {
    const { session, server } = await open();
    server.respond = (_method, { cursor }) =>
      cursor === undefined ? { tools: [tool], nextCursor: "2" } : { error: { code: -32603, message: "no" } };
    await expect(session.listTools()).rejects.toMatchObject({ code: -32603 });
    expect(server.take()).toHaveLength(2);
  });

  test("a list is read again once only", async () => {
    const { session, server } = await open();
    server.respond = (_method, { cursor }) =>
      cursor === undefined ? { tools: [tool], nextCursor: "2" } : { error: { code: -32602, message: "no" } };
    await expect(session.listTools()).rejects.toMatchObject({ code: -32602 });
    expect(server.take()).toHaveLength(4);
  });
});

describe("the result of reading a resource", () => {
  test("the result of reading a resource is kept by its URI, for its time to live (C-060, C-062)", async () => {
    const { session, server, clock } = await open();
    const first = await session.readResource("a:1");
    expect(await session.readResource("a:1")).toBe(first);
    expect(await session.readResource("a:2")).toMatchObject({ contents: [{ uri: "a:2" }] });
    expect(server.take()).toEqual(["resources/read", "resources/read"]);
    clock.advance(1_000);
    await session.readResource("a:1");
    expect(server.take()).toEqual(["resources/read"]);
  });

  test.each([
    ["asks anew", {}, { refresh: true }],
    ["sends metadata of its own, on which it may depend", {}, { meta: { "example.com/a": 1 } }],
    ["keeps none", { cache: { reads: false } }, {}],
  ])("the result of reading a resource is not used by a client that %s (C-060)", async (_what, options, call) => {
    const { session, server } = await open(options);
    await session.readResource("a:1");
    await session.readResource("a:1", call);
    expect(server.take()).toEqual(["resources/read", "resources/read"]);
  });

  test.each([
    ["it changed", "a:1", ["resources/read"]],
    ["a part of it changed", "a:1/part", ["resources/read"]],
    ["another one changed", "a:2", []],
  ])(
    "the result of reading a resource is dropped when the server notifies that %s (2.12)",
    async (_what, uri, expected) => {
      const { session, server } = await open();
      await session.subscribe("a:1", () => {});
      await session.readResource("a:1");
      server.take();
      await server.notify("resources/updated", { uri });
      await session.readResource("a:1");
      expect(server.take()).toEqual(expected);
    },
  );

  test("the result of reading a resource is apart from lists, which remain when resources change", async () => {
    const { session, server } = await open({ onListChanged: () => {} });
    await settle();
    await session.listTools();
    expect(await session.readResource("list tools tools")).toMatchObject({ contents: [{ uri: "list tools tools" }] });
    server.take();
    await server.notify("resources/list_changed");
    await server.notify("resources/updated", { uri: "list tools tools" });
    expect(await session.listTools()).toEqual([tool]);
    expect(server.take()).toEqual([]);
  });

  test("the result of reading a resource is dropped when resources are added or removed", async () => {
    const { session, server } = await open({ onListChanged: () => {} });
    await settle();
    await session.readResource("a:1");
    await server.notify("resources/list_changed");
    await session.readResource("a:1");
    expect(server.take()).toEqual(["resources/read", "resources/read"]);
  });
});

test.each(["tools", "prompts"])(
  "the result of reading a resource remains when the list of %s changes",
  async (kind) => {
    const { session, server } = await open({ onListChanged: () => {} });
    await settle();
    await session.readResource("a:1");
    await server.notify(`${kind}/list_changed`);
    await session.readResource("a:1");
    expect(server.take()).toEqual(["resources/read"]);
  },
);

describe("a client with several users", () => {
  test.each([
    ["private", 2],
    ["public", 1],
  ])("a client with several users shares results that are %s accordingly (C-065)", async (cacheScope, requests) => {
    let user = "ann";
    const { session, server } = await open({ cache: { principal: () => user } });
    server.hint = { ttlMs: 1_000, cacheScope };
    for (user of ["ann", "bob", "ann"]) await session.listTools();
    expect(server.take()).toHaveLength(requests);
    for (user of ["ann", "bob", "ann"]) await session.readResource("a:1");
    expect(server.take()).toHaveLength(requests);
  });

  test.each([
    ["one user after the other", ["ann", "ann", "bob", "ann"], ["ann", "bob", "ann"]],
    ["a user who changes meanwhile", ["ann>bob", "bob"], ["ann>bob", "bob"]],
  ])("a session keeps the list of one user only, with %s", async (_when, calls, requests) => {
    let user = "";
    const server = { capabilities: { tools: { listChanged: true } } };
    const { session, wire, client } = await openSession({ cache: { principal: () => user } }, server);
    closers.push(() => client.close());
    const sent: string[] = [];
    for (const call of calls) {
      const [before = "", after = before] = call.split(">");
      user = before;
      const reading = session.listTools();
      await settle();
      user = after;
      for (const request of wire.sent.splice(0).filter(isObject)) {
        sent.push(call);
        wire.post({ jsonrpc: "2.0", id: request.id, result: { tools: [{ ...tool, name: call }] } });
      }
      expect(await reading).toEqual([{ ...tool, name: call }]);
    }
    expect(sent).toEqual(requests);
  });

  test("a client with several users does not keep a private result when the user changes meanwhile (C-065)", async () => {
    let user = "ann";
    const { session, server } = await open({ cache: { principal: () => user } });
    const pending = [session.listTools(), session.readResource("a:1")];
    user = "bob";
    await Promise.all(pending);
    server.take();
    await session.listTools();
    await session.readResource("a:1");
    expect(server.take()).toEqual(["tools/list", "resources/read"]);
  });
});

describe("a cache", () => {
  const hint = { until: 100, isPublic: false };

  test("a cache is bounded: the oldest entry is dropped first", () => {
    const cache = new ResultCache({ maxEntries: 2, clock: new ManualClock() });
    for (const key of ["a", "b", "c"]) cache.keep(key, key, { ...hint, ...cache.asking });
    expect(["a", "b", "c"].map((key) => cache.find(key))).toEqual([undefined, "b", "c"]);
  });

  test("a cache does not keep a result that was requested before an invalidation", () => {
    const cache = new ResultCache({ clock: new ManualClock() });
    const { asking } = cache;
    cache.forget(() => false);
    expect(cache.keep("a", 1, { ...hint, ...asking })).toBe(false);
    expect(cache.find("a")).toBeUndefined();
  });

  test.each([
    [99, true],
    [100, false],
    [101, false],
  ])("a cache keeps a result until it is stale: at %i of 100, %s", (now, expected) => {
    const clock = new ManualClock();
    const cache = new ResultCache({ clock });
    cache.keep("before", 1, { ...hint, ...cache.asking });
    clock.advance(now);
    expect(cache.keep("a", 1, { ...hint, ...cache.asking })).toBe(expected);
    expect([cache.find("a"), cache.find("before")]).toEqual(expected ? [1, 1] : [undefined, undefined]);
  });

  test("a cache never mixes up keys and users", () => {
    let user = 'a","b';
    const cache = new ResultCache({ clock: new ManualClock(), principal: () => user });
    cache.keep("c", 1, { ...hint, ...cache.asking });
    user = "a";
    expect(cache.find('b","c')).toBeUndefined();
  });
});
