import { outputText } from "../tool-schema/safe-text.ts";
import { failedExitCode, UserError } from "../user-error.ts";

/** Tells a person what went wrong; the stack only for a bug of ours. Returns the exit code. */
export function reportProblem(error: unknown): number {
  if (!(error instanceof Error)) {
    console.error(`create-mcp-server: ${outputText(String(error), longest)}`);
    return failedExitCode;
  }
  const isExpected = error.name === "SpecError" || error instanceof UserError || "code" in error;
  // A message may quote a server, and what it quotes must not steer the terminal.
  console.error(
    outputText(isExpected ? `create-mcp-server: ${error.message}` : (error.stack ?? error.message), longest),
  );
  return error instanceof UserError ? error.exitCode : failedExitCode;
}

/** Characters of one message. */
const longest = 20_000;

/** Tells a person that places in their code may have been missed. */
export function warnUncompiled(): void {
  console.error(
    "Warning: the compiler was not asked: install the project's dependencies, and run this again to hear of everything.",
  );
}
