/**
 * Prose of a stranger, for comments and terminals: without control characters (but line breaks), without characters that turn the
 * direction of text or are not seen, and cut at `maximum` characters.
 */
export function safeText(text: string, maximum = 2_000): string {
  const lines = text.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n").replace(unseen, "");
  return lines.length > maximum ? `${lines.slice(0, maximum)}…` : lines;
}

/** The same on one line. */
export function safeLine(text: string, maximum = 200): string {
  return safeText(text, maximum * 2)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maximum);
}

/**
 * Prose of a stranger for the output of a program: {@link safeText} in which no line is a command to what runs the program. Azure Pipelines and GitHub Actions
 * read such commands out of what their steps print.
 *
 * @see https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function outputText(text: string, maximum?: number): string {
  return breakCommands(safeText(text, maximum));
}

/** The same on one line. */
export function outputLine(text: string, maximum?: number): string {
  return breakCommands(safeLine(text, maximum));
}

function breakCommands(text: string): string {
  return text.replaceAll(pipelineCommand, "# #").replaceAll(/^(\s*):(?=:)/gm, "$1: ");
}

/** Beginning of a command of Azure Pipelines, and of the same in GitHub Actions. It may stand anywhere in a line. */
const pipelineCommand = /##(?=(?:vso)?\[)/gi;

/** JSON whose texts are no commands to what runs the program. It means the same. */
export function breakCommandsInJson(json: string): string {
  return json.replaceAll(pipelineCommand, "#\\u0023");
}

/** The same for HTML and XML. */
export function breakCommandsInMarkup(markup: string): string {
  return markup.replaceAll(pipelineCommand, "#&#35;").replaceAll(/^(\s*):(?=:)/gm, "$1&#58;");
}

/** Controls, bidirectional overrides, zero-width characters and tags: text that reads otherwise than it looks. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;

/** Code with such characters written as escapes. In texts they mean the same so, and comments have none. */
export function escapeUnseen(code: string): string {
  return code.replace(unseenInCode, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const unseenInCode = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]|\p{Surrogate}/gu;
