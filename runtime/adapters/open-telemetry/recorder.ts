import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context as contexts,
  diag,
  metrics,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type Link,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { readTraceContext } from "../../protocol/session/trace-context.ts";
import { redactText } from "../../server/middleware/redact.ts";
import { attributeKeys as keys, bucketBoundaries, histograms, other } from "./conventions.ts";
import { KnownNames } from "./known-names.ts";
import {
  readOperationTarget,
  toCommonAttributes,
  toConnectionAttributes,
  toDurationErrors,
  toErrorAttributes,
  toErrorType,
  toNameAttribute,
  toSpanAttributes,
  toStatusMessage,
  type OperationEnd,
  type OperationStart,
  type Target,
} from "./operation.ts";
import { isObject } from "../../../generated/support.ts";

/** Providers for the records, and the parts a program adds, leaves out or hides. */
export interface OpenTelemetryOptions {
  /** Tracer of the spans. Default: the tracer of the provider registered in the process. */
  readonly tracer?: Tracer;
  /** Meter of the durations. Default: the meter of the provider registered when the first connection opens. */
  readonly meter?: Meter;
  /** Attributes of every span and every duration, such as the name of a deployment. */
  readonly attributes?: Attributes;
  /**
   * Records arguments and results of tools in spans, as JSON text of at most 8,192 characters: what the function returns for them, such as
   * `redact` of the main entry. `undefined` records nothing. Default: neither is recorded.
   */
  readonly recordContent?: (value: unknown) => unknown;
  /** True for methods without spans and durations, such as `ping` or `notifications/progress`. Trace context is sent with them nevertheless. */
  readonly skip?: (method: string) => boolean;
  /**
   * Use of the trace context sent by peers. `parent`: spans continue the trace of the peer, and its baggage is available. `link`: spans begin a trace
   * of their own with a link to the peer's, and its baggage is dropped; for servers whose clients are not trusted. Default `parent`.
   */
  readonly remoteContext?: "parent" | "link";
  /** `false` to leave out `mcp.session.id`: in transports without authentication, the id gives access to the session. Default `true`. */
  readonly sessionId?: boolean;
  /** Exports what has been recorded, and ends the SDK. Called when a program of `runStdio`, `runHttp` or `runServer` ends. Default: nothing. */
  readonly close?: () => Promise<unknown>;
}

/** Operation in progress. */
export interface Operation {
  /** Runs a function in the context of the operation: spans begun in it are its children. */
  run<Result>(work: () => Result): Result;
  /** Trace context to send with the message. */
  readonly fields: Readonly<Record<string, string>>;
  /** Ends the operation. Further calls have no effect. */
  end(end: OperationEnd): void;
}

/** Facts about an ended session. */
export type EndedSession = Pick<OperationStart, "role" | "revision" | "network"> & {
  readonly milliseconds: number;
  /** Reason of the end; absent after an orderly one. */
  readonly error: Error | undefined;
};

/** Records operations and sessions with the API of OpenTelemetry. */
export class Recorder {
  readonly #options: OpenTelemetryOptions;
  readonly #known = new KnownNames();
  #durations: Durations | undefined;

  constructor(options: OpenTelemetryOptions) {
    this.#options = options;
  }

  /** Begins the operation of a message. A sent message belongs to `within` if no span is active. */
  begin(start: OperationStart, within?: Operation): Operation {
    const surrounding = this.#findContext(start, within);
    if (this.#options.skip?.(start.method) === true) return new ContextOperation(surrounding.parent);
    const target = readOperationTarget(start.method, start.params);
    const name = target && target.kind !== "resource" ? redactText(target.name) : undefined;
    const span = this.#startSpan({ start, target, name }, surrounding);
    const began = performance.now();
    const isHandshake = start.revision === undefined;
    return new ContextOperation(trace.setSpan(surrounding.parent, span), (end, context) => {
      const seconds = (performance.now() - began) / 1_000;
      this.#end({ start, target, name, span, context, seconds, isHandshake }, end);
    });
  }

  endSession({ milliseconds, error, ...session }: EndedSession): void {
    const attributes = {
      ...this.#options.attributes,
      ...toConnectionAttributes(session),
      ...(error && { [keys.errorType]: toErrorType(error) }),
    };
    const { clientSession, serverSession } = this.#readDurations();
    (session.role === "client" ? clientSession : serverSession).record(milliseconds / 1_000, attributes);
  }

  #startSpan({ start, target, name }: NamedOperation, { parent, links }: Surrounding): Span {
    const tracer = this.#options.tracer ?? trace.getTracer(scope);
    const attributes = {
      ...this.#describe(start, target),
      ...(name !== undefined && toNameAttribute(target, name)),
      ...(target?.kind === "tool" &&
        isObject(start.params) &&
        this.#toContent(keys.toolArguments, start.params.arguments)),
    };
    return tracer.startSpan(
      name === undefined ? start.method : `${start.method} ${name}`,
      { kind: start.kind === "client" ? SpanKind.CLIENT : SpanKind.SERVER, attributes, links: [...links] },
      parent,
    );
  }

  #describe(start: OperationStart, target: Target | undefined): Attributes {
    const { [keys.sessionId]: sessionId, ...others } = toSpanAttributes(start, target);
    const isKept = sessionId !== undefined && this.#options.sessionId !== false;
    return {
      ...this.#options.attributes,
      ...toCommonAttributes(start),
      ...others,
      ...(isKept && { [keys.sessionId]: sessionId }),
    };
  }

  #end({ start, target, name, span, context, seconds, isHandshake }: EndedOperation, end: OperationEnd): void {
    const { method } = start;
    if (isHandshake) span.setAttributes(this.#describe(start, target));
    this.#known.learn(method, target, end);
    const isKnown = target !== undefined && this.#known.has(target);
    const errors = toErrorAttributes(end, method);
    const hasFailed = Object.hasOwn(errors, keys.errorType);
    span.setAttributes(errors);
    if (hasFailed) {
      const message = toStatusMessage(end);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    }
    // The target of a failed call may not exist: then it is any text, but the number of different names must be small.
    if (name !== undefined && hasFailed && !isKnown) {
      span.updateName(method);
      if (end.kind === "error") span.setAttributes(toNameAttribute(target, other));
    }
    if (end.kind === "result" && target?.kind === "tool" && !hasFailed)
      span.setAttributes(this.#toContent(keys.toolResult, end.result));
    span.end();
    const { clientOperation, serverOperation } = this.#readDurations();
    const attributes = {
      ...this.#options.attributes,
      ...toCommonAttributes(start),
      ...(name !== undefined && toNameAttribute(target, isKnown ? name : other)),
      ...toDurationErrors(end, start),
    };
    (start.kind === "client" ? clientOperation : serverOperation).record(seconds, attributes, context);
  }

  /**
   * Returns the parent of a span. A received message continues the trace of its sender, and is linked to the active span, such as the span of an HTTP
   * request. A sent message belongs to the active span.
   */
  #findContext({ kind, role, params }: OperationStart, within: Operation | undefined): Surrounding {
    const active = contexts.active();
    if (kind === "client") {
      if (trace.getSpanContext(active)) return { parent: active, links: [] };
      if (within) return { parent: within.run(() => contexts.active()), links: [] };
      return { parent: extract(active, params), links: [] };
    }
    // A client reads all messages in the context in which it has connected, which says nothing about them.
    const around = role === "server" ? active : ROOT_CONTEXT;
    const remote = extract(ROOT_CONTEXT, params);
    const sender = trace.getSpanContext(remote);
    if (!sender) return { parent: around, links: [] };
    if (this.#options.remoteContext === "link") return { parent: around, links: [{ context: sender }] };
    const ambient = trace.getSpanContext(around);
    return { parent: remote, links: ambient ? [{ context: ambient }] : [] };
  }

  #toContent(key: string, value: unknown): Attributes {
    const { recordContent } = this.#options;
    if (!recordContent || value === undefined) return {};
    try {
      const text: unknown = JSON.stringify(recordContent(value));
      return typeof text === "string" ? { [key]: text.slice(0, longestContent) } : {};
    } catch (thrown) {
      diag.error("recordContent failed; the arguments or the result are not recorded", thrown);
      return {};
    }
  }

  #readDurations(): Durations {
    this.#durations ??= createDurations(this.#options.meter ?? metrics.getMeter(scope));
    return this.#durations;
  }
}

/** Name of the instrumentation scope. */
const scope = "mcp-server-runtime";

const longestContent = 8_192;

interface Surrounding {
  readonly parent: Context;
  readonly links: readonly Link[];
}

interface NamedOperation {
  readonly start: OperationStart;
  readonly target: Target | undefined;
  /** Name of the tool or the prompt for display: redacted and shortened. */
  readonly name: string | undefined;
}

interface EndedOperation extends NamedOperation {
  readonly span: Span;
  readonly context: Context;
  readonly seconds: number;
  /** True if the revision was not known at the start. */
  readonly isHandshake: boolean;
}

type Durations = { readonly [Name in keyof typeof histograms]: Histogram };

function createDurations(meter: Meter): Durations {
  const create = ({ name, description }: (typeof histograms)[keyof typeof histograms]): Histogram =>
    meter.createHistogram(name, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: [...bucketBoundaries] },
    });
  return {
    clientOperation: create(histograms.clientOperation),
    serverOperation: create(histograms.serverOperation),
    clientSession: create(histograms.clientSession),
    serverSession: create(histograms.serverSession),
  };
}

/** Reads the trace context of a message with the propagators of the process. It is untrusted input: invalid values are ignored. */
function extract(base: Context, params: unknown): Context {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : undefined;
  return meta ? propagation.extract(base, readTraceContext(meta)) : base;
}

/** Returns the fields written by the propagators of the process for a context. */
function inject(context: Context): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  return readTraceContext(carrier);
}

type OnEnd = (end: OperationEnd, context: Context) => void;

/** Operation in a context: the context of its span, or another one for an operation without a span. */
class ContextOperation implements Operation {
  readonly #context: Context;
  #onEnd: OnEnd | undefined;

  constructor(context: Context, onEnd?: OnEnd) {
    this.#context = context;
    this.#onEnd = onEnd;
  }

  get fields(): Readonly<Record<string, string>> {
    return inject(this.#context);
  }

  run<Result>(work: () => Result): Result {
    return contexts.with(this.#context, work);
  }

  end(end: OperationEnd): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(end, this.#context);
  }
}
