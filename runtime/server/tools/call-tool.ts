import { isObject, type Awaitable } from "../../../generated/support.ts";
import { attempt, chain, isThenable } from "../../internal/maybe-async.ts";
import { isCapabilityError, isPeerError, isRpcError, toError } from "../../jsonrpc/errors.ts";
import { describeIssues } from "../../protocol/methods/schema-issue.ts";
import type { AnyTool } from "../any-definition.ts";
import type { AnyContext } from "../protocol-types.ts";
import { isToolError } from "../errors.ts";
import { findForeign } from "../foreign-values.ts";
import { InputRequired } from "../input/input-required.ts";
import { toMissingCapabilityResult } from "../input/capability-gates.ts";
import { noArguments, toJsonSchema, type Schema, type SchemaResult } from "../standard-schema.ts";
import type { RevisionServer } from "../revision-server.ts";
import { findRoundedInteger } from "./rounded-integers.ts";

/** Call of a tool at one revision. */
export interface ToolCall {
  readonly context: AnyContext;
  readonly server: RevisionServer;
}

/** Validates the arguments of a call, runs the tool, and converts what it returns or throws to a `CallToolResult`. */
export function callTool(tool: AnyTool, args: object, call: ToolCall): Awaitable<object> {
  const { context } = call;
  const run = (checked: SchemaResult<unknown>): unknown => runTool(tool, withOwnValue(checked, args), context);
  const outcome = attempt<unknown>(
    () => {
      const checking = validateArguments(tool.inputSchema ?? noArguments, args);
      if (!isThenable(checking)) return run(checking);
      return checking.then((checked) => {
        context.signal.throwIfAborted();
        return run(checked);
      });
    },
    (error) => new Failure(toFailure(error, tool, call)),
  );
  return chain(outcome, (returned) => (returned instanceof Failure ? returned.result : toResult(tool, returned, call)));
}

/** Failure to report to the model, as distinct from a value returned by a tool. */
class Failure {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}

function runTool(tool: AnyTool, checked: SchemaResult<unknown>, context: AnyContext): unknown {
  if (!checked.issues) return tool.execute(checked.value, context);
  return new Failure(failure(`Invalid arguments for tool "${tool.name}":\n${describeIssues(checked.issues)}`));
}

/**
 * Returns a result whose value is not the arguments of the request. A tool may change its value, and runs again with the arguments of the request
 * when input is required.
 */
function withOwnValue(checked: SchemaResult<unknown>, args: object): SchemaResult<unknown> {
  return checked.issues === undefined && checked.value === args ? { value: copy(args) } : checked;
}

/** Copies a value of a message, which has a limited depth. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
}

/** Converts a thrown value to a result for the model; protocol errors pass. The text of a foreign error is not sent: it may contain secrets. */
function toFailure(thrown: unknown, tool: AnyTool, call: ToolCall): object {
  if (isRpcError(thrown) && !isPeerError(thrown)) throw thrown;
  if (isToolError(thrown)) return failure(thrown.message);
  if (isCapabilityError(thrown)) return toMissingCapabilityResult(thrown, call.server.revision);
  const { context, server } = call;
  const { settings, describeError } = server.parts;
  if (!context.signal.aborted) {
    settings.onError({ kind: "handler", method: "tools/call", id: context.requestId, error: toReported(thrown, tool) });
  }
  return failure(describeError?.(thrown) ?? "The tool failed");
}

function toResult(tool: AnyTool, outcome: unknown, { server }: ToolCall): Awaitable<object> {
  if (outcome instanceof InputRequired) return outcome;
  if (tool.outputSchema) return toStructuredResult(tool, tool.outputSchema, outcome);
  if (typeof outcome === "string") {
    const content = [text(outcome)];
    const { resultType } = server.envelope.result;
    return resultType === undefined ? { content } : { resultType, content };
  }
  // Anything else in a result is checked when the response is made, where the name of the tool is unknown.
  if (isObject(outcome) && (outcome.content !== undefined || outcome.resultType !== undefined)) return outcome;
  throw new Error(
    `Tool "${tool.name}" returned ${describeType(outcome)}; return text or a result, or define an output schema`,
  );
}

function toStructuredResult(tool: AnyTool, schema: Schema<unknown>, outcome: unknown): Awaitable<object> {
  return chain(validate(schema, outcome), (checked) => toStructured(tool, checked));
}

function toStructured(tool: AnyTool, checked: SchemaResult<unknown>): object {
  if (checked.issues) {
    const problems = describeIssues(checked.issues);
    throw new Error(`Tool "${tool.name}" returned a value that does not match its output schema:\n${problems}`);
  }
  const structuredContent = checked.value;
  const foreign = findForeign(structuredContent);
  if (foreign !== undefined) {
    throw new Error(`Tool "${tool.name}" returned a ${foreign}, which JSON cannot represent; return a JSON value`);
  }
  const content = tool.render?.(structuredContent) ?? [text(JSON.stringify(structuredContent))];
  return { content, structuredContent };
}

/** Validates arguments. Some validators accept rounded integers. */
function validateArguments(schema: Schema<unknown>, args: object): Awaitable<SchemaResult<unknown>> {
  const issues = findRoundedInteger(args, () => toJsonSchema(schema, "input", {}));
  return issues.length > 0 ? { issues } : validate(schema, args);
}

function validate(schema: Schema<unknown>, value: unknown): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
  return schema["~standard"].validate(value);
}

function toReported(cause: unknown, tool: AnyTool): Error {
  return new Error(`Tool "${tool.name}" failed: ${toError(cause).message}`, { cause });
}

function failure(message: string): object {
  return { content: [text(message)], isError: true };
}

function text(value: string): object {
  return { type: "text", text: value };
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object without content" : typeof value;
}
