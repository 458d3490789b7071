import { describe, expect, it } from "vitest";
import { KeyCache } from "../../../../runtime/auth/server/key-cache.ts";
import { nextTurn } from "../../../kit/time.ts";

/** A publisher of keys whose clock and responses a test decides. */
function publish(): { cache: KeyCache<object>; state: { now: number; loads: number; fails: boolean } } {
  const state = { now: 0, loads: 0, fails: false };
  const load = async (): Promise<object> => {
    state.loads += 1;
    if (state.fails) throw new Error("down");
    return { set: state.loads };
  };
  return { state, cache: new KeyCache(load, { maxAge: 100, maxStale: 1_000, cooldown: 10, now: () => state.now }) };
}

describe("keys of an issuer", () => {
  it("keys are fetched once for all concurrent requests", async () => {
    const { cache, state } = publish();
    expect(await Promise.all([cache.get(), cache.get(), cache.get()])).toEqual([{ set: 1 }, { set: 1 }, { set: 1 }]);
    expect(state.loads).toBe(1);
  });

  it("keys are fetched again in the background: no request waits", async () => {
    const { cache, state } = publish();
    await cache.get();
    state.now = 101;
    expect(await cache.get()).toEqual({ set: 1 });
    await nextTurn();
    expect(await cache.get()).toEqual({ set: 2 });
  });

  it("keys are used while they cannot be fetched, up to a limit", async () => {
    const { cache, state } = publish();
    await cache.get();
    state.fails = true;
    state.now = 900;
    expect(await cache.get()).toEqual({ set: 1 });
    await nextTurn();
    state.now = 1_001;
    await expect(cache.get()).rejects.toThrow("down");
    state.fails = false;
    state.now = 1_020;
    expect(await cache.get()).toHaveProperty("set");
  });

  it("keys are fetched after a rotation, when a token names a new one", async () => {
    const { cache, state } = publish();
    const first = await cache.get();
    state.now = 10;
    expect(await cache.renew(first)).toEqual({ set: 2 });
    expect(await cache.renew(first)).toEqual({ set: 2 });
    expect(state.loads).toBe(2);
  });

  it("keys are fetched at intervals, however many requests name new ones, and also after failures", async () => {
    const { cache, state } = publish();
    const first = await cache.get();
    for (let count = 0; count < 100; count++) await cache.renew(first);
    expect(state.loads).toBe(1);
    state.fails = true;
    state.now = 10;
    for (let count = 0; count < 100; count++) await expect(cache.renew(first)).rejects.toThrow("down");
    expect(state.loads).toBe(2);
  });

  it("known keys stay usable while a new one cannot be fetched, which is then found", async () => {
    const { cache, state } = publish();
    const first = await cache.get();
    state.fails = true;
    state.now = 10;
    await expect(cache.renew(first)).rejects.toThrow("down");
    expect(await cache.get()).toBe(first);
    state.fails = false;
    await expect(cache.renew(first)).rejects.toThrow("down");
    state.now = 20;
    expect(await cache.renew(first)).toEqual({ set: 3 });
  });

  it("a failure without an error is reported by one to every request", async () => {
    const load = (): Promise<object> => Promise.reject(undefined);
    const cache = new KeyCache(load, { maxAge: 100, maxStale: 1_000, cooldown: 10, now: () => 0 });
    for (let count = 0; count < 2; count++) await expect(cache.get()).rejects.toThrow("The keys could not be fetched");
  });

  it("keys that never existed are requested at intervals, too", async () => {
    const { cache, state } = publish();
    state.fails = true;
    for (let count = 0; count < 100; count++) await expect(cache.get()).rejects.toThrow("down");
    expect(state.loads).toBe(1);
    state.now = 10;
    state.fails = false;
    expect(await cache.get()).toEqual({ set: 2 });
  });
});
