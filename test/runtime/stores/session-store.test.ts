import { describe, expect, it } from "vitest";
import { MemorySessionStore } from "../../../runtime/stores/memory-session-store.ts";
import type { SessionRecord, SessionStore } from "../../../runtime/stores/session-store.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

/** Contract of every session store (R45). */
function describeSessionStore(
  name: string,
  open: (options: { ttl: number; maxSessions: number; clock: ManualClock }) => SessionStore,
): void {
  const setUp = (): { clock: ManualClock; store: SessionStore } => {
    const clock = new ManualClock();
    return { clock, store: open({ ttl: 1_000, maxSessions: 2, clock }) };
  };
  const record = (id: string, owner?: string): SessionRecord => ({
    id,
    owner,
    agreement: { revision: "r", client: { info: { name: "c", version: "1" }, capabilities: { roots: {} } } },
  });

  describe(`session store: ${name}`, () => {
    it("a session store returns sessions unchanged", async () => {
      const { store } = setUp();
      expect(await store.add(record("a", "ann"))).toBe(true);
      expect(await store.find({ id: "a", owner: "ann" })).toEqual(record("a", "ann"));
    });

    it("a session store returns a session to its owner only", async () => {
      const { store } = setUp();
      await store.add(record("a", "ann"));
      await store.remove({ id: "a", owner: "bob" });
      expect(await store.find({ id: "a", owner: "bob" })).toBeUndefined();
      expect(await store.find({ id: "a", owner: undefined })).toBeUndefined();
      expect(await store.add(record("a", "bob"))).toBe(false);
      expect(await store.find({ id: "a", owner: "ann" })).toBeDefined();
    });

    it("a session store keeps sessions that are used", async () => {
      const { store, clock } = setUp();
      await store.add(record("a"));
      await store.add(record("b"));
      clock.advance(900);
      await store.find({ id: "a", owner: undefined });
      clock.advance(900);
      expect(await store.find({ id: "a", owner: undefined })).toBeDefined();
      expect(await store.find({ id: "b", owner: undefined })).toBeUndefined();
    });

    it("a session store is bounded; a session that ends makes room", async () => {
      const { store, clock } = setUp();
      expect([await store.add(record("a")), await store.add(record("b")), await store.add(record("c"))]).toEqual([
        true,
        true,
        false,
      ]);
      await store.remove({ id: "a", owner: undefined });
      expect(await store.add(record("c"))).toBe(true);
      clock.advance(1_000);
      expect(await store.add(record("d"))).toBe(true);
    });

    it("a session store allows repeated calls", async () => {
      const { store } = setUp();
      expect([await store.add(record("a")), await store.add(record("a")), await store.add(record("b"))]).toEqual([
        true,
        true,
        true,
      ]);
      await store.remove({ id: "a", owner: undefined });
      await store.remove({ id: "a", owner: undefined });
      expect(await store.find({ id: "a", owner: undefined })).toBeUndefined();
    });

    it("a session store accepts any id (R9)", async () => {
      const { store } = setUp();
      expect(await store.find({ id: "__proto__", owner: undefined })).toBeUndefined();
      await store.add(record("__proto__"));
      expect(await store.find({ id: "__proto__", owner: undefined })).toEqual(record("__proto__"));
    });
  });
}

describeSessionStore("memory", (options) => new MemorySessionStore(options));

it("a session store releases memory", () => {
  const clock = new ManualClock();
  const store = new MemorySessionStore({ ttl: 10, clock });
  for (let n = 0; n < 1_000; n += 1) store.add({ id: String(n), owner: undefined });
  expect(store.size).toBe(1_000);
  clock.advance(10);
  expect(store.size).toBe(0);
});

it("several owners with as many sessions as possible leave room for another", () => {
  const store = new MemorySessionStore({ maxSessions: 1_000 });
  for (let owner = 0; owner < 5; owner += 1) {
    let count = 0;
    while (store.add({ id: `${owner} ${count}`, owner: `user ${owner}` })) count += 1;
  }
  expect(store.add({ id: "late", owner: "alice" })).toBe(true);
});

it("an owner has a maximum of sessions with the option", () => {
  const store = new MemorySessionStore({ maxSessions: 1_000, maxSessionsPerOwner: 2 });
  const add = (id: string): boolean => store.add({ id, owner: "ann" });
  expect([add("a"), add("b"), add("c")]).toEqual([true, true, false]);
});

it("one owner leaves room for others", () => {
  const clock = new ManualClock();
  const store = new MemorySessionStore({ ttl: 1_000, maxSessions: 4, clock });
  const add = (id: string, owner: string | undefined): boolean => store.add({ id, owner });
  expect([add("a", "eve"), add("b", "eve"), add("c", "eve")]).toEqual([true, true, false]);
  expect(add("a", "eve")).toBe(true);
  expect(add("d", "ann")).toBe(true);
  store.remove({ id: "a", owner: "eve" });
  store.remove({ id: "a", owner: "eve" });
  expect([add("c", "eve"), add("e", "eve")]).toEqual([true, false]);
  clock.advance(1_000);
  expect([add("f", "eve"), add("g", "eve"), add("h", "eve")]).toEqual([true, true, false]);
  expect([add("i", undefined), add("j", undefined), add("k", undefined)]).toEqual([true, true, false]);
});
