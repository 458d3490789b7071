import { build } from "esbuild";
import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cache } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "..");

/**
 * A script of ours as one file of JavaScript, with the libraries outside: node starts it ten times as fast as the sources. Within it
 * `import.meta` tells of the new place. The file stays: other test files, also of another run, may be starting it.
 */
export async function createProgram(script: URL): Promise<string> {
  const path = fileURLToPath(script);
  const program = join(cache, "programs", relative(root, path).replaceAll(/[\\/]/g, "-").replace(/\.ts$/, ".mjs"));
  const outfile = `${program}.${randomUUID()}`;
  await build({ entryPoints: [path], outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  renameSync(outfile, program);
  return program;
}
