/**
 * Something that the person at the keyboard can put right; shown without a stack. The message says what, where, and what to
 * do next.
 */
export class UserError extends Error {
  /** Exit code of the command: 2, or 130 when it was interrupted. */
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "UserError";
    this.exitCode = options.exitCode ?? failedExitCode;
  }
}

/** Exit code of a command that could not do what it was asked for: 1 is for what was looked at and is not as it should be. */
export const failedExitCode = 2;

/** Exit code of a command that was stopped by Ctrl-C, as shells report it. */
export const interruptedExitCode = 130;

/** The error that says that nothing is left of an interrupted run. */
export function interrupted(): UserError {
  return new UserError("interrupted; nothing was written. Run the same command to start again.", {
    exitCode: interruptedExitCode,
  });
}

/** The code of a system error such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What a failure of something else says, and why, on one line. */
export function explainCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message, cause } = thrown;
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}
