import { relativePath } from "../../internal/files.ts";
import { UserError } from "../../internal/user-error.ts";
import { outputModes } from "../../openapi/operation.ts";
import type { ProjectSource } from "../../openapi/source.ts";
import { readSpecModels } from "../../read/spec-models.ts";
import { chooseRevisions, toCatalogue } from "../layer/catalogue.ts";
import { askPerson } from "./console.ts";
import { readLauncher } from "./launcher.ts";
import { readPackageName } from "./name.ts";
import { choosePackageManager } from "./package-manager.ts";
import { readSelection, readWord, type SelectionText } from "./project-choices.ts";
import type { ProjectOptions } from "./project-options.ts";
import { projectPackages } from "./project-packages.ts";
import { askForCustomSetup, askSelection } from "./questions.ts";
import { readRuntime } from "./runtime-package.ts";

/** Choices for a new project as text from the command line. */
export interface ProjectText extends SelectionText {
  /** Revisions: one, a comma-separated list, `latest` or `all`. Default: all released revisions. */
  readonly protocol?: string;
  /** Spec folder with these revisions. Default: the one of this package. */
  readonly spec?: string;
  /** OpenAPI document, list of tools or contract to generate the tools from. Default: an example. */
  readonly from?: string;
  /** Comma-separated tags, names and paths of the source to include. Default: everything. */
  readonly only?: string;
  /** Treatment of API responses by tools: `none`, `loose` or `strict`. Default: `loose`. */
  readonly output?: string;
  /** npm, pnpm, yarn or bun. Default: the package manager running this program. */
  readonly packageManager?: string;
  /** Package name. Default: one like the name of the folder. */
  readonly name?: string;
}

/** Folder of a new project, and the source of its choices. */
export interface ProjectPlace {
  readonly folder: string;
  /** True if the user is asked for what the command line leaves open. */
  readonly asks: boolean;
}

/** Settles every choice for a new project, and reads its source. @throws {UserError} when a choice is not possible. */
export async function planProject(
  { protocol, spec, name, from, only, output, packageManager, ...rest }: ProjectText,
  { folder, asks }: ProjectPlace,
): Promise<ProjectOptions> {
  const manager = choosePackageManager(packageManager);
  const models = await readSpecModels(spec);
  const catalogue = toCatalogue(models.models);
  const chosen = chooseRevisions(protocol, catalogue);
  if (only !== undefined && from === undefined)
    throw new UserError("--only selects from the document of --from; add --from openapi.yaml.");
  if (output !== undefined && from === undefined)
    throw new UserError("--output is for the tools of an API; add --from openapi.yaml.");
  const source = from === undefined ? undefined : await readOwnSource(from, { only, output });
  const given = source === undefined ? rest : toSourceSelection(rest, source);
  const asked = readSelection(given);
  const checked = readPackageName({ folder, taken: projectPackages, ...(name !== undefined && { name }) });
  const choices = protocol === undefined ? catalogue.map(({ id }) => id) : [];
  const isCustom = asks && (await askForCustomSetup(asked));
  const selection = isCustom ? await askSelection({ given, asked }) : asked;
  const wanted = asks ? await askPerson({ folder, name: checked, choices: isCustom ? choices : [], chosen }) : chosen;
  const revisions = chooseRevisions(wanted.join(","), catalogue);
  const facts = { folder, name: checked, manager, models, runtime: readRuntime(selection.runtime) };
  const launcher = readLauncher();
  return {
    ...facts,
    ...(launcher && { launcher }),
    revisions,
    selection,
    ...(source && { source }),
    ...(spec !== undefined && { spec: relativePath(folder, spec) }),
  };
}

/** Completes the selection for a source. Its schemas are JSON Schemas, and by default the project serves only the kinds present in the source. */
function toSourceSelection(given: SelectionText, { contract }: ProjectSource): SelectionText {
  const has = {
    tools: true,
    resources: contract.resources.length + contract.resourceTemplates.length > 0,
    prompts: contract.prompts.length > 0,
  };
  const own = Object.entries(has).flatMap(([kind, isThere]) => (isThere ? [kind] : []));
  const { schema = "json", features = own.join(",") } = given;
  if (schema !== "json")
    throw new UserError("--from describes tools with plain JSON Schema; remove --schema, or use --schema json.");
  return { ...given, schema, features };
}

async function readOwnSource(
  path: string,
  { only, output }: { readonly only: string | undefined; readonly output: string | undefined },
): Promise<ProjectSource> {
  const mode = output === undefined ? undefined : readWord("--output", output, outputModes);
  const { readSource } = await import("../../openapi/source.ts");
  const { sourceNotes } = await import("../../openapi/source-notes.ts");
  const source = await readSource(path, { ...(only !== undefined && { only }), ...(mode && { output: mode }) });
  for (const line of sourceNotes(source, "src/api.ts")) console.error(line);
  return source;
}
