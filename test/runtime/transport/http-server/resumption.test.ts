import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { EventStore, StoredEvent } from "../../../../runtime/stores/event-store.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionKey, SessionRecord } from "../../../../runtime/stores/session-store.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import type { HttpOrigin } from "../../../../runtime/transport/http-server/identity.ts";
import type { ListenOptions } from "../../../../runtime/transport/http-server/listen.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { createGate, until } from "../../../kit/time.ts";
import { count } from "../faults/cuts.ts";
import { call, textOf } from "../../../kit/http-exchange.ts";
import { changed, log, start, type Rig, type Session, type Tool } from "../../../kit/http-server.ts";

let rig: Rig | undefined;
let step: ((value: string) => void) | undefined;
const running: CallContext[] = [];

const tools: Record<string, Tool> = {
  /** Logs, then waits to be let go on. */
  wait: async (context, args) => {
    running.push(context);
    if (args.log !== undefined) await log(context, args.log);
    return new Promise((resolve) => (step = resolve));
  },
  count,
  release: async (context) => {
    const released = isHttpOrigin(context.origin) && context.origin.releaseConnection();
    await delay(20);
    return released;
  },
};

async function open(options: Omit<ListenOptions, "port"> = {}, revision = "2025-11-25"): Promise<Session> {
  rig = await start(tools, { retry: 20, ...options });
  return rig.open(revision);
}

afterEach(async () => {
  step?.("over");
  await rig?.close();
});

describe.each(["2025-11-25", "2025-06-18", "2025-03-26"])("resumption at %s", (revision) => {
  it("resumption delivers missed events, and the rest, by GET (T-44, T-45)", async () => {
    const session = await open({}, revision);
    const stream = await session.postStream(call(1, "wait", { log: "first" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    const context = running.at(-1);
    if (!context) throw new Error("not running");
    await log(context, "missed");
    const resumed = await session.listen(id);
    expect(resumed.status).toBe(200);
    expect(await resumed.message()).toMatchObject({ params: { data: "missed" } });
    await log(context, "live");
    step?.("done");
    await resumed.end();
    expect(resumed.messages).toMatchObject([{ params: { data: "missed" } }, { params: { data: "live" } }, { id: 1 }]);
  });

  it("resumption delivers the response even when the call has ended (T-45)", async () => {
    const session = await open({}, revision);
    const stream = await session.postStream(call(1, "wait", { log: "first" }));
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    step?.("late");
    await delay(20);
    const resumed = await session.listen(id);
    await resumed.end();
    expect(resumed.messages.map(textOf)).toEqual(["late"]);
    const again = await session.listen(id);
    await again.end();
    expect(again.messages).toEqual(resumed.messages);
  });

  it("resumption works for GET streams too", async () => {
    const session = await open({}, revision);
    const stream = await session.listen();
    const connection = rig?.listener.handler.sessions.get(session.id)?.connection;
    if (!connection) throw new Error("no session");
    await changed(connection);
    await stream.message();
    const id = stream.events.at(-1)?.id;
    stream.cut();
    await delay(20);
    await changed(connection);
    const resumed = await session.listen(id);
    await resumed.message();
    await changed(connection);
    await resumed.message();
    expect(resumed.messages).toHaveLength(2);
    resumed.cut();
  });

  it("resumption never shows events of another stream, to another session, or to another principal (T-45, R41, trap 7)", async () => {
    const session = await open({}, revision);
    const first = await session.postStream(call(1, "wait", { log: "secret one" }));
    await first.message();
    const endFirst = step;
    const second = await session.postStream(call(2, "wait", { log: "secret two" }));
    await second.message();
    const id = String(first.events.at(-1)?.id);
    const other = await rig?.open(revision);
    const foreign = await other?.listen(id);
    expect(foreign?.status).toBe(400);
    first.cut();
    endFirst?.("one");
    step?.("two");
    await second.end();
    const resumed = await session.listen(id);
    await resumed.end();
    expect(resumed.messages.map(textOf)).toEqual(["one"]);
  });

  it("resumption has ids that are unique in the session and name their stream (T-42, T-43)", async () => {
    const session = await open({}, revision);
    const streams = await Promise.all([1, 2, 3].map((id) => session.postStream(call(id, "count", { to: 5 }))));
    await Promise.all(streams.map((stream) => stream.end()));
    const ids = streams.map(({ events }) => events.map(({ id }) => String(id)));
    expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    for (const own of ids) expect(new Set(own.map((id) => id.split("-")[0])).size).toBe(1);
  });

  it.each(["", "x", "1-0", "zzzzzz1-0", "../../etc", "a-99999999999999999999"])(
    "resumption rejects the event id %j (4.9)",
    async (id) => {
      const session = await open({}, revision);
      const response = await session.listen(id);
      expect(response.status).toBe(400);
      response.cut();
    },
  );

  it("resumption rejects events that are no longer stored, without a part of them (R41)", async () => {
    const session = await open({ events: new MemoryEventStore({ maxEvents: 3 }) }, revision);
    const stream = await session.postStream(call(1, "count", { to: 20 }));
    await stream.end();
    const response = await session.listen(stream.events[2]?.id);
    expect(response.status).toBe(400);
    response.cut();
  });

  it("resumption is missing without an event store (T-32)", async () => {
    const session = await open({ events: false }, revision);
    const stream = await session.postStream(call(1, "count", { to: 2 }));
    await stream.end();
    expect(stream.text).not.toMatch(/^id:/m);
    expect((await session.listen("a-1")).status).toBe(400);
  });

  it("resumption replaces a connection that is still open", async () => {
    const session = await open({}, revision);
    const stream = await session.postStream(call(1, "wait", { log: "first" }));
    await stream.message();
    const resumed = await session.listen(stream.events.at(-1)?.id);
    await stream.end();
    step?.("to the new one");
    await resumed.end();
    expect([stream.messages.length, resumed.messages.map(textOf)]).toEqual([1, ["to the new one"]]);
  });
});

it("a client of 2024-11-05 gets no event ids (T-15)", async () => {
  const session = await open({}, "2024-11-05");
  const stream = await session.postStream(call(1, "count", { to: 2 }));
  await stream.end();
  expect(stream.text).not.toMatch(/^(id|retry):/m);
});

describe("polling (T-40)", () => {
  it("polling begins streams with an event that only carries an id and the delay", async () => {
    const session = await open();
    for (const stream of [await session.listen(), await session.postStream(call(1, "wait", { log: "x" }))]) {
      const first = await stream.next();
      expect(first).toEqual({ type: "message", data: "", id: expect.stringMatching(/-0$/), retry: 20 });
      expect(stream.text).toMatch(/^id: [^\n]+\nretry: 20\ndata: \n\n/);
      stream.cut();
    }
  });

  it("polling lets a call close its connection: the client reconnects for the response (conformance 1.5)", async () => {
    const session = await open();
    const stream = await session.postStream(call(1, "release"));
    await stream.end();
    expect(stream.messages).toEqual([]);
    const resumed = await session.listen(stream.events.at(-1)?.id);
    await resumed.end();
    expect(resumed.messages.map(textOf)).toEqual(["true"]);
  });

  it.each(["2025-06-18", "2025-03-26", "2024-11-05"])(
    "polling is not used with clients of %s, which reject it (trap 14, T-29)",
    async (id) => {
      const session = await open({}, id);
      const stream = await session.postStream(call(1, "count", { to: 1 }));
      await stream.end();
      expect(stream.text).not.toMatch(/^(retry|data: $)/m);
      expect(textOf((await session.post(call(2, "release"))).json)).toBe("false");
    },
  );
});

it("polling can be switched off: streams begin with their first message", async () => {
  const session = await open({ polling: false });
  const stream = await session.postStream(call(1, "count", { to: 1 }));
  await stream.end();
  expect(stream.text).not.toMatch(/^(retry|data: $)/m);
  expect(textOf((await session.post(call(2, "release"))).json)).toBe("false");
});

/** Sessions in memory that tell when one is searched. */
class WatchedSessions extends MemorySessionStore {
  onFind = (): void => {};

  override find(key: SessionKey): SessionRecord | undefined {
    this.onFind();
    return super.find(key);
  }
}

describe("an event store that fails", () => {
  const broken = (): never => {
    throw new Error("the store is gone");
  };
  const failures = (reports: readonly ErrorReport[]): readonly unknown[] => reports.map(({ error }) => error.message);

  it("an event store that takes longest for the first event loses none of them at a resumption", async () => {
    const stored = createGate();
    const events = new Set<StoredEvent>();
    const store = new WatchedSessions();
    const session = await open({
      sessions: { store },
      events: {
        async append(_key, event) {
          if (event.sequence === 1) await stored.opened;
          events.add(event);
        },
        async after(_key, { stream, sequence }) {
          const later = [...events].filter((event) => event.stream === stream && event.sequence > sequence);
          return later.sort((one, other) => one.sequence - other.sequence);
        },
        remove() {},
      },
    });
    const stream = await session.postStream(call(1, "wait", { log: "first" }));
    await stream.message();
    const context = running.at(-1);
    if (!context) throw new Error("not running");
    const id = stream.events[0]?.id;
    stream.cut();
    for (const text of ["second", "third"]) await log(context, text);
    step?.("done");
    const requested = createGate();
    store.onFind = requested.open;
    const resuming = session.listen(id);
    await requested.opened;
    // The resumption waits for the store, which has the later events by now.
    await settle();
    stored.open();
    const resumed = await resuming;
    await resumed.end();
    const texts = resumed.messages.map((message) => Object(message).params?.data ?? textOf(message));
    expect(texts).toEqual(["first", "second", "third", "done"]);
  });

  it("an event store that fails during a resumption loses no later message", async () => {
    const events = new MemoryEventStore();
    const session = await open({ events: { ...toStore(events), after: () => Promise.reject(new Error("gone")) } });
    const stream = await session.listen();
    const [connection] = rig?.connections ?? [];
    if (!connection) throw new Error("no connection");
    await changed(connection);
    const { id } = await stream.next();
    expect((await session.listen(id)).status).toBe(500);
    await changed(connection);
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  it.each([
    ["at once", broken],
    ["later", () => Promise.reject(new Error("the store is gone"))],
  ])("an event store whose method %s fails prevents no response, and the process keeps running", async (_, fail) => {
    const reports: ErrorReport[] = [];
    const events: EventStore = { append: fail, after: () => undefined, remove: fail };
    const session = await open({ events, onError: (report) => reports.push(report) });
    const stream = await session.postStream(call(1, "count", { to: 1 }));
    await stream.end();
    expect(stream.messages.map(textOf).at(-1)).toBe("1");
    await session.end();
    await until(() => reports.length >= 3, "the reports");
    expect(new Set(failures(reports))).toEqual(new Set(["the store is gone"]));
  });
});

/** A store's methods as functions, so that some of them can be replaced. */
function toStore(store: EventStore): EventStore {
  return {
    append: (session, event) => store.append(session, event),
    after: (session, position) => store.after(session, position),
    remove: (session) => store.remove(session),
  };
}

function isHttpOrigin(value: unknown): value is HttpOrigin {
  return typeof value === "object" && value !== null && "releaseConnection" in value;
}
