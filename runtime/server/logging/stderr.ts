import type { OnError, ErrorReport } from "../../jsonrpc/error-report.ts";
import { redactText } from "../middleware/redact.ts";

/**
 * Writes to standard error the errors that are reported nowhere else. Failures of the server's own code keep their stack. Faults of the peer and of
 * the transport are one line each, regardless of their content: a client must not be able to fill the log or to forge lines in it. Events that the
 * protocol permits, such as late responses, are not written.
 */
export const writeToStandardError: OnError = (report) => {
  if (report.kind === "ignored") return;
  if (isOwnFault(report.kind)) console.error(`${toHead(report)}:`, report.error);
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

/** Replaces line breaks, and characters that move the cursor or change the writing direction, by blanks. */
function toLine(text: string): string {
  return redactText(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
