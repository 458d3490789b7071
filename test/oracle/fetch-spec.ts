import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { anchorsOf } from "../repository/markdown.ts";
import { fetchedFolder, fetchFiles, hashOf, listFile, pinnedFiles } from "./official-files.ts";

/*
 * `npm run fetch:spec` fetches the official schemas and examples at the commits in `spec/pins.json`. `--record <folder>` lists the files of a
 * checkout of the specification repository at the pinned commit instead, and its pages in `test/repository/spec-pages.json`: that is needed after a pin has changed.
 */

const pagesFile = join(import.meta.dirname, "../repository/spec-pages.json");

const [option, checkout] = process.argv.slice(2);
try {
  if (option === undefined) await fetchSpec();
  else if (option === "--record" && checkout !== undefined) record(checkout);
  else throw new Error(`${option} is not an option; run it without one, or with --record <folder>.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function fetchSpec(): Promise<void> {
  const files = pinnedFiles();
  const fetched = await fetchFiles({ files, folder: fetchedFolder, baseUrl: process.env["MCP_OFFICIAL_URL"] });
  console.log(`${files.length} files are in ${fetchedFolder}, ${fetched} of them fetched now.`);
}

function record(folder: string): void {
  const { revisions }: { revisions: Record<string, { commit: string; sha256: string }> } = JSON.parse(
    readFileSync("spec/pins.json", "utf8"),
  );
  const list = Object.entries(revisions).map(([revision, { commit, sha256 }]) => {
    const schemas = join(folder, "schema", revision);
    if (hashOf(readFileSync(join(schemas, "schema.ts"))) !== sha256)
      throw new Error(`${schemas} is not at the pinned commit; check out ${commit}.`);
    return [revision, { commit, sha256: hashesIn(schemas) }];
  });
  write(listFile, Object.fromEntries(list));
  const pages = Object.keys(revisions).map((revision) => [
    revision,
    pagesIn(join(folder, "docs/specification", revision)),
  ]);
  write(pagesFile, Object.fromEntries(pages));
}

function write(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Returns the anchors of each page, separated by spaces, by the path of the page. Anchors of single members of the schema are left out. */
function pagesIn(folder: string): Record<string, string> {
  const pages = pathsIn(folder, ".mdx").map((path) => {
    const anchors = anchorsOf(readFileSync(join(folder, path), "utf8"));
    const kept = path === "schema.mdx" ? anchors.filter((anchor) => !anchor.includes("-")) : anchors;
    return [path.slice(0, -".mdx".length), kept.join(" ")];
  });
  return Object.fromEntries(pages);
}

function hashesIn(folder: string): Record<string, string> {
  return Object.fromEntries(pathsIn(folder, ".json").map((path) => [path, hashOf(readFileSync(join(folder, path)))]));
}

function pathsIn(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(extension))
    .map((path) => path.split(sep).join("/"))
    .sort();
}
