import { resolve } from "node:path";
import { countText } from "../count-text.ts";
import { chooseRevisions, toCatalogue } from "../create/catalogue.ts";
import { emitLayer } from "../create/layer/emit-layer.ts";
import { findSpec } from "../create/spec-choice.ts";
import { readSpecModels } from "../spec-models.ts";
import { readInstalledLayer } from "../update/installed-layer.ts";
import { requireProject } from "../update/project.ts";
import { applyRewrites, findRenames, planRewrites } from "../update/rename.ts";
import { findPlacesToChange } from "../update/misfits.ts";
import { findMovedNames } from "../update/use.ts";
import { UserError } from "../user-error.ts";
import { reportProblem, warnUncompiled } from "./report.ts";

/** Options of `create-mcp-server upgrade-assist`. */
export interface UpgradeAssistOptions {
  /** Folder of the project. */
  readonly directory: string;
  /** Revisions as for `update`. The code is prepared for the newest of them. */
  readonly protocol: string;
  /** Spec folder with these revisions; `false`: the one of this package. Default: the one that the layer was generated from. */
  readonly spec?: string | false;
  /** Write nothing; list the rewrites. */
  readonly dryRun: boolean;
}

/** `create-mcp-server upgrade-assist`: makes the mechanical changes and lists the remaining ones. Returns the exit code. */
export async function runUpgradeAssist(options: UpgradeAssistOptions): Promise<number> {
  try {
    await assist(options);
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

async function assist({ directory, protocol, spec: named, dryRun }: UpgradeAssistOptions): Promise<void> {
  const project = resolve(directory);
  requireProject(project);
  const { choices, folder } = await readInstalledLayer(project);
  const spec = await readSpecModels(findSpec(named, { project, choices }));
  const revisions = chooseRevisions(protocol, toCatalogue(spec.models));
  const [[older = ""], [newer = ""]] = [choices.revisions, revisions];
  const before = spec.models.find(({ id }) => id === older);
  const after = spec.models.find(({ id }) => id === newer);
  if (!before || !after)
    throw new UserError(`the project speaks ${older}, which this version does not know; use the version that made it`);
  const renames = findRenames(before, after);
  const rewrites = await planRewrites(project, { renames, revisions: { from: older, to: newer } });
  const isRenamed = new Set(renames.map(({ from }) => from));
  const moved = findMovedNames(before, after).filter(({ what, name }) => what !== "type" || !isRenamed.has(name));
  if (!dryRun) await applyRewrites(project, rewrites);
  const settled = rewrites.flatMap(({ file, places }) => places.map(({ line }) => ({ file, line })));
  const layer = { place: folder, texts: await emitLayer({ ...choices, revisions }, spec) };
  const { places: left, isCompiled } = await findPlacesToChange(project, { moved, layer, settled });
  if (!isCompiled) warnUncompiled();
  for (const { file, places } of rewrites)
    for (const { line, from, to } of places) console.log(`${file}:${line}: ${from} is ${to}`);
  for (const { file, line, reason } of left) console.log(`${file}:${line}: by hand: ${reason}`);
  const places = rewrites.reduce((sum, rewrite) => sum + rewrite.places.length, 0);
  const done = dryRun ? "would be rewritten; nothing was" : "rewritten";
  console.log(
    `From ${older} to ${newer}: ${countText(places, "place")} in ${countText(rewrites.length, "file")} ${done}; left to you: ${left.length}.`,
  );
  console.log(`Next: create-mcp-server update --protocol ${protocol}`);
}
