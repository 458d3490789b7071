import { describe, expect, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { InvalidMessageError, RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { openConnection } from "../../../runtime/lifecycle/initialize-client.ts";
import type { OpenOptions } from "../../../runtime/lifecycle/open-options.ts";
import {
  createMessageSteps,
  orderMiddleware,
  type MessageMiddleware,
  type Next,
} from "../../../runtime/protocol/peer/message-middleware.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { statelessRevision, newest, row } from "../../kit/revisions.ts";
import { initialize, initialized, request as statelessRequest } from "../../kit/messages.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { noticeRow, noticesOf, openPeer, type OpenedPeer, type OpenPeerOptions } from "./open-peer.ts";

/** The functions around one kind of message of a server, in their order. */
type Steps = readonly NonNullable<NonNullable<MessageMiddleware["send"]>["request"]>[];

function openWith(middleware: readonly MessageMiddleware[], options: OpenPeerOptions = {}): OpenedPeer {
  return openPeer({ ...options, settings: { ...options.settings, steps: createMessageSteps(middleware, "server") } });
}

const toSend = (...steps: Steps): readonly MessageMiddleware[] => steps.map((request) => ({ send: { request } }));
const toNotify = (...steps: Steps): readonly MessageMiddleware[] =>
  steps.map((notification) => ({ send: { notification } }));

const things = row("things/do", "doThing");
const changed = noticeRow("things/changed");

/** Promise to be resolved by a test. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

describe("middleware around sent requests", () => {
  test.each<[string, Steps, readonly unknown[], unknown]>([
    ["passes it on", [(_, next) => next()], [{ a: 1, _meta: { t: "x" } }], { n: 1 }],
    ["changes its params", [(_, next) => next({ params: { b: 2 } })], [{ b: 2, _meta: { t: "x" } }], { n: 1 }],
    ["changes its `_meta`", [(_, next) => next({ params: { _meta: {} } })], [{ _meta: {} }], { n: 1 }],
    ["returns a result without `next`", [() => ({ own: true })], [], { own: true }],
    [
      "changes the result",
      [async (_, next) => ({ ...Object(await next()), more: 1 })],
      [{ a: 1, _meta: { t: "x" } }],
      { n: 1, more: 1 },
    ],
    [
      "runs in order, the first outermost",
      [
        async ({ params }, next) => ({ ...Object(await next({ params: { ...Object(params), order: "a" } })), by: "a" }),
        async ({ params }, next) => ({
          ...Object(await next({ params: { ...Object(params), order: `${Object(params).order}b` } })),
          by: "b",
        }),
      ],
      [{ a: 1, order: "ab", _meta: { t: "x" } }],
      { n: 1, by: "a" },
    ],
    [
      "sends it again, under another id",
      [async (_, next) => (await next(), next())],
      [
        { a: 1, _meta: { t: "x" } },
        { a: 1, _meta: { t: "x" } },
      ],
      { n: 2 },
    ],
  ])("middleware %s", async (_what, steps, sent, result) => {
    const { peer, wire } = openWith(toSend(...steps));
    const outcome = peer.request(things, { a: 1, _meta: { t: "x" } });
    for (let id = 1; id <= sent.length; id += 1) {
      await settle();
      expect(wire.sent.at(-1)).toMatchObject({ id, method: "things/do" });
      wire.post({ jsonrpc: "2.0", id, result: { n: id } });
    }
    expect(await outcome).toEqual(result);
    expect(wire.sent.map((message) => Object(message).params)).toEqual(sent);
  });

  test("middleware that retries a rejected request gets the next result", async () => {
    const { peer, wire } = openWith(toSend((_, next) => next().catch(() => next())));
    const outcome = peer.request(things, {});
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "busy" } });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 2, result: { ok: true } });
    expect(await outcome).toEqual({ ok: true });
  });

  test.each<[string, Steps, object]>([
    ["an error thrown before `next`", [() => Promise.reject(new Error("no"))], { message: "no" }],
    [
      "an error thrown at once",
      [
        () => {
          throw new Error("no");
        },
      ],
      { message: "no" },
    ],
    ["invalid changed params", [(_, next) => next({ params: { bad: true } })], { name: "InvalidMessageError" }],
    ["an invalid result of its own", [() => ({ bad: true })], { name: "InvalidMessageError" }],
  ])("middleware rejects the call with %s, and nothing is sent", async (_what, steps, error) => {
    const check = (value: unknown): ReturnType<typeof things.params> =>
      isObject(value) && "bad" in value ? { path: "bad", expected: "absent" } : undefined;
    const { peer, wire } = openWith(toSend(...steps));
    await expect(peer.request({ ...things, params: check, result: check }, {})).rejects.toMatchObject(error);
    expect(wire.sent).toEqual([]);
  });

  test("middleware that waits does not delay an abort, and sends nothing afterwards", async () => {
    const { opened, open } = gate();
    const { peer, wire } = openWith(toSend(async (_, next) => (await opened, next())));
    const controller = new AbortController();
    const outcome = peer.request(things, {}, { signal: controller.signal });
    controller.abort(new Error("stop"));
    await expect(outcome).rejects.toThrow("stop");
    open();
    await settle();
    expect(wire.sent).toEqual([]);
  });

  test("middleware that waits after the response does not keep an aborted call", async () => {
    const { opened } = gate();
    const { peer, wire } = openWith(
      toSend(async (_, next) => {
        const result = await next();
        await opened;
        return result;
      }),
    );
    const controller = new AbortController();
    const outcome = peer.request(things, {}, { signal: controller.signal });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, result: {} });
    await settle();
    controller.abort(new Error("stop"));
    await expect(outcome).rejects.toThrow("stop");
    expect(wire.sent).toHaveLength(1);
  });

  test("middleware that waits until the connection is closed gets an error from `next`", async () => {
    const { opened, open } = gate();
    const { peer } = openWith(toSend(async (_, next) => (await opened, next())));
    const outcome = peer.request(things, {});
    outcome.catch(() => {});
    await peer.close();
    open();
    await expect(outcome).rejects.toMatchObject({ name: "ClosedError" });
  });

  test("middleware sees the cancellation of a request, and keeps the method of its object", async () => {
    const seen: unknown[] = [];
    const middleware = {
      name: "own",
      send: {
        kept: "kept",
        notification(this: { readonly kept: string }, { method, params, role }: Sent, next: Next): unknown {
          seen.push([this.kept, method, params, role]);
          return next();
        },
      },
    };
    const { peer, wire } = openWith([middleware]);
    const controller = new AbortController();
    const outcome = peer.request(things, {}, { signal: controller.signal });
    controller.abort(new Error("stop"));
    await expect(outcome).rejects.toThrow("stop");
    const params = { requestId: 1, reason: "stop" };
    expect(seen).toEqual([["kept", "notifications/cancelled", params, "server"]]);
    expect(wire.sent.at(-1)).toMatchObject({ method: "notifications/cancelled", params });
  });
});

type Sent = Parameters<Steps[number]>[0];

describe("middleware around sent notifications", () => {
  test.each<[string, Steps, readonly unknown[]]>([
    ["passes it on", [(_, next) => next()], [{ a: 1, _meta: { t: "x" } }]],
    ["changes its params", [(_, next) => next({ params: { b: 2 } })], [{ b: 2, _meta: { t: "x" } }]],
    ["drops it", [() => undefined], []],
    [
      "runs in order, the first outermost",
      [
        ({ params }, next) => next({ params: { ...Object(params), order: "a" } }),
        ({ params }, next) => next({ params: { ...Object(params), order: `${Object(params).order}b` } }),
      ],
      [{ a: 1, order: "ab", _meta: { t: "x" } }],
    ],
  ])("middleware %s", async (_what, steps, sent) => {
    const { peer, wire } = openWith(toNotify(...steps));
    await peer.notify(changed, { a: 1, _meta: { t: "x" } });
    expect(wire.sent.map((message) => Object(message).params)).toEqual(sent);
  });

  test.each<[string, Steps, object]>([
    ["an error of its own", [() => Promise.reject(new Error("no"))], { message: "no" }],
    ["invalid changed params", [(_, next) => next({ params: { bad: true } })], { name: "InvalidMessageError" }],
    ["a second `next`", [async (_, next) => (await next(), next())], { message: expect.stringContaining("twice") }],
  ])("middleware rejects the call with %s", async (_what, steps, error) => {
    const check: typeof changed.params = (value) =>
      isObject(value) && "bad" in value ? { path: "bad", expected: "absent" } : undefined;
    const { peer } = openWith(toNotify(...steps));
    await expect(peer.notify({ ...changed, params: check }, {})).rejects.toMatchObject(error);
  });

  test("middleware that does not wait keeps the order of notifications and the response behind them", async () => {
    const { wire } = await serveWire(
      {
        capabilities: { logging: {} },
        handlers: {
          async setLevel(_params: unknown, call: CallContext) {
            const log = newest.serverNotifications["notifications/message"];
            for (const data of [1, 2]) if (log) void call.notify(log, { level: "info", data });
            void call.progress({ progress: 1 });
            return {};
          },
        },
        middleware: [{ send: { notification: async (_, next) => await next() } }],
      },
      newest.id,
    );
    const params = { level: "info", _meta: { progressToken: "p" } };
    wire.post({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params });
    await settle();
    expect(wire.sent).toMatchObject([
      { params: { data: 1 } },
      { params: { data: 2 } },
      { params: { progress: 1 } },
      { id: 1, result: {} },
    ]);
  });

  test("middleware that waits sends no notification of a stateless request after its response", async () => {
    const { opened, open } = gate();
    const row = statelessRevision.serverNotifications["notifications/message"];
    const { wire } = await serveWire({
      revisions: [statelessRevision],
      capabilities: { logging: {} },
      handlers: {
        fallback(_request: unknown, call: CallContext) {
          if (row) void call.notify(row, { level: "info", data: 1 });
          return {};
        },
      },
      middleware: [{ send: { notification: async (_, next) => (await opened, next()) } }],
    });
    wire.post(statelessRequest(1, "com.example/x"));
    await settle();
    open();
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1 }]);
  });

  test("middleware cannot send invalid progress", async () => {
    const { wire, reports } = await serveWire(
      {
        capabilities: { logging: {} },
        handlers: {
          setLevel: async (_params: unknown, call: CallContext) => {
            await expect(call.progress({ progress: 1 })).rejects.toBeInstanceOf(InvalidMessageError);
            return {};
          },
        },
        middleware: [{ send: { notification: (_, next) => next({ params: { progress: "much" } }) } }],
      },
      newest.id,
    );
    const params = { level: "info", _meta: { progressToken: "p" } };
    wire.post({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: {} }]);
    expect(reports).toEqual([]);
  });
});

describe("middleware around received notifications", () => {
  const toReceive = (...steps: Steps): readonly MessageMiddleware[] =>
    steps.map((notification) => ({ receive: { notification } }));

  test.each<[string, Steps, readonly unknown[], readonly object[]]>([
    ["passes it on", [(_, next) => next()], [{ a: 1 }], []],
    ["changes its params", [(_, next) => next({ params: { b: 2 } })], [{ b: 2 }], []],
    ["drops it", [() => undefined], [], []],
    [
      "fails, which is reported",
      [() => Promise.reject(new Error("no"))],
      [],
      [{ kind: "handler", method: "things/changed", error: { message: "no" } }],
    ],
    [
      "calls `next` twice, which is reported",
      [async (_, next) => (await next(), next())],
      [{ a: 1 }],
      [{ kind: "handler", error: { message: expect.stringContaining("twice") } }],
    ],
  ])("middleware %s", async (_what, steps, handled, reported) => {
    const seen: unknown[] = [];
    const notifications = noticesOf({ "things/changed": (params) => seen.push(params) });
    const { wire, reports } = openWith(toReceive(...steps), { routes: { notifications } });
    wire.post({ jsonrpc: "2.0", method: "things/changed", params: { a: 1 } });
    await settle();
    expect(seen).toEqual(handled);
    expect(reports).toMatchObject(reported);
  });

  test("middleware gets an error of the handler from `next`, and may keep it from being reported", async () => {
    const seen: unknown[] = [];
    const notifications = noticesOf({ "things/changed": () => Promise.reject(new Error("broken")) });
    const { wire, reports } = openWith(
      toReceive((_, next) => next().catch((error: unknown) => seen.push(error))),
      { routes: { notifications } },
    );
    wire.post({ jsonrpc: "2.0", method: "things/changed" });
    await settle();
    expect(seen).toMatchObject([{ message: "broken" }]);
    expect(reports).toEqual([]);
  });

  test.each([
    ["passes it on", true],
    ["drops it", false],
  ])("a cancellation has its effect only if the middleware passes it on: it %s", async (_what, isPassed) => {
    const { wire } = await serveWire(
      {
        capabilities: { logging: {} },
        handlers: {
          setLevel: (_params: unknown, { signal }: CallContext) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve({}));
              wire.post({ jsonrpc: "2.0", id: 2, method: "ping" });
            }),
        },
        middleware: toReceive((_, next) => (isPassed ? next() : undefined)),
      },
      newest.id,
    );
    wire.post({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "info" } });
    await settle();
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await settle();
    expect(wire.abandoned).toEqual(isPassed ? [1] : []);
  });

  test("invalid and unknown notifications do not reach middleware", async () => {
    const seen: unknown[] = [];
    const { wire, reports } = await serveWire(
      { middleware: toReceive((notification, next) => (seen.push(notification), next())) },
      newest.id,
    );
    seen.length = 0;
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: [] }, { jsonrpc: "2.0", method: "x" });
    await settle();
    expect(seen).toEqual([]);
    expect(reports.map(({ kind }) => kind)).toEqual(["ignored", "ignored"]);
  });
});

describe("middleware around received requests", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { a: 1 } } };

  async function receive(...steps: Steps): Promise<readonly unknown[]> {
    const { wire } = await serveWire({ middleware: steps.map((request) => ({ receive: { request } })) }, newest.id);
    wire.post(ping);
    await settle();
    return wire.sent;
  }

  test.each<[string, Steps, object]>([
    ["passes it on", [(_, next) => next()], { result: {} }],
    ["returns a result without `next`", [({ params }) => Object(params)], { result: { _meta: { a: 1 } } }],
    ["changes the result", [async (_, next) => ({ ...Object(await next()), b: 1 })], { result: { b: 1 } }],
    ["rejects it", [() => Promise.reject(new RpcError(4711, "no"))], { error: { code: 4711, message: "no" } }],
    ["fails", [() => Promise.reject(new Error("no"))], { error: { code: -32603, message: "Internal error" } }],
    ["calls `next` twice", [async (_, next) => (await next(), next())], { error: { code: -32603 } }],
    [
      "runs in order, the first outermost",
      [async (_, next) => ({ ...Object(await next()), by: "a" }), () => ({ by: "b", inner: 1 })],
      { result: { by: "a", inner: 1 } },
    ],
  ])("middleware %s", async (_what, steps, response) => {
    const pass: Steps[number] = ({ method }, next) => (method === "initialize" ? next() : undefined);
    const forPing = steps.map<Steps[number]>(
      (step) => (request, next) => (request.method === "ping" ? step(request, next) : pass(request, next)),
    );
    expect(await receive(...forPing)).toMatchObject([{ id: 1, ...response }]);
  });

  test("middleware sees a ping before the session, and the session of later requests", async () => {
    const seen: unknown[] = [];
    const { wire } = await serveWire({
      middleware: [
        {
          receive: {
            request({ method, role, session }, next) {
              seen.push([method, role, session?.role]);
              return next();
            },
          },
        },
      ],
    });
    for (const message of [{ ...ping, id: 7 }, initialize(newest.id), initialized, ping]) {
      wire.post(message);
      await settle();
    }
    expect(seen).toEqual([
      ["ping", "server", undefined],
      ["initialize", "server", "server"],
      ["ping", "server", "server"],
    ]);
    expect(wire.sent).toMatchObject([{ id: 7 }, { id: 0 }, { id: 1 }]);
  });

  test("middleware that waits until its request is cancelled runs no handler", async () => {
    const { opened, open } = gate();
    const handled: unknown[] = [];
    const { wire } = await serveWire(
      {
        capabilities: { logging: {} },
        handlers: { setLevel: (params: unknown) => (handled.push(params), {}) },
        middleware: [
          {
            receive: {
              async request({ method }, next) {
                if (method === "logging/setLevel") await opened;
                return next();
              },
            },
          },
        ],
      },
      newest.id,
    );
    wire.post({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "info" } });
    await settle();
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    open();
    await settle();
    expect(handled).toEqual([]);
    expect(wire.sent).toEqual([]);
  });

  test("middleware may change the params of initialize", async () => {
    const { wire, connection } = await serveWire({
      middleware: [
        {
          receive: {
            request: ({ params }, next) =>
              next({ params: { ...Object(params), clientInfo: { name: "hidden", version: "0" } } }),
          },
        },
      ],
    });
    wire.post(initialize(newest.id));
    await settle();
    await settle();
    expect(wire.sent).toMatchObject([{ id: 0, result: { protocolVersion: newest.id } }]);
    expect(connection.session?.peer.info).toEqual({ name: "hidden", version: "0" });
  });

  test("middleware runs around stateless requests, `server/discover` and methods outside of the revision", async () => {
    const seen: unknown[] = [];
    const { wire } = await serveWire({
      revisions: [statelessRevision],
      handlers: { fallback: ({ method, params }: { method: string; params: object }) => ({ method, ...params }) },
      middleware: [
        {
          receive: {
            request({ method, session }, next) {
              seen.push([method, session?.revision.id]);
              return method === "com.example/x" ? next({ params: { x: 1 } }) : next();
            },
          },
        },
      ],
    });
    wire.post(statelessRequest(1, "server/discover"));
    await settle();
    wire.post(statelessRequest(2, "com.example/x"));
    await settle();
    await settle();
    expect(seen).toEqual([
      ["server/discover", statelessRevision.id],
      ["com.example/x", statelessRevision.id],
    ]);
    expect(wire.sent).toMatchObject([
      { id: 1, result: { supportedVersions: [statelessRevision.id] } },
      { id: 2, result: { method: "com.example/x", x: 1 } },
    ]);
  });
});

describe("middleware of a client", () => {
  const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "first" } };
  const opened = {
    protocolVersion: newest.id,
    capabilities: { logging: {} },
    serverInfo: { name: "server", version: "1" },
  };

  function open(wire: Wire, options: Partial<OpenOptions>): ReturnType<typeof openConnection> {
    return openConnection(wire, { info: { name: "c", version: "1" }, revisions: [newest], ...options });
  }

  test("messages behind the result of initialize wait until the middleware around it has ended", async () => {
    const { opened: released, open: release } = gate();
    const wire = new Wire();
    const logged: unknown[] = [];
    const connecting = open(wire, {
      handlers: { loggingMessage: ({ data }: { data: unknown }) => logged.push(data) },
      middleware: toSend(async (_, next) => {
        const result = await next();
        await released;
        return { ...Object(result), instructions: "changed" };
      }),
    });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, result: opened }, log, { jsonrpc: "2.0", id: 5, method: "ping" });
    await settle();
    expect(logged).toEqual([]);
    release();
    const peer = await connecting;
    expect(logged).toEqual(["first"]);
    expect(peer.session?.instructions).toBe("changed");
    expect(wire.sent).toMatchObject([
      { method: "initialize" },
      { id: 5, result: {} },
      { method: "notifications/initialized" },
    ]);
    await peer.close();
  });

  test("messages behind the result of server/discover wait as well", async () => {
    const { opened: released, open: release } = gate();
    const wire = new Wire();
    const logged: unknown[] = [];
    const connecting = open(wire, {
      revisions: [statelessRevision],
      handlers: { loggingMessage: ({ data }: { data: unknown }) => logged.push(data) },
      middleware: toSend(async (_, next) => {
        const result = await next();
        await released;
        return result;
      }),
    });
    await settle();
    const cached = { ttlMs: 0, cacheScope: "private", resultType: "complete" };
    const result = { supportedVersions: [statelessRevision.id], capabilities: { logging: {} }, ...cached };
    wire.post({ jsonrpc: "2.0", id: 1, result }, log);
    await settle();
    expect(logged).toEqual([]);
    release();
    const peer = await connecting;
    expect(logged).toEqual(["first"]);
    await peer.close();
  });

  test("a session can be opened by the result of middleware", async () => {
    const wire = new Wire();
    const peer = await open(wire, {
      middleware: toSend(({ method }, next) => (method === "initialize" ? opened : next())),
    });
    expect(peer.session?.peer.info).toEqual(opened.serverInfo);
    expect(wire.sent).toMatchObject([{ method: "notifications/initialized" }]);
    await peer.close();
  });

  test.each<[string, Steps[number]]>([
    ["throws", () => Promise.reject(new Error("no"))],
    ["returns an invalid result", () => ({ protocolVersion: newest.id })],
  ])("a connection fails if the middleware around initialize %s", async (_what, step) => {
    const wire = new Wire();
    await expect(open(wire, { middleware: toSend(step) })).rejects.toThrow();
    expect(wire.isClosed).toBe(true);
  });

  test("middleware runs around requests of the server", async () => {
    const seen: unknown[] = [];
    const wire = new Wire();
    const connecting = open(wire, {
      capabilities: { roots: {} },
      handlers: { listRoots: () => ({ roots: [] }) },
      middleware: [
        {
          receive: {
            request({ method, role }, next) {
              seen.push([method, role]);
              return next();
            },
          },
        },
      ],
    });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, method: "ping" });
    wire.post({ jsonrpc: "2.0", id: 1, result: opened });
    const peer = await connecting;
    wire.post({ jsonrpc: "2.0", id: 2, method: "ping" }, { jsonrpc: "2.0", id: 3, method: "roots/list" });
    await settle();
    expect(seen).toEqual([
      ["ping", "client"],
      ["ping", "client"],
      ["roots/list", "client"],
    ]);
    await peer.close();
  });
});

test("a connection without middleware needs no promise for a notification", () => {
  const { peer } = openWith([]);
  expect(peer.notify(changed, {})).toBe(peer.notify(changed, {}));
  const { peer: other } = openWith(toSend((_, next) => next()));
  expect(other.notify(changed, {})).toBe(peer.notify(changed, {}));
});

test("the middleware of extensions runs inside the listed one", () => {
  expect(orderMiddleware(["a", "b"], ["x", "y"])).toEqual(["a", "b", "x", "y"]);
  expect(orderMiddleware()).toEqual([]);
});
