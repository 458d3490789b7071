import { readTarget, type Middleware } from "./middleware.ts";
import { redactId, redactText } from "./redact.ts";
import { observe } from "./request-outcome.ts";

/** Where request lines go. */
export interface RequestLogOptions {
  /** Gets one line of JSON for each request, without a line break. Default: standard error. */
  readonly write?: (line: string) => void;
}

/**
 * Middleware that writes one line for each request: what was asked for, how it ended, why it was called off and how long it took. Neither arguments nor
 * results are in it, and nothing that a client sends can break a line or add one.
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

/** A reason that the client gives is its own text. */
function toReason({ reason }: AbortSignal): string {
  return redactText(reason instanceof Error ? reason.message : String(reason));
}
