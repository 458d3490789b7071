import { isObject } from "../../../generated/support.ts";
import { readTarget, type Middleware, type ServerRequest } from "./middleware.ts";
import { redact, redactId, redactText } from "./redact.ts";
import { observe, type RequestOutcome } from "./request-outcome.ts";

/** An audited request: its sender, its target and its outcome. */
export interface AuditEntry {
  /** Time at which the request was handled, in ISO 8601. */
  readonly time: string;
  /** Authenticated principal, if the transport knows it. */
  readonly principal: string | undefined;
  /** Name and version as claimed by the client: not verified. */
  readonly client: unknown;
  readonly revision: string;
  /** Id chosen by the client; a long id is shortened. */
  readonly requestId: string | number;
  readonly method: string;
  /** Tool name, prompt name or URI without its query. */
  readonly target: string | undefined;
  /** Size of the arguments as JSON text, or the arguments without secrets if `arguments` is `redacted`. */
  readonly arguments: unknown;
  readonly outcome: RequestOutcome["kind"];
  readonly code: number | undefined;
  readonly milliseconds: number;
}

/** Options of the audit log. */
export interface AuditOptions {
  /** Stores an entry. The response waits for the returned promise: a request without an audit entry fails. */
  readonly write: (entry: AuditEntry) => unknown;
  /** `redacted` stores the arguments without values that look like secrets. Default: `size`. */
  readonly arguments?: "size" | "redacted";
  /** Methods to audit. Default: the ones with code of the server behind them: `tools/call`, `resources/read` and `prompts/get`. */
  readonly methods?: readonly string[];
}

/**
 * Creates middleware to store an entry for each audited request.
 *
 * @example
 * ```ts
 * import { appendFile } from "node:fs/promises";
 * import { auditLog } from "mcp-server-runtime";
 *
 * const audit = auditLog({ write: (entry) => appendFile("audit.jsonl", `${JSON.stringify(entry)}\n`) });
 * defineServer({ name: "demo", version: "1.0.0", middleware: [audit] });
 * ```
 */
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
