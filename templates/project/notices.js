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

/** @param {string} folder */
async function readNotice(folder) {
  const {
    name,
    version,
    license = "no licence declared",
  } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)([-.][-.\w]+)?$/i.test(file));
  const texts = await Promise.all(files.sort().map((file) => readFile(`${folder}/${file}`, "utf8")));
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n`, ...texts].join("\n");
}
