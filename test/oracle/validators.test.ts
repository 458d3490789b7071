import { afterAll, describe, expect, it } from "vitest";
import { createJudges, createTally, judge, type Tally } from "./agreement.ts";
import { makeCases } from "./corpus.ts";
import { mutate } from "./mutations.ts";
import { readExamples } from "./official.ts";
import { createRandom } from "../kit/random.ts";
import { readBareModel, revisions } from "./revisions.ts";

const size = { values: 12, mutants: 40 };
const mutantsPerExample = 100;

const total = createTally();

describe.each(revisions)("checks of %s and ajv on the official schema.json", (revision) => {
  it("checks agree with ajv on every generated value and mutant; faithful checks differ only by the named quirks", async () => {
    const judges = await createJudges(revision);
    const tally = createTally();
    for (const { declaration, value, isMade } of makeCases(revision, readBareModel(revision), size)) {
      if (isMade) expect(judges.faithful.get(declaration)?.(value), JSON.stringify(value)).toBeUndefined();
      judge(judges, declaration, value, tally);
    }
    conclude(revision, tally);
  });
});

it("checks agree with ajv on the official examples and their mutants", async () => {
  const revision = "2026-07-28";
  const judges = await createJudges(revision);
  const random = createRandom(129);
  const examples = readExamples(revision);
  const tally = createTally();
  for (const { declaration, text } of examples) {
    const value: unknown = JSON.parse(text);
    judge(judges, declaration, value, tally);
    for (let at = 0; at < mutantsPerExample; at++) judge(judges, declaration, mutate(value, random).value, tally);
  }
  expect(examples).toHaveLength(129);
  conclude("examples", tally);
});

afterAll(() => {
  console.log(`all: ${summary(total)}`);
  expect(total.cases).toBeGreaterThanOrEqual(100_000);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

function conclude(title: string, tally: Tally): void {
  total.cases += tally.cases;
  total.accepted += tally.accepted;
  for (const [reason, count] of tally.explained)
    total.explained.set(reason, (total.explained.get(reason) ?? 0) + count);
  console.log(`${title}: ${summary(tally)}`);
  expect(tally.disagreements.slice(0, 10)).toEqual([]);
  expect(tally.unexplained.slice(0, 10)).toEqual([]);
}

function summary({ cases, accepted, disagreements, explained }: Tally): string {
  const agreement = (100 * (1 - disagreements.length / cases)).toFixed(2);
  const quirks = [...explained].map(([reason, count]) => `${count} ${reason}`).join(", ");
  return `${cases} cases (${accepted} valid), compat agreement ${agreement} %; faithful differs in: ${quirks}`;
}
