import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Revision } from "../../runtime/index.ts";
import { emitModules } from "../../generator/generate.ts";
import { writeTree } from "../../generator/internal/tree.ts";
import { toJavaScript } from "../../generator/read/syntax.ts";

/**
 * Generates the tables, checks and conversions of a spec folder, and loads them. The files are removed once they are loaded.
 *
 * @throws {SpecError} when a file of the folder is not valid, or a difference between its revisions has no rule.
 */
export async function loadRevisions(spec: string): Promise<readonly Revision[]> {
  const modules = [...(await emitModules({ spec }))].filter(([path]) => !path.startsWith("extensions/"));
  const tree = new Map(modules.map(([path, text]) => [path.replace(/\.ts$/, ".js"), toJavaScript(text)]));
  tree.set("package.json", '{ "type": "module" }\n');
  const folder = await mkdtemp(join(tmpdir(), "mcp-revisions-"));
  try {
    await writeTree(folder, tree);
    const loaded: { readonly revisions: readonly Revision[] } = await import(
      pathToFileURL(join(folder, "revisions.js")).href
    );
    return loaded.revisions;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
