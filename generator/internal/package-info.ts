import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "./json-text.ts";

/** Root folder of this package, for both the sources and `dist/`. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Returns the version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  if (!isManifest || typeof manifest.version !== "string")
    throw new Error(`${packageRoot}/package.json has no version.`);
  return manifest.version;
}

/** Returns the installed version of a package for a folder; `undefined` when it is not installed. */
export function readInstalledVersion(folder: string, name: string): string | undefined {
  const path = (createRequire(join(folder, "package.json")).resolve.paths(name) ?? [])
    .map((place) => join(place, name, "package.json"))
    .find((file) => existsSync(file));
  const found = path === undefined ? undefined : parseJson(readFileSync(path, "utf8"));
  const isManifest = typeof found === "object" && found !== null && "version" in found;
  return isManifest && typeof found.version === "string" ? found.version : undefined;
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("The package.json of create-mcp-server was not found; reinstall the package.");
  return findRoot(parent);
}
