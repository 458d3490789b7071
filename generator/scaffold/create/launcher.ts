import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tree } from "../../internal/tree.ts";
import { packageRoot, packageVersion } from "../../internal/package-info.ts";
import { jsonText } from "../../internal/json-text.ts";
import { readPackedRuntime } from "./runtime-package.ts";

/** Name of the package with the command line. */
export const generatorPackage = "create-mcp-server";

/** Small package inside a project, which runs the command line of a clone. It has the name and the program of the published package. */
export interface Launcher {
  /** Path, as `package.json` names it. */
  readonly version: string;
  /** Its files, by path relative to the project. */
  readonly files: Tree;
}

/** Folder of a project with the launcher. */
export const launcherFolder: string = `vendor/${generatorPackage}`;

/** File of a project with the path of the clone. Git ignores it: the path is one of this machine. */
export const clonePath: string = `${launcherFolder}/clone.json`;

/**
 * Returns the launcher of a project created from a clone of the repository: `npx create-mcp-server` would find nothing on the registry, or another
 * version. `undefined` in a published package.
 */
export function readLauncher(clone: string = packageRoot): Launcher | undefined {
  if (!readPackedRuntime()) return undefined;
  const program = readFileSync(join(packageRoot, "templates", "project", "launcher", "cli.js"), "utf8");
  const manifest = {
    name: generatorPackage,
    version: packageVersion(),
    description: "Runs create-mcp-server from a clone of its repository.",
    private: true,
    type: "module",
    bin: { [generatorPackage]: "cli.js" },
  };
  return {
    version: `file:${launcherFolder}`,
    files: new Map([
      [`${launcherFolder}/cli.js`, program.replaceAll("\r\n", "\n")],
      [`${launcherFolder}/package.json`, `${jsonText(manifest)}\n`],
      [clonePath, `${jsonText({ clone })}\n`],
    ]),
  };
}
