import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../runtime/internal/timers.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { SharedStates } from "../../../cluster/shared-states.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { EventStreamResponse } from "../../../runtime/transport/http-server/session/event-stream.ts";
import { HttpSession } from "../../../runtime/transport/http-server/session/session.ts";
import { createService, createSessionSettings } from "../../kit/http-server.ts";
import { revisionOf } from "../../kit/revisions.ts";

/** A session on a node, its state in the store, and what its server has been told. */
async function create() {
  const engine = createMemoryCluster({ maxSubscriptions: 2 }).connect();
  await engine.open();
  const revision = revisionOf("2025-11-25");
  const client = { info: { name: "c", version: "1" }, capabilities: {} };
  const key = { id: "s", owner: "ada" };
  await engine.sessions.add({ ...key, agreement: { revision: revision.id, client } });
  const session = new HttpSession(key, createSessionSettings(), {
    streams: {
      isResumable: true,
      nameStream: String,
      createStream: (_key, { name, host }) => new EventStreamResponse(name, host),
      resume: () => Promise.resolve(false),
    },
  });
  session.serve(createService({}).accept(session, { revision, client }));
  onTestFinished(() => session.close());
  const calls: unknown[] = [];
  const audience = {
    subscribe: (_session: unknown, uri: string) => void calls.push(["subscribe", uri]),
    unsubscribe: (_session: unknown, uri: string) => void calls.push(["unsubscribe", uri]),
  };
  const clients = {
    audiences: [audience],
    attach() {},
    setLogLevel: (_session: unknown, level: string) => void calls.push(["level", level]),
    notify() {},
    notifyUpdated() {},
    notifyTopic() {},
  };
  const states = new SharedStates({
    engine,
    clients,
    clock: systemClock,
    nodeName: () => "node",
    findLive: () => session,
    end: () => void calls.push(["end"]),
    fail: (thrown) => void calls.push(["fail", thrown]),
  });
  const store = (method: string, params: unknown) =>
    states.prepare(session, { kind: "request", id: 1, method, params })?.();
  return { calls, engine, key, session, states, store };
}

test("the log level and the subscriptions of a session are stored, and applied once", async () => {
  const { calls, engine, key, session, states, store } = await create();
  const read = () => engine.sessions.readState(key);
  expect([states.versionOf(session), states.versionOf(undefined)]).toEqual([undefined, undefined]);
  expect(await store("logging/setLevel", { level: "error" })).toBeUndefined();
  expect(await read()).toEqual({ logLevel: "error" });
  expect(states.versionOf(session)).toBe(1);
  await store("resources/subscribe", { uri: "a" });
  await store("resources/subscribe", { uri: "b" });
  expect(await read()).toEqual({ logLevel: "error", subscriptions: ["a", "b"] });
  await store("resources/unsubscribe", { uri: "a" });
  expect(await read()).toEqual({ logLevel: "error", subscriptions: ["b"] });
  expect(states.versionOf(session)).toBe(4);
  expect(calls.filter((call) => String(call) !== "level,error")).toEqual([
    ["subscribe", "a"],
    ["subscribe", "b"],
    ["unsubscribe", "a"],
  ]);
  expect(calls).toContainEqual(["level", "error"]);
});

test.each([
  ["logging/setLevel", { level: 5 }],
  ["logging/setLevel", { uri: "a" }],
  ["resources/subscribe", { uri: 5 }],
  ["resources/subscribe", undefined],
  ["resources/subscribe", ["a"]],
  ["resources/unsubscribe", { uri: undefined }],
  ["resources/unsubscribe", { level: "error" }],
  ["resources/read", { uri: "a", level: "error" }],
])("the request %s with %j changes no session", async (method, params) => {
  const { session, states } = await create();
  expect(states.prepare(session, { kind: "request", id: 1, method, params })).toBeUndefined();
});

test("a subscription that the store does not take has an error, and is ended here", async () => {
  const { calls, store } = await create();
  for (const uri of ["a", "b"]) await store("resources/subscribe", { uri });
  const message = "Too many subscriptions in the session; unsubscribe from some";
  expect(await store("resources/subscribe", { uri: "c" })).toMatchObject({ message });
  await vi.waitFor(() => expect(calls).toContainEqual(["unsubscribe", "c"]));
  expect(calls.filter((call) => String(call) === "subscribe,c")).toEqual([]);
});

test("a state that another node has changed is applied, unless a later one was", async () => {
  const { calls, key, session, states } = await create();
  const record = {
    ...key,
    agreement: { revision: "2025-11-25", client: { info: { name: "c", version: "1" }, capabilities: {} } },
  };
  const update = (
    version: number,
    state?: { readonly subscriptions?: readonly string[]; readonly logLevel?: string },
  ) => {
    states.update(session, { record, version, used: [], ...(state && { state }) });
    return calls.splice(0);
  };
  expect(update(3, { subscriptions: ["a", "b"], logLevel: "error" })).toEqual([
    ["level", "error"],
    ["subscribe", "a"],
    ["subscribe", "b"],
  ]);
  expect(states.versionOf(session)).toBe(3);
  expect(update(2, { subscriptions: [] })).toEqual([]);
  expect(update(4, { subscriptions: ["b", "c"] })).toEqual([
    ["unsubscribe", "a"],
    ["subscribe", "c"],
  ]);
  expect([update(4), states.settled]).toEqual([[], undefined]);
  expect(update(5)).toEqual([]);
  expect(states.settled).toBeInstanceOf(Promise);
  await states.settled;
  await settle();
  expect(states.settled).toBeUndefined();
});

test("a session that the store does not have is ended", async () => {
  const { calls, engine, key, session, states } = await create();
  await engine.sessions.end(key);
  states.changed(session);
  await states.settled;
  expect(calls).toEqual([["end"]]);
});
