import { readTarget, type Middleware } from "./middleware.ts";
import { redactId, redactText } from "./redact.ts";
import { observe } from "./request-outcome.ts";

/** Options of the request logger. */
export interface RequestLogOptions {
  /** Receives one line of JSON for each request, without a line break. Default: standard error. */
  readonly write?: (line: string) => void;
}

/**
 * Creates middleware to write one line for each request: method and target, outcome, reason of a cancellation and duration. It contains neither
 * arguments nor results, and no input from a client can break a line or add one.
 *
 * @example
 * ```ts
 * import { requestLogger } from "mcp-server-runtime";
 *
 * defineServer({ name: "demo", version: "1.0.0", middleware: [requestLogger()] });
 * ```
 */
export function requestLogger({ write = console.error }: RequestLogOptions = {}): Middleware {
  return (request, next) =>
    observe(next, ({ kind, code }, milliseconds) => {
      const target = readTarget(request);
      const line = {
        time: new Date().toISOString(),
        method: request.method,
        ...(target !== undefined && { target: redactText(target) }),
        id: redactId(request.context.requestId),
        outcome: kind,
        ...(code !== undefined && { code }),
        ...(request.context.signal.aborted && { aborted: toReason(request.context.signal) }),
        milliseconds: Math.round(milliseconds * 10) / 10,
      };
      write(JSON.stringify(line));
    });
}

/** Redacts the reason of a cancellation, as the client may have written it. */
function toReason({ reason }: AbortSignal): string {
  return redactText(reason instanceof Error ? reason.message : String(reason));
}
