import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashText, readIfPresent } from "./files.ts";
import { packageRoot } from "./package-info.ts";

/** File with the digest of the sources of a build. */
export const packagedSources = "sources.sha256";

/** Sources that determine what the build writes: how schemas are read, and what is written about them. */
const folders: readonly string[] = ["read", "model", "conversions", "emit", "internal"];

/**
 * Reads a file the build has written beside the programs. Returns nothing to code newer than the build, and to the build itself: the content of the
 * file comes from the code of the build.
 */
export async function readPackaged(name: string): Promise<string | undefined> {
  const dist = join(packageRoot, "dist");
  const isBundled = import.meta.dirname.startsWith(join(dist, "bundle"));
  const isSource = import.meta.filename.endsWith(".ts");
  const isKnown = isBundled || (isSource && (await readIfPresent(join(dist, packagedSources))) === digestSources());
  return isKnown ? readIfPresent(join(dist, name)) : undefined;
}

/** Returns the digest of the sources of a clone. */
export function digestSources(): string {
  const texts = folders.flatMap((folder) => {
    const path = join(packageRoot, "generator", folder);
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    return names.sort().map((name) => readFileSync(join(path, name), "utf8"));
  });
  return hashText(texts.join("\0"));
}
