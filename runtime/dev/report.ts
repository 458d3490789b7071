import { describeError } from "./describe-error.ts";

/** Writes a line for the developer to stderr, and the stack of an error. */
export function report(text: string, error?: unknown): void {
  if (error === undefined) console.error(`[dev] ${text}`);
  else console.error(`[dev] ${text}: ${describeError(error)}`);
}
