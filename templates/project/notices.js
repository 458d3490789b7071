import { readdir, readFile, rm, writeFile } from "node:fs/promises";

const path = "dist/THIRD-PARTY.txt";

/**
 * Writes the licences of the bundled packages: they must be distributed with the code.
 * Removes the file if no package is bundled.
 *
 * @param {import("esbuild").Metafile} metafile
 */
export async function writeNotices({ outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(
    files.flatMap((file) => /^(?:(?:.*\/)?node_modules|vendor)\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []),
  );
  // One version may be in several folders.
  const notices = new Set(await Promise.all([...folders].sort().map(readNotice)));
  if (notices.size === 0) return rm(path, { force: true });
  await writeFile(
    path,
    ["This software includes the packages below, each under its own licence.\n", ...notices].join("\n"),
  );
}

/**
 * True if a package is compiled for a platform, or finds such a file when it is loaded.
 *
 * @param {{ gypfile?: boolean, dependencies?: Record<string, string> }} manifest
 * @param {readonly string[]} names
 */
function isNative({ gypfile, dependencies = {} }, names) {
  const finders = ["bindings", "node-gyp-build", "prebuild-install", "@mapbox/node-pre-gyp", "node-addon-api"];
  return gypfile === true || names.includes("binding.gyp") || finders.some((finder) => finder in dependencies);
}

/** @param {string} folder */
async function readNotice(folder) {
  const manifest = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const { name, version, license = "no licence declared" } = manifest;
  const names = await readdir(folder);
  if (isNative(manifest, names))
    console.warn(
      `Warning: ${name} has native code, which a bundle does not contain: add it to "external" in build.js and to "dependencies" in package.json.`,
    );
  const files = names.filter((file) => /^(licen[cs]e|copying|notice)([-.][-.\w]+)?$/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => readFile(`${folder}/${file}`, "utf8")));
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n`, ...texts].join("\n");
}
