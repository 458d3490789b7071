import { isObject, type Awaitable, type Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { describeIssues } from "../../protocol/methods/schema-issue.ts";
import { attempt, chain } from "../../internal/maybe-async.ts";
import { isCapabilityError, isPeerError, isRpcError, SetupError, toError } from "../../jsonrpc/errors.ts";
import { merge } from "../../internal/merge.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { Catalogue } from "../list/catalogue.ts";
import { checkMetaOf } from "../check-meta.ts";

import { isToolError, reject } from "../errors.ts";
import { InputRequired } from "../input/input-required.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import { findForeign } from "../foreign-values.ts";
import type { RegistryOptions } from "../list/registry-options.ts";
import { requireScopes } from "../scopes.ts";
import { noArguments, toJsonSchema, type Schema, type SchemaResult } from "../schema.ts";
import type { AnyContext, AnyRequester, AnyTool } from "../any-definition.ts";

/** Registry of the tools of a server at one revision. */
export interface ToolRegistry extends Listing {
  /** Returns the tool if the requester may see it. Rejects any other name, and requesters that lack its scopes. */
  find(name: string, requester: AnyRequester): AnyTool;
  run(tool: AnyTool, args: object, context: AnyContext): Awaitable<object>;
}

/** Checks an input schema. Throws when it contains something that no client of a revision could follow. */
export type CheckInput = (schema: unknown, revision: Revision) => void;

/** Rules for the checks and descriptions of tools, in addition to those of every program. */
export interface ToolRules {
  readonly checkInput?: CheckInput | undefined;
  /** Returns the members of a feature that lists show of a tool. */
  readonly describeMore?: ((tool: AnyTool, revision: Revision) => object) | undefined;
}

/** Creates the registry. Schemas are converted when a tool is added, so that a call is a lookup, a validation and a run. */
export function createTools(tools: Catalogue<AnyTool>, options: RegistryOptions): ToolRegistry {
  const { envelope, onError, revision, toolRules } = options;
  const describe = (tool: AnyTool): object => describeTool(tool, revision, toolRules);
  const { resultType } = envelope.result;
  const run = {
    revision,
    onError,
    resultType,
  };
  const wrap = (result: object): object => {
    if (result instanceof InputRequired) return result;
    if (resultType === undefined || Object.hasOwn(result, "resultType")) return result;
    return merge(envelope.result, result);
  };
  return {
    ...createListing({ member: "tools", catalogue: tools, describe }, options),
    find(name, requester) {
      const tool = tools.get(name);
      if (!tool || !isVisible(tool, requester)) throw reject(`Unknown tool: ${name}`, { name });
      requireScopes(tool, requester);
      return tool;
    },
    run: (tool, args, context) => chain(callTool(tool, args, { ...run, context }), wrap),
  };
}

/**
 * Checks the name and the metadata of a tool.
 *
 * @throws {SetupError} when some clients cannot handle the name, or when a metadata key is invalid
 */
export function checkTool(tool: AnyTool): void {
  const { name } = tool;
  checkMetaOf(tool, `Tool "${name}"`);
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return;
  throw new SetupError(
    `Tool name ${JSON.stringify(name)} is rejected by some clients; use 1 to 128 of the characters A-Z a-z 0-9 "_" "-" "."`,
  );
}

/**
 * Returns a tool in the form that `tools/list` shows.
 *
 * @throws {SetupError} when the tool cannot be shown at the revision
 */
export function describeTool(tool: AnyTool, revision: Revision, rules: ToolRules = {}): object {
  const {
    inputSchema: input,
    outputSchema: output,
    execute: _run,
    render: _render,
    visible: _visible,
    scopes: _scopes,
    ui: _ui,
    task: _task,
    ...fields
  } = tool;
  const dialect = revision.jsonSchemaDialect === undefined ? {} : { dialect: revision.jsonSchemaDialect };
  try {
    const shown = {
      ...fields,
      inputSchema: toJsonSchema(input ?? noArguments, "input", dialect),
      ...rules.describeMore?.(tool, revision),
      ...(output && { outputSchema: toJsonSchema(output, "output", dialect) }),
    };
    checkShown(shown, revision);
    rules.checkInput?.(shown.inputSchema, revision);
    return shown;
  } catch (error) {
    throw new SetupError(`Tool "${tool.name}": ${toError(error).message}`, { cause: error });
  }
}

/** Rejects a tool that does not fit the revision; for instance, most revisions allow only objects as structured output. */
function checkShown(tool: object, revision: Revision): void {
  const issue = findRow(revision.clientRequests, "listTools")?.result({ tools: [tool] });
  if (!issue) return;
  const member = issue.path.replace(/^tools\/0\/?/, "");
  const advice = member.startsWith("outputSchema") ? "; wrap the output in an object" : "";
  throw new Error(`revision ${revision.id} requires ${issue.expected} at ${member}${advice}`);
}

interface Run {
  readonly context: AnyContext;
  readonly revision: Revision;
  readonly onError: OnError;
  readonly resultType: string | undefined;
}

function callTool(tool: AnyTool, args: object, run: Run): Awaitable<object> {
  const outcome = attempt<unknown>(
    () => chain(validate(tool.inputSchema ?? noArguments, args), (checked) => runTool(tool, checked, run.context)),
    (error) => new Failure(toFailure(error, tool, run)),
  );
  return chain(outcome, (returned) => (returned instanceof Failure ? returned.result : toResult(tool, returned, run)));
}

/** Failure that is reported to the model, as distinct from a value that a tool returns. */
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

/** Converts a thrown value to a result for the model; protocol errors pass. The text of a foreign error is not sent: it may contain secrets. */
function toFailure(thrown: unknown, tool: AnyTool, run: Run): object {
  if (isRpcError(thrown) && !isPeerError(thrown)) throw thrown;
  if (isToolError(thrown)) return failure(thrown.message);
  if (isCapabilityError(thrown)) {
    // A client of stateless requests may declare more capabilities and send the request again.
    if (run.revision.lifecycle === "per-request") throw thrown;
    return failure(`The tool requires the client capability ${thrown.gate.path.join(".")}`);
  }
  const { context, onError } = run;
  if (!context.signal.aborted) {
    onError({ kind: "handler", method: "tools/call", id: context.requestId, error: toReported(thrown, tool) });
  }
  return failure("The tool failed");
}

function toResult(tool: AnyTool, outcome: unknown, { resultType }: Run): Awaitable<object> {
  if (outcome instanceof InputRequired) return outcome;
  if (tool.outputSchema) return toStructuredResult(tool, tool.outputSchema, outcome);
  if (typeof outcome === "string") {
    const content = [text(outcome)];
    return resultType === undefined ? { content } : { resultType, content };
  }
  if (isObject(outcome)) return outcome;
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
  return Array.isArray(value) ? "an array" : typeof value;
}
