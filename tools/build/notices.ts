import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../generated/support.ts";
import { readManifest } from "./manifest.ts";

/**
 * Writes the licences of the bundled packages: they must be distributed with the code. Removes the file if no package is bundled.
 *
 * @param folder - folder of the project
 * @param bundle - its files, as esbuild reports them
 */
export async function writeNotices(
  folder: string,
  { outputs }: { readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>> },
): Promise<void> {
  const path = join(folder, "dist", "THIRD-PARTY.txt");
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const packages = new Set(files.flatMap((file) => packageFolder.exec(file) ?? []));
  // One version may be in several folders.
  const notices = new Set(await Promise.all([...packages].sort().map((place) => readNotice(join(folder, place)))));
  if (notices.size === 0) return rm(path, { force: true });
  const head = "This software includes the packages below, each under its own licence.\n";
  await writeFile(path, [head, ...notices].join("\n"));
}

/** Matches the package folder of a bundled file. */
const packageFolder = /^(?:(?:.*\/)?node_modules|vendor)\/(?:@[^/]+\/)?[^/]+(?=\/)/;

async function readNotice(folder: string): Promise<string> {
  const manifest = await readManifest(folder);
  const { name, version, license = "no licence declared" } = manifest;
  const names = await readdir(folder);
  if (isNative(manifest, names))
    console.warn(
      `Warning: ${name} has native code, which a bundle does not contain: add it to "external" in build.js and to "dependencies" in package.json.`,
    );
  const files = names.filter((file) => /^(licen[cs]e|copying|notice)([-.][-.\w]+)?$/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), "utf8")));
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n`, ...texts].join("\n");
}

/** True if a package is compiled for a platform, or finds such a file when it is loaded. */
function isNative(manifest: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const { gypfile, dependencies } = manifest;
  const needed = isObject(dependencies) ? dependencies : {};
  return gypfile === true || names.includes("binding.gyp") || finders.some((finder) => finder in needed);
}

/** Packages for finding the native code of another. */
const finders: readonly string[] = [
  "bindings",
  "node-gyp-build",
  "prebuild-install",
  "@mapbox/node-pre-gyp",
  "node-addon-api",
];
