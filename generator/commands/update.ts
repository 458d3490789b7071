import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { chooseRevisions, readCatalogue } from "../create/catalogue.ts";
import { emitOwnLayer } from "../create/emit-layer.ts";
import { findSpec, toSpecPath, withPackageFolder } from "../create/package-folder.ts";
import { compareTree, driftText } from "../emit/tree.ts";
import { packageRoot, packageVersion } from "../package-info.ts";
import { openSpecFolder } from "../read/spec-folder.ts";
import { describeChoices, isLess, toChoices, type Wish } from "../update/choices.ts";
import type { Replacement } from "../update/compiler.ts";
import { readInstalledLayer, type InstalledLayer } from "../update/installed-layer.ts";
import { previousName, replaceLayer, restoreLayer } from "../update/replace-layer.ts";
import { findPlacesToChange } from "../update/misfits.ts";
import { requireProject } from "../update/project.ts";
import { renameRevisions } from "../update/named-revisions.ts";
import {
  moduleName,
  readModule,
  readModuleRevisions,
  rewriteModule,
  toModuleLines,
  toReplacement,
} from "../update/package-module.ts";
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
  const module = await readModule(project);
  if (module !== undefined) return updateModule(project, module, options);
  if (options.undo) return undo(project);
  const layer = await readInstalledLayer(project);
  const spec = findSpec(options.spec, { project, choices: layer.choices });
  return withPackageFolder(spec, (packageFolder) => updateLayer(options, { project, layer, spec, packageFolder }));
}

async function undo(project: string): Promise<number> {
  const from = await readRevisions(project);
  await restoreLayer(project, join(project, "src", "mcp"));
  console.log("src/mcp is what it was before the last update. The same command brings the update back.");
  const change = { from, to: await readRevisions(project), catalogue: readCatalogue(packageRoot), dryRun: false };
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
  readonly packageFolder: string;
}

async function updateLayer(
  options: UpdateCommandOptions,
  { project, layer, spec, packageFolder }: Surroundings,
): Promise<number> {
  const catalogue = readCatalogue(packageFolder);
  const { spec: _old, ...old } = layer.choices;
  const next = toChoices(old, options, catalogue);
  const { revisions: wanted, offers } = next;
  const origin = spec === undefined ? {} : { spec: toSpecPath(spec, project) };
  const tree = emitOwnLayer({ ...next, ...origin }, packageFolder);
  const drifts = await compareTree(layer.folder, tree);
  if (options.check) return reportDrift(drifts.map(driftText));
  if (drifts.length === 0) {
    console.log(
      `src/mcp is up to date: version ${packageVersion()}, revisions ${wanted.join(", ")}, ${offers.join(", ")}.`,
    );
    return 0;
  }
  console.log(`From version ${layer.generator}, revisions ${layer.choices.revisions.join(", ")}`);
  console.log(`to version ${packageVersion()}, revisions ${wanted.join(", ")}.`);
  for (const line of describeChoices(old, next)) console.log(line);
  const [[older = ""], [newer = ""]] = [old.revisions, wanted];
  const replacement = { place: layer.folder, texts: tree };
  await tellChanges(project, { older, newer, isLess: isLess(old, next), layer: replacement, packageFolder });
  if (!options.force) rejectEdited(layer);
  const { dryRun } = options;
  if (!dryRun) await replaceLayer(project, layer.folder, tree);
  const told = await renameRevisions(project, { from: layer.choices.revisions, to: wanted, catalogue, dryRun });
  for (const line of told) console.log(line);
  const count = countText(drifts.length, "file");
  const kept = relative(project, join(project, previousName));
  console.log(
    dryRun
      ? `src/mcp: ${count} would be written or removed; nothing was.`
      : `src/mcp: ${count} written or removed; the layer before is in ${kept} (take it back: update --undo).`,
  );
  return 0;
}

/** Updates a project that depends on this package. Only its choice of revisions is its own, in one module. */
async function updateModule(project: string, text: string, options: UpdateCommandOptions): Promise<number> {
  const { protocol, dryRun } = options;
  if (options.spec !== undefined && options.spec !== false)
    throw new UserError("--spec: the package has revisions of its own, and this project depends on it. Leave it out.");
  if (options.serve !== undefined)
    throw new UserError("--serve: the package can serve everything, and this project depends on it. Leave it out.");
  if (options.transport !== undefined || options.client !== undefined)
    throw new UserError(
      `${options.client === undefined ? "--transport" : "--client"}: the package has all of it, and this project depends on it. ` +
        `Export from ${moduleName} what you need of create-mcp-server/runtime.`,
    );
  if (protocol === undefined || options.check || options.undo)
    throw new UserError(
      `${project} takes its protocol layer from the package create-mcp-server: install the version of it that you want. ` +
        `Its revisions are in ${moduleName}: --protocol changes them, and version control brings them back.`,
    );
  const catalogue = readCatalogue(packageRoot);
  const wanted = chooseRevisions(protocol, catalogue);
  const spoken = readModuleRevisions(text);
  const lines = toModuleLines(wanted);
  const next = rewriteModule(text, wanted);
  if (next === undefined)
    throw new UserError(
      [
        `${moduleName} is not as it was written. These lines belong in it, in the place of those that name revisions:`,
        lines.imports,
        lines.types,
        lines.list,
      ].join("\n"),
    );
  if (next === text) {
    console.log(`${moduleName} is up to date: revisions ${wanted.join(", ")}.`);
    return 0;
  }
  console.log(`From revisions ${spoken.join(", ")}\nto revisions ${wanted.join(", ")}.`);
  const [[older = ""], [newer = ""]] = [spoken, wanted];
  await tellChanges(project, {
    older,
    newer,
    isLess: false,
    layer: toReplacement(project, next),
    packageFolder: packageRoot,
  });
  if (!dryRun) await writeFile(join(project, moduleName), next);
  for (const line of await renameRevisions(project, { from: spoken, to: wanted, catalogue, dryRun })) console.log(line);
  console.log(dryRun ? `${moduleName} would be written; it was not.` : `${moduleName} is written.`);
  return 0;
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
    console.log("src/mcp is as create-mcp-server writes it.");
    return 0;
  }
  const differ = lines.length === 1 ? "differs" : "differ";
  console.error(`${countText(lines.length, "file")} in src/mcp ${differ}. Run the same command without --check.`);
  return 1;
}

interface Change {
  readonly older: string;
  readonly newer: string;
  /** True if the project will offer less than before. */
  readonly isLess: boolean;
  readonly layer: Replacement;
  readonly packageFolder: string;
}

/** Lists the effects of an update on the project's own code, before anything is written. */
async function tellChanges(project: string, { older, newer, isLess, layer, packageFolder }: Change): Promise<void> {
  if (older === newer && !isLess) return;
  const spec = await openSpecFolder(join(packageFolder, "spec"));
  if (!spec.pins.has(older)) return;
  if (process.stderr.isTTY) console.error("Reading your code ...");
  const moved = older === newer ? [] : findMovedNames(await spec.readModel(older), await spec.readModel(newer));
  const { places, isCompiled } = await findPlacesToChange(project, { moved, layer });
  if (!isCompiled) warnUncompiled();
  for (const { file, line, reason } of places) console.log(`${file}:${line}: ${reason}`);
  const differs = older === newer ? "" : `; all that differs: create-mcp-server diff ${older} ${newer}`;
  console.log(`${countText(places.length, "place")} in your code to change for ${newer}${differs}`);
}
