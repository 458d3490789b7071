import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { followSignals, onAbort } from "../../../runtime/internal/abort-signals.ts";
import { runConcurrently } from "../../../runtime/internal/run-concurrently.ts";

const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, "abort").length;

describe("functions that run when a signal is aborted", () => {
  test("a signal has one listener for many functions, which run in order", () => {
    const stop = new AbortController();
    const ran: number[] = [];
    for (let index = 0; index < 20; index += 1) onAbort(stop.signal, () => ran.push(index));
    expect(listenersOf(stop)).toBe(1);
    stop.abort();
    expect(ran).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test("a removed function does not run, and the last one takes the listener with it", () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const leaveFirst = onAbort(stop.signal, () => ran.push("first"));
    onAbort(stop.signal, () => ran.push("second"))();
    expect(listenersOf(stop)).toBe(1);
    leaveFirst();
    expect(listenersOf(stop)).toBe(0);
    onAbort(stop.signal, () => ran.push("third"));
    stop.abort();
    expect(ran).toEqual(["third"]);
  });

  test("a function that throws does not keep the others from running, and its error is uncaught", async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    onAbort(stop.signal, () => {
      throw new Error("lost");
    });
    onAbort(stop.signal, () => ran.push("second"));
    const uncaught = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => {});
    stop.abort();
    expect(ran).toEqual(["second"]);
    expect(uncaught.mock.calls[0]?.[0]).toThrow("lost");
    uncaught.mockRestore();
  });

  test("a signal that many controllers follow has one listener", () => {
    const stop = new AbortController();
    const followers = Array.from({ length: 20 }, () => new AbortController());
    const leaves = followers.map((follower) => followSignals(follower, [stop.signal]));
    expect(listenersOf(stop)).toBe(1);
    leaves[0]?.();
    stop.abort("enough");
    expect(followers.map(({ signal }) => signal.reason)).toEqual([undefined, ...Array(19).fill("enough")]);
  });
});

describe("concurrent work", () => {
  test("concurrent work returns its results in the order of the items and leaves no listener", async () => {
    const stop = new AbortController();
    const signals = new Set<AbortSignal>();
    const run = async (item: number, signal: AbortSignal): Promise<number> => {
      signals.add(signal);
      expect(listenersOf(stop)).toBe(1);
      for (let turn = item; turn < 3; turn += 1) await Promise.resolve();
      return item * 2;
    };
    expect(await runConcurrently([1, 2, 3], { signal: stop.signal, run })).toEqual([2, 4, 6]);
    expect([signals.size, listenersOf(stop)]).toEqual([3, 0]);
  });

  test("concurrent work ends with the first failure, also where it ignores its signal", async () => {
    const signals: AbortSignal[] = [];
    const run = (item: string, signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return item === "bad" ? Promise.reject(new Error("no")) : new Promise(() => {});
    };
    await expect(runConcurrently(["slow", "bad"], { signal: undefined, run })).rejects.toThrow("no");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("concurrent work that is aborted while it begins does not begin the rest", async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    const run = async (item: number): Promise<void> => {
      begun.push(item);
      stop.abort(new Error("enough"));
    };
    await expect(runConcurrently([1, 2], { signal: stop.signal, run })).rejects.toThrow("enough");
    await expect(runConcurrently([3], { signal: stop.signal, run })).rejects.toThrow("enough");
    expect(begun).toEqual([1]);
  });
});
