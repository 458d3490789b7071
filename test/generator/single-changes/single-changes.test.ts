import { beforeAll, describe, expect, test } from "vitest";
import { listChanges } from "../../drill/changes.ts";
import { createJudge, type Judge } from "./judge.ts";
import { isFault } from "./faults.ts";

/* A sample of the table of single changes. The whole table is in `single-changes.program.test.ts`. */

let judge: Judge;

beforeAll(async () => {
  judge = await createJudge();
}, 120_000);

describe("a revision with one change", () => {
  test(
    "a revision with one change stops generation with its name, or is generated exactly",
    { timeout: 600_000 },
    () => {
      const changes = listChanges(judge.texts);
      const kinds = [...new Set(changes.map(({ kind }) => kind))];
      // The same changes in every run: some of each kind, from all parts of the schema.
      const sample = kinds.flatMap((kind) => {
        const own = changes.filter((change) => change.kind === kind);
        const step = Math.ceil(own.length / 5);
        return own.filter((_, at) => at % step === 0);
      });
      expect(kinds).toHaveLength(13);
      const faults = sample.map((change) => ({ change, outcome: judge.judge(change) })).filter(isFault);
      expect(faults.map(({ change, outcome }) => [change.kind, change.subject, outcome])).toEqual([]);
    },
  );
});
