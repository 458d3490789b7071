import { join, relative, resolve } from "node:path";
import { toCatalogue, findSpec } from "../../generator/scaffold/layer/catalogue.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { findOwnExtensions } from "../../generator/scaffold/layer/extension-files.ts";
import { readCommands } from "../../generator/scaffold/create/package-manager.ts";
import { runtimePackage } from "../../generator/scaffold/create/runtime-package.ts";
import { relativePath } from "../../generator/internal/files.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { compareTree, driftText, type Drift } from "../../generator/internal/tree.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { readSpecModels, type SpecModels } from "../../generator/read/spec-models.ts";
import { describeChoices, isLess, toChoices, type Wish } from "../../generator/scaffold/update/choices.ts";
import {
  readInstalledLayer,
  type InstalledLayer,
  requireProject,
} from "../../generator/scaffold/layer/installed-layer.ts";
import {
  previousName,
  removeTemporary,
  replaceLayer,
  restoreLayer,
} from "../../generator/scaffold/layer/replace-layer.ts";
import { readFormerBuild, type FormerBuild } from "../../generator/scaffold/update/former-build.ts";
import {
  readInstalledRuntime,
  restoreLauncher,
  type InstalledRuntime,
} from "../../generator/scaffold/update/installed-runtime.ts";
import { renameRevisions } from "../../generator/scaffold/update/named-revisions.ts";
import { countText } from "../../generator/internal/text.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** Options of `create-mcp-server update`. */
export interface UpdateCommandOptions extends Wish {
  /** Folder of the project. */
  readonly directory: string;
  /** Spec folder with these revisions; `false`: the one of this package. Default: the one the layer was generated from. */
  readonly spec?: string | false;
  /** Write nothing; list the differences. */
  readonly check: boolean;
  /** Write nothing; report the changes of an update. */
  readonly dryRun: boolean;
  /** Make the mechanical changes in the project's own code first. */
  readonly codemod: boolean;
  /** Overwrite files edited by hand. */
  readonly force: boolean;
  /** Restore the layer before the last update. */
  readonly undo: boolean;
}

/** `create-mcp-server update`: regenerates `src/mcp/`. Returns the exit code. */
export function runUpdate(options: UpdateCommandOptions): Promise<number> {
  return runInterruptibly((signal) => update(options, signal));
}

async function update(options: UpdateCommandOptions, signal: AbortSignal): Promise<number> {
  rejectContradictions(options);
  const project = resolve(options.directory);
  // An undo works even if the layer itself is missing.
  if (!options.undo) requireProject(project);
  // After a replacement that was cut off, a temporary folder may have the layer that an undo restores.
  if (options.undo) return undo(project);
  if (!options.check && !options.dryRun) await removeTemporary(project);
  const layer = await readInstalledLayer(project);
  const spec = findSpec(options.spec, { project, choices: layer.choices });
  const models = await runPhase("Reading schemas", () => readSpecModels(spec));
  return updateLayer(options, { project, layer, spec, models, signal });
}

async function undo(project: string): Promise<number> {
  const from = await readRevisions(project);
  await restoreLayer(project, join(project, "src", "mcp"));
  console.log("Restored src/mcp from before the last update. The same command restores the update.");
  console.log("Your own code and the runtime do not change.");
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

async function updateLayer(
  options: UpdateCommandOptions,
  {
    project,
    layer,
    spec,
    models,
    signal,
  }: {
    readonly project: string;
    readonly layer: InstalledLayer;
    readonly spec: string | undefined;
    readonly models: SpecModels;
    /** Aborts the update before its first write. Its writes are completed. */
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const catalogue = toCatalogue(models.models);
  const { spec: _old, ...old } = layer.choices;
  const next = toChoices(old, options, catalogue);
  const origin = spec === undefined ? {} : { spec: relativePath(project, spec) };
  const chosen = { ...next, ...origin };
  const { dryRun } = options;
  const tree = await runPhase("Generating src/mcp", () => emitLayer(chosen, models));
  const drifts = await compareTree(layer.folder, tree);
  const runtime = await readInstalledRuntime(project);
  const build = await readFormerBuild(project);
  if (!options.check && !options.dryRun) await restoreLauncher(project);
  if (options.check) return reportDrift(drifts, [...runtime.drifts, ...build.drifts]);
  signal.throwIfAborted();
  if (drifts.length === 0) {
    await updateRuntime(runtime, options);
    await updateBuild(build, options);
    console.log(`src/mcp is up to date: revisions ${next.revisions.join(", ")}, ${next.features.join(", ")}.`);
    return 0;
  }
  console.log(`From version ${layer.generator}, revisions ${old.revisions.join(", ")}`);
  console.log(`to version ${packageVersion()}, revisions ${next.revisions.join(", ")}.`);
  const commands = await readCommands(project);
  for (const line of describeChoices(old, next, { project, commands })) console.log(line);
  const [[older = ""], [newer = ""]] = [old.revisions, next.revisions];
  const replacement = { place: layer.folder, texts: tree };
  const change = {
    older,
    newer,
    isLess: isLess(layer.choices, chosen) || drifts.some(changesExtension),
    layer: replacement,
    models: models.models,
    spec,
  };
  // The code must not be rewritten if the layer then cannot be replaced.
  if (options.codemod && !options.force) rejectEdited(layer);
  // Loads the compiler, which the other outcomes do not need.
  const { applyCodemod, findEffects, reportEffects } = await import("./update-effects.ts");
  const effects = await runPhase("Reading your code", () => findEffects(project, change, options));
  signal.throwIfAborted();
  if (effects && !dryRun) await applyCodemod(project, effects);
  if (effects) reportEffects(project, change, effects, dryRun);
  if (!options.force) rejectEdited(layer);
  await updateRuntime(runtime, options);
  await updateBuild(build, options);
  if (!dryRun) await runPhase("Writing src/mcp", () => replaceLayer(project, layer.folder, tree));
  if (!dryRun && spec !== undefined) await writePages(spec, models);
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

/** Writes the pages about the extensions of a user's spec folder. */
async function writePages(spec: string, models: SpecModels): Promise<void> {
  const { writeExtensionPage } = await import("./extension-page.ts");
  for (const extension of await findOwnExtensions(models)) await writeExtensionPage(spec, extension);
}

/** True if the project's code may use what a file of an extension has lost. */
function changesExtension({ kind, path }: Drift): boolean {
  return kind !== "missing" && path.startsWith("extensions/");
}

async function updateRuntime(runtime: InstalledRuntime, { dryRun }: UpdateCommandOptions): Promise<void> {
  const { drifts, install } = runtime;
  if (drifts.length > 0) {
    if (!dryRun) await runtime.replace();
    const done = dryRun ? "would be written or removed; nothing was." : "written or removed.";
    console.log(`vendor: ${countText(drifts.length, "file")} of ${runtimePackage} ${done}`);
  }
  if (install !== undefined) console.log(`This version requires a newer ${runtimePackage}. Next: ${install}`);
}

/** Replaces the build of older projects by a call of the runtime's. */
async function updateBuild(build: FormerBuild, { dryRun }: UpdateCommandOptions): Promise<void> {
  const { drifts, edited } = build;
  if (edited.length > 0)
    console.error(
      `Warning: ${edited.join(" and ")} ${edited.length === 1 ? "was" : "were"} edited by hand; to get fixes of the build, call bundleServer as a new project does.`,
    );
  if (drifts.length === 0) return;
  if (!dryRun) await build.replace();
  const removed = drifts.flatMap(({ kind, path }) => (kind === "orphaned" ? [path] : [])).join(" and ");
  const done = dryRun ? "would be replaced; nothing was" : "replaced";
  console.log(`build.js: ${done}. It calls the build of ${runtimePackage}, which needs no ${removed}.`);
}

/** Rejects contradicting options. Each of the first four selects another action, and no precedence among them would be obvious. */
function rejectContradictions({ check, dryRun, undo, force, codemod, protocol }: UpdateCommandOptions): void {
  const actions = [check && "--check", dryRun && "--dry-run", undo && "--undo", force && "--force"];
  const readOnly = [check && "--check", undo && "--undo", codemod && "--codemod"];
  for (const chosen of [actions, codemod ? readOnly : []].map((list) => list.filter(Boolean)))
    if (chosen.length > 1) throw new UserError(`${chosen.join(" and ")}: choose one of them.`);
  if (codemod && protocol === undefined)
    throw new UserError("--codemod prepares your code for other revisions; name them with --protocol.");
}

function rejectEdited({ edited }: InstalledLayer): void {
  if (edited.length === 0) return;
  throw new UserError(
    `edited by hand in src/mcp: ${edited.slice(0, 10).join(", ")}. Move your changes out, or pass --force; the old files stay in ${previousName}.`,
  );
}

function reportDrift(layer: readonly Drift[], others: readonly Drift[]): number {
  const drifts = [...layer.map((drift) => ({ ...drift, path: `src/mcp/${drift.path}` })), ...others];
  for (const drift of drifts) console.log(driftText(drift));
  if (drifts.length === 0) {
    console.log("All generated files are up to date.");
    return 0;
  }
  const differ = drifts.length === 1 ? "differs" : "differ";
  console.error(`${countText(drifts.length, "generated file")} ${differ}. Run the same command without --check.`);
  return 1;
}
