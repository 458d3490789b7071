import { describe, expect, onTestFinished, test, vi } from "vitest";
import { relayListen, relayPost, type RelayContext } from "../../../cluster/relay/relay-requests.ts";
import { relayStateless } from "../../../cluster/relay/relay-stateless.ts";
import type { Relay, RelayOutcome } from "../../../cluster/relay/outgoing-relays.ts";
import { classify } from "../../../runtime/jsonrpc/message.ts";
import type { RejectedRequest } from "../../../runtime/transport/http-server/rejection.ts";
import type { Maintained } from "../../../runtime/transport/http-server/session/maintenance.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { revisionOf } from "../../kit/revisions.ts";
import { WatchedExchange } from "../../runtime/transport/http-server/watched-exchange.ts";
import { createGate } from "../../kit/time.ts";
import { key, secondNode } from "../contract/cluster.ts";

/* What a client gets for a request that only another node can serve, by the outcome of its relay. */

interface Given {
  readonly outcome?: RelayOutcome;
  readonly isServed?: boolean;
  readonly resumed?: object;
  readonly revision?: string;
}

const call = (id: number): object => ({ jsonrpc: "2.0", id, method: "tools/list" });
const notification = { jsonrpc: "2.0", method: "notifications/roots/list_changed" } as const;
const lost = { code: -32603, message: "The node that handled the request is gone; its effects are unknown" };

function create({ outcome = { kind: "ended" }, isServed = true, resumed, revision = "2025-03-26" }: Given) {
  const [begun, seen]: [Relay[], unknown[]] = [[], []];
  const relays = {
    async begin(relay: Relay) {
      begun.push(relay);
      return outcome;
    },
    isServed: async () => isServed,
    resume: async () => resumed,
    deliver: async (_session: unknown, incoming: object) => void seen.push(["deliver", incoming]),
  };
  const settings = { retry: 20, polling: true, clock: new ManualClock() };
  const adopted: Maintained[] = [];
  const adopt = (maintained: Maintained): void => {
    seen.push("adopt");
    adopted.push(maintained);
  };
  const sessions = { settings, adopt };
  const context: RelayContext = {
    relays: Object.create(relays),
    sessions: Object.create(sessions),
    renew: () => void seen.push("renew"),
    releaseUnused: (_session, ids) => void seen.push(["releaseUnused", ids]),
  };
  const exchange = new WatchedExchange(null);
  const session = { key, node: secondNode, revision: revisionOf(revision) };
  const post = (value: object, used: readonly number[] = []): Promise<RejectedRequest | undefined> => {
    const postBody = Array.isArray(value)
      ? ({ kind: "batch", values: value, members: value.map(classify) } as const)
      : ({ kind: "single", value, incoming: classify(value) } as const);
    return relayPost(exchange, { session, identity: undefined, postBody, used }, context);
  };
  return { adopted, begun, seen, clock: settings.clock, context, exchange, session, post };
}

const followed = (finished: Promise<void> = Promise.resolve()): RelayOutcome => ({
  kind: "followed",
  stream: Object.create({ finished }),
});

describe("a GET for a session of another node", () => {
  test.each<readonly [RelayOutcome["kind"], RelayOutcome, number | undefined]>([
    ["followed", followed(), undefined],
    ["ended", { kind: "ended" }, 404],
    ["lost", { kind: "lost" }, 404],
    ["unavailable", { kind: "unavailable" }, 503],
  ])("a new stream is %s", async (_kind, outcome, status) => {
    const { begun, seen, context, exchange, session } = create({ outcome });
    const rejected = await relayListen(exchange, { session, position: undefined }, context);
    expect([rejected?.response.status, seen]).toEqual([status, status === undefined ? ["adopt"] : []]);
    expect(begun).toMatchObject([{ remote: session, following: { isPrimed: false } }]);
    expect(begun[0]?.post).toBeUndefined();
  });

  test.each<readonly [string, Given, number | undefined]>([
    ["whose node has stopped", { isServed: false, resumed: {} }, 404],
    ["after an event that is not known", {}, 400],
    ["after a known event", { resumed: { finished: Promise.resolve() } }, undefined],
  ])("a stream %s is resumed only if it can be", async (_which, given, status) => {
    const { begun, seen, context, exchange, session } = create(given);
    const rejected = await relayListen(exchange, { session, position: { stream: "s", sequence: 1 } }, context);
    expect([rejected?.response.status, seen]).toEqual([status, status === undefined ? ["adopt"] : []]);
    expect(begun).toEqual([]);
  });
});

describe("the connection to a stream of another node, when this node closes", () => {
  const revisions = { primed: "2025-11-25", plain: "2025-03-26" } as const;

  test.each([
    ["GET", "primed", 0],
    ["GET", "plain", 80],
    ["POST", "primed", 0],
    ["POST", "plain", 1_000],
  ] as const)(
    "the connection of a %s with the events of a %s revision ends after %i ms",
    async (method, revision, milliseconds) => {
      vi.spyOn(Math, "random").mockReturnValue(1);
      onTestFinished(() => void vi.restoreAllMocks());
      const { opened, open } = createGate();
      const stream = Object.create({ finished: opened, release: open });
      const given = create({ outcome: { kind: "followed", stream }, revision: revisions[revision] });
      const { adopted, clock, context, exchange, session, post } = given;
      await (method === "GET" ? relayListen(exchange, { session, position: undefined }, context) : post(call(1)));
      let isClosed = false;
      void adopted[0]?.connection.close({ drain: 1_000 }).then(() => (isClosed = true));
      await settle();
      await clock.pass(Math.max(0, milliseconds - 1));
      expect(isClosed).toBe(milliseconds === 0);
      await clock.pass(1);
      expect(isClosed).toBe(true);
    },
  );
});

describe("a POST for a session of another node", () => {
  test.each([
    ["2025-11-25", true],
    ["2025-03-26", false],
  ])("the stream of a request at %s begins with an event id: %s", async (revision, isPrimed) => {
    const { begun, seen, post } = create({ outcome: followed(), revision });
    expect(await post(call(1))).toBeUndefined();
    expect(begun).toMatchObject([{ post: { value: call(1) }, following: { retry: 20, isPrimed } }]);
    expect(seen).toEqual(["adopt"]);
  });

  test.each<readonly [RelayOutcome["kind"], number, readonly unknown[]]>([
    ["ended", 404, []],
    ["unavailable", 503, [["releaseUnused", [1]]]],
  ])("a request whose relay is %s is rejected", async (kind, status, expected) => {
    const { seen, post } = create({ outcome: kind === "ended" ? { kind } : { kind: "unavailable" } });
    expect((await post(call(1)))?.response.status).toBe(status);
    expect(seen).toEqual(expected);
  });

  test.each<readonly [string, object, object]>([
    ["a request", call(1), { id: 1, error: lost }],
    ["a batch of one request", [call(1)], [{ id: 1, error: lost }]],
    [
      "a batch",
      [call(1), call(2)],
      [
        { id: 1, error: lost },
        { id: 2, error: lost },
      ],
    ],
    [
      "a batch with an invalid member",
      [call(1), { jsonrpc: "1.0", id: 7, method: "a" }],
      [
        { id: 7, error: { code: -32600 } },
        { id: 1, error: lost },
      ],
    ],
  ])("%s whose node is gone has an error for each request", async (_what, value, expected) => {
    const { exchange, post } = create({ outcome: { kind: "lost" } });
    expect(await post(value)).toBeUndefined();
    const response = await exchange.response;
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toMatchObject(expected);
  });

  test("the requests of a batch are relayed together, its other messages and a repeated id are not", async () => {
    const { begun, seen, post } = create({ outcome: followed() });
    expect(await post([call(1), notification, call(2), call(1), call(3)], [3])).toBeUndefined();
    expect(begun.map((relay) => relay.post?.value)).toEqual([[call(1), call(2)]]);
    expect(seen).toEqual([["deliver", classify(notification)], "adopt"]);
  });

  test.each<readonly [string, object, number, unknown]>([
    ["a notification", notification, 202, undefined],
    ["a batch of notifications", [notification], 202, undefined],
    ["a batch of invalid members", [{ jsonrpc: "1.0", id: 7, method: "a" }], 200, [{ id: 7, error: { code: -32600 } }]],
  ])("%s has its response at once", async (_what, value, status, expected) => {
    const { begun, seen, exchange, post } = create({});
    expect(await post(value)).toBeUndefined();
    const response = await exchange.response;
    expect([response.status, begun]).toEqual([status, []]);
    if (expected === undefined) expect(seen).toEqual([["deliver", classify(notification)]]);
    else expect(await response.json()).toMatchObject(Object(expected));
  });

  test("a response without an id is delivered to its node, and rejected", async () => {
    const { begun, seen, post } = create({});
    const response = { jsonrpc: "2.0", result: {} };
    expect((await post(response))?.response.status).toBe(400);
    expect([begun, seen]).toEqual([[], [["deliver", classify(response)]]]);
  });

  test.each<readonly [string, object, Given, number]>([
    ["a notification to a node that has stopped", notification, { isServed: false }, 404],
    ["a batch to a node that has stopped", [call(1)], { isServed: false }, 404],
    ["a request with a used id", call(7), {}, 400],
  ])("%s is rejected", async (_what, value, given, status) => {
    const { begun, seen, post } = create(given);
    expect((await post(value, [7]))?.response.status).toBe(status);
    expect([begun, seen]).toEqual([[], []]);
  });
});

describe("a stateless request whose state another node has", () => {
  const message = { kind: "request", id: 1, method: "tools/call", params: { a: 1 } } as const;

  function relay(outcome: RelayOutcome) {
    const { begun, seen, context, exchange } = create({ outcome });
    const relayed = relayStateless(
      exchange,
      { identity: { principal: "ada" }, message, node: secondNode },
      { ...context, end: ({ id, owner }) => void seen.push(["end", id.split(".")[1], owner]) },
    );
    return { begun, seen, exchange, relayed };
  }

  test("a relayed request is continued, and forgotten when its connection has ended", async () => {
    const { opened, open } = createGate();
    const { begun, seen, relayed } = relay(followed(opened));
    expect([await relayed, seen]).toEqual([true, ["adopt"]]);
    const value = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { a: 1 } };
    expect(begun).toMatchObject([
      { post: { value, isStateless: true }, following: { isPrimed: false, hasIds: false } },
    ]);
    open();
    await settle();
    expect(seen).toEqual(["adopt", ["end", secondNode, "ada"]]);
  });

  test("a relayed request whose node has stopped is continued here", async () => {
    expect(await relay({ kind: "ended" }).relayed).toBe(false);
  });

  test.each<readonly [string, RelayOutcome, number, object]>([
    ["cannot be reached", { kind: "unavailable" }, 503, { error: { code: -32603 } }],
    ["is gone", { kind: "lost" }, 200, { id: 1, error: lost }],
  ])("a relayed request whose node %s has an error", async (_why, outcome, status, body) => {
    const { seen, exchange, relayed } = relay(outcome);
    expect([await relayed, seen]).toEqual([true, []]);
    const response = await exchange.response;
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/json"]);
    expect(await response.json()).toMatchObject(body);
  });
});
