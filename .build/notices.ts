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
  const holder = withoutFile.get(name);
  if (files.length === 0 && license === "MIT" && holder !== undefined)
    return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${mitText(holder)}`;
  if (files.length === 0) throw new Error(`${folder} has no licence file; add its licence to .build/notices.ts.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${"=".repeat(80)}\n${name} ${version} (${license})\n`, ...texts].join("\n");
}

const noticeName = /^(licen[cs]e|notice|third-?party)/i;

/** Holders of the copyright of packages that name their licence in `package.json`, but have no file with its text. */
const withoutFile: ReadonlyMap<string, string> = new Map([
  ["@cfworker/json-schema", "Jeremy Danyow <jdanyow@gmail.com>"],
  ["@redis/client", "Redis, inc."],
]);

function mitText(holder: string): string {
  return `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
}
