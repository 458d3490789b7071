import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { DeadlineTimer, systemClock } from "../../../runtime/internal/timers.ts";
import { block } from "../../block.ts";
import { listenLoopback } from "../../fuzz/loopback.ts";
import { ManualClock } from "../manual-clock.ts";

test("one timer serves any number of deadlines, and later ones do not restart it", () => {
  const clock = new ManualClock();
  const deadlines = new Set([50, 60, 70]);
  const due: number[] = [];
  const sweeper = new DeadlineTimer(clock, (now) => {
    for (const deadline of deadlines) if (deadline <= now && deadlines.delete(deadline)) due.push(deadline);
    return Math.min(...deadlines);
  });
  for (const deadline of deadlines) sweeper.watch(deadline);
  expect(clock.started).toBe(1);
  clock.advance(100);
  expect(due).toEqual([50, 60, 70]);
  expect(clock.active).toBe(0);
});

test("an earlier deadline moves the timer, stopping removes it", () => {
  const clock = new ManualClock();
  let sweeps = 0;
  const sweeper = new DeadlineTimer(clock, () => {
    sweeps += 1;
    return Infinity;
  });
  sweeper.watch(100);
  sweeper.watch(10);
  clock.advance(20);
  expect(sweeps).toBe(1);
  sweeper.watch(200);
  sweeper.stop();
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
