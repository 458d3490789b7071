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
import { readParamHeaders } from "../../framing/param-headers.ts";
import type { ListHost } from "../list/changing-lists.ts";
import type { RevisionServer, ToolRules } from "../revision-server.ts";
import { checkScopeNames, requireScopes } from "../scopes.ts";
import { noArguments, toJsonSchema } from "../standard-schema.ts";
import type { AnyTool } from "../any-definition.ts";
import type { AnyContext, AnyRequester } from "../protocol-types.ts";
import { pickShown } from "../list/shown-members.ts";
import { callTool } from "./call-tool.ts";

/** Members of a server whose tools may change. */
export interface ToolLists {
  /** Tools of the server. They may change until the server is served, and afterwards if the definition names them in `listChanged`. */
  readonly tools: Catalogue<AnyTool>;
}

/** Creates the list of tools of a definition. Tools added later must fit every revision, because clients of each may be connected. */
export function createToolList(
  { tools = [] }: { readonly tools?: readonly AnyTool[] },
  host: ListHost,
  rules: ToolRules,
): Catalogue<AnyTool> {
  const { revisions } = rules;
  return host.createList("tools", tools, {
    noun: "tool",
    keyOf: ({ name }) => name,
    describe: (tool) => revisions.slice(0, 1).map((newest) => describeTool(tool, newest, rules)),
    check(tool) {
      checkTool(tool);
      for (const revision of revisions) describeTool(tool, revision, rules);
    },
  });
}

/** Registry of the tools of a server at one revision. */
export interface ToolRegistry extends Listing {
  /** Returns the tool if the requester may see it. Rejects any other name, and requesters without its scopes. */
  find(name: string, requester: AnyRequester): AnyTool;
  run(tool: AnyTool, args: object, context: AnyContext): Awaitable<object>;
}

/** Creates the registry. Schemas are converted when a tool is added: a call is a lookup, a validation and a run. */
export function createTools(tools: Catalogue<AnyTool>, server: RevisionServer): ToolRegistry {
  const { envelope, revision, parts } = server;
  const describe = (tool: AnyTool): object => describeTool(tool, revision, parts);
  const { resultType } = envelope.result;
  const wrap = (result: object): object => {
    if (result instanceof InputRequired) return result;
    if (resultType === undefined || Object.hasOwn(result, "resultType")) return result;
    return merge(envelope.result, result);
  };
  return {
    ...createListing({ member: "tools", catalogue: tools, describe }, server),
    find(name, requester) {
      const tool = tools.get(name);
      if (!tool || !isVisible(tool, requester)) throw reject(`Unknown tool: ${name}`, { name });
      requireScopes(tool, requester);
      return tool;
    },
    run: (tool, args, context) => chain(callTool(tool, args, { context, server }), wrap),
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
 * Returns a tool in the form for `tools/list`.
 *
 * @throws {SetupError} when the tool cannot be shown at the revision
 */
export function describeTool(tool: AnyTool, revision: Revision, rules: ToolRules): object {
  const { outputSchema: output } = tool;
  const [written] = rules.revisions;
  try {
    const shown = {
      ...pickShown(tool, "Tool", rules.shown),
      inputSchema: toInputSchema(tool, revision),
      ...rules.describeMore?.(tool, revision),
      ...(output && { outputSchema: toJsonSchema(output, "output", dialectOf(revision)) }),
    };
    checkShown(shown, { member: "tools", revision, written });
    if (revision.lifecycle === "per-request") readParamHeaders(shown.inputSchema);
    return shown;
  } catch (error) {
    throw new SetupError(`Tool "${tool.name}": ${toError(error).message}`, { cause: error });
  }
}

/** Returns the JSON Schema of the arguments of a tool at a revision. */
export function toInputSchema({ inputSchema }: AnyTool, revision: Revision): Readonly<Record<string, unknown>> {
  return toJsonSchema(inputSchema ?? noArguments, "input", dialectOf(revision));
}

function dialectOf({ jsonSchemaDialect: dialect }: Revision): { readonly dialect?: string } {
  return dialect === undefined ? {} : { dialect };
}
