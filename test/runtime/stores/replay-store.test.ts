import { describe, expect, test } from "vitest";
import { MemoryReplayStore, type ReplayStore } from "../../../runtime/stores/replay-store.ts";

/** Every store must keep the contract: add an adapter's here. */
const stores: readonly (readonly [string, (now: () => number) => ReplayStore])[] = [
  ["in memory", (now) => new MemoryReplayStore({ now })],
];

describe.each(stores)("a replay store %s", (_name, open) => {
  test("a replay store accepts a key once, from any principal", async () => {
    const store = open(() => 0);
    expect(await store.add("a", 1_000, "ada")).toBe(true);
    expect(await store.add("a", 1_000, "ada")).toBe(false);
    expect(await store.add("a", 1_000, "bob")).toBe(false);
    expect(await store.add("a", 1_000)).toBe(false);
    expect(await store.add("b", 1_000)).toBe(true);
  });
});

describe("a replay store in memory", () => {
  test("a replay store that is full for one owner accepts keys of others", () => {
    const store = new MemoryReplayStore({ maxKeys: 100, now: () => 0 });
    const use = (owner: string | undefined, key: string): boolean => store.add(`${owner} ${key}`, 1_000, owner);
    for (let count = 0; count < 50; count += 1) expect(use("mallory", `${count}`)).toBe(true);
    expect(() => use("mallory", "more")).toThrow("increase maxKeys");
    for (let count = 0; count < 20; count += 1) expect(use("alice", `${count}`)).toBe(true);
    expect(use(undefined, "a")).toBe(true);
    expect(() => use("mallory", "more")).toThrow("increase maxKeys");
  });

  test("a replay store releases the space of expired keys", () => {
    let now = 0;
    const store = new MemoryReplayStore({ maxKeys: 2, now: () => now });
    expect(store.add("a", 1_000, "ada")).toBe(true);
    expect(() => store.add("b", 1_000, "ada")).toThrow("increase maxKeys");
    now = 1_000;
    expect(store.add("b", 2_000, "ada")).toBe(true);
    expect(() => store.add("c", 2_000, "ada")).toThrow("increase maxKeys");
  });
});
