import { extensionSupport } from "../extensions/extension-support.ts";
import { extension } from "../../../generated/extensions/ui/methods.ts";
import { isObject } from "../../../generated/support.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import { selectFrom } from "../list/catalogue.ts";
import type { Feature } from "../feature.ts";
import type { RevisionServer, ServerParts } from "../revision-server.ts";
import { createListing } from "../list/list-page.ts";
import type { ListHandler } from "../methods/served-handlers.ts";
import { createParser, matchFirst } from "../resources/registry.ts";
import type { ResourceLists } from "../resources/catalogue.ts";
import type { AnyResources, AnyTool } from "../any-definition.ts";
import type { AnyRequester } from "../protocol-types.ts";
import { describeTool } from "../tools/registry.ts";
import type { ToolUi } from "./tool-ui.ts";
import { uiMimeType } from "./ui-resource.ts";

/** Extension feature for views of tool results, for clients with support for views. */
export const apps: Feature = {
  name: "apps",
  extensionSupport,
  extension: ({ tools = [] }) => (tools.some((tool) => tool.ui) ? extension : undefined),
  check({ resources = [] }: AnyResources) {
    const wrong = resources.find(({ uri, mimeType }) => uri.startsWith("ui://") && mimeType !== uiMimeType);
    if (wrong)
      throw new SetupError(`Resource ${JSON.stringify(wrong.uri)}: the MIME type of a view must be "${uiMimeType}"`);
  },
  create(parts: ServerParts & ResourceLists) {
    for (const tool of parts.tools) checkTool(tool, parts);
    return {
      implement(server) {
        const isUsed = Object.hasOwn(server.revision.extensions ?? {}, extension.id);
        return { handlers: isUsed ? { listTools: listTools(server) } : {} };
      },
    };
  },
};

function checkTool(tool: AnyTool, { resources, resourceTemplates }: ResourceLists): void {
  const { name } = tool;
  const { resourceUri, visibility } = readUi(tool);
  const known = new Set(["model", "app"]);
  if (visibility && (visibility.length === 0 || !visibility.every((who) => known.has(who))))
    throw new SetupError(`Tool "${name}": its ui.visibility must be "model", "app" or both`);
  if (resourceUri === undefined) return;
  const found = resources.get(resourceUri) ?? matchFirst(resourceTemplates, resourceUri, createParser())?.template;
  if (!found)
    throw new SetupError(`Tool "${name}": the resource ${resourceUri} does not exist; create it with createUiResource`);
  if (found.mimeType === uiMimeType) return;
  throw new SetupError(`Tool "${name}": ${resourceUri} is not a view; its MIME type must be "${uiMimeType}"`);
}

/** Returns the `ui` member of a tool with its type: tool definitions are checked where they are written. */
function readUi({ ui: shown = {} }: AnyTool): ToolUi {
  return shown;
}

/**
 * Builds two lists: a client without views does not see the views, nor the tools only views may call. A revision whose tools have no `_meta` can
 * express neither.
 */
function listTools(server: RevisionServer): ListHandler {
  const { revision, parts } = server;
  const describe = (tool: AnyTool): object => describeTool(tool, revision, parts);
  const whole = createListing(
    {
      member: "tools",
      catalogue: parts.tools,
      isPrivate: true,
      describe: (tool) => withView(describe(tool), tool),
    },
    server,
  );
  const forModels = selectFrom(parts.tools, (tool) => readUi(tool).visibility?.includes("model") !== false);
  const plain = createListing({ member: "tools", catalogue: forModels, isPrivate: true, describe }, server);
  const canShow = revision.descriptionMembers.Tool?.includes("_meta") === true;
  return (params, call) => (canShow && hasViews(server.scope(call)) ? whole : plain).page(params?.cursor, call);
}

function withView(shown: object, tool: AnyTool): object {
  const meta: unknown = Reflect.get(shown, "_meta");
  return tool.ui ? { ...shown, _meta: { ...(isObject(meta) && meta), ui: tool.ui } } : shown;
}

/**
 * True if the client declares support for views.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps
 */
function hasViews({ client }: AnyRequester): boolean {
  const extensions: unknown = Reflect.get(client.capabilities, "extensions");
  const settings = isObject(extensions) ? extensions[extension.id] : undefined;
  const { mimeTypes } = isObject(settings) ? settings : {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(uiMimeType);
}
