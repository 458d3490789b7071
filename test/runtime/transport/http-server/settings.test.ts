import { describe, expect, test } from "vitest";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { toRenewalInterval, toSettings, type HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";

const read = (options: HttpOptions = {}, hasSse = true) => toSettings(options, { hasSse });
const minutes = 60_000;

describe("the settings of an HTTP server", () => {
  test("the settings without options are the documented defaults", () => {
    const settings = read();
    expect(settings).toMatchObject({
      path: undefined,
      responseMode: "auto",
      polling: true,
      retry: 1_000,
      keepAlive: 15_000,
      maxStreamBytes: 8 * 1024 * 1024,
      strictVersion: false,
      sessions: { ttl: 30 * minutes, store: expect.any(MemorySessionStore) },
      events: expect.any(MemoryEventStore),
      limits: { maxMessageBytes: 4 * 1024 * 1024 },
      bodyLimits: { maxBytes: 4 * 1024 * 1024, timeout: 10_000 },
      guard: undefined,
      cors: undefined,
      sse: { path: "/sse", messagesPath: "/messages", endpoint: "/messages", handshakeTimeout: 30_000 },
      profile: undefined,
      metrics: undefined,
    });
    expect([...settings.documents]).toEqual([]);
    expect(settings.nonce).toMatch(/^[0-9a-f]{6}$/);
    expect([settings.nonce, read().nonce === settings.nonce]).toEqual([settings.nonce, false]);
  });

  test("the settings are the options that are given", () => {
    const clock = new ManualClock();
    const events = new MemoryEventStore();
    const given = { path: "/a", responseMode: "sse", polling: false, keepAlive: 2, maxStreamBytes: 3 } as const;
    const more = {
      strictVersion: true,
      cors: { maxAge: 1 },
      profile: { toHttpStatus: () => 429 },
      metrics: new Metrics(),
    };
    const settings = read({ ...given, ...more, events, clock, retry: 1.5, bodyTimeout: 5 });
    expect(settings).toMatchObject({ ...given, ...more, retry: 2 });
    expect([settings.events, settings.clock, settings.bodyLimits.timeout]).toEqual([events, clock, 5]);
    expect(read({ limits: { maxMessageBytes: 7 } }).bodyLimits.maxBytes).toBe(7);
  });

  test.each<readonly [string, HttpOptions, boolean, object | undefined]>([
    ["without a revision that needs them", {}, false, undefined],
    ["without sessions", { sessions: false }, true, undefined],
    ["that are switched off", { sse: false }, true, undefined],
    ["that are asked for", { sse: { path: "/a" } }, false, { path: "/a", messagesPath: "/messages" }],
    ["with a path for messages", { sse: { messagesPath: "/b" } }, true, { messagesPath: "/b", endpoint: "/b" }],
    ["behind a proxy", { sse: { endpoint: "/p/b" } }, true, { messagesPath: "/messages", endpoint: "/p/b" }],
  ])("the endpoints of HTTP with SSE %s are served as expected", (_how, options, hasSse, expected) => {
    const { sse } = read(options, hasSse);
    if (expected) expect(sse).toMatchObject(expected);
    else expect(sse).toBeUndefined();
  });

  test("documents are those of the options and of the guard, which come first", () => {
    const [own, ofGuard] = [
      { status: 200, body: "own" },
      { status: 200, body: "guard" },
    ];
    const guard = { authenticate: () => ({ status: 401 }), documents: new Map([["/b", ofGuard]]) };
    const documents = new Map(["/a", "/b"].map((path) => [path, own]));
    expect([...read({ documents, authenticate: guard }).documents]).toEqual([
      ["/a", own],
      ["/b", ofGuard],
    ]);
    expect(read({ authenticate: guard }).guard).toBe(guard);
    expect(read({ authenticate: guard.authenticate }).guard).toEqual({ authenticate: guard.authenticate });
  });

  test("events that the store of the server discards early are counted", () => {
    const metrics = new Metrics();
    const { events } = read({ metrics });
    for (let sequence = 0; sequence < 1_003; sequence += 1)
      void events?.append({ id: "a", owner: undefined }, { stream: "s", sequence, data: "x" });
    expect(metrics.read().dropped.get("event")).toBe(3);
    expect(read({ events: false }).events).toBeUndefined();
  });
});

test.each<readonly [string, HttpOptions, string]>([
  ["retry", { retry: Infinity }, "is Infinity; use a finite number"],
  ["cors.maxAge", { cors: { maxAge: Infinity } }, "is Infinity; use a finite number"],
  ["keepAlive", { keepAlive: -1 }, "is -1; use a number of 0 or more"],
  ["ttl", { sessions: { ttl: NaN } }, "is NaN; use a number of 0 or more"],
  ["handshakeTimeout", { sse: { handshakeTimeout: -1 } }, "is -1; use a number of 0 or more"],
  ["maxAge", { cors: { maxAge: -1 } }, "is -1; use a number of 0 or more"],
])("the setting %s may not be a number without a meaning", (name, options, problem) => {
  expect(() => read(options)).toThrow(`${name} ${problem}`);
});

describe("the settings of sessions", () => {
  test.each<readonly [string, HttpOptions["sessions"], number]>([
    ["of its own", { ttl: 5 }, 5],
    ["of the store", { store: new MemorySessionStore({ ttl: 6 }) }, 6],
    ["shorter than in the store", { ttl: 5, store: new MemorySessionStore({ ttl: 6 }) }, 5],
    ["as in the store", { ttl: 6, store: new MemorySessionStore({ ttl: 6 }) }, 6],
  ])("a session lives for the time %s", (_whose, sessions, ttl) => {
    expect(read({ sessions: sessions ?? {} }).sessions?.ttl).toBe(ttl);
  });

  test("the store in memory has the given lifetime, number and clock", async () => {
    const clock = new ManualClock();
    const store = read({ sessions: { ttl: 50, maxSessions: 1 }, clock }).sessions?.store;
    expect(await store?.add({ id: "a", owner: undefined })).toBe(true);
    expect(await store?.add({ id: "b", owner: undefined })).toBe(false);
    clock.advance(50);
    expect(await store?.add({ id: "b", owner: undefined })).toBe(true);
  });

  test.each([
    [8_000, 2_000],
    [4 * minutes, minutes],
    [5 * minutes, minutes],
    [Infinity, minutes],
  ])("a session in use that lives for %i ms is renewed each %i ms", (ttl, interval) => {
    expect(toRenewalInterval({ ttl, store: new MemorySessionStore() })).toBe(interval);
    expect(toRenewalInterval(undefined)).toBe(minutes);
  });
});
