import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { inTime } from "../kit/time.ts";
import { passTurns, replaceWait } from "./delays.ts";

/** What runs, and what interrupts it. */
export interface Scenario<Rig, Result = unknown> {
  /** Prepares a run. Its steps do not count. */
  open(): Promise<Rig>;
  run(rig: Rig): Promise<Result>;
  /** Happens while a step of the run waits. */
  interrupt(rig: Rig): unknown;
  /** Checks what is left, and ends it. The last run has no interruption. */
  check(rig: Rig, outcome: PromiseSettledResult<Result>, isInterrupted: boolean): Promise<void>;
}

/**
 * Runs a scenario once for each of its steps, the waits of delayed stores and transports. The interruption happens while the step waits. Returns the
 * number of steps.
 */
export async function interruptEachStep<Rig, Result>(scenario: Scenario<Rig, Result>): Promise<number> {
  for (let at = 1; ; at += 1) if (!(await interruptStep(scenario, at))) return at - 1;
}

/** Returns `false` if the scenario has fewer steps. */
async function interruptStep<Rig, Result>(scenario: Scenario<Rig, Result>, at: number): Promise<boolean> {
  const rig = await scenario.open();
  let steps = 0;
  let interruption: Promise<unknown> | undefined;
  const restore = replaceWait(async () => {
    steps += 1;
    if (steps !== at) return passTurns(1);
    interruption = Promise.resolve(scenario.interrupt(rig));
    await passTurns(12);
  });
  try {
    const [outcome] = await inTime(Promise.allSettled([scenario.run(rig)]), "the scenario");
    if (!interruption) steps = Infinity;
    await inTime(Promise.resolve(interruption), "the interruption");
    await inTime(scenario.check(rig, outcome, interruption !== undefined), "the check");
  } catch (error) {
    throw new Error(`Interrupted at step ${at}, the scenario failed`, { cause: error });
  } finally {
    restore();
  }
  return interruption !== undefined;
}

/** Waits until a value is as expected: a test of many steps has no time for intervals. */
export async function waitFor(read: () => unknown, expected: unknown): Promise<void> {
  for (const end = performance.now() + 20_000; !isDeepStrictEqual(read(), expected) && performance.now() < end;)
    await passTurns(1);
  expect(read()).toEqual(expected);
}
