import { describeChange, readAccepted, reasons, review } from "../mutation/accepted.ts";
import { nameOf } from "../mutation/folders.ts";
import type { Outcome } from "../mutation/report.ts";
import { mutate } from "../mutation/stryker.ts";
import { atLeast, describeFigure, exactly, startRun, type CampaignResult, type PartOptions } from "./result.ts";

const goal = 85;

/** Mutates a folder, and reviews the mutants that no test detects. */
export async function run(options: PartOptions): Promise<CampaignResult> {
  const { folder } = options;
  if (folder === undefined) throw new Error("The folder is missing; give --folder");
  const { finish } = startRun(`mutation-${nameOf(folder)}`, options);
  const mutants = (await mutate(folder)).filter(({ outcome }) => outcome !== "unusable");
  const survivors = mutants.filter(({ outcome }) => outcome === "survived");
  const count = (wanted: Outcome): number => mutants.filter(({ outcome }) => outcome === wanted).length;
  const { counts, open, stale } = review(survivors, readAccepted(folder));
  const score = (100 * (mutants.length - survivors.length)) / mutants.length;
  return finish(
    [
      describeFigure("mutants", mutants.length, ""),
      describeFigure("detected by a test", count("detected"), ""),
      describeFigure("detected because the tests do not end", count("timeout"), ""),
      atLeast("detected in all", score, { limit: goal, unit: "%" }),
      ...[...counts].toSorted().map(([reason, found]) => describeFigure(`not detected: ${reasons[reason]}`, found, "")),
      exactly("not detected, without a reason", open.length, { limit: 0, unit: "" }),
    ],
    [...open.map(describeChange), ...stale.map((change) => `accepted, but detected or gone: ${change}`)],
  );
}
