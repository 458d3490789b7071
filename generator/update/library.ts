import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { packageRoot } from "../package-info.ts";

/** The declarations of the language itself: those of a project's own compiler, or of ours where this is developed. Nothing when neither is installed. */
export function findLibrary(project: string): string | undefined {
  const compilers = [project, packageRoot].flatMap((folder) => findCompiler(folder) ?? []);
  return compilers.flatMap(foldersOf).find((folder) => existsSync(join(folder, "lib.es5.d.ts")));
}

function findCompiler(folder: string): string | undefined {
  try {
    return dirname(createRequire(join(folder, "package.json")).resolve("typescript/package.json"));
  } catch {
    // Not installed there.
    return undefined;
  }
}

/** Compilers that are programs of a machine have their files beside that program. */
function foldersOf(compiler: string): string[] {
  const machine = `typescript-${process.platform}-${process.arch}`;
  return [join(compiler, "lib"), join(compiler, "..", "@typescript", machine, "lib")];
}
