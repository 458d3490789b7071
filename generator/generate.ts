import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatDeclarations } from "./internal/format-declarations.ts";
import { readConversions } from "./conversions/conversions.ts";
import { emitExtension, extensionTemplates } from "./emit/extension-files.ts";
import { emitRevision, emitRevisionList, revisionTemplates } from "./emit/revision-files.ts";
import { loadTemplates } from "./internal/templates.ts";
import { compareGenerated, writeTree, type Drift, type Tree } from "./internal/tree.ts";
import { findMissing } from "./model/missing.ts";
import { packageRoot } from "./internal/package-info.ts";
import { negotiatesExtensions, readSpecModels, type SpecModels } from "./read/spec-models.ts";
import { SpecError, unknownRevision } from "./internal/spec-error.ts";

/** Folders and revisions of `generate`. */
export interface GenerateOptions {
  /** Folder with `pins.json` and one folder per revision. Default: the folder of this package. */
  readonly spec?: string;
  /** Folder to write. Default: `generated` in the working directory. */
  readonly out?: string;
  /** Revisions to generate. Default: every pinned one. */
  readonly revisions?: readonly string[];
  /** True to compare in memory and write nothing. */
  readonly check?: boolean;
}

/**
 * Runs the whole pipeline: pins → schema and overlay → model → views → text → tree. Returns the differences.
 *
 * @throws {SpecError} when a file of the spec folder is not valid.
 */
export async function generate(
  options: GenerateOptions = {},
): Promise<{ readonly files: number; readonly drift: readonly Drift[] }> {
  const tree = await emitTree(options);
  const out = options.out ?? "generated";
  const drift = options.check ? await compareGenerated(out, tree) : await writeTree(out, tree);
  return { files: tree.size, drift };
}

/** Returns every file of the generated layer, formatted, in memory. */
export async function emitTree(options: Pick<GenerateOptions, "spec" | "revisions"> = {}): Promise<Tree> {
  return addSupport(await formatDeclarations(await emitUnformatted(options)));
}

/** Returns the files of these revisions and their extensions, as they are before formatting: only programs read them. */
export async function emitModules(models: SpecModels, revisions?: readonly string[]): Promise<Tree> {
  return addSupport(emitModels(models, revisions));
}

/** Adds the modules shared by the generated ones. */
async function addSupport(tree: Tree): Promise<Tree> {
  const names = ["support.ts", "convert-support.ts"];
  const texts = names.map(async (name): Promise<[string, string]> => {
    const text = await readFile(join(templateFolder, name), "utf8");
    return [name, text.replaceAll("\r\n", "\n")];
  });
  return new Map([...tree, ...(await Promise.all(texts))]);
}

/** Returns every file made from the models, before formatting. Formatting is separate, because tests skip it. */
export async function emitUnformatted({ spec, revisions }: Pick<GenerateOptions, "spec" | "revisions">): Promise<Tree> {
  return emitModels(await readSpecModels(spec), revisions);
}

function emitModels({ models, extensions }: SpecModels, revisions: readonly string[] = []): Tree {
  const templates = loadTemplates(templateFolder, [...revisionTemplates, ...extensionTemplates]);
  const ids = revisions.length > 0 ? [...new Set(revisions)] : models.map(({ id }) => id);
  const known = new Map(models.map((model) => [model.id, model]));
  const newest = models.at(-1);
  const tree = new Map<string, string>();
  for (const id of ids) {
    const model = known.get(id);
    if (!model) throw new SpecError({ file: "spec/pins.json", text: unknownRevision(id, known) });
    const conversions = model === newest ? undefined : readConversions(models, model);
    const missing = findMissing(model, models, negotiatesExtensions(model) ? extensions : []);
    for (const [path, text] of emitRevision(model, { conversions, missing }, templates)) tree.set(path, text);
  }
  // An extension uses the types of a revision and is useless without them.
  for (const extension of extensions.filter(({ core }) => ids.includes(core.id)))
    for (const [path, text] of emitExtension(extension, templates)) tree.set(path, text);
  tree.set("revisions.ts", emitRevisionList(ids, templates));
  return tree;
}

const templateFolder = join(packageRoot, "templates");
