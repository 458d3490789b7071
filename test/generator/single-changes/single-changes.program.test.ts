import { beforeAll, describe, expect, test } from "vitest";
import { listChanges, type SingleChange } from "../../drill/changes.ts";
import { accepted, isFault, type Row } from "./faults.ts";
import { createJudge, type Judge } from "./judge.ts";

/* The table of single changes to the newest revision. Not a unit test: it reads a revision a thousand times. */

let judge: Judge;
let changes: readonly SingleChange[];

beforeAll(async () => {
  judge = await createJudge();
  changes = listChanges(judge.texts);
}, 120_000);

describe("each single change to a revision", () => {
  test("each single change stops generation with its name, or is generated exactly", { timeout: 1_200_000 }, () => {
    const rows = changes.map((change): Row => ({ change, outcome: judge.judge(change) }));
    expect(rows.length).toBeGreaterThan(800);
    const faults = rows.filter(isFault);
    expect(faults.map(({ change, outcome }) => [change.kind, change.subject, outcome])).toEqual([]);
  });

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
