import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  DeadlineTimer,
  longestTimer,
  repeat,
  startTimer,
  systemClock,
  timeoutSignal,
} from "../../../runtime/internal/timers.ts";
import { block } from "../../kit/time.ts";
import { listenLoopback } from "../../fuzz/loopback.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

test("one timer serves any number of deadlines, and later ones do not restart it", () => {
  const clock = new ManualClock();
  const deadlines = new Set([50, 60, 70]);
  const due: number[] = [];
  const timer = new DeadlineTimer(clock, (now) => {
    for (const deadline of deadlines) if (deadline <= now && deadlines.delete(deadline)) due.push(deadline);
    return Math.min(...deadlines);
  });
  for (const deadline of deadlines) timer.watch(deadline);
  expect(clock.started).toBe(1);
  clock.advance(100);
  expect(due).toEqual([50, 60, 70]);
  expect(clock.active).toBe(0);
});

test("an earlier deadline moves the timer, stopping removes it", () => {
  const clock = new ManualClock();
  let sweeps = 0;
  const timer = new DeadlineTimer(clock, () => {
    sweeps += 1;
    return Infinity;
  });
  timer.watch(100);
  timer.watch(10);
  clock.advance(20);
  expect(sweeps).toBe(1);
  timer.watch(200);
  timer.stop();
  clock.advance(1_000);
  expect([sweeps, clock.active]).toEqual([1, 0]);
});

/** Connects two sockets. */
async function openSockets(): Promise<{ readonly near: Socket; readonly far: Socket } & AsyncDisposable> {
  const listener = createServer();
  const accepting = once(listener, "connection");
  const near = connect(await listenLoopback(listener), "127.0.0.1");
  const [far]: Socket[] = await accepting;
  if (!far) throw new Error("no connection");
  const dispose = async (): Promise<void> => {
    near.destroy();
    far.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { near, far, [Symbol.asyncDispose]: dispose };
}

test("data that has arrived while the process was busy is read before a timer that is due", async () => {
  await using sockets = await openSockets();
  const { near, far } = sockets;
  const order: string[] = [];
  far.on("data", () => order.push("data"));
  const fired = new Promise<void>((resolve) => {
    systemClock.after(20, () => {
      order.push("timer");
      resolve();
    });
  });
  near.write("response");
  block(60);
  await fired;
  expect(order).toEqual(["data", "timer"]);
});

test("data that is read can cancel a timer that is due", async () => {
  await using sockets = await openSockets();
  const { near, far } = sockets;
  let isFired = false;
  const cancel = systemClock.after(20, () => (isFired = true));
  far.on("data", () => cancel());
  near.write("response");
  block(60);
  await once(far, "data");
  await delay(20);
  expect(isFired).toBe(false);
});

describe("timers that are longer than those of the platform", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("a long timer fires once, when all of its time is over", async () => {
    const run = vi.fn();
    startTimer(longestTimer + 10, run);
    await vi.advanceTimersByTimeAsync(longestTimer + 9);
    expect(run).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(longestTimer);
    expect(run).toHaveBeenCalledOnce();
  });

  test("a timer without an end never fires, and is cancelled in any of its parts", async () => {
    const run = vi.fn();
    const cancel = startTimer(Infinity, run);
    await vi.advanceTimersByTimeAsync(3 * longestTimer);
    expect([run.mock.calls.length, vi.getTimerCount()]).toEqual([0, 1]);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a repeated function runs after each interval, until it is cancelled", async () => {
    const run = vi.fn();
    const cancel = repeat(10, run);
    await vi.advanceTimersByTimeAsync(35);
    expect(run).toHaveBeenCalledTimes(3);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([Infinity, 2 ** 31])("a signal after %d milliseconds is not aborted", (milliseconds) => {
  expect(timeoutSignal(milliseconds).aborted).toBe(false);
});

test("a signal after a part of a millisecond is aborted", async () => {
  const signal = timeoutSignal(0.5);
  if (!signal.aborted) await once(signal, "abort");
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});
