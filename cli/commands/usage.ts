import { commandNames } from "./commands.ts";
import { toFieldName } from "./define-command.ts";
import { adviseCommand, isSlip } from "./misspelt.ts";

/** Returns the words of `help <command>` as `<command> --help`. */
export function withHelpOption(words: readonly string[]): readonly string[] {
  const [help, command, ...rest] = words;
  return help === "help" && command !== undefined && commandNames.includes(command)
    ? [command, ...rest, "--help"]
    : words;
}

/** Describes a mistake in a command line: the problem, the correct usage, and the option for more help. */
export function usageText(problem: string, help: string, words: readonly string[]): string {
  const [usage = ""] = help.split("\n", 1);
  const [command = ""] = /^[\w -]*\w/.exec(usage) ?? [];
  const isUnknown = problem.startsWith("Unknown argument");
  const hint = usage.endsWith(" <dir>") && isUnknown ? commandHint(words, problem) : "";
  const options = optionHint(words, help, { isReported: isUnknown });
  return `create-mcp-server: ${problemText(problem)}${hint}${options}\nUsage: ${usage}\nMore: ${command} --help`;
}

/** Suggests the option of the help text that one of the words is a slip of. A missing option is reported before an unknown one. */
function optionHint(words: readonly string[], help: string, { isReported }: { readonly isReported: boolean }): string {
  const known = [...help.matchAll(/(?<=\s--)[a-z][\w-]*/g)].map(([name]) => name);
  const fields = known.map(toFieldName);
  const given = words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []);
  for (const name of given.filter((one) => !fields.includes(toFieldName(one)))) {
    const nearest = known.find((option) => isSlip(name, option));
    if (nearest !== undefined) return `${isReported ? "" : ` Unknown argument: ${name}.`} Did you mean --${nearest}?`;
  }
  return "";
}

/** Suggests a command: several words were meant as a command, but none has this name. */
function commandHint(words: readonly string[], problem: string): string {
  const [first = "", second] = words.filter((word) => !word.startsWith("-"));
  // The value of an unknown option is no further word.
  if (second === undefined || !problem.includes(second)) return "";
  const advice = adviseCommand(first) ?? "A new project takes one argument, its folder.";
  return ` Unknown command ${JSON.stringify(first)}. ${advice}`;
}

function problemText(problem: string): string {
  const text = problem
    .replace(/^Not enough non-option arguments: .*$/, "an argument is missing.")
    .replace(/^Not enough arguments following: (.*)$/, "--$1 requires a value.")
    .replace(/^Missing required arguments?: (.*)$/, "--$1 is missing.")
    .replace(/^Invalid values:\s*/, "")
    .replaceAll(/Argument: (.*), Given: (.*), Choices: (.*)$/gm, "$1: unknown value $2; choose one of $3.");
  if (!/^Unknown arguments?: /.test(text)) return text.trim();
  const former = /: (?:.*, )?serve\b/.test(text) ? " --serve is --features now." : "";
  return `${withoutTwins(text)}.${former}`;
}

/** Removes one of two names of an unknown option. An option with a dash is also known by its camel-case name. */
function withoutTwins(text: string): string {
  const [, title = "", list = ""] = /^(Unknown argument)s?: (.*)$/.exec(text) ?? [];
  const names = list.split(", ");
  const twins = names.map(toFieldName);
  const own = names.filter((name, at) => !twins.some((twin, other) => other !== at && twin === name));
  return `${title}${own.length > 1 ? "s" : ""}: ${own.join(", ")}`;
}
