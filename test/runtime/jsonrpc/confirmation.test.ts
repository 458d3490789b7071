import { expect, test } from "vitest";
import { createConfirmation } from "../../../runtime/jsonrpc/confirmation.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const waiting = Symbol("waiting");
  return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting;
}

test("a confirmation resolves when it is given, and its timer is stopped", async () => {
  const clock = new ManualClock();
  const { promise, resolve } = createConfirmation(clock, 5_000);
  expect([await isSettled(promise), clock.active]).toEqual([false, 1]);
  resolve();
  expect([await isSettled(promise), clock.active]).toEqual([true, 0]);
});

test("a confirmation resolves without one when its time is over", async () => {
  const clock = new ManualClock();
  const { promise } = createConfirmation(clock, 5_000);
  clock.advance(4_999);
  expect(await isSettled(promise)).toBe(false);
  clock.advance(1);
  expect(await isSettled(promise)).toBe(true);
});
