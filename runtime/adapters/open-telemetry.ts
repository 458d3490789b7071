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

/** How requests are traced. */
export interface TraceOptions {
  /** Default: the one of the provider that is registered in the process. */
  readonly tracer?: Tracer;
  /** Members of every span, such as `network.transport`. */
  readonly attributes?: Attributes;
}

/**
 * Middleware that makes a span of each request, named and described as the conventions for MCP ask. The client's trace goes on
 * in it (`traceparent`, `tracestate` and `baggage` in `_meta`); what is active here, such as the span of an HTTP request, is
 * linked. Neither arguments nor results are recorded. A span of a refused request is named by its method alone, and of what clients
 * write no more is recorded than a line.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp
 */
export function traceRequests(options: TraceOptions = {}): Middleware {
  return (request, next) => {
    const tracer = options.tracer ?? trace.getTracer("create-mcp-server");
    const parent = propagation.extract(ROOT_CONTEXT, request.context.meta, metaGetter);
    const span = startSpan(tracer, request, { parent, attributes: options.attributes ?? {} });
    return contexts.with(trace.setSpan(parent, span), () =>
      observe(next, (outcome) => {
        // The name of something that may not even exist is the client's, and anything: names of spans are to be few.
        if (outcome.kind === "refused") span.updateName(request.method);
        endSpan(span, outcome);
      }),
    );
  };
}

/** Trace context comes from strangers: anything but text is left alone, and so is what is inherited. */
const metaGetter: TextMapGetter<ServerRequest["context"]["meta"]> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" && value.length <= longestField ? value : undefined;
  },
};

/** The limit that the specification of baggage sets; the others are shorter. */
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

/** On the server's side a refusal is no error: it is what the client should have expected. */
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
