import { describe, expect, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { StaticResult } from "../../../../runtime/jsonrpc/message.ts";
import { authorize } from "../../../../runtime/server/middleware/authorize.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { Middleware } from "../../../../runtime/server/middleware/middleware.ts";
import { rateLimit, type RateLimitOptions } from "../../../../runtime/server/middleware/rate-limit.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { callServer, createSession, meta } from "../../../kit/calls.ts";
import { open } from "../connected.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { createServerAcceptor, serve } from "../../../../runtime/server/run/acceptor.ts";
import { MemoryRateStore, type RateStore } from "../../../../runtime/stores/rate-store.ts";
import { isObject } from "../../../../generated/support.ts";
import { handshakeRevisions, newest, statelessRevision } from "../../../kit/revisions.ts";
import { initialize, initialized, request } from "../../../kit/messages.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";

const read = (): string => "text";
const run = read;
const complete = (): string[] => [];

function create(middleware: readonly Middleware[], definition: Partial<AnyServerDefinition> = {}): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      middleware,
      subscribe: true,
      tools: [{ name: "t", execute: run }],
      resources: [{ uri: "a://b", name: "b", read }],
      prompts: [{ name: "p", arguments: { a: { complete } }, get: read }],
      ...definition,
    },
    revisions,
  );
}

const requests: readonly (readonly [string, object])[] = [
  ["tools/list", {}],
  ["tools/call", { name: "t" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "a://b" }],
  ["resources/subscribe", { uri: "a://b" }],
  ["resources/unsubscribe", { uri: "a://b" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
  ["logging/setLevel", { level: "error" }],
];

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  test("middleware runs around every method that is served", async () => {
    const seen: string[] = [];
    const server = create([(request, next) => (seen.push(request.method), next())]);
    const served = requests.filter(([method]) => Object.hasOwn(revision.clientRequests, method));
    for (const [method, params] of served) {
      await callServer(server, revision, [method, { ...params, ...meta(revision) }]);
    }
    expect(seen).toEqual(served.map(([method]) => method));
  });
});

describe("middleware", () => {
  const call = (server: Server): Promise<unknown> => callServer(server, newest, ["tools/call", { name: "t" }]);

  test("middleware runs in order, the first outermost, and `use` adds inside", async () => {
    const steps: string[] = [];
    const step =
      (name: string): Middleware =>
      async (_request, next) => {
        steps.push(`${name} in`);
        const result = await next();
        steps.push(`${name} out`);
        return result;
      };
    const server = create([step("a"), step("b")], { tools: [{ name: "t", execute: () => (steps.push("run"), "") }] });
    server.use(step("c"));
    await call(server);
    expect(steps).toEqual(["a in", "b in", "c in", "run", "c out", "b out", "a out"]);
    createServerAcceptor(server);
    expect(() => server.use(step("d"))).toThrow("call use() before serving it");
  });

  test("middleware may be an object: its function around received requests is the same as a function", async () => {
    const steps: string[] = [];
    const note =
      (name: string): Middleware =>
      ({ method, context }, next) => {
        steps.push(`${name} ${method} ${context.revision}`);
        return next();
      };
    const server = createServer(
      {
        name: "test",
        version: "1",
        middleware: [note("a"), { receive: { request: note("b") } }, note("c")],
        tools: [{ name: "t", execute: run }],
      },
      revisions,
    );
    server.use({ receive: { request: note("d") } });
    await call(server);
    const { id } = newest;
    expect(steps).toEqual(["a", "b", "c", "d"].map((name) => `${name} tools/call ${id}`));
    expect(server.messageMiddleware).toBeUndefined();
  });

  test("middleware may change the params of a request, which keep their `_meta`", async () => {
    const seen: unknown[] = [];
    const server = createServer(
      {
        name: "test",
        version: "1",
        middleware: [
          { receive: { request: (_request, next) => next({ params: { name: "t" } }) } },
          ({ params }, next) => (seen.push(params), next()),
        ],
        tools: [{ name: "t", execute: () => "changed" }],
      },
      revisions,
    );
    const result = await callServer(server, newest, ["tools/call", { name: "other", _meta: { trace: "x" } }]);
    expect(seen).toEqual([{ name: "t", _meta: { trace: "x" } }]);
    expect(result).toMatchObject({ content: [{ text: "changed" }] });
  });

  test("middleware around sent messages sees and changes what the server sends", async () => {
    const server = createServer(
      {
        name: "test",
        version: "1",
        listChanged: true,
        tools: [{ name: "t", execute: async (_args, { log }) => (await log("info", "secret"), "done") }],
      },
      revisions,
    );
    server.use({
      send: {
        notification: ({ method, params }, next) =>
          next({ params: method === "notifications/message" ? { ...Object(params), data: "hidden" } : params }),
      },
    });
    const [near, far] = createInMemoryTransports();
    serve(server, far);
    const logged: unknown[] = [];
    const client = await connect(near, {
      info: { name: "test", version: "1" },
      revisions: [newest],
      handlers: {
        loggingMessage: ({ data }: { data: unknown }) => logged.push(data),
        toolListChanged: () => logged.push("list"),
      },
    });
    await client.request("tools/call", { name: "t" });
    server.tools.add({ name: "u", execute: run });
    await vi.waitFor(() => expect(logged).toEqual(["hidden", "list"]));
    await client.close();
  });

  test("middleware receives the principal and the method", async () => {
    const seen: unknown[] = [];
    const server = create([
      ({ method, params, context }, next) => {
        seen.push(method, params, context.requestId, context.auth?.principal, context.meta.trace, context.revision);
        return next();
      },
    ]);
    const origin = { identity: { principal: "ada" } };
    await callServer(server, newest, ["tools/call", { name: "t" }], { origin, meta: { trace: "x" } });
    expect(seen).toEqual(["tools/call", { name: "t" }, 1, "ada", "x", newest.id]);
  });

  test("middleware may return a result itself, change a result, or reject", async () => {
    const result = { content: [] };
    expect(await call(create([() => result]))).toBe(result);
    expect(await call(create([async (_request, next) => ({ ...Object(await next()), _meta: { a: 1 } })]))).toEqual({
      content: [{ type: "text", text: "text" }],
      _meta: { a: 1 },
    });
    const rejecting = create([() => Promise.reject(new RpcError(4711, "no"))]);
    await expect(call(rejecting)).rejects.toMatchObject({ code: 4711 });
  });

  test("middleware may not call `next` twice", async () => {
    const server = create([async (_request, next) => (await next(), next())]);
    await expect(call(server)).rejects.toThrow("next() twice");
  });

  test("a result that middleware makes invalid is not sent: results are checked after it (R14)", async () => {
    const errors: string[] = [];
    const onError: AnyServerDefinition["onError"] = ({ error }) => errors.push(error.message);
    const { client } = await open(
      create([({ method }, next) => (method === "tools/call" ? { content: "x" } : next())], { onError }),
    );
    await expect(client.request("tools/call", { name: "t" })).rejects.toMatchObject({ code: -32603 });
    expect(errors).toEqual([expect.stringContaining("tools/call")]);
    await client.close();
  });

  test("middleware receives lists as they are, and leaves them encoded once", async () => {
    const seen: unknown[] = [];
    const server = create([async (_request, next) => (seen.push(await next()), seen.at(-1))]);
    const { handlers } = server.implement(newest);
    const listTools: unknown = Reflect.get(handlers, "listTools");
    if (typeof listTools !== "function") throw new Error("no list");
    const call = { session: createSession(server, newest), signal: new AbortController().signal };
    const result: unknown = await listTools.call(handlers, undefined, call);
    expect(result).toBeInstanceOf(StaticResult);
    expect(await listTools.call(handlers, undefined, call)).toBe(result);
    expect(seen).toMatchObject([{ tools: [{ name: "t" }] }, { tools: [{ name: "t" }] }]);
  });

  test.each<[string, (tools: { name: string }[], result: { tools: object[] }) => unknown]>([
    ["a member", (_tools, result) => (result.tools = [])],
    ["a list", (tools) => tools.pop()],
    ["an entry", ([first]) => first && (first.name = "x")],
  ])("middleware cannot change %s of a list, which other clients receive as well", async (_what, change) => {
    const errors: string[] = [];
    let isFirst = true;
    const server = create(
      [
        async ({ method }, next) => {
          const result = Object(await next());
          if (method === "tools/list" && isFirst) change(result.tools, result);
          return result;
        },
      ],
      { onError: ({ error }) => errors.push(error.message) },
    );
    const { client } = await open(server);
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32603 });
    expect(errors).toHaveLength(1);
    isFirst = false;
    expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "t" }] });
    await client.close();
  });

  test("a server without middleware has no overhead", async () => {
    const { handlers } = create([]).implement(newest);
    const setLevel: unknown = Reflect.get(handlers, "setLevel");
    if (typeof setLevel !== "function") throw new Error("no handler");
    expect(setLevel.call(handlers, { level: "info" }, { session: {} })).toEqual({});
  });

  test("middleware does not change the declared capabilities", () => {
    const step: Middleware = (_request, next) => next();
    for (const revision of revisions) {
      expect(create([step]).implement(revision).capabilities).toEqual(create([]).implement(revision).capabilities);
    }
  });
});

describe("authorize", () => {
  const request = (server: Server, principal?: string): Promise<unknown> =>
    callServer(server, newest, ["tools/call", { name: "t" }], { origin: principal && { identity: { principal } } });

  test("authorize passes requests that are allowed, and rejects all others without a reason (R-09, TL-18, S-112)", async () => {
    const server = create([authorize(async ({ context }) => context.auth?.principal === "ada")]);
    expect(await request(server, "ada")).toMatchObject({ content: [{ text: "text" }] });
    await expect(request(server, "bob")).rejects.toMatchObject({ code: 403, message: "The request is not allowed" });
    await expect(request(server)).rejects.toMatchObject({ code: 403, data: undefined });
  });

  test("authorize rejects when the check fails", async () => {
    const server = create([authorize(() => Promise.reject(new Error("the directory is down")))]);
    await expect(request(server)).rejects.toThrow("the directory is down");
  });
});

describe("rateLimit", () => {
  const options: RateLimitOptions = { burst: 2, perSecond: 0.5, clock: new ManualClock() };

  async function count(server: Server, times: number, setup: object = {}): Promise<number> {
    let passed = 0;
    for (let i = 0; i < times; i++) {
      const result = callServer(server, newest, ["tools/call", { name: "t" }], setup);
      passed += await result.then(
        () => 1,
        () => 0,
      );
    }
    return passed;
  }

  test("rateLimit rejects requests beyond the rate with the time of a retry (TL-18, K-07)", async () => {
    const server = create([rateLimit(options)]);
    const session = createSession(server, newest);
    expect(await count(server, 5, { session })).toBe(2);
    await expect(callServer(server, newest, ["tools/call", { name: "t" }], { session })).rejects.toMatchObject({
      code: 429,
      message: "Too many requests; retry in 2 s",
      data: { retryAfter: 2 },
    });
  });

  test("rateLimit passes requests again after the time", async () => {
    const clock = new ManualClock();
    const server = create([rateLimit({ burst: 1, perSecond: 50, clock })]);
    const session = createSession(server, newest);
    expect(await count(server, 2, { session })).toBe(1);
    clock.advance(19);
    expect(await count(server, 1, { session })).toBe(0);
    clock.advance(1);
    expect(await count(server, 2, { session })).toBe(1);
  });

  test("rateLimit counts each session by itself, and a principal over all of its sessions", async () => {
    const server = create([rateLimit(options)]);
    for (const _ of [1, 2]) expect(await count(server, 3, { session: createSession(server, newest) })).toBe(2);
    const origin = { identity: { principal: "ada" } };
    expect(await count(server, 3, { origin, session: createSession(server, newest) })).toBe(2);
    expect(await count(server, 3, { origin, session: createSession(server, newest) })).toBe(0);
  });

  test.each<readonly [string, () => never | Promise<never>]>([
    [
      "throws",
      () => {
        throw new Error("the store is gone");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the store is gone"))],
  ])("rateLimit with a store that %s once rejects one request, which counts for no principal", async (_how, fail) => {
    const clock = new ManualClock();
    const rates = new MemoryRateStore({ now: () => clock.now() });
    let isArmed = true;
    const store: RateStore = {
      check: (key, rate) => rates.check(key, rate),
      record: (key, rate) => rates.record(key, rate),
      take(key, rate) {
        if (!isArmed || !key.endsWith(" ada")) return rates.take(key, rate);
        isArmed = false;
        return fail();
      },
    };
    const server = create([rateLimit({ ...options, store })]);
    const as = (principal: string): object => ({ origin: { identity: { principal } } });
    const first = callServer(server, newest, ["tools/call", { name: "t" }], as("ada"));
    expect(await Promise.all([first.catch(String), count(server, 3, as("bob"))])).toEqual([
      "Error: the store is gone",
      2,
    ]);
    expect(await count(server, 3, as("ada"))).toBe(2);
    // What was rejected does not count either.
    clock.advance(2_000);
    expect([await count(server, 3, as("ada")), await count(server, 3, as("bob"))]).toEqual([1, 1]);
  });

  test.each([
    ["that stand alone", {}],
    ["where sessions are off", { sessions: false }],
  ] as const)("rateLimit counts requests without principal together %s (TL-18, K-07)", async (_how, http) => {
    const handler = createHttpHandler(create([rateLimit(options)]), { allowedHosts: ["mcp.example"], ...http });
    const isStateless = !("sessions" in http);
    const send = async (id: number): Promise<boolean> => {
      const message = isStateless ? request(id, "tools/list") : { jsonrpc: "2.0", id, method: "tools/list" };
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": isStateless ? statelessRevision.id : newest.id,
        "mcp-method": "tools/list",
      };
      const init = { method: "POST", headers, body: JSON.stringify(message) };
      const response: unknown = await (await handler.fetch(new Request("http://mcp.example/mcp", init))).json();
      return isObject(response) && response.error === undefined;
    };
    const passed: boolean[] = [];
    for (const id of [1, 2, 3, 4]) passed.push(await send(id));
    expect(passed).toEqual([true, true, false, false]);
  });

  test("rateLimit counts only the methods that it is given", async () => {
    const server = create([rateLimit({ ...options, methods: ["completion/complete"] })]);
    expect(await count(server, 5, { session: createSession(server, newest) })).toBe(5);
  });

  test("rateLimit remembers a bounded number of keys, the most recent ones", async () => {
    let key = "";
    const server = create([rateLimit({ burst: 1, perSecond: 0.001, maxKeys: 2, key: () => key })]);
    const passes: number[] = [];
    for (key of ["a", "b", "a", "c", "a", "b"]) passes.push(await count(server, 1));
    // When c came, b was the one that had been silent longest; a is still known at the end, b is not.
    expect(passes).toEqual([1, 1, 0, 1, 0, 1]);
  });

  test.each([
    { burst: 0, perSecond: 1 },
    { burst: 1, perSecond: 0 },
    { burst: NaN, perSecond: 1 },
  ])("rateLimit rejects %j as a rate", (rate) => {
    expect(() => rateLimit(rate)).toThrow(/rateLimit has burst .*; use a burst of 1 or more/);
  });
});

describe("middleware around the lifecycle", () => {
  const record =
    (seen: unknown[]): Middleware =>
    async ({ method, context }, next) => {
      const result = await next();
      seen.push([method, context.session, context.client.info, context.revision]);
      return result;
    };

  test.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
    "middleware sees `initialize` and `ping` with the session that they belong to, at %s",
    async (id, revision) => {
      const seen: unknown[][] = [];
      const { client, connection } = await open(create([record(seen)]), revision);
      await client.request("tools/list");
      const facts = [connection.session, { name: "test", version: "1" }, id];
      expect(seen).toEqual([
        ["initialize", ...facts],
        ["ping", ...facts],
        ["tools/list", ...facts],
      ]);
      for (const [, session] of seen) expect(session).toBe(connection.session);
      await client.close();
    },
  );

  test("middleware may reject `initialize`: no session is opened, and the client may try again", async () => {
    let attempts = 0;
    const server = create([
      (request, next) => {
        if (request.method === "initialize" && (attempts += 1) === 1) throw new RpcError(4711, "not today");
        return next();
      },
    ]);
    const wire = new Wire();
    const connection = serve(server, wire);
    wire.post(initialize(newest.id));
    await settle();
    expect([wire.sent.splice(0), connection.session]).toEqual([
      [{ jsonrpc: "2.0", id: 0, error: { code: 4711, message: "not today" } }],
      undefined,
    ]);
    wire.post(initialize(newest.id, {}, 1));
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { protocolVersion: newest.id } }]);
    wire.end();
  });

  test.each<[string, Middleware]>([
    ["throws", async (_request, next) => (await next(), Promise.reject(new RpcError(4711, "not today")))],
    ["returns an invalid result", async (_request, next) => (await next(), { protocolVersion: 1 })],
  ])("middleware that %s after `initialize` has succeeded leaves no session open", async (_what, fail) => {
    let attempts = 0;
    let opened = 0;
    const server = create([(request, next) => ((attempts += 1) === 1 ? fail(request, next) : next())]);
    const wire = new Wire();
    const connection = serve(server, wire, { onOpen: () => (opened += 1) });
    wire.post(initialize(newest.id));
    await settle();
    expect([wire.sent.splice(0), connection.session]).toMatchObject([[{ id: 0, error: {} }], undefined]);
    wire.post(initialize(newest.id, {}, 1));
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { protocolVersion: newest.id } }]);
    expect([opened, connection.session?.revision.id]).toEqual([1, newest.id]);
    wire.end();
  });

  test("an HTTP session is not opened when middleware throws after `initialize` has succeeded", async () => {
    const handler = createHttpHandler(
      create([async (_request, next) => (await next(), Promise.reject(new Error("no")))]),
    );
    const body = JSON.stringify(initialize(newest.id));
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    expect(response.headers.has("mcp-session-id")).toBe(false);
    expect(await response.json()).toMatchObject({ id: 0, error: { code: -32603 } });
    await handler.close();
  });

  test("a second `initialize` opens nothing while middleware handles the first (R17)", async () => {
    let opened = 0;
    const server = create([async (_request, next) => (await settle(), next())]);
    const wire = new Wire();
    serve(server, wire, { onOpen: () => (opened += 1) });
    wire.post(initialize(newest.id), initialize(newest.id, {}, 1));
    for (let turn = 0; turn < 3; turn += 1) await settle();
    expect(opened).toBe(1);
    expect(wire.sent).toMatchObject([
      { id: 0, result: {} },
      { id: 1, error: { code: -32600 } },
    ]);
    wire.end();
  });

  describe("messages behind `initialize` in one chunk", () => {
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

    test("messages behind `initialize` wait for its response, in order, and find the session open; `ping` does not wait (L-05, L-06)", async () => {
      let begin = (): void => {};
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const server = create([async (_request, next) => (await begun, next())]);
      const wire = new Wire();
      const connection = serve(server, wire);
      wire.post(initialize(newest.id), { ...list, id: 1, method: "ping" }, initialized, list);
      await settle();
      expect([wire.sent.splice(0), connection.state]).toEqual([
        [{ jsonrpc: "2.0", id: 1, result: {} }],
        "NOT_INITIALIZED",
      ]);
      begin();
      for (let turn = 0; turn < 3; turn += 1) await settle();
      expect(wire.sent).toMatchObject([
        { id: 0, result: { protocolVersion: newest.id } },
        { id: 2, result: { tools: [{ name: "t" }] } },
      ]);
      expect(connection.state).toBe("INITIALIZED");
      wire.end();
    });

    test("messages behind `initialize` are rejected when the session is, and a second attempt behind it is made", async () => {
      let attempts = 0;
      const server = create([
        async (_request, next) => {
          await settle();
          if ((attempts += 1) === 1) throw new RpcError(4711, "not today");
          return next();
        },
      ]);
      const wire = new Wire();
      serve(server, wire);
      wire.post(initialize(newest.id), { ...list, id: 1 }, initialize(newest.id, {}, 2), { ...list, id: 3 });
      for (let turn = 0; turn < 6; turn += 1) await settle();
      expect(wire.sent).toMatchObject([
        { id: 0, error: { code: 4711 } },
        { id: 1, error: { code: -32600 } },
        { id: 2, result: {} },
        { id: 3, result: {} },
      ]);
      wire.end();
    });

    test("messages behind `initialize` are served before the connection ends", async () => {
      const wire = new Wire();
      serve(create([async (_request, next) => (await settle(), next())]), wire);
      wire.post(initialize(newest.id), initialized, list);
      wire.receiver?.ended();
      for (let turn = 0; turn < 6; turn += 1) await settle();
      expect(wire.sent).toMatchObject([{ id: 0 }, { id: 2, result: { tools: [{ name: "t" }] } }]);
    });

    test("messages behind `initialize` wait in bounded number", async () => {
      const wire = new Wire();
      const server = create([(request, next) => (request.method === "initialize" ? new Promise(() => {}) : next())]);
      serve(server, wire, { limits: { maxCalls: 3 } });
      wire.post(initialize(newest.id), ...[1, 2, 3, 4].map((id) => ({ ...list, id })));
      await settle();
      expect(wire.sent).toMatchObject([{ id: 4, error: { code: -32600 } }]);
      wire.end();
    });
  });

  test("a response to `initialize` that middleware makes invalid is not sent (R14)", async () => {
    const errors: string[] = [];
    const onError: AnyServerDefinition["onError"] = ({ error }) => errors.push(error.message);
    const wire = new Wire();
    serve(create([async (_request, next) => (await next(), { protocolVersion: 1 })], { onError }), wire);
    wire.post(initialize(newest.id));
    await settle();
    expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 0, error: { code: -32603, message: "Internal error" } }]);
    expect(errors).toEqual([expect.stringContaining("initialize")]);
    wire.end();
  });

  test("middleware around the lifecycle runs over HTTP", async () => {
    const seen: unknown[][] = [];
    const handler = createHttpHandler(create([record(seen)]));
    const body = JSON.stringify(initialize(newest.id));
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    expect([response.status, response.headers.has("mcp-session-id")]).toEqual([200, true]);
    expect(seen.map(([method]) => method)).toEqual(["initialize"]);
    await handler.close();
  });
});
