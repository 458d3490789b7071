import { formatDeclarations } from "../../internal/format-declarations.ts";
import { loadTemplates, type Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { join } from "node:path";
import { packageRoot } from "../../internal/package-info.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import { lockName, lockText } from "./lock.ts";
import { withImportEnding, type LayerChoices } from "./choices.ts";
import { entryView } from "./entry-view.ts";
import { emitRevisions, revisionTemplates } from "./revision-files.ts";

/**
 * Emits the files of `src/mcp/` by path: an entry that binds the runtime to the choices, the data of each revision as far as the project uses it, and
 * the lock file.
 */
export async function emitLayer(choices: LayerChoices, spec: SpecModels): Promise<Tree> {
  const formatted = await formatDeclarations(emitUnformattedLayer(choices, spec, loadLayerTemplates()));
  const sorted = [...formatted].sort(([a], [b]) => (a < b ? -1 : 1));
  const layer = new Map(sorted.map(([path, text]) => [path, withImportEnding(text, choices.imports)]));
  return layer.set(lockName, lockText(layer, choices));
}

/** Emits the modules of `src/mcp/` before formatting. */
export function emitUnformattedLayer(choices: LayerChoices, spec: SpecModels, templates: Templates): Tree {
  const models = choices.revisions.flatMap((id) => spec.models.filter((model) => model.id === id));
  const modules = emitRevisions(choices, spec, templates);
  return modules.set("index.ts", templates.render(entryTemplate, entryView(choices, models)));
}

/** Loads the templates of {@link emitUnformattedLayer}. */
export function loadLayerTemplates(): Templates {
  return loadTemplates(join(packageRoot, "templates"), [entryTemplate, ...revisionTemplates]);
}

const entryTemplate = "mcp/index.ts";
