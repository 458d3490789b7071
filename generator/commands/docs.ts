import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../internal/package-info.ts";
import { UserError } from "../internal/user-error.ts";
import { reportProblem } from "./report.ts";

/** Options of `create-mcp-server docs`. */
export interface DocsOptions {
  /** Name of a guide, or words to search for. Default: list all guides. */
  readonly topic: readonly string[];
}

/** `create-mcp-server docs`: lists the guides, prints one, or lists the sections about a topic. Returns the exit code. */
export async function runDocs({ topic }: DocsOptions): Promise<number> {
  try {
    const guides = await readGuides();
    const words = topic.join(" ").trim().toLowerCase();
    console.log(words === "" ? listText(guides) : findText(guides, words));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

/** Guide of this package. */
interface Guide {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

async function readGuides(): Promise<readonly Guide[]> {
  const folder = join(packageRoot, "docs");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md") && file !== "README.md").sort();
  const guides = files.map(async (file): Promise<Guide> => {
    const text = await readFile(join(folder, file), "utf8");
    const name = file.replace(/\.md$/, "");
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
  return Promise.all(guides);
}

function listText(guides: readonly Guide[]): string {
  const width = Math.max(...guides.map(({ name }) => name.length)) + 2;
  const lines = guides.map(({ name, title }) => `  ${name.padEnd(width)}${title}`);
  return ["Guides:", ...lines, "", "create-mcp-server docs <guide> prints one; docs <words> searches all."].join("\n");
}

/** Returns the guide with this name, or else the list of sections with the words. */
function findText(guides: readonly Guide[], words: string): string {
  const named = guides.find(({ name }) => name === words);
  if (named) return named.text.trimEnd();
  const found = guides.flatMap((guide) => findSections(guide, words));
  if (found.length > 0) return found.join("\n");
  const names = guides.map(({ name }) => name).join(", ");
  throw new UserError(`no guide contains ${JSON.stringify(words)}; the guides are ${names}.`);
}

/** Returns a line for each section of a guide that contains all words. */
function findSections({ name, text }: Guide, words: string): readonly string[] {
  const sections = text.split(/^(?=#{1,3} )/m);
  const matching = sections.filter((section) =>
    words.split(/\s+/).every((word) => section.toLowerCase().includes(word)),
  );
  return matching.map((section) => `docs ${name}: ${/^#+ (.+)/.exec(section)?.[1] ?? ""}`);
}
