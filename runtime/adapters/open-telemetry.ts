import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context as contexts,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Span,
  type TextMapGetter,
  type Tracer,
} from "@opentelemetry/api";
import { errorCodes } from "../jsonrpc/errors.ts";
import { readTarget, type Middleware, type ServerRequest } from "../server/middleware/middleware.ts";
import { redactText } from "../server/middleware/redact.ts";
import { observe, type RequestOutcome } from "../server/middleware/request-outcome.ts";

/** Options of the middleware that traces requests. */
export interface TraceOptions {
  /** Tracer for the spans. Default: that of the provider registered in the process. */
  readonly tracer?: Tracer;
  /** Attributes of every span, such as `network.transport`. */
  readonly attributes?: Attributes;
}

/**
 * Creates middleware that records a span for each request, with the name and attributes of the semantic conventions for MCP. The span continues the
 * client's trace (`traceparent`, `tracestate` and `baggage` in `_meta`), and links to the active span, such as that of an HTTP request. Neither
 * arguments nor results are recorded. The name of a span for a rejected request is only its method. Text from clients is redacted and shortened.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp
 * @example
 * ```ts
 * import { traceRequests } from "mcp-server-runtime/adapters/open-telemetry";
 *
 * const trace = traceRequests({ attributes: { "network.transport": "pipe" } });
 * defineServer({ name: "demo", version: "1.0.0", middleware: [trace] });
 * ```
 */
export function traceRequests(options: TraceOptions = {}): Middleware {
  return (request, next) => {
    const tracer = options.tracer ?? trace.getTracer("create-mcp-server");
    const parent = propagation.extract(ROOT_CONTEXT, request.context.meta, metaGetter);
    const span = startSpan(tracer, request, { parent, attributes: options.attributes ?? {} });
    return contexts.with(trace.setSpan(parent, span), () =>
      observe(next, (outcome) => {
        // The target of a rejected request may not exist and can be any text, but the number of different span names must be small.
        if (outcome.kind === "refused") span.updateName(request.method);
        endSpan(span, outcome);
      }),
    );
  };
}

/** Reads trace context, which is untrusted input: values that are not strings and inherited members are ignored. */
const metaGetter: TextMapGetter<ServerRequest["context"]["meta"]> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" && value.length <= longestField ? value : undefined;
  },
};

/** Maximum length from the baggage specification; the other fields are shorter. */
const longestField = 8_192;

function startSpan(
  tracer: Tracer,
  request: ServerRequest,
  { parent, attributes }: { readonly parent: Context; readonly attributes: Attributes },
): Span {
  const { method } = request;
  const target = method === "tools/call" || method === "prompts/get" ? readTarget(request) : undefined;
  const ambient = trace.getSpanContext(contexts.active());
  return tracer.startSpan(
    target === undefined ? method : `${method} ${redactText(target)}`,
    {
      kind: SpanKind.SERVER,
      attributes: { ...attributes, ...describeRequest(request) },
      links: ambient ? [{ context: ambient }] : [],
    },
    parent,
  );
}

function describeRequest(request: ServerRequest): Attributes {
  const { method, context } = request;
  const common = {
    "mcp.method.name": method,
    "mcp.protocol.version": context.revision,
    "jsonrpc.request.id": redactText(String(context.requestId)),
  };
  const named = readTarget(request);
  if (named === undefined) return common;
  const target = redactText(named);
  if (method === "tools/call") {
    return { ...common, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target };
  }
  return method === "prompts/get"
    ? { ...common, "gen_ai.prompt.name": target }
    : { ...common, "mcp.resource.uri": target };
}

/** Ends a span. A rejection is not an error on the server's side, because the client caused it. */
function endSpan(span: Span, { kind, code, message }: RequestOutcome): void {
  if (code !== undefined) span.setAttribute("rpc.response.status_code", String(code));
  if (kind === "tool-error" || isServerError(code)) {
    span.setAttribute("error.type", code === undefined ? "tool_error" : String(code));
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  }
  span.end();
}

function isServerError(code: number | undefined): boolean {
  return code === errorCodes.internalError || (code !== undefined && code >= -32_099 && code <= -32_000);
}
