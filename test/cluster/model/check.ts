import fc from "fast-check";
import type { Mutant } from "./mutants.ts";
import { callScenarios, listenerScenarios, runCall, runListener, type Scenario } from "./schedule.ts";

/** Seed of all schedules: `--seed` of `npm run test:scale`, or another each time. */
export const seed: number = Number(process.env["SCALE_SEED"] ?? Date.now() % 2 ** 31);

/** Kinds of runs, with their scenarios. */
export const kinds: readonly Kind[] = [
  { name: "calls", scenarios: callScenarios, run: runCall },
  { name: "listeners", scenarios: listenerScenarios, run: runListener },
];

export interface Kind {
  readonly name: string;
  readonly scenarios: fc.Arbitrary<Scenario>;
  readonly run: typeof runCall;
}

export interface CheckOptions {
  readonly schedules: number;
  readonly mutant?: Mutant;
}

/** Runs schedules until one breaks a rule. Returns a report with the seed, the schedule and the rules, if there is one. */
export async function findViolation({ scenarios, run }: Kind, options: CheckOptions): Promise<string | undefined> {
  const { schedules, mutant } = options;
  const property = fc.asyncProperty(scenarios, fc.scheduler(), async (scenario, scheduler) => {
    const violations = await run(scenario, scheduler, mutant);
    if (violations.length > 0) throw new Error(violations.join("\n"));
  });
  const details = await fc.check(property, { numRuns: schedules, seed, endOnFailure: mutant !== undefined });
  const report = await fc.asyncDefaultReportMessage(details);
  return report && `${report}\n${String(details.errorInstance)}`;
}
