import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { packageRoot } from "../../internal/package-info.ts";

/**
 * Finds the declarations of the language itself: those of the project's compiler, else those of this package's own. `undefined` when neither is
 * installed.
 */
export function findLibrary(project: string): string | undefined {
  const compilers = [project, packageRoot].flatMap((folder) => findCompiler(folder) ?? []);
  return compilers.flatMap(foldersOf).find((folder) => existsSync(join(folder, "lib.es5.d.ts")));
}

function findCompiler(folder: string): string | undefined {
  try {
    return dirname(createRequire(join(folder, "package.json")).resolve("typescript/package.json"));
  } catch {
    // The compiler is not installed there.
    return undefined;
  }
}

/** Returns the folders that may hold the declarations: native compilers have them in a package for the platform. */
function foldersOf(compiler: string): string[] {
  const machine = `typescript-${process.platform}-${process.arch}`;
  return [join(compiler, "lib"), join(compiler, "..", "@typescript", machine, "lib")];
}
