import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

function findRoot(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("The package.json of create-mcp-server was not found; reinstall the package.");
  return findRoot(parent);
}
