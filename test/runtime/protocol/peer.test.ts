import { describe, expect, test } from "vitest";
import { fail } from "../../../generated/support.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { NotificationRoute } from "../../../runtime/protocol/peer/routes.ts";
import { row } from "../../kit/revisions.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { noticeRow, noticesOf, openPeer, plainSession, requestsOf } from "./open-peer.ts";

/* One end of a connection by itself: its states, what it sends in them, and its notifications. */

const log = noticeRow("notifications/message");
const changed = noticeRow("notifications/changed");
const work = row("work", "work");
const ping = row("ping", "ping");

describe("states", () => {
  test("a connection without an opening is not confirmed, and a confirmed one does not open again", () => {
    const { peer } = openPeer({ session: "none" });
    const states = [peer.state];
    for (const step of ["confirm", "begin", "confirm", "begin"] as const) {
      peer[step]();
      states.push(peer.state);
    }
    const [none, begun, confirmed] = ["NOT_INITIALIZED", "INITIALIZING", "INITIALIZED"];
    expect(states).toEqual([none, none, begun, confirmed, confirmed]);
  });

  test("before there is a session, messages that need no capability are sent, and others are not", async () => {
    const { peer, wire } = openPeer({ session: "none" });
    void peer.notify(changed, undefined);
    const gated = noticeRow("notifications/gated", { gate: { side: "server", path: ["tools"] } });
    await expect(peer.notify(gated, undefined)).rejects.toMatchObject({
      name: "ClosedError",
      message: "The session is not initialized yet",
    });
    expect(wire.sent).toMatchObject([{ method: "notifications/changed" }]);
  });

  test("until the client confirms, only pings, log messages and what belongs to a request are sent", async () => {
    const { peer, wire } = openPeer({ session: "none" });
    peer.open(plainSession, peer.routes);
    void peer.notify(changed, { n: 1 });
    void peer.notify(changed, { n: 2 }, "call");
    void peer.notify(log, { n: 3 });
    void peer.request(work, { n: 4 }).catch(() => {});
    void peer.request(ping, { n: 5 }).catch(() => {});
    const numbers = (): readonly unknown[] =>
      wire.sent.splice(0).map((message) => Reflect.get(Object(Reflect.get(Object(message), "params")), "n"));
    await settle();
    expect(numbers()).toEqual([2, 3, 5]);
    peer.confirm();
    await settle();
    expect(numbers()).toEqual([1, 4]);
    void peer.notify(changed, { n: 6 });
    expect(numbers()).toEqual([6]);
  });

  test("a connection that has ended leaves the metrics once", () => {
    const left: unknown[] = [];
    const metrics = Object.assign(new Metrics(), { leave: (running: unknown) => left.push(running) });
    const { wire } = openPeer({ settings: { metrics } });
    wire.end();
    wire.end(new Error("again"));
    expect(left).toHaveLength(1);
  });
});

/** Error of what is no longer sent. */
const rejection = { name: "ClosedError", message: "The connection is closed", unsent: true };

describe("closing", () => {
  test("nothing is received or sent once a connection has closed its channel", async () => {
    const seen: unknown[] = [];
    const requests = requestsOf({ any: () => ({ n: seen.push(1) }) });
    const { peer, wire, reports } = openPeer({ routes: { requests }, channel: { close: () => new Promise(() => {}) } });
    void peer.close();
    await settle();
    void peer.close();
    wire.receiver?.ended();
    wire.post({ jsonrpc: "2.0", id: 1, method: "any" });
    wire.receiver?.message({ jsonrpc: "2.0", id: 2, method: "any" });
    wire.receiver?.classified({ kind: "request", id: 3, method: "any", params: {} });
    wire.receiver?.problem({ kind: "syntax", message: "It cannot be read" });
    await expect(peer.request(work, undefined)).rejects.toMatchObject(rejection);
    await expect(peer.request(work, undefined, {}, 4)).rejects.toMatchObject(rejection);
    await expect(peer.notify(changed, undefined)).rejects.toMatchObject(rejection);
    expect([seen, wire.sent, reports]).toEqual([[], [], []]);
  });

  test("a closing connection rejects new requests of both sides", async () => {
    const seen: unknown[] = [];
    const requests = requestsOf({ any: () => ({ n: seen.push(1) }), wait: () => new Promise(() => {}) });
    const { peer, wire, clock } = openPeer({ routes: { requests, batching: true } });
    const earlier = peer.request(work, undefined);
    wire.post({ jsonrpc: "2.0", id: 1, method: "wait" });
    wire.sent.length = 0;
    const closing = peer.close({ drain: 10 });
    await expect(earlier).rejects.toMatchObject({ name: "ClosedError" });
    await expect(peer.request(work, undefined)).rejects.toMatchObject(rejection);
    expect(() => peer.ask(work, undefined, { resolve() {}, reject() {} })).toThrow(rejection.message);
    wire.post({ jsonrpc: "2.0", id: 2, method: "any" });
    const message = "The connection is closing; repeat the request on another one";
    expect([seen, wire.sent]).toEqual([[], [{ jsonrpc: "2.0", id: 2, error: { code: -32603, message } }]]);
    wire.sent.length = 0;
    wire.receiver?.message([{ jsonrpc: "2.0", id: 3, method: "any" }]);
    await settle();
    expect([seen, wire.sent]).toEqual([[], [[{ jsonrpc: "2.0", id: 3, error: { code: -32603, message } }]]]);
    clock.advance(10);
    await closing;
  });

  test("a closing connection carries the notifications, requests, responses and cancellations of running calls", async () => {
    const reasons: unknown[] = [];
    const requests = requestsOf({
      async visit(_, context) {
        await context.progress({ progress: 1 });
        const { n } = Object(await context.request(work, undefined));
        await context.notify(log, { n });
        return { n };
      },
      wait: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason.message))),
    });
    const cancelled = noticesOf({ "notifications/cancelled": () => {} });
    const { peer, wire } = openPeer({ routes: { requests, notifications: cancelled } });
    wire.post({ jsonrpc: "2.0", id: 8, method: "visit", params: { _meta: { progressToken: 8 } } });
    wire.post({ jsonrpc: "2.0", id: 9, method: "wait" });
    const closing = peer.close({ drain: 1_000 });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, result: { n: 5 } });
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9, reason: "enough" } });
    await closing;
    expect(reasons).toEqual(["enough"]);
    expect(wire.sent).toMatchObject([
      { method: "notifications/progress", params: { progress: 1 } },
      { id: 1, method: "work" },
      { method: "notifications/message", params: { n: 5 } },
      { id: 8, result: { n: 5 } },
    ]);
  });

  test("a closing connection carries the responses to earlier requests of running calls, also in a batch", async () => {
    const requests = requestsOf({
      async visit(_, context) {
        const { n } = Object(await context.request(work, undefined));
        await context.progress({ progress: n });
        return { n };
      },
    });
    const { peer, wire } = openPeer({ routes: { requests, batching: true } });
    wire.post({ jsonrpc: "2.0", id: 8, method: "visit", params: { _meta: { progressToken: 8 } } });
    await settle();
    void peer.close({ drain: 1_000 });
    await settle();
    wire.receiver?.message([{ jsonrpc: "2.0", id: 1, result: { n: 5 } }]);
    await settle();
    expect(wire.sent).toMatchObject([
      { id: 1, method: "work" },
      { method: "notifications/progress", params: { progress: 5 } },
      { id: 8, result: { n: 5 } },
    ]);
  });

  test("a channel that has ended is not closed", async () => {
    const closed: unknown[] = [];
    const { peer, wire } = openPeer({ channel: { close: async () => void closed.push("channel") } });
    wire.end();
    await peer.close();
    expect(closed).toEqual([]);
  });

  test("a connection whose input has ended sends what running calls report, and fails their requests at once", async () => {
    const requests = requestsOf({
      async visit(_, context) {
        const problems: unknown[] = [];
        for (let n = 0; n < 2; n += 1)
          await context.request(work, undefined).catch((error: Error) => problems.push(error.name));
        await context.notify(log, { problems });
        return {};
      },
    });
    const { peer, wire } = openPeer({ routes: { requests } });
    wire.post({ jsonrpc: "2.0", id: 8, method: "visit" });
    await settle();
    wire.receiver?.ended();
    await peer.closed;
    const problems = ["ClosedError", "ClosedError"];
    expect(wire.sent).toMatchObject([
      { id: 1, method: "work" },
      { method: "notifications/message", params: { problems } },
      { id: 8, result: {} },
    ]);
  });

  test("a channel that cannot be closed is reported, and the connection ends", async () => {
    const error = new Error("stuck");
    const { peer, reports } = openPeer({ channel: { close: () => Promise.reject(error) } });
    await peer.close();
    expect(reports).toEqual([{ kind: "transport", error }]);
    expect(peer.state).toBe("DISCONNECTED");
  });

  test("closing ends with the last handler, and aborts endless ones at once", async () => {
    const signals = new Map<string, AbortSignal>();
    const ends: (() => void)[] = [];
    const requests = new Map([
      ...requestsOf({
        work(_, { requestId, signal }) {
          signals.set(String(requestId), signal);
          return new Promise((resolve) => ends.push(() => resolve({})));
        },
      }),
      ...requestsOf(
        {
          listen: (_, { signal }) =>
            new Promise((resolve) => {
              signals.set("listen", signal);
              signal.addEventListener("abort", () => resolve({ listened: true }));
            }),
        },
        { duration: "endless" },
      ),
    ]);
    const { peer, wire } = openPeer({ routes: { requests } });
    for (const [id, method] of ["work", "work", "listen"].entries()) wire.post({ jsonrpc: "2.0", id, method });
    const closing = peer.close();
    await settle();
    expect([...signals].map(([name, { aborted }]) => [name, aborted])).toEqual([
      ["0", false],
      ["1", false],
      ["listen", true],
    ]);
    expect(signals.get("listen")?.reason).toMatchObject({ name: "AbortError", message: "The connection is closing" });
    expect(wire.sent).toMatchObject([{ id: 2, result: { listened: true } }]);
    ends[0]?.();
    await settle();
    expect(wire.isClosed).toBe(false);
    ends[1]?.();
    await settle();
    expect(wire.isClosed).toBe(true);
    await closing;
  });

  test("handlers that take too long get the reason of their abort", async () => {
    const reasons: unknown[] = [];
    const requests = requestsOf({
      work: (_, context) =>
        new Promise(() => context.signal.addEventListener("abort", () => reasons.push(context.signal.reason))),
    });
    const { peer, wire, clock } = openPeer({ routes: { requests } });
    wire.post({ jsonrpc: "2.0", id: 1, method: "work" });
    const closing = peer.close({ drain: 10 });
    await settle();
    clock.advance(10);
    await closing;
    expect(reasons).toMatchObject([
      { name: "ClosedError", message: "The connection was closed before the response was sent" },
    ]);
  });
});

describe("sending", () => {
  test.each([
    ["with metrics", new Metrics()],
    ["without metrics", undefined],
  ])("a log message for which there is no room is dropped, other messages are not: %s", async (_, metrics) => {
    const channel = { buffered: 64 * 1024 * 1024 };
    const { peer, wire } = openPeer({ channel, settings: metrics ? { metrics } : {} });
    await peer.notify(log, { data: "x" });
    await peer.notify(changed, undefined);
    expect(wire.sent).toMatchObject([{ method: "notifications/changed" }]);
    if (metrics) expect(metrics.read().dropped).toEqual(new Map([["log", 1]]));
  });

  test("a notification that needs no conversion is sent as it is", async () => {
    const { peer, given } = openPeer();
    const message = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } } as const;
    await peer.sendNotification(message);
    expect(given[0]).toBe(message);
  });

  test("the session of the transport is that of the channel", () => {
    const session = { id: "s", ended: Promise.resolve() };
    expect(openPeer({ channel: { session } }).peer.transportSession).toBe(session);
  });

  test("a channel may leave out what handles cancelled requests", () => {
    const requests = requestsOf({ work: () => new Promise(() => {}) });
    const notifications = noticesOf({ "notifications/cancelled": () => {} });
    const { wire, reports } = openPeer({ routes: { requests, notifications }, channel: { abandon: undefined } });
    wire.post({ jsonrpc: "2.0", id: 1, method: "work" });
    expect(() =>
      wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
    ).not.toThrow();
    expect(reports).toEqual([]);
  });
});

describe("notifications", () => {
  const isList = (params: unknown): ReturnType<typeof fail> | undefined =>
    Array.isArray(Reflect.get(Object(params), "list")) ? undefined : fail("a list", "list");
  const post = (
    method: string,
    params: unknown,
    routes: Parameters<typeof openPeer>[0] = {},
  ): { readonly seen: unknown[]; readonly reports: unknown[] } => {
    const seen: unknown[] = [];
    const handle = (given: unknown): number => seen.push(given);
    const notifications = new Map<string, NotificationRoute>([
      ["known", { row: noticeRow("known"), handle }],
      ["own", { row: noticeRow("own"), handle: () => seen.push("own") }],
      ["strict", { row: noticeRow("strict", { params: isList, paramsOptional: false }), handle }],
      ["lenient", { row: noticeRow("lenient", { params: isList }), handle }],
      ["gated", { row: noticeRow("gated", { gate: { side: "client", path: ["roots", "listChanged"] } }), handle }],
    ]);
    const { wire, reports } = openPeer({ ...routes, routes: { notifications, ...routes.routes } });
    wire.post({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
    return { seen, reports };
  };
  const aliases = new Map([
    ["other", "known"],
    ["own", "known"],
    ["lost", "missing"],
  ]);

  test.each([
    ["its name", "known", [{}]],
    ["another name of the profile", "other", [{}]],
    ["a name that the revision has itself", "own", ["own"]],
  ])("a notification arrives under %s", (_, method, expected) => {
    expect(post(method, {}, { routes: { profile: { aliases } } })).toEqual({ seen: expected, reports: [] });
  });

  test.each([
    ["without a profile", undefined],
    ["with a profile without names", {}],
    ["with a profile whose name leads nowhere", { aliases }],
  ])("an unknown notification is reported %s", (_, profile) => {
    const error = { message: "The notification lost is not defined in this direction" };
    const { seen, reports } = post("lost", {}, { routes: { profile } });
    expect(seen).toEqual([]);
    expect(reports).toMatchObject([{ kind: "ignored", method: "lost", error }]);
  });

  test.each<readonly [string, unknown, boolean]>([
    ["strict", undefined, false],
    ["strict", {}, false],
    ["strict", { list: [] }, true],
    ["lenient", undefined, true],
    ["lenient", {}, false],
  ])("params of a notification are checked: %s, %j", (method, params, isValid) => {
    const { seen, reports } = post(method, params);
    expect(seen).toHaveLength(isValid ? 1 : 0);
    const error = { name: "InvalidMessageError", part: "params", issue: { path: "list" } };
    expect(reports).toMatchObject(isValid ? [] : [{ kind: "ignored", method, error }]);
    expect(reports).toHaveLength(isValid ? 0 : 1);
  });

  test("a notification whose capability was not declared is reported with the capability", () => {
    const message = "The notification gated requires the capability roots.listChanged, which was not declared";
    expect(post("gated", {})).toMatchObject({ seen: [], reports: [{ kind: "ignored", error: { message } }] });
    const peer = { info: undefined, capabilities: { roots: { listChanged: true } } };
    expect(post("gated", {}, { session: { peer } })).toEqual({ seen: [{}], reports: [] });
  });

  test.each<readonly [unknown, readonly object[]]>([
    [undefined, []],
    [{ progressToken: 1 }, []],
    [{ progressToken: {}, progress: 1 }, []],
    [{ progressToken: 1, progress: "1" }, []],
    [{ progressToken: 1, progress: 1, total: "2", message: 3 }, [{ progress: 1 }]],
    [{ progressToken: 1, progress: 1, total: 2, message: "x" }, [{ progress: 1, total: 2, message: "x" }]],
  ])("only readable progress reaches the call, whatever the revision accepts: %j", (params, expected) => {
    const notifications = noticesOf({ "notifications/progress": () => {}, "notifications/cancelled": () => {} });
    const { peer, wire, reports } = openPeer({ routes: { notifications } });
    const seen: unknown[] = [];
    void peer.request(work, undefined, { onProgress: (report) => seen.push(report) });
    for (const method of ["notifications/progress", "notifications/cancelled"])
      wire.receiver?.classified({ kind: "notification", method, params });
    expect(seen).toStrictEqual(expected);
    expect(reports).toEqual([]);
  });
});
