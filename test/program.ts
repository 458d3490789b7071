import { build } from "esbuild";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder } from "./temporary-folder.ts";

/**
 * A script of ours as one file of JavaScript, with the libraries outside: node starts it ten times as fast as the sources. It is gone when
 * the tests of the file are over. Within it `import.meta` tells of the new place.
 */
export async function createProgram(script: URL): Promise<string> {
  const path = fileURLToPath(script);
  const folder = await createTemporaryFolder("program");
  const outfile = join(folder, `${basename(path, ".ts")}.mjs`);
  await build({ entryPoints: [path], outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  return outfile;
}
