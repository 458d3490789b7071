import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfPresent } from "../../generator/internal/files.ts";
import type { ExtensionModel } from "../../generator/model.ts";
import { ownExtensionPage } from "../../tools/reference/extension-page.ts";

/** Writes the page about an extension beside its schema in a spec folder. */
export async function writeExtensionPage(spec: string, extension: ExtensionModel): Promise<void> {
  const path = join(spec, "extensions", extension.name, "README.md");
  const text = `${ownExtensionPage(extension)}\n`;
  if ((await readIfPresent(path)) === text) return;
  // A link is replaced, and nothing is written through it.
  await rm(path, { force: true });
  await writeFile(path, text, { flag: "wx" });
}
