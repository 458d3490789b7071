import { isObject } from "../../../generated/support.ts";
import { readTarget, type Middleware, type ServerRequest } from "./middleware.ts";
import { redact, redactId, redactText } from "./redact.ts";
import { observe, type RequestOutcome } from "./request-outcome.ts";

/** Who asked for what, when, and how it ended. */
export interface AuditEntry {
  /** When the request had been answered, as ISO 8601. */
  readonly time: string;
  /** Who is authenticated, if the transport knows. */
  readonly principal: string | undefined;
  /** What the client calls itself: not proven. */
  readonly client: unknown;
  readonly revision: string;
  /** Id chosen by the client; a long id is shortened. */
  readonly requestId: string | number;
  readonly method: string;
  /** Tool, prompt or URI, without the query. */
  readonly target: string | undefined;
  /** Size of the arguments as JSON; or the arguments themselves without secrets, if asked for. */
  readonly arguments: unknown;
  readonly outcome: RequestOutcome["kind"];
  readonly code: number | undefined;
  readonly milliseconds: number;
}

/** What is kept, and where. */
export interface AuditOptions {
  /** Keeps an entry. A request that cannot be audited fails: its answer waits for the promise. */
  readonly write: (entry: AuditEntry) => unknown;
  /** `redacted` keeps arguments without what looks like a secret. Default: `size`. */
  readonly arguments?: "size" | "redacted";
  /** Which requests are kept. Default: those that run something of the server: tools, reads, prompts. */
  readonly methods?: readonly string[];
}

/** Middleware that keeps an entry for each request that runs something. */
export function auditLog(options: AuditOptions): Middleware {
  const methods = new Set(options.methods ?? ["tools/call", "resources/read", "prompts/get"]);
  return (request, next) => {
    if (!methods.has(request.method)) return next();
    return observe(next, (outcome, milliseconds) =>
      options.write(toEntry(request, outcome, { milliseconds, options })),
    );
  };
}

function toEntry(
  request: ServerRequest,
  { kind, code }: RequestOutcome,
  { milliseconds, options }: { readonly milliseconds: number; readonly options: AuditOptions },
): AuditEntry {
  const { auth, client, revision, requestId } = request.context;
  const target = readTarget(request);
  const args = isObject(request.params) ? request.params.arguments : undefined;
  const size = args === undefined ? undefined : `${JSON.stringify(args).length} characters`;
  return {
    time: new Date().toISOString(),
    principal: auth?.principal,
    client: redact(client.info),
    revision,
    requestId: redactId(requestId),
    method: request.method,
    target: target === undefined ? undefined : redactText(target),
    arguments: options.arguments === "redacted" ? redact(args) : size,
    outcome: kind,
    code,
    milliseconds,
  };
}
