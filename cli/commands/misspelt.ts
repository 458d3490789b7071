import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../../generator/internal/json-text.ts";
import { findProject } from "../../generator/scaffold/layer/installed-layer.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { commandNames } from "./commands.ts";

/**
 * Rejects the folder of a new project if it is more likely a misspelt command: a slip of a command's name, the name another tool uses for it, or any
 * word inside of a project.
 *
 * @throws {UserError} when the folder is more likely a command.
 */
export function rejectMisspeltCommand(directory: string, folder: string = process.cwd()): void {
  if (!/^[\w-]+$/.test(directory)) return;
  const advice = adviseCommand(directory, folder);
  const project = findProject(folder);
  if (advice === undefined && project === undefined) return;
  const place = project === undefined ? "" : ` (${project} is already a project)`;
  const help = advice ?? "Run --help for a list of commands.";
  throw new UserError(
    `unknown command ${JSON.stringify(directory)}${place}. ${help} To create a project of this name, pass ./${directory}.`,
  );
}

const creation = "To create a project, pass its folder: create-mcp-server my-server.";

const codemodAdvice = "It is update --codemod now: create-mcp-server update --protocol latest --codemod.";

/** Former commands and commands of other tools, with their equivalents here. */
const foreignCommands: ReadonlyMap<string, string> = new Map([
  ...["upgrade", "up", "refresh", "sync"].map((word) => [word, "Did you mean update?"] as const),
  ...["upgrade-assist", "migrate", "codemod"].map((word) => [word, codemodAdvice] as const),
  ...["validate", "lint", "doctor"].map((word) => [word, "Did you mean check?"] as const),
  ...["compare", "changes"].map((word) => [word, "Did you mean diff?"] as const),
  ...["rm", "delete", "uninstall"].map((word) => [word, "Did you mean remove?"] as const),
  ["proxy", "Did you mean gateway?"],
  ["record", "Did you mean gateway --record?"],
  ["mock", "Did you mean replay?"],
  ...["inspector", "ui", "debug"].map((word) => [word, "Did you mean inspect?"] as const),
  ["codegen", "Did you mean client or generate?"],
  ["publish", "Use npm publish."],
  ...["new", "create", "scaffold"].map((word) => [word, creation] as const),
  ["version", "Use --version."],
]);

/** Commands of other tools, which are scripts of a project here. */
const scripts: ReadonlyMap<string, string> = new Map([
  ...["dev", "start", "build", "deploy"].map((word) => [word, word] as const),
  ...["serve", "run"].map((word) => [word, "start"] as const),
]);

/** Returns a sentence with the command behind a word: another name of it, or a slip. A script is advised where a `package.json` has it. */
export function adviseCommand(word: string, folder: string = process.cwd()): string | undefined {
  const script = scripts.get(word);
  if (script !== undefined) return adviseScript(script, folder);
  const command = foreignCommands.has(word) ? undefined : nearestCommand(word);
  return command === undefined ? foreignCommands.get(word) : `Did you mean ${command}?`;
}

function adviseScript(script: string, folder: string): string {
  const path = join(findProject(folder) ?? folder, "package.json");
  const manifest = existsSync(path) ? parseJson(readFileSync(path, "utf8")) : undefined;
  if (!isRecord(manifest)) return `It is a script of a project: npm run ${script} in its folder.`;
  if (isRecord(manifest.scripts) && Object.hasOwn(manifest.scripts, script))
    return `Run the script of the project: npm run ${script}.`;
  return `package.json has no script ${script} either.`;
}

/**
 * Returns the command that a word is a slip of. Short commands do not count, because too many words are like them. Longer words that begin with a
 * command, such as `models` or `updater`, do not count either.
 */
function nearestCommand(word: string): string | undefined {
  return commandNames.find((name) => !word.startsWith(name) && isSlip(word, name));
}

/** True if a word differs from a name of five letters or more by a slip or two. */
export function isSlip(word: string, name: string): boolean {
  return name.length >= 5 && countSlips(word, name) <= (name.length === 5 ? 1 : 2);
}

/** Counts the letters to insert, remove or change, and the neighbours to swap, to get from one word to the other. */
function countSlips(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, at) => at);
  const rows = [first];
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= to.length; at += 1) line.push(cost(rows, line, { from, to, row, at }));
    rows.push(line);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

function cost(
  rows: readonly (readonly number[])[],
  line: readonly number[],
  { from, to, row, at }: { readonly from: string; readonly to: string; readonly row: number; readonly at: number },
): number {
  const above = rows[row - 1] ?? [];
  const isSame = from[row - 1] === to[at - 1];
  const isSwapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
  return Math.min(
    (above[at] ?? Infinity) + 1,
    (line[at - 1] ?? Infinity) + 1,
    (above[at - 1] ?? Infinity) + (isSame ? 0 : 1),
    isSwapped ? (rows[row - 2]?.[at - 2] ?? Infinity) + 1 : Infinity,
  );
}
