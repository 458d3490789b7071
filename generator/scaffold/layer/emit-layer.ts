import { formatTypeScript } from "../../internal/format.ts";
import { loadTemplates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { join } from "node:path";
import { packageRoot } from "../../internal/package-info.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import { escapeUnseen } from "../../internal/text.ts";
import { lockName, lockText } from "./lock.ts";
import { withImportEnding, type LayerChoices } from "./choices.ts";
import { entryView } from "./entry-view.ts";
import { emitRevisions, revisionTemplates } from "./revision-files.ts";

/**
 * Emits the files of `src/mcp/` by path: an entry that binds the runtime to the choices, the data of each revision as far as the project uses it, and
 * the lock file.
 */
export async function emitLayer(choices: LayerChoices, spec: SpecModels): Promise<Tree> {
  const templates = loadTemplates(join(packageRoot, "templates"), [entryTemplate, ...revisionTemplates]);
  const models = choices.revisions.flatMap((id) => spec.models.filter((model) => model.id === id));
  const unformatted = emitRevisions(choices, spec, templates);
  unformatted.set("index.ts", templates.render(entryTemplate, entryView(choices, models)));
  const layer = new Map<string, string>();
  for (const [path, text] of [...unformatted].sort(([a], [b]) => (a < b ? -1 : 1)))
    layer.set(path, withImportEnding(await formatTypeScript(escapeUnseen(text)), choices.imports));
  return layer.set(lockName, lockText(layer, choices));
}

const entryTemplate = "mcp/index.ts";
