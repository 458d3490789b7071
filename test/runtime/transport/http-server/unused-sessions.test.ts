import { afterEach, describe, expect, test } from "vitest";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionStore } from "../../../../runtime/stores/session-store.ts";
import { createGate, type Gate, until } from "../../../kit/time.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { override } from "../../../kit/override.ts";
import { call } from "../../../kit/http-exchange.ts";
import { log, start, type Rig } from "../../../kit/http-server.ts";

const tools: Parameters<typeof start>[0] = {
  log: async (context) => {
    await log(context, "logged");
    return "done";
  },
};
const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const ttl = 60_000;
const rigs: Rig[] = [];

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** Servers with the same sessions, events and clock. */
async function begin(count: number, search: () => unknown = () => undefined, storeTtl: number = ttl) {
  const clock = new ManualClock();
  const memory = new MemorySessionStore({ ttl: storeTtl, clock });
  const events = new MemoryEventStore({ clock });
  const store: SessionStore = override<SessionStore>(memory, {
    find: async (key) => {
      await search();
      return memory.find(key);
    },
  });
  const errors: string[] = [];
  for (let started = 0; started < count; started += 1) {
    const options = {
      clock,
      events,
      sessions: { ttl, store },
      onError: ({ error }: { error: Error }) => errors.push(error.message),
    };
    rigs.push(await start(tools, options));
  }
  const [one, two = one] = rigs;
  if (!one || !two) throw new Error("no server");
  return { clock, events, errors, one, two };
}

describe("a session that its server does not see used", () => {
  test("a session that is used at another server is closed here, and goes on there with its events", async () => {
    const { clock, one, two } = await begin(2);
    const session = await one.open();
    const stream = await session.postStream(call(1, "log"));
    await stream.end();
    for (let passed = 0; passed < 2 * ttl; passed += ttl / 4) {
      expect((await two.send({ headers: session.headers, body: ping })).status).toBe(200);
      await clock.pass(ttl / 4);
    }
    await until(() => one.listener.handler.sessions.size === 0, "the end of this half");
    await until(() => one.connections.every(({ state }) => state === "DISCONNECTED"), "the end of the connection");
    const resumed = await two.stream({
      method: "GET",
      headers: { ...session.headers, "last-event-id": String(stream.events[0]?.id) },
    });
    expect(resumed.status).toBe(200);
    await resumed.end();
    expect(resumed.messages).toMatchObject([{ params: { data: "logged" } }, { id: 1 }]);
  });

  test("a session that is used nowhere ends, and its events are removed", async () => {
    const { clock, events, one } = await begin(1);
    const session = await one.open();
    await (await session.postStream(call(1, "log"))).end();
    expect(events.size).toBeGreaterThan(0);
    await clock.pass(2 * ttl);
    await until(() => one.listener.handler.sessions.size === 0 && events.size === 0, "the end of the session");
    expect((await session.post(ping)).status).toBe(404);
  });

  test("a session that is used while its store is searched stays open", async () => {
    let held: { readonly searching: Gate; readonly found: Gate } | undefined;
    const { clock, one } = await begin(
      1,
      async () => {
        const hold = held;
        held = undefined;
        hold?.searching.open();
        await hold?.found.opened;
      },
      10 * ttl,
    );
    const session = await one.open();
    const hold = { searching: createGate(), found: createGate() };
    held = hold;
    const passed = clock.pass(ttl + ttl / 2);
    await hold.searching.opened;
    expect((await session.post(ping)).status).toBe(200);
    hold.found.open();
    await passed;
    expect((await session.post(ping)).status).toBe(200);
    expect(one.connections).toHaveLength(1);
  });
});

describe("a session whose store fails when it is searched", () => {
  test("a session without use stays, and the failure is reported", async () => {
    let isDown = false;
    const { clock, errors, one } = await begin(1, () => (isDown ? Promise.reject(new Error("down")) : undefined));
    const session = await one.open();
    isDown = true;
    await clock.pass(ttl + ttl / 2);
    await until(() => errors.length > 0, "the report");
    expect([new Set(errors), one.listener.handler.sessions.has(session.id)]).toEqual([new Set(["down"]), true]);
  });

  test("a session in use stays with its streams, and the failure is reported", async () => {
    let isDown = false;
    const { clock, errors, one } = await begin(1, () => (isDown ? Promise.reject(new Error("down")) : undefined));
    const session = await one.open();
    const stream = await session.listen();
    isDown = true;
    await clock.pass(ttl / 2);
    await until(() => errors.length > 0, "the report");
    expect([new Set(errors), stream.isEnded]).toEqual([new Set(["down"]), false]);
    isDown = false;
    expect((await session.post(ping)).status).toBe(200);
    stream.cut();
  });
});
