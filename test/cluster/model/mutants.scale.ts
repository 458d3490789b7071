import { describe, expect, test } from "vitest";
import { findViolation, kinds, seed } from "./check.ts";
import { mutants, type Mutant } from "./mutants.ts";

/* The test of the test: each fault that is built into the model breaks a rule. */

const schedules = 20_000;

async function findMutant(mutant: Mutant): Promise<string | undefined> {
  for (const kind of kinds) {
    const violation = await findViolation(kind, { schedules, mutant });
    if (violation !== undefined) return violation;
  }
  return undefined;
}

describe(`a model with a fault (seed ${seed})`, () => {
  test.each(mutants)("%s: a schedule breaks a rule", async (mutant) => {
    expect(await findMutant(mutant)).toMatch(/\bE[1-5]: /);
  });
});
