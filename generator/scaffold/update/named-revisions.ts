import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { curlArguments } from "../create/access-files.ts";
import { describeRevisions, statelessAmong, type RevisionEntry } from "../layer/catalogue.ts";
import { systemCode } from "../../internal/user-error.ts";

/** Revisions of a project before and after a change. */
export interface RevisionChange {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly catalogue: readonly RevisionEntry[];
  /** True to write nothing and only report what would change. */
  readonly dryRun: boolean;
}

/** Files of a project, outside its layer, with the names of its revisions. */
const files = ["README.md", "AGENTS.md"] as const;

/** Text before and after the names of revisions, in lines written by the generator. */
const sentences: readonly { readonly before: RegExp; readonly after: string }[] = [
  {
    before:
      /^A \[Model Context Protocol\]\(https:\/\/modelcontextprotocol\.io\) server for [\w, ]+ that (?:supports|speaks) $/,
    after: ".",
  },
  {
    before: /^- `src\/mcp\/`: types, validators and method tables of $/,
    after: ". Generated; do not edit.",
  },
  { before: /^A Model Context Protocol server for $/, after: "." },
];

/**
 * Replaces the names of revisions in the texts of a project. The texts belong to the user: only lines still in their original form change. Returns
 * lines to report to the user.
 */
export async function renameRevisions(project: string, change: RevisionChange): Promise<string[]> {
  const { from, to } = change;
  if (from.length === 0 || to.length === 0 || from.join() === to.join()) return [];
  const told = await Promise.all(files.map((file) => renameIn({ project, file }, change)));
  return told.flat();
}

async function renameIn(
  { project, file }: { readonly project: string; readonly file: string },
  change: RevisionChange,
): Promise<string[]> {
  const path = join(project, file);
  const text = await readFile(path, "utf8").catch((error: unknown) => ({ code: systemCode(error) ?? String(error) }));
  if (typeof text !== "string")
    return text.code === "ENOENT" ? [] : [`${file} may name revisions as before: it could not be read (${text.code}).`];
  const next = rewrite(text, change);
  const left = findLeft(next, change).map(
    (line) => `${file}:${line}: names revisions as before; it is yours to change.`,
  );
  if (next === text) return left;
  try {
    if (!change.dryRun) await writeFile(path, next);
    return [`${change.dryRun ? "Would update" : "Updated"} the revisions in ${file}.`, ...left];
  } catch (error) {
    return [`${file} names revisions as before: it could not be written (${systemCode(error) ?? String(error)}).`];
  }
}

/** Keeps line endings. A text with mixed line endings is not as it was written, and stays unchanged. */
function rewrite(text: string, change: RevisionChange): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(end);
  if (lines.some((line) => line.includes("\n"))) return text;
  const { from, to, catalogue } = change;
  const sentenced = lines.map((line) => rewriteSentence(line, change)).join("\n");
  const call = (revisions: readonly string[]): string =>
    `\n  ${curlArguments(revisions, statelessAmong(revisions, catalogue))}\n`;
  return sentenced.replace(call(from), () => call(to)).replaceAll("\n", end);
}

function rewriteSentence(line: string, { from, to }: RevisionChange): string {
  const older = describeRevisions(from);
  const at = line.indexOf(older);
  const [before, after] = [line.slice(0, at), line.slice(at + older.length)];
  const isOurs = at >= 0 && sentences.some((one) => one.before.test(before) && one.after === after);
  return isOurs ? before + describeRevisions(to) + after : line;
}

/** Returns the numbers of lines with a removed revision, or with the former list of revisions. */
function findLeft(text: string, { from, to }: RevisionChange): number[] {
  const gone = from.filter((id) => !to.includes(id));
  const [older, newer] = [describeRevisions(from), describeRevisions(to)];
  const isLeft = (line: string): boolean =>
    (line.includes(older) && !line.includes(newer)) || line.split(/[^\w-]+/).some((word) => gone.includes(word));
  return text.split("\n").flatMap((line, at) => (isLeft(line) ? [at + 1] : []));
}
