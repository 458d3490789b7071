import { describeChange, readAccepted, reasons, review } from "../mutation/accepted.ts";
import { nameOf } from "../mutation/folders.ts";
import { listMutants } from "../mutation/list.ts";
import type { Outcome } from "../mutation/report.ts";
import { mutate } from "../mutation/stryker.ts";
import { draw } from "../kit/random.ts";
import { atLeast, describeFigure, exactly, startRun, type CampaignResult, type PartOptions } from "./result.ts";

const goal = 85;

/** Mutates a folder, and reviews the mutants that no test detects. With a count, so many mutants are drawn. */
export async function run(options: PartOptions): Promise<CampaignResult> {
  const { folder, count: size, seed } = options;
  if (folder === undefined) throw new Error("The folder is missing; give --folder");
  const { finish } = startRun(`mutation-${nameOf(folder)}`, options);
  const all = await listMutants(folder);
  const drawn = size === undefined ? undefined : draw(all, { count: size, seed });
  const found = await mutate(folder, drawn);
  const { counts, open, stale } = review(found, readAccepted(folder));
  const count = (wanted: Outcome): number => found.filter(({ outcome }) => outcome === wanted).length;
  const [detected, endless, survived] = [count("detected"), count("timeout"), count("survived")];
  const tested = detected + endless + survived;
  return finish(
    [
      ...(drawn ? [describeFigure("mutants of the folder", all.length, "")] : []),
      describeFigure(drawn ? "drawn mutants" : "mutants", tested, ""),
      describeFigure("detected by a test", detected, ""),
      describeFigure("detected because the tests do not end", endless, ""),
      atLeast("detected in all", (100 * (detected + endless)) / tested, { limit: goal, unit: "%" }),
      ...[...counts].toSorted().map(([reason, times]) => describeFigure(`not detected: ${reasons[reason]}`, times, "")),
      exactly("not detected, without a reason", open.length, { limit: 0, unit: "" }),
    ],
    [...open.map(describeChange), ...stale.map((change) => `accepted, but detected or gone: ${change}`)],
  );
}
