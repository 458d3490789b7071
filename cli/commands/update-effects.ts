import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { quoteForShell } from "../../generator/internal/text.ts";
import type { RevisionModel } from "../../generator/model.ts";
import { applyRewrites, describeCodemod, planCodemod, type Codemod } from "../../generator/scaffold/update/codemod.ts";
import type { Replacement } from "../../generator/scaffold/update/compiler.ts";
import { findPlacesToChange, type Impact } from "../../generator/scaffold/update/incompatible-code.ts";
import { findRemovedNames } from "../../generator/scaffold/update/removed-names.ts";

/* Effects of an update on the code of a project outside of its layer. */

/** Change of the layer of a project. */
interface Change {
  readonly older: string;
  readonly newer: string;
  /** True if something is removed that the project's code may use, also if its newest revision stays. */
  readonly isLess: boolean;
  readonly layer: Replacement;
  readonly models: readonly RevisionModel[];
  /** Spec folder of the models. Absent: the folder of this package. */
  readonly spec: string | undefined;
}

/** Effects of an update on the project's own code. */
export interface Effects extends Impact {
  /** Mechanical changes of the code. Absent without `--codemod`. */
  readonly codemod?: Codemod;
}

/** Finds the effects of an update, before the layer is replaced. Writes nothing. Returns `undefined` when there are none. */
export async function findEffects(
  project: string,
  { older, newer, isLess, layer, models }: Change,
  { codemod: isRewritten }: { readonly codemod: boolean },
): Promise<Effects | undefined> {
  if (older === newer && !isLess && !isRewritten) return undefined;
  const before = models.find(({ id }) => id === older);
  const after = models.find(({ id }) => id === newer);
  if (!after) return undefined;
  const codemod = isRewritten && before ? await planCodemod(project, before, after) : undefined;
  const isRenamed = new Set(codemod?.renames.map(({ from }) => from));
  const moved = before && older !== newer ? findRemovedNames(before, after) : [];
  const left = moved.filter(({ what, name }) => what !== "type" || !isRenamed.has(name));
  const impact = await findPlacesToChange(project, { moved: left, layer, rewrites: codemod?.rewrites ?? [] });
  return { ...impact, ...(codemod && { codemod }) };
}

/** Makes the mechanical changes of the code. */
export async function applyCodemod(project: string, { codemod }: Effects): Promise<void> {
  await applyRewrites(project, codemod?.rewrites ?? []);
}

/** Prints the effects: what was or would be changed, and the places to change by hand. */
export function reportEffects(
  project: string,
  { older, newer, models, spec }: Change,
  { codemod, places, isCompiled }: Effects,
  dryRun: boolean,
): void {
  if (codemod) for (const line of describeCodemod(codemod, dryRun)) console.log(line);
  // The former revisions may be those of another spec folder. The compiler finds what does not fit the new ones.
  const isKnown = models.some(({ id }) => id === older);
  if (!isKnown)
    console.error(`Warning: ${older} is not among the revisions; its renamed and removed names are not listed.`);
  if (!isCompiled) warnUncompiled(project);
  for (const { file, line, reason } of places) console.log(`${file}:${line}: ${toAdvice(reason)}`);
  const from = spec === undefined ? "" : ` --spec ${quoteForShell(relative(process.cwd(), spec))}`;
  const differs = isKnown && older !== newer ? `; full list: npx create-mcp-server diff ${older} ${newer}${from}` : "";
  const further = codemod && codemod.rewrites.length > 0 ? "further " : "";
  const found = `${places.length} ${further}${places.length === 1 ? "place" : "places"}`;
  const count = isCompiled ? found : `At least ${found}`;
  console.log(`${count} in your code to change for ${newer}${differs}`);
}

/** Returns the reason for a place to change. The layer's types say how to add what a project never had; the update removes it. */
function toAdvice(reason: string): string {
  return reason.startsWith("not in this project:")
    ? "removed by this update: remove it here, or keep the feature"
    : reason;
}

/** Warns of places in the code of the user that may have been missed. */
function warnUncompiled(project: string): void {
  const isTyped = existsSync(join(project, "tsconfig.json"));
  console.error(
    isTyped
      ? "Warning: the project was not type-checked; install its dependencies and run the command again for a complete report."
      : "Warning: the application has no tsconfig.json, so that its code was not type-checked; run its tests.",
  );
}
