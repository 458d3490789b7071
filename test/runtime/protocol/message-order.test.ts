import { describe, expect, test } from "vitest";
import type { FramingProblem } from "../../../runtime/jsonrpc/channel.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { createStatelessCall } from "../../../runtime/protocol/peer/stateless-request.ts";
import type { RequestRoute, Routes } from "../../../runtime/protocol/peer/routes.ts";
import { row } from "../../kit/revisions.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { noticesOf, openPeer, plainSession, requestsOf, type OpenedPeer } from "./open-peer.ts";

/* Messages behind a request whose response has to be sent first, and input that is no message. */

const request = (id: number, method: string): object => ({ jsonrpc: "2.0", id, method });

interface Busy extends OpenedPeer {
  /** Messages in the order in which they were handled. */
  readonly seen: unknown[];
  /** Ends the running request of this name. */
  end(name: string): Promise<void>;
}

/** Opens a peer with a request `first`, whose response precedes everything that follows. */
function openBusy(routes: Partial<Routes> = {}, maxCalls = 1_024): Busy {
  const seen: unknown[] = [];
  const ends = new Map<string, (result: object) => void>();
  const handlers = Object.fromEntries(
    ["first", "ping", "later", "other"].map((name) => [
      name,
      () => {
        seen.push(name);
        return name === "later" ? {} : new Promise((resolve) => ends.set(name, resolve));
      },
    ]),
  );
  const requests = new Map<string, RequestRoute>(requestsOf(handlers));
  const first = requests.get("first");
  if (first) requests.set("first", { ...first, isFirst: true });
  const notifications = noticesOf({ notice: () => seen.push("notice") });
  const opened = openPeer({
    routes: { requests, notifications, batching: true, ...routes },
    settings: { limits: { maxCalls } },
  });
  return {
    ...opened,
    seen,
    end(name) {
      ends.get(name)?.({});
      return settle();
    },
  };
}

describe("messages behind a request that comes first", () => {
  test.each([
    ["a request", request(2, "later"), "later"],
    ["a notification", { jsonrpc: "2.0", method: "notice" }, "notice"],
    ["a batch", [request(2, "later")], "later"],
  ])("%s waits for the response", async (_, message, name) => {
    const { wire, seen, end } = openBusy();
    wire.post(request(1, "first"), message);
    await settle();
    expect(seen).toEqual(["first"]);
    await end("first");
    expect(seen).toEqual(["first", name]);
    expect(wire.sent[0]).toMatchObject({ id: 1 });
  });

  test("messages keep their order, also behind a second request that comes first", async () => {
    const { wire, seen, end, reports } = openBusy();
    wire.post(request(1, "first"), request(2, "later"), [{ jsonrpc: "2.0", method: "notice" }]);
    await end("first");
    expect(seen.splice(0)).toEqual(["first", "later", "notice"]);
    wire.post(request(3, "first"), { jsonrpc: "2.0", method: "notice" }, request(4, "later"));
    expect(seen.splice(0)).toEqual(["first"]);
    await end("first");
    expect(seen).toEqual(["notice", "later"]);
    expect(reports).toEqual([]);
  });

  test("a ping and a request of its own session do not wait, and their end lets no other message pass", async () => {
    const { wire, seen, end, reports } = openBusy({
      enter: ({ method }) => {
        if (method !== "other") return undefined;
        const own = { requests: requestsOf({ other: () => ({ n: seen.push("own") }) }) };
        const routes = { ...openPeer().peer.routes, ...own };
        return { routes, session: { ...plainSession }, createCall: createStatelessCall };
      },
    });
    wire.post(request(1, "first"), request(2, "ping"), request(3, "other"), request(4, "later"));
    wire.post({ jsonrpc: "2.0", method: "other" });
    expect(seen).toEqual(["first", "ping", "own"]);
    expect(reports).toEqual([]);
    await end("ping");
    expect(seen).toHaveLength(3);
    await end("first");
    expect(seen).toEqual(["first", "ping", "own", "later"]);
    expect(reports).toMatchObject([{ kind: "ignored", method: "other" }]);
  });

  test.each([
    ["messages", [request(2, "later"), { jsonrpc: "2.0", method: "notice" }], { jsonrpc: "2.0", method: "notice" }],
    ["batches", [[request(2, "later")], [request(3, "later")]], [{ jsonrpc: "2.0", method: "notice" }]],
  ])("no more %s wait than requests may run", async (_, waiting, another) => {
    const { wire, seen, end } = openBusy({}, 2);
    wire.post(request(1, "first"), ...waiting);
    expect(seen).toEqual(["first"]);
    wire.post(another);
    expect(seen).toEqual(["first", "notice"]);
    await end("first");
    expect(seen).toHaveLength(4);
  });
});

describe("input that cannot be read", () => {
  test.each<readonly [FramingProblem["kind"], number]>([
    ["syntax", -32700],
    ["encoding", -32700],
    ["size", -32600],
    ["depth", -32600],
    ["values", -32600],
    ["repeated", -32600],
  ])("a problem of its %s has the code %i", (kind, code) => {
    const { wire, given, reports } = openPeer();
    wire.receiver?.problem({ kind, message: "It cannot be read" });
    const error = { code, message: "It cannot be read" };
    expect(given).toStrictEqual([{ jsonrpc: "2.0", error }]);
    expect(reports).toMatchObject([{ kind: "protocol", error }]);
  });

  test.each<readonly [string, object, readonly object[]]>([
    ["a request is rejected", request(7, "any"), [{ id: 7 }]],
    ["a request without a name is rejected", { jsonrpc: "2.0", id: 7, method: 1 }, [{ id: 7 }]],
    ["a notification gets no response", { jsonrpc: "2.0", method: "any" }, []],
    ["a result gets no response", { jsonrpc: "2.0", id: 7, result: {} }, []],
    ["an error gets no response", { jsonrpc: "2.0", id: 7, error: { code: 1, message: "" } }, []],
    ["an unusable response gets no response", { jsonrpc: "2.0", id: 7, result: 1 }, []],
  ])("%s when it is nested too deeply", (_, value, replies) => {
    const { wire } = openPeer();
    wire.receiver?.problem({ kind: "depth", message: "It is nested too deeply", value });
    expect(wire.sent).toMatchObject(replies);
    expect(wire.sent).toHaveLength(replies.length);
  });

  test.each([
    ["no object", 5],
    ["an unusable response", { jsonrpc: "2.0", id: 7, result: 1 }],
  ])("%s is reported as a fault of the peer", (_, value) => {
    const { wire, reports } = openPeer();
    wire.post(value);
    expect(reports.map(({ kind, error }) => [kind, error.message])).toEqual([
      ["protocol", value === 5 ? "A message must be a JSON object" : "The result must be an object"],
    ]);
  });

  test("a batch where there are none is reported, and rejected without an id", () => {
    const { wire, given, reports } = openPeer();
    wire.post([request(1, "any")]);
    const message = "A message must be a JSON object; batches are not supported";
    expect(reports).toMatchObject([{ kind: "protocol", error: { message } }]);
    expect(given).toStrictEqual([{ jsonrpc: "2.0", error: { code: -32600, message } }]);
  });
});

describe("requests that are rejected", () => {
  test("a batch of requests with sessions of their own is rejected", () => {
    const enter: Routes["enter"] = () => ({
      routes: openPeer().peer.routes,
      session: { ...plainSession },
      createCall: createStatelessCall,
    });
    const { wire } = openPeer({ routes: { batching: true, enter } });
    wire.post([request(1, "any")]);
    expect(wire.sent).toMatchObject([[{ id: 1, error: { code: -32600, message: "Batches are not supported" } }]]);
  });

  test("a rejection has the form of the profile", () => {
    const toError = ({ code }: { code: number }, method: string): { code: number; message: string } => ({
      code: code - 1,
      message: method,
    });
    const { wire } = openPeer({ routes: { profile: { toError }, enter: () => new RpcError(7, "no") } });
    wire.post(request(1, "any"));
    expect(wire.sent).toMatchObject([{ id: 1, error: { code: 6, message: "any" } }]);
  });

  test("a peer that may not send requests gets no response, and the request is reported", () => {
    const { wire, reports } = openPeer({ routes: { isSilent: true } });
    wire.post(request(1, "any"));
    expect(wire.sent).toEqual([]);
    const error = { message: "The request any of the peer is ignored; only this side may send requests" };
    expect(reports).toMatchObject([{ kind: "protocol", method: "any", id: 1, error }]);
  });

  test.each([
    ["a capability that was not declared", { gate: { side: "client", path: ["roots"] } }, undefined, -32601],
    ["params that do not fit, though they may be absent", { params: () => ({ path: "", expected: "x" }) }, {}, -32602],
  ] as const)("a request with %s is rejected", (_, rest, params, code) => {
    const { wire } = openPeer({ routes: { requests: requestsOf({ any: () => ({}) }, rest) } });
    wire.post({ ...request(1, "any"), params });
    expect(wire.sent).toMatchObject([{ id: 1, error: { code } }]);
  });

  test("params with null for an absent member reach the handler without it", () => {
    const seen: unknown[] = [];
    const params = (value: unknown): { path: string; expected: string } | undefined =>
      JSON.stringify(value)?.includes("null") ? { path: "cursor", expected: "a string" } : undefined;
    const requests = new Map<string, RequestRoute>([
      [
        "any",
        { row: { ...row("any", "any"), params, nulls: ["cursor"] }, handle: (given) => ({ n: seen.push(given) }) },
      ],
    ]);
    const { wire } = openPeer({ routes: { requests } });
    wire.post({ ...request(1, "any"), params: { cursor: null, rest: 1 } });
    wire.post({ ...request(2, "any"), params: { other: null } });
    expect(seen).toEqual([{ rest: 1 }]);
    expect(wire.sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32602 } },
    ]);
  });
});
