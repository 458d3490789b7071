import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../generated/support.ts";

/** Reads the `package.json` of a folder. @throws {Error} when it is not an object. */
export async function readManifest(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, "package.json");
  const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
  if (!isObject(manifest)) throw new Error(`${path} is not a manifest; install the package again`);
  return manifest;
}
