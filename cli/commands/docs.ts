import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { findSections, type Guide } from "./docs-search.ts";
import { reportProblem } from "./report.ts";

/**
 * `create-mcp-server docs`: lists the guides, prints one, or lists the sections about a topic. Returns the exit code.
 *
 * @param options - `topic` is the name of a guide, or words to search for; empty to list all guides
 */
export async function runDocs({ topic }: { readonly topic: readonly string[] }): Promise<number> {
  try {
    const guides = await readGuides();
    const words = topic.join(" ").trim().toLowerCase();
    console.log(words === "" ? listText(guides) : findText(guides, words));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

/** Maximum number of sections in the result of a search. */
const maximum = 20;

/** Groups of the index whose pages are looked up rather than read. */
const referenceGroups = ["Reference", "Proof"];

/** Reads the guides in the order of their index, `docs/README.md`. */
async function readGuides(): Promise<readonly Guide[]> {
  const folder = join(packageRoot, "docs");
  const index = await readFile(join(folder, "README.md"), "utf8");
  const rows = index.split(/^## /m).flatMap((section) => {
    const isReference = referenceGroups.includes(section.split("\n")[0]?.trim() ?? "");
    const found = section.matchAll(/^\| \[([^\]]+)\]\(([\w-]+)\.md\)\s*\| (.+?)\s*\|\r?$/gm);
    return [...found].map(([, title = "", name = "", use = ""]) => ({ title, name, use, isReference }));
  });
  return Promise.all(
    rows.map(async (row): Promise<Guide> => ({ ...row, text: await readFile(join(folder, `${row.name}.md`), "utf8") })),
  );
}

function listText(guides: readonly Guide[]): string {
  const width = Math.max(...guides.map(({ name }) => name.length)) + 2;
  const lines = guides.map(({ name, title }) => `  ${name.padEnd(width)}${title}`);
  return ["Guides:", ...lines, "", "create-mcp-server docs <guide> prints one; docs <words> searches all."].join("\n");
}

/** Returns the guide with this name, or else the list of sections with the words, the best first. */
function findText(guides: readonly Guide[], words: string): string {
  const named = guides.find(({ name }) => name === words);
  if (named) return named.text.trimEnd();
  const found = findSections(guides, words.split(/\s+/)).slice(0, maximum);
  if (found.length > 0) return found.map(({ guide, heading }) => `docs ${guide.name}: ${heading}`).join("\n");
  const names = guides.map(({ name }) => name).join(", ");
  throw new UserError(`no guide contains ${JSON.stringify(words)}; the guides are ${names}.`);
}
