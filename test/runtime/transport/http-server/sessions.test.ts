import { afterEach, describe, expect, it } from "vitest";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionStore } from "../../../../runtime/stores/session-store.ts";
import { createMemoryCluster, joinCluster } from "../../../../cluster/index.ts";
import { createGate, until } from "../../../kit/time.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { requestRoots, log, start, type Rig, type Tool } from "../../../kit/http-server.ts";
import { call, initialize, textOf } from "../../../kit/http-exchange.ts";

const rigs: Rig[] = [];
let gate: ((value: string) => void) | undefined;

const tools: Record<string, Tool> = {
  echo: (_, args) => args.text,
  who: (context) => context.session.peer.info?.name,
  gate: () => new Promise((resolve) => (gate = resolve)),
  log: async (context) => {
    await log(context, "x");
    return "logged";
  },
  ask: async (context) => {
    try {
      return await requestRoots(context);
    } catch (error) {
      return error instanceof Error ? error.name : "";
    }
  },
};

async function begin(options?: Parameters<typeof start>[1]): Promise<Rig> {
  const rig = await start(tools, options);
  rigs.push(rig);
  return rig;
}

afterEach(async () => {
  gate?.("over");
  gate = undefined;
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

describe("a session", () => {
  it.each(["POST", "GET", "DELETE"])(
    "a session must be named: %s without its id is 400 (T-53, trap 1)",
    async (method) => {
      const rig = await begin();
      const response = await rig.send({ method, ...(method === "POST" && { body: ping }) });
      expect(response).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
    },
  );

  it.each(["POST", "GET", "DELETE"])(
    "a session must exist: %s with an unknown id is 404 (T-54, trap 1)",
    async (method) => {
      const rig = await begin();
      const headers = { "mcp-session-id": crypto.randomUUID() };
      const response = await rig.send({ method, headers, ...(method === "POST" && { body: ping }) });
      expect(response).toMatchObject({ status: 404, json: { error: { code: -32600 } } });
    },
  );

  it("a session ends by DELETE: calls and streams end, and its id is unknown (T-56, T-54, R38)", async () => {
    const rig = await begin();
    const session = await rig.open();
    const stream = await session.listen();
    const waiting = session.post(call(1, "gate"));
    await until(() => gate !== undefined);
    expect((await session.end()).status).toBe(204);
    await stream.end();
    expect((await waiting).status).toBe(404);
    expect((await session.post(ping)).status).toBe(404);
    expect((await session.end()).status).toBe(404);
    expect((await session.listen()).status).toBe(404);
    expect(rig.listener.handler.sessions.size).toBe(0);
  });

  it("a session shares nothing with others: equal ids do not mix (trap 6, R39)", async () => {
    const rig = await begin();
    const sessions = await Promise.all(Array.from({ length: 20 }, () => rig.open()));
    const responses = await Promise.all(
      sessions.map((session, index) => session.post(call(1, "echo", { text: `${index}` }))),
    );
    expect(responses.map(({ json }) => textOf(json))).toEqual(sessions.map((_, index) => `${index}`));
  });

  it("an idle session ends after its time, one in use does not (T-54, trap 22)", async () => {
    const clock = new ManualClock();
    const rig = await begin({ clock, sessions: { ttl: 60_000 }, keepAlive: 15_000 });
    const idle = await rig.open();
    const listening = await rig.open();
    const stream = await listening.listen();
    const calling = await rig.open();
    const waiting = calling.post(call(1, "gate"));
    await until(() => gate !== undefined);
    for (let passed = 0; passed < 90_000; passed += 15_000) await clock.pass(15_000);
    await until(() => rig.listener.handler.sessions.size === 2);
    expect((await idle.post(ping)).status).toBe(404);
    expect((await listening.post(ping)).status).toBe(200);
    gate?.("still there");
    await waiting;
    expect((await calling.post(ping)).status).toBe(200);
    stream.cut();
  });

  it("the events of a session are removed when its time is over", async () => {
    const clock = new ManualClock();
    const events = new MemoryEventStore({ clock });
    const rig = await begin({ clock, events, sessions: { ttl: 60_000 }, keepAlive: 15_000 });
    const stream = await (await rig.open()).listen();
    await stream.next();
    expect(events.size).toBeGreaterThan(0);
    stream.cut();
    for (let passed = 0; passed < 150_000; passed += 15_000) await clock.pass(15_000);
    await until(() => rig.listener.handler.sessions.size === 0, "the end of the session");
    await until(() => events.size === 0, "the removal of its events");
  });

  it("a session in use does not end when its time is shorter than the interval of comments", async () => {
    const clock = new ManualClock();
    const rig = await begin({ clock, sessions: { ttl: 3_000 }, keepAlive: 15_000 });
    const idle = await rig.open();
    const session = await rig.open();
    const stream = await session.listen();
    await stream.next();
    for (let passed = 0; passed < 13_000; passed += 500) await clock.pass(500);
    expect((await session.post(ping)).status).toBe(200);
    expect((await idle.post(ping)).status).toBe(404);
    expect(stream.text).not.toContain("\n:");
    await clock.pass(2_000);
    await until(() => stream.text.includes("\n:"), "a comment");
    stream.cut();
  });

  it("comments are written to some streams at a time, and to each in every interval", async () => {
    const clock = new ManualClock();
    const rig = await begin({ clock, keepAlive: 15_000 });
    const streams = await Promise.all(Array.from({ length: 20 }, async () => (await rig.open()).listen()));
    const counts = (): readonly number[] => streams.map(({ text }) => text.split("\n:").length - 1);
    const most: number[] = [];
    for (let round = 1; round <= 2; round += 1) {
      for (let passed = 0; passed < 15_000; passed += 250) {
        const before = counts().reduce((sum, count) => sum + count, 0);
        await clock.pass(250);
        await new Promise(setImmediate);
        most.push(counts().reduce((sum, count) => sum + count, 0) - before);
      }
      await until(() => counts().every((count) => count === round), `${round} comments on each stream`);
    }
    expect(Math.max(...most)).toBeLessThan(10);
    for (const stream of streams) stream.cut();
  });

  it("the comments of more than 1,000 sessions are written by single streams, each in its part of the interval", async () => {
    const clock = new ManualClock();
    const rig = await begin({ clock, keepAlive: 15_000, sessions: { maxSessions: 2_000 } });
    const session = await rig.open();
    for (let opened = 0; opened < 1_000; opened += 20) await Promise.all(Array.from({ length: 20 }, () => rig.open()));
    const streams = await Promise.all(Array.from({ length: 20 }, async () => (await rig.open()).listen()));
    const count = (): number => streams.filter(({ text }) => text.includes("\n:")).length;
    let most = 0;
    for (let passed = 0; passed < 15_000; passed += 50) {
      const before = count();
      await clock.pass(50);
      // The comments were written before this response.
      await session.post(ping);
      await new Promise(setImmediate);
      most = Math.max(most, count() - before);
    }
    expect(count()).toBe(streams.length);
    expect(most).toBeLessThan(5);
    for (const stream of streams) stream.cut();
  });

  it("a session is rejected above the limit (R38)", async () => {
    const rig = await begin({ sessions: { maxSessions: 2 } });
    const first = await rig.open();
    await rig.open();
    const rejected = await rig.send({ body: initialize("2025-11-25") });
    expect(rejected).toMatchObject({ status: 503, json: { error: { code: -32603 } } });
    expect(rejected.headers["retry-after"]).toBe("30");
    await first.end();
    expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(200);
  });

  it("a session that was never used is replaced by a new one, the oldest first (R38)", async () => {
    const store = new MemorySessionStore({ maxSessions: 3 });
    const rig = await begin({ sessions: { store } });
    const used = await rig.open();
    const idle: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const opened = await rig.send({ body: initialize("2025-11-25") });
      expect(opened.status).toBe(200);
      idle.push(String(opened.headers["mcp-session-id"]));
    }
    const late = await rig.open();
    expect((await used.post(ping)).status).toBe(200);
    expect((await late.post(ping)).status).toBe(200);
    const statusOf = async (id = ""): Promise<number> =>
      (await rig.send({ headers: { "mcp-session-id": id }, body: ping })).status;
    expect([await statusOf(idle.at(-2)), await statusOf(idle.at(-1))]).toEqual([404, 200]);
    expect([rig.listener.handler.sessions.size, store.size]).toEqual([3, 3]);
    await until(() => rig.connections.filter(({ state }) => state !== "DISCONNECTED").length === 3);
    expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(503);
  });

  it("a session that was never used is replaced for each of many clients that arrive at once, with a store that takes time", async () => {
    const sessions = new MemorySessionStore({ maxSessions: 20 });
    const rig = await begin({ sessions: { store: toSlowStore(sessions) } });
    for (let count = 0; count < 20; count += 1)
      expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(200);
    const arriving = Array.from({ length: 10 }, () => rig.send({ body: initialize("2025-11-25") }));
    expect((await Promise.all(arriving)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect([rig.listener.handler.sessions.size, sessions.size]).toEqual([20, 20]);
  });

  it("a session of another principal is not replaced", async () => {
    const store = new MemorySessionStore({ maxSessions: 4 });
    const authenticate = (head: { header(name: string): string | undefined }): { principal: string } => ({
      principal: head.header("authorization") ?? "",
    });
    const rig = await begin({ sessions: { store }, authenticate });
    const open = (authorization: string) => rig.send({ body: initialize("2025-11-25"), headers: { authorization } });
    const alice = String((await open("alice")).headers["mcp-session-id"]);
    for (let count = 0; count < 10; count += 1) expect((await open("mallory")).status).toBe(200);
    const headers = { authorization: "alice", "mcp-session-id": alice };
    expect((await rig.send({ headers, body: ping })).status).toBe(200);
  });

  it("a session that was never used is replaced by a stream of HTTP with SSE as well", async () => {
    const rig = await begin({ sessions: { maxSessions: 1 }, sse: {} });
    expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(200);
    const stream = await rig.stream({ method: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(503);
    stream.cut();
  });

  it("a session for an initialize of more than 64 KiB is not kept", async () => {
    const store = new MemorySessionStore();
    const rig = await begin({ sessions: { store } });
    const large = initialize("2025-11-25", { experimental: { x: { text: "x".repeat(70_000) } } });
    const response = await rig.send({ body: large });
    expect(response.json).toMatchObject({ error: { code: -32602, data: { limit: 65_536 } } });
    expect(response.headers).not.toHaveProperty("mcp-session-id");
    expect([rig.listener.handler.sessions.size, store.size]).toEqual([0, 0]);
  });

  it("many sessions leave no memory behind after their end (R70)", async () => {
    const store = new MemorySessionStore();
    const rig = await begin({ sessions: { store } });
    const sessions = await Promise.all(Array.from({ length: 50 }, () => rig.open()));
    await Promise.all(sessions.map((session) => session.end()));
    expect([rig.listener.handler.sessions.size, store.size]).toEqual([0, 0]);
    await until(() => rig.connections.every(({ state }) => state === "DISCONNECTED"));
    expect(rig.connections).toHaveLength(50);
  });
});

/** A store whose operations take a turn of the event loop, and searches as long as a promise. */
function toSlowStore(store: SessionStore, found: () => Promise<unknown> = async () => {}): SessionStore {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    add: (record) => turn().then(() => store.add(record)),
    find: async (key) => {
      const record = await store.find(key);
      await found();
      return record;
    },
    remove: (key) => turn().then(() => store.remove(key)),
  };
}

it("a session that ends while a request searches for it is not continued", async () => {
  const searching = createGate();
  const found = createGate();
  let searches = 0;
  const store = toSlowStore(new MemorySessionStore(), () => {
    searches += 1;
    if (searches !== 1) return Promise.resolve();
    searching.open();
    return found.opened;
  });
  const rig = await begin({ sessions: { store } });
  const { headers } = await rig.send({ body: initialize("2025-11-25") });
  const named = { headers: { "mcp-session-id": String(headers["mcp-session-id"]) } };
  const late = rig.send({ ...named, body: call(1, "who") });
  await searching.opened;
  expect((await rig.send({ ...named, method: "DELETE" })).status).toBe(204);
  found.open();
  expect((await late).status).toBe(404);
  expect(rig.listener.handler.sessions.size).toBe(0);
});

describe("the lifetime and number of sessions of a store", () => {
  const store = new MemorySessionStore({ ttl: 60_000 });

  it.each([
    ["maxSessions", { maxSessions: 2, store }, "sessions.maxSessions does not apply to a store"],
    ["a longer ttl", { ttl: 60_001, store }, "sessions.ttl is 60001, more than the 60000 of the store"],
  ])("sessions of a store cannot have %s", async (_name, sessions, message) => {
    await expect(begin({ sessions })).rejects.toThrow(message);
  });

  it("sessions of a cluster cannot have a store of their own", async () => {
    const memory = createMemoryCluster({ sessionTtl: 60_000 });
    const cluster = await joinCluster(memory.connect());
    await expect(begin({ cluster, sessions: { store } })).rejects.toThrow("sessions.store does not apply to a node");
    await expect(begin({ cluster, sessions: { ttl: 60_001 } })).rejects.toThrow("sessions.ttl is 60001, more than");
    await cluster.close();
  });

  it("sessions in use are renewed before the time of their store is over", async () => {
    const clock = new ManualClock();
    const rig = await begin({ clock, sessions: { store: new MemorySessionStore({ ttl: 60_000, clock }) } });
    const session = await rig.open();
    const stream = await session.listen();
    for (let minute = 0; minute < 5; minute += 1) await clock.pass(60_000);
    expect((await session.post(ping)).status).toBe(200);
    stream.cut();
  });
});

describe("sessions that several servers share (R45)", () => {
  it("a shared session continues at another server, with its revision and capabilities", async () => {
    const store = new MemorySessionStore();
    const [one, two] = [await begin({ sessions: { store } }), await begin({ sessions: { store } })];
    const session = await one.open("2025-06-18");
    const moved = await two.send({ headers: session.headers, body: call(1, "who") });
    expect(textOf(moved.json)).toBe("test");
    expect(two.connections[0]?.session?.revision.id).toBe("2025-06-18");
    expect((await two.send({ method: "DELETE", headers: session.headers })).status).toBe(204);
    expect((await session.post(ping)).status).toBe(404);
    expect(one.listener.handler.sessions.size).toBe(0);
  });

  it("a shared session fails by itself when the store does (R46)", async () => {
    const store: SessionStore = {
      add: () => Promise.reject(new Error("down")),
      find: () => Promise.reject(new Error("down")),
      remove: () => Promise.reject(new Error("down")),
    };
    const reports: string[] = [];
    const rig = await begin({ sessions: { store }, onError: ({ error }) => reports.push(error.message) });
    expect((await rig.send({ body: initialize("2025-11-25") })).status).toBe(503);
    expect((await rig.send({ headers: { "mcp-session-id": "x" }, body: ping })).status).toBe(500);
    expect(reports).toEqual(["down", "down"]);
  });
});

describe("a server without sessions", () => {
  it("a server without sessions handles each POST by itself, and issues no id (T-50)", async () => {
    const rig = await begin({ sessions: false });
    const opened = await rig.send({ body: initialize("2025-11-25") });
    expect(opened.status).toBe(200);
    expect(opened.headers).not.toHaveProperty("mcp-session-id");
    const headers = { "mcp-protocol-version": "2025-11-25" };
    expect(textOf((await rig.send({ headers, body: call(1, "echo", { text: "a" }) })).json)).toBe("a");
    expect((await rig.send({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status).toBe(
      202,
    );
    expect(rig.listener.handler.sessions.size).toBe(0);
    await until(() => rig.connections.every(({ state }) => state === "DISCONNECTED"));
  });

  it.each(["GET", "DELETE"])("a server without sessions does not allow %s (T-34, T-57, trap 16)", async (method) => {
    const rig = await begin({ sessions: false });
    const response = await rig.send({ method });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("POST");
  });

  it("a server without sessions may stream calls, without ids", async () => {
    const rig = await begin({ sessions: false });
    const stream = await rig.stream({ headers: { "mcp-protocol-version": "2025-11-25" }, body: call(1, "log") });
    await stream.end();
    expect(stream.messages).toMatchObject([{ method: "notifications/message" }, { id: 1 }]);
    expect(stream.text).not.toMatch(/^id:/m);
  });

  it("a server without sessions cannot send requests, and handlers get an error at once (T-21)", async () => {
    const rig = await begin({ sessions: false });
    const headers = { "mcp-protocol-version": "2025-11-25" };
    expect(textOf((await rig.send({ headers, body: call(1, "ask") })).json)).toBe("CapabilityError");
  });

  it("a server without sessions responds to a whole batch, though some of its members are done at once (J-15)", async () => {
    const rig = await begin({ sessions: false });
    const responding = rig.send({ body: [ping, call(2, "gate"), { ...ping, id: 3 }, { ...ping, id: 3 }] });
    await until(() => gate !== undefined);
    gate?.("late");
    const { status, json } = await responding;
    expect(status).toBe(200);
    expect(json).toHaveLength(4);
    for (const id of [1, 3]) expect(json).toContainEqual({ jsonrpc: "2.0", id, result: {} });
    expect(json).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() }));
    expect(json).toContainEqual(expect.objectContaining({ id: 3, error: expect.anything() }));
  });

  it("a request without a version header has revision 2025-03-26, batches included (T-61)", async () => {
    const rig = await begin({ sessions: false });
    const response = await rig.send({ body: [call(1, "echo", { text: "a" }), call(2, "echo", { text: "b" })] });
    expect(response.json).toHaveLength(2);
    expect(rig.connections[0]?.session?.revision.id).toBe("2025-03-26");
    const headers = { "mcp-protocol-version": "2025-11-25" };
    expect((await rig.send({ headers, body: [ping] })).status).toBe(400);
    expect((await rig.send({ headers: { "mcp-protocol-version": "x" }, body: ping })).status).toBe(400);
  });
});
