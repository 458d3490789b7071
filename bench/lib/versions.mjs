// Installed versions of packages.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { MODULES } from "./project.mjs";

/** Versions by name. A package that is not installed is left out. */
export function versionsOf(packages = []) {
  const found = packages.flatMap((name) => {
    const file = MODULES.map((folder) => path.join(folder, name, "package.json")).find(existsSync);
    return file ? [[name, JSON.parse(readFileSync(file, "utf8")).version]] : [];
  });
  return Object.fromEntries(found);
}
