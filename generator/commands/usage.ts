import { nearestCommand } from "./misspelt.ts";

/** How a command is called: what it looks like, and what that does. */
export type Example = readonly [call: string, use: string];

/** Examples below the help of a command, each on a line that can be copied. */
export function examplesText(...examples: readonly Example[]): string {
  return ["Examples:", ...examples.flatMap(([call, use]) => [`  create-mcp-server ${call}`, `      ${use}`])].join(
    "\n",
  );
}

/** What is wrong with the words of a command line, how they should be, and where more is said. */
export function usageText(problem: string, help: string, words: readonly string[]): string {
  const [usage = ""] = help.split("\n", 1);
  const [command = ""] = /^[\w -]*\w/.exec(usage) ?? [];
  const hint = usage.endsWith(" <dir>") && problem.startsWith("Unknown argument") ? commandHint(words) : "";
  return `create-mcp-server: ${problemText(problem)}${hint}\nUsage: ${usage}\nMore: ${command} --help`;
}

/** Whoever wrote several words meant a command; there is none of this name. */
function commandHint(words: readonly string[]): string {
  const [first = "", second] = words.filter((word) => !word.startsWith("-"));
  if (second === undefined) return "";
  const near = nearestCommand(first);
  const advice = near === undefined ? ", and a new project takes one word, its folder." : `; did you mean ${near}?`;
  return ` There is no command ${JSON.stringify(first)}${advice}`;
}

function problemText(problem: string): string {
  const text = problem
    .replace(/^Not enough non-option arguments: .*$/, "a word is missing.")
    .replace(/^Not enough arguments following: (.*)$/, "--$1 needs a value.")
    .replace(/^Missing required arguments?: (.*)$/, "--$1 is missing.")
    .replace(/^Invalid values:\s*/, "")
    .replaceAll(/Argument: (.*), Given: (.*), Choices: (.*)$/gm, "$1: there is no $2. Choose one of $3.");
  return /^Unknown arguments?: /.test(text) ? `${withoutTwins(text)}.` : text.trim();
}

/** An option with a dash in it is known by two names; whoever typed one of them need not hear the other. */
function withoutTwins(text: string): string {
  const [, title = "", list = ""] = /^(Unknown argument)s?: (.*)$/.exec(text) ?? [];
  const names = list.split(", ");
  const twins = names.map((name) => name.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()));
  const own = names.filter((name, at) => !twins.some((twin, other) => other !== at && twin === name));
  return `${title}${own.length > 1 ? "s" : ""}: ${own.join(", ")}`;
}
