import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSpecModels } from "../generator/read/spec-models.ts";
import { emitReference } from "../tools/reference/pages.ts";

/* `npm run docs:protocol`: writes the pages of docs/protocol/ from `spec/`, and removes those that no longer exist. */

const folder = join(import.meta.dirname, "..", "docs", "protocol");
const { models, extensions } = await readSpecModels();
const pages = emitReference(models, extensions);

await mkdir(folder, { recursive: true });
const stale = (await readdir(folder)).filter((file) => !pages.has(file));
await Promise.all(stale.map((file) => rm(join(folder, file))));
for (const [file, text] of pages) await writeFile(join(folder, file), text);
console.log(`docs/protocol/: ${pages.size} pages.`);
