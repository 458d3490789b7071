/** Error the user can correct. The CLI prints it without a stack. The message names the problem, its place, and the next step. */
export class UserError extends Error {
  /** Exit code of the command: 2, or 130 if it was interrupted. */
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "UserError";
    this.exitCode = options.exitCode ?? failedExitCode;
  }
}

/** Exit code of a command that could not do its work. Exit code 1 is for a command that worked and found a problem. */
export const failedExitCode = 2;

/** Exit code of a command stopped by Ctrl-C, as shells report it. */
export const interruptedExitCode = 130;

/** Creates the error of an interrupted run that has left nothing behind. */
export function interrupted(): UserError {
  return new UserError("interrupted; nothing was written. Run the same command again.", {
    exitCode: interruptedExitCode,
  });
}

/** Returns the code of a system error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Formats a thrown value with its cause on one line. */
export function explainCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toLine(String(thrown));
  const { message, cause } = thrown;
  if (!(cause instanceof Error) || message.includes(cause.message) || cause.message === unspecific)
    return toLine(message);
  return message === unspecific ? explainCause(cause) : toLine(`${message} (${cause.message})`);
}

/** Message of the platform for any failed request. Its cause has the reason. */
const unspecific = "fetch failed";

/** Joins the lines of a message. Those of OpenSSL consist of codes and places in its source, with the reason between them. */
function toLine(message: string): string {
  const line = message.replaceAll(/\s{1,1000}/g, " ").trim();
  const reason = /:error:[\dA-F]{1,16}:SSL routines:[^:]{0,100}:([^:]{1,100}):/.exec(line)?.[1];
  if (reason === undefined) return line;
  const advice = reason === "wrong version number" ? "; an address without TLS begins with http:// or ws://" : "";
  return `${line.replace(/(?:write EPROTO )?[\dA-F]{1,32}:error:.{0,1000}$/, "")}TLS failed with "${reason}"${advice}`;
}
