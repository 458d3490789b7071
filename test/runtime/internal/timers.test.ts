import { expect, test } from "vitest";
import { DeadlineTimer } from "../../../runtime/internal/timers.ts";
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
