import { join, relative, resolve } from "node:path";
import { toCatalogue } from "../create/catalogue.ts";
import { emitLayer } from "../create/layer/emit-layer.ts";
import { vendorFolder } from "../create/runtime-package.ts";
import { findSpec, toSpecPath } from "../create/spec-choice.ts";
import { compareTree, driftText } from "../emit/tree.ts";
import type { RevisionModel } from "../model.ts";
import { packageVersion } from "../package-info.ts";
import { readSpecModels, type SpecModels } from "../spec-models.ts";
import { describeChoices, isLess, toChoices, type Wish } from "../update/choices.ts";
import type { Replacement } from "../update/compiler.ts";
import { readInstalledLayer, type InstalledLayer } from "../update/installed-layer.ts";
import { previousName, replaceLayer, restoreLayer } from "../update/replace-layer.ts";
import { findPlacesToChange } from "../update/misfits.ts";
import { requireProject } from "../update/project.ts";
import { readVendoredRuntime, replaceVendoredRuntime, type VendoredRuntime } from "../update/vendored-runtime.ts";
import { renameRevisions } from "../update/named-revisions.ts";
import { findMovedNames } from "../update/use.ts";
import { countText } from "../count-text.ts";
import { UserError } from "../user-error.ts";
import { reportProblem, warnUncompiled } from "./report.ts";

/** Options of `create-mcp-server update`. */
export interface UpdateCommandOptions extends Wish {
  /** Folder of the project. */
  readonly directory: string;
  /** Spec folder with these revisions; `false`: the one of this package. Default: the one that the layer was generated from. */
  readonly spec?: string | false;
  /** Write nothing; list the differences. */
  readonly check: boolean;
  /** Write nothing; report the changes that an update would make. */
  readonly dryRun: boolean;
  /** Overwrite files that were edited by hand. */
  readonly force: boolean;
  /** Restore the layer that the last update replaced. */
  readonly undo: boolean;
}

/** `create-mcp-server update`: regenerates `src/mcp/`. Returns the exit code. */
export async function runUpdate(options: UpdateCommandOptions): Promise<number> {
  try {
    return await update(options);
  } catch (error) {
    return reportProblem(error);
  }
}

async function update(options: UpdateCommandOptions): Promise<number> {
  rejectContradictions(options);
  const project = resolve(options.directory);
  // An undo works even if the layer itself is missing.
  if (!options.undo) requireProject(project);
  if (options.undo) return undo(project);
  const layer = await readInstalledLayer(project);
  const spec = findSpec(options.spec, { project, choices: layer.choices });
  return updateLayer(options, { project, layer, spec, models: await readSpecModels(spec) });
}

async function undo(project: string): Promise<number> {
  const from = await readRevisions(project);
  await restoreLayer(project, join(project, "src", "mcp"));
  console.log("src/mcp is what it was before the last update. The same command brings the update back.");
  const change = {
    from,
    to: await readRevisions(project),
    catalogue: toCatalogue((await readSpecModels()).models),
    dryRun: false,
  };
  for (const line of await renameRevisions(project, change)) console.log(line);
  return 0;
}

/** Returns the revisions of the layer, or an empty list if it cannot be read: restoring the layer matters more. */
async function readRevisions(project: string): Promise<readonly string[]> {
  const layer = await readInstalledLayer(project).catch(() => undefined);
  return layer?.choices.revisions ?? [];
}

interface Surroundings {
  readonly project: string;
  readonly layer: InstalledLayer;
  readonly spec: string | undefined;
  readonly models: SpecModels;
}

async function updateLayer(options: UpdateCommandOptions, surroundings: Surroundings): Promise<number> {
  const { project, layer, spec, models } = surroundings;
  const catalogue = toCatalogue(models.models);
  const { spec: _old, ...old } = layer.choices;
  const next = toChoices(old, options, catalogue);
  const origin = spec === undefined ? {} : { spec: toSpecPath(spec, project) };
  const tree = await emitLayer({ ...next, ...origin }, models);
  const drifts = await compareTree(layer.folder, tree);
  const vendored = await readVendoredRuntime(project);
  if (options.check) return reportDrift([...drifts, ...(vendored?.drifts ?? [])].map(driftText));
  if (vendored && vendored.drifts.length > 0) await updateRuntime(project, vendored, options);
  if (drifts.length === 0) {
    console.log(`src/mcp is up to date: revisions ${next.revisions.join(", ")}, ${next.features.join(", ")}.`);
    return 0;
  }
  console.log(`From version ${layer.generator}, revisions ${old.revisions.join(", ")}`);
  console.log(`to version ${packageVersion()}, revisions ${next.revisions.join(", ")}.`);
  for (const line of describeChoices(old, next)) console.log(line);
  const [[older = ""], [newer = ""]] = [old.revisions, next.revisions];
  const replacement = { place: layer.folder, texts: tree };
  await reportPlaces(project, { older, newer, isLess: isLess(old, next), layer: replacement, models: models.models });
  if (!options.force) rejectEdited(layer);
  const { dryRun } = options;
  if (!dryRun) await replaceLayer(project, layer.folder, tree);
  const renamed = await renameRevisions(project, { from: old.revisions, to: next.revisions, catalogue, dryRun });
  for (const line of renamed) console.log(line);
  const count = countText(drifts.length, "file");
  const kept = relative(project, join(project, previousName));
  console.log(
    dryRun
      ? `src/mcp: ${count} would be written or removed; nothing was.`
      : `src/mcp: ${count} written or removed; the previous files are in ${kept} (restore them: update --undo).`,
  );
  return 0;
}

async function updateRuntime(
  project: string,
  vendored: VendoredRuntime,
  { dryRun }: UpdateCommandOptions,
): Promise<void> {
  if (!dryRun) await replaceVendoredRuntime(project, vendored);
  const count = countText(vendored.drifts.length, "file");
  console.log(
    `${vendorFolder}: ${count} ${dryRun ? "would be written or removed; nothing was." : "written or removed."}`,
  );
}

/** Rejects contradicting options. Each of them selects another action, and no precedence among them would be obvious. */
function rejectContradictions({ check, dryRun, undo, force }: UpdateCommandOptions): void {
  const chosen = [check && "--check", dryRun && "--dry-run", undo && "--undo", force && "--force"].filter(Boolean);
  if (chosen.length > 1) throw new UserError(`${chosen.join(" and ")}: choose one of them.`);
}

function rejectEdited({ edited }: InstalledLayer): void {
  if (edited.length === 0) return;
  throw new UserError(
    `edited by hand in src/mcp: ${edited.slice(0, 10).join(", ")}. Take the changes elsewhere, or give --force: they are kept in ${previousName}.`,
  );
}

function reportDrift(lines: readonly string[]): number {
  for (const line of lines) console.log(line);
  if (lines.length === 0) {
    console.log("All generated files are up to date.");
    return 0;
  }
  const differ = lines.length === 1 ? "differs" : "differ";
  console.error(`${countText(lines.length, "generated file")} ${differ}. Run the same command without --check.`);
  return 1;
}

interface Change {
  readonly older: string;
  readonly newer: string;
  /** True if the project will offer less than before. */
  readonly isLess: boolean;
  readonly layer: Replacement;
  readonly models: readonly RevisionModel[];
}

/** Lists the effects of an update on the project's own code, before anything is written. */
async function reportPlaces(project: string, { older, newer, isLess, layer, models }: Change): Promise<void> {
  if (older === newer && !isLess) return;
  const before = models.find(({ id }) => id === older);
  const after = models.find(({ id }) => id === newer);
  if (!before || !after) return;
  if (process.stderr.isTTY) console.error("Reading your code ...");
  const moved = older === newer ? [] : findMovedNames(before, after);
  const { places, isCompiled } = await findPlacesToChange(project, { moved, layer });
  if (!isCompiled) warnUncompiled();
  for (const { file, line, reason } of places) console.log(`${file}:${line}: ${reason}`);
  const differs = older === newer ? "" : `; all that differs: create-mcp-server diff ${older} ${newer}`;
  console.log(`${countText(places.length, "place")} in your code to change for ${newer}${differs}`);
}
