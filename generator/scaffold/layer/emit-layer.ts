import { extensionTemplates } from "../../emit/extension-files.ts";
import { formatDeclarations } from "../../internal/format-declarations.ts";
import { loadTemplates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { join } from "node:path";
import { packageRoot } from "../../internal/package-info.ts";
import { UserError } from "../../internal/user-error.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import { lockName, lockText } from "./lock.ts";
import { withImportEnding, type LayerChoices } from "./choices.ts";
import { entryView } from "./entry-view.ts";
import { checkCores, emitExtensions, findOwnExtensions } from "./extension-files.ts";
import { readLayerConversions } from "./packaged-conversions.ts";
import { emitRevisions, revisionTemplates, type LayerParts } from "./revision-files.ts";

/**
 * Emits the files of `src/mcp/` by path: an entry that binds the runtime to the choices, the data of each revision as far as the project uses it, and
 * the lock file. Extensions of a user's spec folder are beside the revisions.
 *
 * @throws {UserError} when the newest revision, whose types the project has, lacks a feature, or an extension uses a revision that
 *   neither the project nor the runtime has
 */
export async function emitLayer(choices: LayerChoices, spec: SpecModels): Promise<Tree> {
  checkFeatures(choices, spec);
  const parts = await loadLayerParts(spec, choices.revisions.slice(1));
  await checkCores(choices, parts.extensions);
  const formatted = await formatDeclarations(emitUnformattedLayer(choices, spec, parts));
  const sorted = [...formatted].sort(([a], [b]) => (a < b ? -1 : 1));
  const layer = new Map(sorted.map(([path, text]) => [path, withImportEnding(text, choices.imports)]));
  return layer.set(lockName, lockText(layer, choices));
}

/** Methods without which a revision lacks a feature. Revisions of a user's spec folder may lack them. */
const featureMethods = [
  { feature: "resources", method: "resources/read", users: ["resources", "skills", "apps"] },
  { feature: "prompts", method: "prompts/get", users: ["prompts"] },
] as const;

function checkFeatures({ features, revisions: [newest] }: LayerChoices, { models }: SpecModels): void {
  const methods = new Set(models.find(({ id }) => id === newest)?.methods.map(({ name }) => name));
  const missing = featureMethods.find(({ feature, method }) => features.includes(feature) && !methods.has(method));
  if (!missing) return;
  const rest = features.filter((feature) => !missing.users.some((user) => user === feature));
  throw new UserError(
    `the revision ${newest} has no ${missing.feature} (${missing.method}); choose other features, as in --features ${rest.join(",")}.`,
  );
}

/** Emits the modules of `src/mcp/` before formatting. */
export function emitUnformattedLayer(choices: LayerChoices, spec: SpecModels, parts: LayerParts): Tree {
  const models = choices.revisions.flatMap((id) => spec.models.filter((model) => model.id === id));
  const modules = new Map([...emitRevisions(choices, spec, parts), ...emitExtensions(choices, parts)]);
  return modules.set("index.ts", parts.templates.render(entryTemplate, entryView(choices, models)));
}

/**
 * Loads what layers of a spec folder have in common, with the conversions to the older of their revisions.
 *
 * @throws {SpecError} when a difference between these and newer revisions of the folder has no rule.
 */
export async function loadLayerParts(spec: SpecModels, older: readonly string[]): Promise<LayerParts> {
  return {
    templates: loadTemplates(templateFolder, [entryTemplate, ...revisionTemplates, ...extensionTemplates]),
    conversions: await readLayerConversions(spec, older),
    extensions: await findOwnExtensions(spec),
  };
}

const templateFolder = join(packageRoot, "templates");

const entryTemplate = "mcp/index.ts";
