import type { Awaitable, Revision } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import { SetupError, toError } from "../../jsonrpc/errors.ts";
import { merge } from "../../internal/merge.ts";
import type { Catalogue } from "../list/catalogue.ts";
import { checkMetaOf } from "../check-meta.ts";
import { reject } from "../errors.ts";
import { InputRequired } from "../input/input-required.ts";
import { checkShown, checkVisible } from "../list/check-shown.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import type { RegistryOptions, ToolRules } from "../list/registry-options.ts";
import { checkScopeNames, requireScopes } from "../scopes.ts";
import { noArguments, toJsonSchema } from "../schema.ts";
import type { AnyTool } from "../any-definition.ts";
import type { AnyContext, AnyRequester } from "../protocol-types.ts";
import { pickShown } from "../list/shown-members.ts";
import { callTool } from "./call-tool.ts";

/** Registry of the tools of a server at one revision. */
export interface ToolRegistry extends Listing {
  /** Returns the tool if the requester may see it. Rejects any other name, and requesters that lack its scopes. */
  find(name: string, requester: AnyRequester): AnyTool;
  run(tool: AnyTool, args: object, context: AnyContext): Awaitable<object>;
}

/** Creates the registry. Schemas are converted when a tool is added, so that a call is a lookup, a validation and a run. */
export function createTools(tools: Catalogue<AnyTool>, options: RegistryOptions): ToolRegistry {
  const { envelope, onError, revision, toolRules } = options;
  const describe = (tool: AnyTool): object => describeTool(tool, revision, toolRules);
  const { resultType } = envelope.result;
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
    run: (tool, args, context) =>
      chain(callTool(tool, args, { context, revision, onError, resultType, toolRules }), wrap),
  };
}

/**
 * Checks the name, the metadata, the visibility and the scopes of a tool.
 *
 * @throws {SetupError} when some clients cannot handle the name, or when a metadata key, `visible` or a scope is invalid
 */
export function checkTool(tool: AnyTool): void {
  const { name } = tool;
  checkMetaOf(tool, `Tool "${name}"`);
  checkVisible(tool, `Tool "${name}"`);
  checkScopeNames(`Tool "${name}"`, tool.scopes ?? []);
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
  const { inputSchema: input, outputSchema: output } = tool;
  const dialect = revision.jsonSchemaDialect === undefined ? {} : { dialect: revision.jsonSchemaDialect };
  try {
    const shown = {
      ...pickShown(tool, "Tool", rules.shown ?? revision.descriptionMembers),
      inputSchema: toJsonSchema(input ?? noArguments, "input", dialect),
      ...rules.describeMore?.(tool, revision),
      ...(output && { outputSchema: toJsonSchema(output, "output", dialect) }),
    };
    checkShown(shown, { member: "tools", revision, written: rules.written });
    rules.checkInput?.(shown.inputSchema, revision);
    return shown;
  } catch (error) {
    throw new SetupError(`Tool "${tool.name}": ${toError(error).message}`, { cause: error });
  }
}
