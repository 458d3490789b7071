import { describeChange, readAccepted, withoutAccepted } from "../mutation/accepted.ts";
import { folderOf, mutatedFolders } from "../mutation/folders.ts";
import { createAwaitFinder, listMutants, type ListedMutant } from "../mutation/list.ts";
import type { Mutant } from "../mutation/report.ts";
import { mutate } from "../mutation/stryker.ts";
import { draw } from "../kit/random.ts";
import { atLeast, describeFigure, startRun, type CampaignResult, type PartOptions } from "./result.ts";

const goal = 95;

/** Draws single edits of all folders, half of them in functions with `await`, and runs the tests of its folder against each. */
export async function run(options: PartOptions): Promise<CampaignResult> {
  const { count = 40, seed } = options;
  const { finish } = startRun("edits", options);
  const edits = await drawEdits({ count, seed });
  const found: Mutant[] = [];
  for (const folder of Object.keys(mutatedFolders)) {
    const ofFolder = edits.filter(({ file }) => folderOf(file) === folder);
    if (ofFolder.length > 0) found.push(...(await mutate(folder, ofFolder)));
  }
  const missed = found.filter(({ outcome }) => outcome === "survived");
  const caught = found.filter(({ outcome }) => outcome === "detected" || outcome === "timeout");
  return finish(
    [
      describeFigure("edits", edits.length, ""),
      atLeast("caught", (100 * caught.length) / edits.length, { limit: goal, unit: "%" }),
    ],
    missed.map(describeChange),
  );
}

/** Draws edits, and prints them before one runs. Accepted mutants are not wrong. */
async function drawEdits({ count, seed }: { count: number; seed: number }): Promise<readonly ListedMutant[]> {
  const listed = await Promise.all(
    Object.keys(mutatedFolders).map(async (folder) => withoutAccepted(await listMutants(folder), readAccepted(folder))),
  );
  const shuffled = draw(listed.flat(), { count: Infinity, seed });
  const awaits = createAwaitFinder();
  const half = Math.ceil(count / 2);
  const drawn = [takeWhere(shuffled, awaits, half), takeWhere(shuffled, (edit) => !awaits(edit), count - half)];
  console.log(drawn.map((edits) => edits.map(describeChange).join("\n")).join("\n\n"));
  return drawn.flat();
}

function takeWhere<Item>(items: readonly Item[], fits: (item: Item) => boolean, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length === count) break;
    if (fits(item)) taken.push(item);
  }
  return taken;
}
