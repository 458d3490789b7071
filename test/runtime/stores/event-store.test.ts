import { describe, expect, it } from "vitest";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { EventStore, StoredEvent } from "../../../runtime/stores/event-store.ts";
import { MemoryEventStore } from "../../../runtime/stores/memory-event-store.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

const session = { id: "s", owner: "ann" };
const event = (sequence: number, stream = "a", data = `${sequence}`): StoredEvent => ({ stream, sequence, data });

/** Contract of every event store (R45). */
function describeEventStore(name: string, open: (options: { maxEvents: number }) => EventStore): void {
  async function setUp(...events: readonly StoredEvent[]): Promise<EventStore> {
    const store = open({ maxEvents: 3 });
    for (const given of events) await store.append(session, given);
    return store;
  }

  describe(`event store: ${name}`, () => {
    it("an event store returns the events after one of them", async () => {
      const store = await setUp(event(0), event(0, "b"), event(1), event(2));
      expect(await store.after(session, event(0))).toEqual([event(1), event(2)]);
      expect(await store.after(session, event(2))).toEqual([]);
      expect(await store.after(session, event(0, "b"))).toEqual([]);
    });

    it("an event store returns events of their session and their owner only (R41)", async () => {
      const store = await setUp(event(0), event(1));
      for (const stranger of [
        { id: "t", owner: "ann" },
        { id: "s", owner: "bob" },
        { id: "s", owner: undefined },
      ]) {
        expect(await store.after(stranger, event(0))).toBeUndefined();
        await store.append(stranger, event(2));
        await store.remove(stranger);
      }
      expect(await store.after(session, event(0))).toEqual([event(1)]);
    });

    it("an event store rejects an unknown event id (R41)", async () => {
      const store = await setUp(event(0), event(1), event(2), event(3), event(4));
      expect(await store.after(session, event(0))).toBeUndefined();
      expect(await store.after(session, event(1))).toEqual([event(2), event(3), event(4)]);
      expect(await store.after(session, event(5))).toBeUndefined();
      expect(await store.after(session, event(0, "x"))).toBeUndefined();
    });

    it("an event store adds an event once, however often it is appended", async () => {
      const store = await setUp(event(0), event(1), event(1), event(0), event(1));
      expect(await store.after(session, event(0))).toEqual([event(1)]);
    });

    it("an event store removes the events of a session, also twice", async () => {
      const store = await setUp(event(0), event(0, "b"));
      await store.remove(session);
      await store.remove(session);
      expect(await store.after(session, event(0))).toBeUndefined();
    });

    it("an event store reports a gap", async () => {
      const store = await setUp(event(0), event(2));
      expect(await store.after(session, event(0))).toBeUndefined();
      expect(await store.after(session, event(1))).toEqual([event(2)]);
    });
  });
}

describeEventStore("memory", (options) => new MemoryEventStore(options));

/** Characters that the store counts for each stream. */
const streamOverhead = 400;

describe("a memory event store", () => {
  it("events of one stream have a bounded size", () => {
    const store = new MemoryEventStore({ maxStreamSize: 1_000 });
    for (let n = 0; n < 100; n += 1) store.append(session, event(n, "a", "x".repeat(300)));
    expect(store.size).toBeLessThanOrEqual(1_000 + streamOverhead);
    expect(store.after(session, event(97))).toHaveLength(2);
  });

  it("events of all streams of an owner have a bounded size: the longest idle stream is dropped first", () => {
    const store = new MemoryEventStore({ maxSize: 2_000 });
    for (const stream of ["a", "b", "c"]) store.append(session, event(0, stream, "x".repeat(250)));
    expect(store.after(session, event(0, "a"))).toBeUndefined();
    expect(store.after(session, event(0, "c"))).toEqual([]);
  });

  it("events of one owner never take the space of another's (R45)", () => {
    const store = new MemoryEventStore({ maxSize: 10_000 });
    const mallory = { id: "m", owner: "mallory" };
    const alice = { id: "a", owner: "alice" };
    store.append(alice, event(0, "a", "x".repeat(1_000)));
    for (let n = 0; n < 50; n += 1) store.append(mallory, event(0, `m${n}`, "x".repeat(1_000)));
    expect(store.after(alice, event(0, "a"))).toEqual([]);
    store.append(alice, event(1, "a", "x".repeat(1_000)));
    expect(store.after(alice, event(0, "a"))).toHaveLength(1);
    expect(store.after(mallory, event(0, "m0"))).toBeUndefined();
    expect(store.after(mallory, event(0, "m49"))).toEqual([]);
    expect(store.size).toBeLessThan(10_000);
  });

  it("events of all owners together stay within the bound, whatever their number", () => {
    const store = new MemoryEventStore({ maxSize: 10_000 });
    for (let n = 0; n < 200; n += 1) {
      store.append({ id: `s${n}`, owner: `user ${n % 40}` }, event(0, "a", "x".repeat(500)));
      expect(store.size).toBeLessThanOrEqual(10_000);
    }
  });

  it("events of unauthenticated clients may take all the free space", () => {
    const store = new MemoryEventStore({ maxSize: 10_000 });
    const anonymous = (n: number): { id: string; owner: undefined } => ({ id: `s${n}`, owner: undefined });
    for (let n = 0; n < 9; n += 1) store.append(anonymous(n), event(0, "a", "x".repeat(600)));
    expect(store.after(anonymous(0), event(0, "a"))).toEqual([]);
    store.append(anonymous(9), event(0, "a", "x".repeat(600)));
    expect([store.after(anonymous(0), event(0, "a")), store.after(anonymous(1), event(0, "a"))]).toEqual([
      undefined,
      [],
    ]);
  });

  it("events expire after their time", () => {
    const clock = new ManualClock();
    const store = new MemoryEventStore({ ttl: 100, clock });
    store.append(session, event(0));
    clock.advance(60);
    store.append(session, event(0, "b"));
    clock.advance(60);
    expect([store.after(session, event(0)), store.after(session, event(0, "b"))]).toEqual([undefined, []]);
    clock.advance(60);
    expect(store.size).toBe(0);
  });

  it("a stream expires by its last event, also after all others have", () => {
    const clock = new ManualClock();
    const store = new MemoryEventStore({ ttl: 100, clock });
    const found = (): readonly boolean[] =>
      ["a", "b", "c"].map((stream) => store.after(session, event(0, stream)) !== undefined);
    store.append(session, event(0, "a"));
    clock.advance(40);
    store.append(session, event(0, "b"));
    clock.advance(40);
    store.append(session, event(1, "a"));
    clock.advance(70);
    expect(found()).toEqual([true, false, false]);
    clock.advance(30);
    expect(found()).toEqual([false, false, false]);
    store.append(session, event(0, "c"));
    clock.advance(99);
    expect(found()).toEqual([false, false, true]);
    clock.advance(1);
    expect([found(), store.size]).toEqual([[false, false, false], 0]);
  });

  it("the last event of a stream is kept, even if it is longer than the limit of the stream", () => {
    const store = new MemoryEventStore({ maxStreamSize: 100 });
    const long = (n: number): StoredEvent => event(n, "a", "x".repeat(500));
    for (const n of [0, 1, 2]) store.append(session, long(n));
    expect(store.after(session, long(1))).toEqual([long(2)]);
    expect(store.after(session, long(0))).toBeUndefined();
  });

  it("an event that is longer than the limit of its owner is not kept", () => {
    const store = new MemoryEventStore({ maxSize: 1_000 });
    store.append(session, event(0, "a", "x".repeat(2_000)));
    expect([store.size, store.after(session, event(0))]).toEqual([0, undefined]);
  });

  it("streams without data have a bounded number, because each of them takes memory", () => {
    const store = new MemoryEventStore({ maxSize: 100_000 });
    const kept = (): number =>
      Array.from({ length: 1_000 }, (_, n) => store.after(session, event(0, `s${n}`))).filter(Boolean).length;
    for (let n = 0; n < 1_000; n += 1) store.append(session, event(0, `s${n}`, ""));
    expect(kept()).toBeLessThanOrEqual(200);
    expect(kept()).toBeGreaterThan(50);
    store.remove(session);
    expect(store.size).toBe(0);
  });

  it("events are counted when they are dropped before their time, and only then (R66)", () => {
    const clock = new ManualClock();
    const metrics = new Metrics();
    const store = new MemoryEventStore({ maxEvents: 3, maxSize: 3_000, ttl: 100, clock, metrics });
    const dropped = (): number => metrics.read().dropped.get("event") ?? 0;
    for (let n = 0; n < 5; n += 1) store.append(session, event(n));
    expect(dropped()).toBe(2);
    store.append(session, event(0, "b", "x".repeat(700)));
    expect(dropped()).toBe(5);
    clock.advance(200);
    expect(store.size).toBe(0);
    store.append(session, event(0));
    store.remove(session);
    expect(dropped()).toBe(5);
  });
});
