import { beforeAll, describe, expect, test } from "vitest";
import { listChanges, type SingleChange } from "../../drill/changes.ts";
import { readSeed } from "../../fuzz/fuzz.ts";
import { draw } from "../../kit/random.ts";
import { accepted, isFault, type Row } from "./faults.ts";
import { createJudge, type Judge } from "./judge.ts";

/*
 * The table of single changes to the newest revision: rows drawn by a seed, or the whole table with `SINGLE_CHANGES=all`. Not a unit test: each row
 * reads a revision.
 */

const seed = readSeed();
const isWhole = process.env["SINGLE_CHANGES"] === "all";
const drawn = isWhole ? "all rows" : `100 rows, FUZZ_SEED=${seed}`;

let judge: Judge;
let changes: readonly SingleChange[];

beforeAll(async () => {
  judge = await createJudge();
  changes = listChanges(judge.texts);
}, 120_000);

describe("each single change to a revision", () => {
  test(
    `each single change stops generation with its name, or is generated exactly (${drawn})`,
    { timeout: 1_200_000 },
    () => {
      expect(changes.length).toBeGreaterThan(800);
      const chosen = isWhole ? changes : draw(changes, { count: 100, seed });
      const faults = chosen.map((change): Row => ({ change, outcome: judge.judge(change) })).filter(isFault);
      expect(faults.map(({ change, outcome }) => [change.kind, change.subject, outcome])).toEqual([]);
    },
  );

  test("each listed row is in the table, and is needed", () => {
    const listed = accepted.flatMap(({ rows }) => rows);
    const found = changes.filter(({ kind, subject }) => listed.includes(`${kind}: ${subject}`));
    expect(found.map(({ kind, subject }) => `${kind}: ${subject}`).sort()).toEqual([...listed].sort());
    const unneeded = found.filter((change) => {
      const outcome = judge.judge(change);
      return outcome.kind === "exact" || (outcome.kind === "stops" && outcome.names);
    });
    expect(unneeded.map(({ kind, subject }) => `${kind}: ${subject}`)).toEqual([]);
  });
});
