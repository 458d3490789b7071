import { describe, expect, test } from "vitest";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import type { CallContext } from "../../../runtime/protocol/session/call-context.ts";
import { createStatelessCall } from "../../../runtime/protocol/peer/stateless-request.ts";
import { RelayedCall } from "../../../runtime/protocol/peer/relayed-call.ts";
import { newest, row } from "../../kit/revisions.ts";
import { rejectUnhandledRejections } from "../../kit/unhandled-rejections.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { noticesOf, openPeer, plainSession, requestsOf, type OpenPeerOptions, type OpenedPeer } from "./open-peer.ts";

/* Calls whose handlers run: their deadlines, signals, progress and responses. */

rejectUnhandledRejections();

const call = (id: number, params: object = { _meta: { progressToken: id } }): object => ({
  jsonrpc: "2.0",
  id,
  method: "work",
  params,
});
const cancel = (requestId: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

interface Working extends OpenedPeer {
  readonly contexts: CallContext[];
  readonly ends: ((result: unknown) => void)[];
  readonly fails: ((error: unknown) => void)[];
}

/** Opens a peer whose request `work` ends when the test says so. */
function openWorking(settings: OpenPeerOptions["settings"] = {}): Working {
  const contexts: CallContext[] = [];
  const ends: Working["ends"] = [];
  const fails: Working["fails"] = [];
  const requests = requestsOf({
    work(_, context) {
      contexts.push(context);
      return new Promise((resolve, reject) => {
        ends.push(resolve);
        fails.push(reject);
      });
    },
  });
  const notifications = noticesOf({ "notifications/cancelled": () => {} });
  return { ...openPeer({ routes: { requests, notifications }, settings }), contexts, ends, fails };
}

describe("deadlines", () => {
  test("progress that is held back is sent in time, whatever other calls are checked before", async () => {
    const { peer, wire, clock, contexts } = openWorking({ progressRate: { burst: 1, perSecond: 10 } });
    void peer.request(row("other", "other"), undefined, { timeout: 50 }).catch(() => {});
    wire.post(call(1), call(2), call(3, {}));
    for (const progress of [1, 2]) await contexts[0]?.progress({ progress });
    await clock.pass(50);
    wire.sent.length = 0;
    await clock.pass(49);
    expect(wire.sent).toEqual([]);
    await clock.pass(1);
    expect(wire.sent).toMatchObject([{ method: "notifications/progress", params: { progressToken: 1, progress: 2 } }]);
    expect(contexts[0]?.signal.aborted).toBe(false);
  });

  test("a cancelled call counts until its own deadline, not until that of another call", async () => {
    const { peer, wire, clock } = openWorking({ limits: { maxCalls: 1 }, timeouts: { handler: 1_000 } });
    void peer.request(row("other", "other"), undefined, { timeout: 500 }).catch(() => {});
    wire.post(call(1), cancel(1));
    await clock.pass(999);
    wire.sent.length = 0;
    wire.post(call(2));
    expect(wire.sent).toMatchObject([{ id: 2, error: { code: 429 } }]);
    await clock.pass(1);
    wire.post(call(3));
    expect(wire.sent).toHaveLength(1);
  });

  test.each([
    ["returns", (working: Working) => working.ends[0]?.({ late: true })],
    ["fails", (working: Working) => working.fails[0]?.(new Error("late"))],
  ])("a handler that %s after its deadline gets no second response", async (_, settleCall) => {
    const working = openWorking({ timeouts: { handler: 1_000 } });
    working.wire.post(call(1));
    await working.clock.pass(1_000);
    settleCall(working);
    await settle();
    expect(working.wire.sent).toMatchObject([{ id: 1, error: { message: "Request timed out" } }]);
    expect(working.reports).toHaveLength(1);
  });
});

describe("the context of a call", () => {
  test("a cancellation without a reason has one of its own, and runs the listener of the call", () => {
    const { wire, contexts } = openWorking();
    wire.post(call(1));
    const aborted: string[] = [];
    contexts[0]?.onAbort?.(() => aborted.push("then"));
    const { signal } = contexts[0] ?? {};
    expect(aborted).toEqual([]);
    wire.post(cancel(1));
    expect(aborted).toEqual(["then"]);
    contexts[0]?.onAbort?.(() => aborted.push("at once"));
    expect(aborted).toEqual(["then", "at once"]);
    expect(signal?.reason).toMatchObject({ name: "AbortError", message: "Cancelled by the peer" });
  });

  test("a relayed call reads from the original one", () => {
    class Relayed extends RelayedCall {
      get signal(): AbortSignal {
        return this.call.signal;
      }
      progress(): Promise<void> {
        return Promise.resolve();
      }
      notify(): Promise<void> {
        return Promise.resolve();
      }
      request(): Promise<never> {
        return Promise.reject(new Error("no"));
      }
    }
    const { peer, wire, contexts } = openWorking({ progressRate: { burst: 3, perSecond: 4 } });
    wire.receiver?.classified({ kind: "request", id: 7, method: "work", params: { _meta: { a: 1 } } }, "origin");
    const [context] = contexts;
    const relayed = context && new Relayed(context);
    expect([relayed?.requestId, relayed?.revision, relayed?.origin]).toEqual([7, newest, "origin"]);
    expect([relayed?.connection, relayed?.session, relayed?.meta]).toEqual([peer, peer.session, { a: 1 }]);
    expect(relayed?.progressRate).toEqual({ burst: 3, perSecond: 4 });
  });
});

describe("responses of handlers", () => {
  test.each<readonly [string, unknown, object, number]>([
    ["an error for the peer", new RpcError(7, "no"), { code: 7, message: "no" }, 0],
    ["an error with a cause", new RpcError(7, "no", { cause: "why" }), { code: 7, message: "no" }, 1],
    ["any other error", new TypeError("secret"), { code: -32603, message: "Internal error" }, 1],
    ["nothing", undefined, { code: -32603, message: "Internal error" }, 1],
  ])("%s is reported only where the peer does not learn all of it", async (_, thrown, error, count) => {
    const { wire, fails, given, reports } = openWorking();
    wire.post(call(1));
    fails[0]?.(thrown);
    await settle();
    expect(given).toEqual([{ jsonrpc: "2.0", id: 1, error }]);
    expect(reports.map(({ kind, id }) => [kind, id])).toEqual(Array.from({ length: count }, () => ["handler", 1]));
  });

  test("a result is sent in a message of JSON-RPC; one that does not fit is reported as such", async () => {
    const result = (value: unknown): { path: string; expected: string } | undefined =>
      value === 5 ? { path: "", expected: "an object" } : undefined;
    const { wire, given, reports } = openPeer({
      routes: { requests: requestsOf({ work: (params) => Reflect.get(Object(params), "answer") }, { result }) },
    });
    wire.post(call(1, { answer: { a: 1 } }), call(2, { answer: 5 }));
    expect(given[0]).toEqual({ jsonrpc: "2.0", id: 1, result: { a: 1 } });
    expect(reports).toMatchObject([{ kind: "result", id: 2, error: { name: "InvalidMessageError", part: "result" } }]);
  });
});

test("a stateless call on a connection with others is that connection's, at the revision of its own session", async () => {
  const { peer, wire, clock } = openPeer({ settings: { progressRate: { burst: 1, perSecond: 10 } } });
  const session = { ...plainSession, instructions: "own" };
  const request = { id: 1, method: "work", params: { _meta: { progressToken: 1 } } };
  const stateless = createStatelessCall(peer, session, { request, row: row("work", "work"), origin: "origin" });
  const { connection } = stateless;
  expect([stateless.origin, stateless.session, connection.session]).toEqual(["origin", session, session]);
  expect([connection.state, connection.closed]).toEqual([peer.state, peer.closed]);
  for (const progress of [1, 2]) await stateless.progress({ progress });
  expect(wire.sent).toHaveLength(1);
  expect(clock.active).toBe(1);
  const roots = newest.serverRequests["roots/list"];
  await expect(roots && connection.request(roots, undefined)).rejects.toMatchObject({ name: "RpcError" });
  await connection.close();
  expect([peer.state, wire.isClosed]).toEqual(["DISCONNECTED", true]);
});
