import { inTime } from "../in-time.ts";
import { passTurns, replaceWait } from "./delays.ts";

/** What runs, and what interrupts it. */
export interface Scenario<Rig> {
  /** Prepares a run. Its steps do not count. */
  open(): Promise<Rig>;
  run(rig: Rig): Promise<unknown>;
  /** Happens while a step waits. */
  interrupt(rig: Rig): unknown;
  /** Checks what is left, and ends it. */
  check(rig: Rig, outcome: PromiseSettledResult<unknown>): Promise<void>;
}

/**
 * Runs a scenario once for each of its steps, the waits of delayed stores and transports. The interruption happens while the step waits. Returns the
 * number of steps.
 */
export async function interruptEachStep<Rig>(scenario: Scenario<Rig>): Promise<number> {
  for (let at = 1; ; at += 1) if (!(await interruptStep(scenario, at))) return at - 1;
}

/** Returns `false` if the scenario has fewer steps. */
async function interruptStep<Rig>(scenario: Scenario<Rig>, at: number): Promise<boolean> {
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
    await inTime(Promise.resolve(interruption), "the interruption");
    await inTime(scenario.check(rig, outcome), "the check");
  } catch (error) {
    throw new Error(`Interrupted at step ${at}, the scenario failed`, { cause: error });
  } finally {
    restore();
  }
  return interruption !== undefined;
}
