import { outputText } from "../../generator/internal/text.ts";
import { failedExitCode, UserError, systemCode } from "../../generator/internal/user-error.ts";
import { writeFile } from "node:fs/promises";

/** Prints an error for the user. Prints the stack only for bugs of this package. Returns the exit code. */
export function reportProblem(error: unknown): number {
  if (!(error instanceof Error)) {
    console.error(`create-mcp-server: ${outputText(String(error), longest)}`);
    return failedExitCode;
  }
  const isExpected = error.name === "SpecError" || error instanceof UserError || "code" in error;
  // A message may quote text of a server, which must not control the terminal.
  console.error(
    outputText(isExpected ? `create-mcp-server: ${error.message}` : (error.stack ?? error.message), longest),
  );
  return error instanceof UserError ? error.exitCode : failedExitCode;
}

/** Maximum length of one message, in characters. */
const longest = 20_000;

/** Formats the next steps of the user; empty when there are none. */
export function nextStepsText(steps: readonly string[]): string {
  return steps.length === 0 ? "" : `Next: ${steps.join(", then ")}`;
}

/**
 * Prints a report, or writes it to the given file.
 *
 * @throws {UserError} when the file cannot be written.
 */
export async function printReport(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) return console.log(text);
  await writeFile(output, `${text}\n`).catch((error: unknown) => {
    throw new UserError(`${output} cannot be written (${systemCode(error)}); choose another path.`, { cause: error });
  });
}
