import type { OnError, ErrorReport } from "../../jsonrpc/error-report.ts";
import { redactText } from "../middleware/redact.ts";

/**
 * Writes to standard error the errors that are reported nowhere else. Failures of the server's own code keep the calls of this code in their stack.
 * Faults of the peer and of the transport are one line each, regardless of their content: a client must not be able to fill the log or to forge lines
 * in it. Events permitted by the protocol, such as late responses, are not written.
 */
export const writeToStandardError: OnError = (report) => {
  if (report.kind === "ignored") return;
  if (isOwnFault(report.kind)) console.error(`${toHead(report)}:`, withoutOwnFrames(report.error));
  else console.error(`${toHead(report)}: ${toLine(report.error.message)}`);
};

function isOwnFault(kind: Exclude<ErrorReport["kind"], "ignored">): boolean {
  switch (kind) {
    case "handler":
    case "result":
    case "callback":
      return true;
    case "protocol":
    case "transport":
    case "loss":
      return false;
    default:
      return kind satisfies never;
  }
}

function toHead({ kind, method }: ErrorReport): string {
  return `[mcp] ${kind}${method === undefined ? "" : ` in ${toLine(method)}`}`;
}

/**
 * Returns an error as it is printed: without the calls inside the runtime and Node.js, which do not lead to the fault. An error with no other calls and
 * no cause stays as it is.
 */
function withoutOwnFrames(error: Error, depth = 0): Error {
  const { stack = "", cause } = error;
  const lines = stack.split("\n");
  const kept = lines.filter((line) => !isOwnFrame(line));
  const shownCause = cause instanceof Error && depth < deepestCause ? withoutOwnFrames(cause, depth + 1) : cause;
  const isShorter = kept.length < lines.length && (kept.some(isFrame) || cause instanceof Error);
  if (!isShorter && shownCause === cause) return error;
  // A copy: others may still read the stack of the error.
  const copy: Error = Object.create(Object.getPrototypeOf(error), {
    ...Object.getOwnPropertyDescriptors(error),
    stack: { value: isShorter ? kept.join("\n") : stack },
    ...(shownCause !== cause && { cause: { value: shownCause } }),
  });
  return copy;
}

function isFrame(line: string): boolean {
  return line.trimStart().startsWith("at ");
}

function isOwnFrame(line: string): boolean {
  return isFrame(line) && ownPlaces.some((place) => line.includes(place));
}

const ownPlaces = ["/mcp-server-runtime/", "\\mcp-server-runtime\\", "(node:", "at node:"] as const;

/** Number of causes whose stack is shortened. */
const deepestCause = 4;

/** Replaces line breaks by blanks, as well as characters that move the cursor or change the writing direction. */
function toLine(text: string): string {
  return redactText(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
