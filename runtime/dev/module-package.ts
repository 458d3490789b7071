import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isObject } from "../../generated/support.ts";

/** True for a file of an installed package, if Node.js loads it as an ECMAScript module. */
export async function isModulePackage(file: string): Promise<boolean> {
  if (!file.includes(`${sep}node_modules${sep}`)) return false;
  if (file.endsWith(".mjs")) return true;
  return file.endsWith(".js") && (await readPackageType(dirname(file))) === "module";
}

/** Returns the `type` of the nearest `package.json`. */
async function readPackageType(folder: string): Promise<unknown> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  if (text !== undefined) {
    const manifest: unknown = JSON.parse(text);
    return isObject(manifest) ? manifest.type : undefined;
  }
  const parent = dirname(folder);
  return parent === folder || folder.endsWith(`${sep}node_modules`) ? undefined : readPackageType(parent);
}
