import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readVendorFiles, vendorFolder } from "../create/runtime-package.ts";
import { compareTree, type Drift, type Tree } from "../../internal/tree.ts";
import { move, wholeFolder } from "../../internal/files.ts";

/** Published files of the runtime inside a project, and their differences from those of this version. */
export interface VendoredRuntime {
  readonly folder: string;
  /** Files of this version, by path relative to the folder. */
  readonly files: Tree;
  readonly drifts: readonly Drift[];
}

/** Reads the vendored runtime of a project; `undefined` if the project depends on the package instead. */
export async function readVendoredRuntime(project: string): Promise<VendoredRuntime | undefined> {
  const folder = join(project, vendorFolder);
  if (!existsSync(folder)) return undefined;
  const prefix = `${vendorFolder}/`;
  const files = new Map([...readVendorFiles()].map(([path, text]) => [path.slice(prefix.length), text]));
  return { folder, files, drifts: await compareTree(folder, files) };
}

/** Replaces the files of a vendored runtime. On failure, the old files stay. */
export async function replaceVendoredRuntime(project: string, { folder, files }: VendoredRuntime): Promise<void> {
  const temporary = await mkdtemp(join(project, ".mcp-next-"));
  const [next, previous] = [join(temporary, "next"), join(temporary, "previous")];
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(next, path)), { recursive: true });
      await writeFile(join(next, path), text, { flag: "wx" });
    }
    await move(folder, previous);
    await move(next, folder).catch(async (error: unknown) => {
      await move(previous, folder);
      throw error;
    });
  } finally {
    await rm(temporary, wholeFolder);
  }
}
