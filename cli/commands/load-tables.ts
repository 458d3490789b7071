import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Extension, Revision } from "../../runtime/index.ts";
import { emitModules } from "../../generator/generate.ts";
import { writeTree } from "../../generator/internal/tree.ts";
import { toJavaScript } from "../../generator/read/syntax.ts";

/**
 * Generates the tables, checks and conversions of a spec folder, and loads them. The files are removed once they are loaded.
 *
 * @throws {SpecError} when a file of the folder is not valid, or a difference between its revisions has no rule.
 */
export async function loadTables(
  spec: string,
): Promise<{ readonly revisions: readonly Revision[]; readonly extensions: readonly Extension[] }> {
  const modules = [...(await emitModules({ spec }))];
  const tree = new Map(modules.map(([path, text]) => [path.replace(/\.ts$/, ".js"), toJavaScript(text)]));
  tree.set("package.json", '{ "type": "module" }\n');
  const folder = await mkdtemp(join(tmpdir(), "mcp-revisions-"));
  try {
    await writeTree(folder, tree);
    const load = (
      path: string,
    ): Promise<{ readonly revisions: readonly Revision[] } & { readonly extension: Extension }> =>
      import(pathToFileURL(join(folder, path)).href);
    const tables = [...tree.keys()].filter((path) => /^extensions\/[^/]+\/methods\.js$/.test(path));
    const [{ revisions }, ...loaded] = await Promise.all([load("revisions.js"), ...tables.map(load)]);
    return { revisions, extensions: loaded.map(({ extension }) => extension) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
