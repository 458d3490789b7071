/**
 * Cleans untrusted prose for comments and terminals. Removes control characters (but not line breaks), characters that change the direction of text,
 * and invisible ones. Truncates after `maximum` characters.
 */
export function safeText(text: string, maximum = 2_000): string {
  const lines = text.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n").replace(unseen, "");
  return lines.length > maximum ? `${lines.slice(0, maximum)}…` : lines;
}

/** Cleans untrusted prose as {@link safeText} does, and joins it to one line. */
export function safeLine(text: string, maximum = 200): string {
  return safeText(text, maximum * 2)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maximum);
}

/**
 * Cleans untrusted prose for the output of a program: {@link safeText} without commands to the CI system. Azure Pipelines and GitHub Actions read
 * such commands out of the output of their steps.
 *
 * @see https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function outputText(text: string, maximum?: number): string {
  return breakCommands(safeText(text, maximum));
}

/** Cleans untrusted prose as {@link outputText} does, and joins it to one line. */
export function outputLine(text: string, maximum?: number): string {
  return breakCommands(safeLine(text, maximum));
}

function breakCommands(text: string): string {
  return text.replaceAll(pipelineCommand, "# #").replaceAll(lineCommand, "$1: ");
}

/** Beginning of a command of Azure Pipelines, and of its equivalent in GitHub Actions. It may occur anywhere in a line. */
const pipelineCommand = /##(?=(?:vso)?\[)/gi;

/**
 * Beginning of a command of GitHub Actions, in a line of its own. Blanks of earlier lines are left out: they would be read again from each of these.
 */
const lineCommand = /^([^\S\n\r\u2028\u2029]*):(?=:)/gm;

/** Escapes commands to the CI system in JSON. The parsed value stays the same. */
export function breakCommandsInJson(json: string): string {
  return json.replaceAll(pipelineCommand, "#\\u0023");
}

/** Escapes commands to the CI system in HTML and XML. The parsed text stays the same. */
export function breakCommandsInMarkup(markup: string): string {
  return markup.replaceAll(pipelineCommand, "#&#35;").replaceAll(lineCommand, "$1&#58;");
}

/** Controls, bidirectional overrides, zero-width characters and tags, which make text look different from its content. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;

/** Replaces such characters in code by escapes. In string literals the meaning stays the same, and comments contain none. */
export function escapeUnseen(code: string): string {
  return code.replace(unseenInCode, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const unseenInCode = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;

/** Escapes a text for a regular expression, which then matches it literally. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Returns a text whose first letter is upper case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a count with its noun, in the plural if necessary. */
export function countText(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** Returns a text as a JSDoc comment followed by a line break; an empty text needs none. */
export function commentText(prose: string): string {
  if (prose === "") return "";
  const lines = prose.split("\n").map(harmless);
  if (lines.length === 1) return `/** ${lines.join("")} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** Escapes prose inside a comment, which it then cannot end. */
export function harmless(line: string): string {
  return line.replaceAll("*/", "*\\/");
}

/** Quotes a word for the shells of a platform; plain words stay as they are. Both shells of Windows share only double quotes. */
export function quoteForShell(word: string, platform: string = process.platform): string {
  if (platform === "win32")
    return /^[\w+=:./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
