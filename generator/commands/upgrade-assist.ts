import { join, resolve } from "node:path";
import { countText } from "../count-text.ts";
import { chooseRevisions, readCatalogue } from "../create/catalogue.ts";
import { emitOwnLayer } from "../create/emit-layer.ts";
import { findSpec, withPackageFolder } from "../create/package-folder.ts";
import { packageRoot } from "../package-info.ts";
import { openSpecFolder } from "../read/spec-folder.ts";
import { readInstalledLayer, readNewestRevision } from "../update/installed-layer.ts";
import type { Replacement } from "../update/compiler.ts";
import { requireProject } from "../update/project.ts";
import { readModule, rewriteModule, toReplacement } from "../update/package-module.ts";
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

async function assist(options: UpgradeAssistOptions): Promise<void> {
  const project = resolve(options.directory);
  requireProject(project);
  const module = await readModule(project);
  if (module !== undefined) {
    const emit = (revisions: readonly string[]): Replacement =>
      toReplacement(project, rewriteModule(module, revisions) ?? module);
    return assistWith(options, { project, packageFolder: packageRoot, emit });
  }
  const { choices, folder } = await readInstalledLayer(project);
  await withPackageFolder(findSpec(options.spec, { project, choices }), (packageFolder) => {
    const emit = (revisions: readonly string[]): Replacement => ({
      place: folder,
      texts: emitOwnLayer({ ...choices, revisions }, packageFolder),
    });
    return assistWith(options, { project, packageFolder, emit });
  });
}

interface Surroundings {
  readonly project: string;
  readonly packageFolder: string;
  /** Emits the layer of these revisions. If it is a dependency, its types change with the imports from it. */
  readonly emit: (revisions: readonly string[]) => Replacement;
}

async function assistWith(
  { protocol, dryRun }: UpgradeAssistOptions,
  { project, packageFolder, emit }: Surroundings,
): Promise<void> {
  const older = await readNewestRevision(project);
  const wanted = chooseRevisions(protocol, readCatalogue(packageFolder));
  const [newer = ""] = wanted;
  const spec = await openSpecFolder(join(packageFolder, "spec"));
  if (!spec.pins.has(older))
    throw new UserError(`the project speaks ${older}, which this version does not know. Use the version that made it.`);
  const [before, after] = [await spec.readModel(older), await spec.readModel(newer)];
  const renames = findRenames(before, after);
  const rewrites = await planRewrites(project, { renames, revisions: { from: older, to: newer } });
  const isRenamed = new Set(renames.map(({ from }) => from));
  const moved = findMovedNames(before, after).filter(({ what, name }) => what !== "type" || !isRenamed.has(name));
  if (!dryRun) await applyRewrites(project, rewrites);
  const settled = rewrites.flatMap(({ file, places }) => places.map(({ line }) => ({ file, line })));
  const { places: left, isCompiled } = await findPlacesToChange(project, { moved, layer: emit(wanted), settled });
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
