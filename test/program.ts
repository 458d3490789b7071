import { build } from "esbuild";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

/** Inside the project, so that the libraries that stay outside are found. */
const cache = join(import.meta.dirname, "../node_modules/.cache/programs");

/**
 * A script of ours as one file of JavaScript, with the libraries outside: node starts it ten times as fast as the sources. It is gone when
 * the tests of the file are over. Within it `import.meta` tells of the new place.
 */
export async function createProgram(script: URL): Promise<string> {
  const path = fileURLToPath(script);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "program-"));
  afterAll(() => rm(folder, { recursive: true }));
  const outfile = join(folder, `${basename(path, ".ts")}.mjs`);
  await build({ entryPoints: [path], outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  return outfile;
}
