import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { emitUnformatted } from "../../generator/generate.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import type { Revision } from "../../generated/support.ts";

/** Generates every revision of a spec folder into another folder, and loads it. Newest first. */
export async function loadRevisions(spec: string, out: string): Promise<readonly Revision[]> {
  const tree = new Map(await emitUnformatted({ spec }));
  // The runtime has these modules already: a class of theirs must exist once.
  const support = pathToFileURL(join(packageRoot, "generated", "support.ts")).href;
  tree.set("support.ts", `export * from "${support}";\n`);
  tree.set("convert-support.ts", await readFile(join(packageRoot, "templates", "convert-support.ts"), "utf8"));
  tree.set("package.json", '{ "type": "module" }\n');
  for (const [path, text] of tree) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), text);
  }
  const module: { readonly revisions: readonly Revision[] } = await import(
    pathToFileURL(join(out, "revisions.ts")).href
  );
  return module.revisions;
}
