import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Packages that are bundled into other packages, without a notice there. */
const inside: Readonly<Record<string, readonly string[]>> = { "@ts-morph/common": ["typescript"] };

/** Returns the licences of the packages that the files come from, as one text. A distributor of their code has to distribute these texts as well. */
export async function readNotices(root: string, files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap(foldersOf));
  const notices = await Promise.all([...folders].sort().map((folder) => readNotice(join(root, folder))));
  return `The programs of this package contain the packages below, each under its own licence.\n\n${notices.join("\n")}`;
}

/** Returns the folder of the package that a file belongs to, and those of the packages inside it. */
function foldersOf(file: string): string[] {
  const [folder, , name = ""] = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(file) ?? [];
  return folder === undefined ? [] : [folder, ...(inside[name] ?? []).map((other) => `node_modules/${other}`)];
}

async function readNotice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => noticeName.test(file)).sort();
  if (files.length === 0) throw new Error(`${folder} has no licence file; add its licence to .build/notices.ts.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n`, ...texts].join("\n");
}

const noticeName = /^(licen[cs]e|notice|third-?party)/i;
