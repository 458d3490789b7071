import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { revisions as packagedRevisions } from "../../generated/revisions.ts";
import type { Extension, Revision } from "../../runtime/index.ts";
import { emitModules } from "../../generator/generate.ts";
import { writeTree, type Tree } from "../../generator/internal/tree.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { toJavaScript } from "../../generator/read/syntax.ts";

/**
 * Generates the tables, checks and conversions of a spec folder, and loads them. The files are removed once they are loaded. The revisions of this
 * package are not generated again.
 *
 * @throws {SpecError} when a file of the folder is not valid, or a difference between its revisions has no rule.
 */
export async function loadTables(
  spec: string,
): Promise<{ readonly revisions: readonly Revision[]; readonly extensions: readonly Extension[] }> {
  const models = await readSpecModels(spec);
  const { isPackaged, extensions } = models;
  const modules = await emitModules(models, isPackaged ? extensions.map(({ core }) => core.id) : undefined);
  const tables = [...modules.keys()].filter((path) => /^extensions\/[^/]+\/methods\.ts$/.test(path));
  const tree = toImported(modules, isPackaged ? tables : ["revisions.ts", ...tables]);
  const folder = await mkdtemp(join(tmpdir(), "mcp-revisions-"));
  try {
    await writeTree(folder, tree);
    const load = (
      path: string,
    ): Promise<{ readonly revisions: readonly Revision[] } & { readonly extension: Extension }> =>
      import(pathToFileURL(join(folder, toScript(path))).href);
    const [{ revisions }, ...loaded] = await Promise.all([
      isPackaged ? { revisions: packagedRevisions } : load("revisions.ts"),
      ...tables.map(load),
    ]);
    return { revisions, extensions: loaded.map(({ extension }) => extension) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns these modules in JavaScript, and all that they import. Most of a spec folder is types, which take a second to convert. */
function toImported(modules: Tree, entries: readonly string[]): Tree {
  const tree = new Map([["package.json", '{ "type": "module" }\n']]);
  const left = [...entries];
  for (const path of left) {
    const text = tree.has(toScript(path)) ? undefined : modules.get(path);
    if (text === undefined) continue;
    const script = toJavaScript(text);
    tree.set(toScript(path), script);
    for (const [, imported = ""] of script.matchAll(/ from "(\.[^"]+)\.js";$/gm))
      left.push(posix.join(posix.dirname(path), `${imported}.ts`));
  }
  return tree;
}

function toScript(path: string): string {
  return path.replace(/\.ts$/, ".js");
}
