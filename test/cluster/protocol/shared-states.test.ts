import { expect, onTestFinished, test, vi } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { SharedStates } from "../../../cluster/shared-states.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { EventStreamResponse } from "../../../runtime/transport/http-server/session/event-stream.ts";
import { HttpSession } from "../../../runtime/transport/http-server/session/session.ts";
import { createService, createSessionSettings } from "../../kit/http-server.ts";
import { revisionOf } from "../../kit/revisions.ts";
import { createGate } from "../../kit/time.ts";

/** A session on a node, its state in the store, and what its server has been told. */
async function create() {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock, maxSubscriptions: 2 });
  const engine = memory.connect();
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
    subscribe(_session: unknown, uri: string) {
      if (uri === "broken") throw new Error("broken");
      calls.push(["subscribe", uri]);
    },
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
  const live: { session: HttpSession | undefined } = { session };
  const states = new SharedStates({
    engine,
    clients,
    clock,
    nodeName: () => "node",
    findLive: () => live.session,
    end: () => void calls.push(["end"]),
    fail: (thrown) => void calls.push(["fail", thrown]),
  });
  const store = (method: string, params: unknown) =>
    states.prepare(session, { kind: "request", id: 1, method, params })?.();
  return { calls, clock, engine, key, live, memory, session, states, store };
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
  // The node has this version.
  calls.length = 0;
  states.changed(session);
  await states.settled;
  expect(calls).toEqual([]);
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

test("broadcasts wait for work that decides the clients to notify, also if it fails", async () => {
  const { states } = await create();
  const { opened, open } = createGate();
  states.hold(opened);
  states.hold(Promise.reject(new Error("failed")));
  await settle();
  expect(states.settled).toBeInstanceOf(Promise);
  open();
  await states.settled;
  expect(states.settled).toBeUndefined();
});

test("a state that cannot be read is read later, and the client is notified of what it has subscribed to meanwhile", async () => {
  const { calls, clock, engine, key, memory, session, states, store } = await create();
  const notify = vi.spyOn(session.connection, "notify");
  await store("resources/subscribe", { uri: "a" });
  await engine.sessions.change(key, { subscribe: ["b"] });
  calls.length = 0;
  memory.lose();
  states.changed(session);
  await states.settled;
  expect([calls.length, String(calls[0]).startsWith("fail,EngineError"), states.settled]).toEqual([1, true, undefined]);
  await clock.pass(2_000);
  expect(calls).toHaveLength(1);
  memory.restore();
  await clock.pass(500);
  expect(calls.slice(1)).toEqual([["subscribe", "b"]]);
  expect(notify.mock.calls.map(([, params]) => params)).toEqual([{ uri: "b" }]);
  await clock.pass(2_000);
  expect(notify).toHaveBeenCalledTimes(1);
});

test("a state that cannot be read is not read later for a session that is served no more", async () => {
  const { calls, clock, live, memory, session, states } = await create();
  memory.lose();
  states.changed(session);
  await states.settled;
  live.session = undefined;
  memory.restore();
  const access = vi.spyOn(states, "update");
  await clock.pass(5_000);
  expect([calls.length, access.mock.calls]).toEqual([1, []]);
});

test("a state that cannot be applied is reported, and not applied again", async () => {
  const { calls, engine, key, session, states } = await create();
  await engine.sessions.change(key, { subscribe: ["broken"] });
  states.changed(session);
  await states.settled;
  expect([calls.map(String), states.versionOf(session)]).toEqual([["fail,Error: broken"], 1]);
});

test("a change that cannot be stored has an error, and is undone here when the store is back", async () => {
  const { calls, clock, engine, key, memory, store } = await create();
  memory.lose();
  expect(await store("resources/subscribe", { uri: "a" })).toMatchObject({
    message: "The session store cannot be reached; retry later",
  });
  memory.restore();
  await clock.pass(2_000);
  expect(calls).toContainEqual(["unsubscribe", "a"]);
  expect(await engine.sessions.readState(key)).toEqual({});
});

test("the other nodes of a session are notified of a change", async () => {
  const { engine, key, store } = await create();
  const received: [string, unknown][] = [];
  for (const node of ["node", "other"]) {
    await engine.sessions.access(key, { node, reserve: [node], attempt: node });
    await engine.nodes.receive(node, {
      message: (message) => received.push([node, message]),
      broadcastReceived() {},
      missed() {},
      changed() {},
    });
  }
  await store("logging/setLevel", { level: "error" });
  await settle();
  expect(received).toEqual([["other", { kind: "changed", session: key }]]);
});

test("the writer of a stream opened by GET is registered, and the state is read after that", async () => {
  const { calls, engine, key, live, states } = await create();
  await engine.sessions.change(key, { subscribe: ["a"] });
  const listener = { node: "node", stream: "s", fence: 1 };
  states.registerListener(key, listener);
  await states.settled;
  expect(await engine.sessions.readState(key)).toMatchObject({ listener });
  expect(calls).toEqual([["subscribe", "a"]]);
  live.session = undefined;
  states.registerListener(key, { ...listener, fence: 2 });
  expect(states.settled).toBeUndefined();
  await settle();
  expect(await engine.sessions.readState(key)).toMatchObject({ listener: { ...listener, fence: 2 } });
});

test.each([
  [true, 1],
  [false, undefined],
])("a writer that cannot be registered is registered later, if its client is connected: %s", async (isOpen, fence) => {
  const { calls, clock, engine, key, live, memory, session, states } = await create();
  vi.spyOn(session, "isListening").mockReturnValue(isOpen);
  memory.lose();
  states.registerListener(key, { node: "node", stream: "s", fence: 1 });
  await states.settled;
  expect(calls).toHaveLength(1);
  memory.restore();
  await clock.pass(1_000);
  expect((await engine.sessions.readState(key))?.listener?.fence).toBe(fence);
  memory.lose();
  live.session = undefined;
  states.registerListener(key, { node: "node", stream: "s", fence: 2 });
  await settle();
  expect(calls).toHaveLength(2);
});

test("a client is notified of every list and of its subscriptions, if it is served here", async () => {
  const { key, live, session, states, store } = await create();
  await store("resources/subscribe", { uri: "a" });
  const notify = vi.spyOn(session.connection, "notify").mockResolvedValue();
  states.notifyAll(key);
  const sent = notify.mock.calls.map(([row, params]) => [row.method, params]);
  expect(sent).toEqual([
    ["notifications/tools/list_changed", undefined],
    ["notifications/resources/list_changed", undefined],
    ["notifications/prompts/list_changed", undefined],
    ["notifications/resources/updated", { uri: "a" }],
  ]);
  live.session = undefined;
  states.notifyAll(key);
  expect(notify).toHaveBeenCalledTimes(4);
});
