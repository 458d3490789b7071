import { extension } from "../../../generated/extensions/ui/methods.ts";
import { isObject } from "../../../generated/support.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { MiddlewareMessage } from "../../protocol/peer/message-middleware.ts";
import type { AnyResources, AnyServerDefinition, AnyTool } from "../any-definition.ts";
import { defineExtension, type ExtensionPlace } from "../extensions/define-extension.ts";
import { extensionSupport } from "../extensions/extension-support.ts";
import type { Feature } from "../feature.ts";
import { createParser, matchFirst } from "../resources/registry.ts";
import type { ToolUi } from "./tool-ui.ts";
import { uiMimeType } from "./ui-resource.ts";

/** Views of tool results, for clients with support for views. */
export const apps: Feature = {
  name: "apps",
  extensionSupport,
  extension({ tools = [], extensions = [] }: AnyServerDefinition) {
    const isNamed = extensions.some(({ id }) => id === extension.id);
    return isNamed || tools.some((tool) => tool.ui) ? serveViews() : undefined;
  },
  check({ resources = [] }: AnyResources) {
    const wrong = resources.find(({ uri, mimeType }) => uri.startsWith("ui://") && mimeType !== uiMimeType);
    if (wrong)
      throw new SetupError(`Resource ${JSON.stringify(wrong.uri)}: the MIME type of a view must be "${uiMimeType}"`);
  },
};

/** Defines the extension like one of a user: middleware selects what a client gets of a list. */
function serveViews(): ReturnType<typeof defineExtension> {
  return defineExtension(extension, {
    setup(place) {
      if (place.end !== "server") return;
      const { server } = place;
      for (const tool of server.tools) checkTool(tool, server);
      const select = createSelection((name) => server.tools.get(name));
      return {
        middleware: [
          {
            receive: {
              request(request, next) {
                if (request.method !== "tools/list") return next();
                return next().then((result) => (isObject(result) ? select(result, canShow(request)) : result));
              },
            },
          },
        ],
      };
    },
  });
}

type Lists = Extract<ExtensionPlace, { readonly end: "server" }>["server"];

function checkTool(tool: AnyTool, { resources, resourceTemplates }: Lists): void {
  const { name } = tool;
  const { resourceUri, visibility } = readUi(tool);
  const known = new Set(["model", "app"]);
  if (visibility && (visibility.length === 0 || !visibility.every((who) => known.has(who))))
    throw new SetupError(`Tool "${name}": its ui.visibility must be "model", "app" or both`);
  if (resourceUri === undefined) return;
  const found =
    resources?.get(resourceUri) ?? matchFirst(resourceTemplates ?? [], resourceUri, createParser())?.template;
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
 * Creates the function from a list of tools to the form for one client: without views, it gets neither the views nor the tools that only views may call.
 * A list is converted once, because its result stays the same object until the list changes.
 */
function createSelection(find: (name: string) => AnyTool | undefined): (result: object, canShow: boolean) => object {
  const known = { whole: new WeakMap<object, object>(), plain: new WeakMap<object, object>() };
  const toEntry = (shown: unknown, canShow: boolean): readonly unknown[] => {
    const tool = isObject(shown) && typeof shown.name === "string" ? find(shown.name) : undefined;
    if (!tool?.ui || !isObject(shown)) return [shown];
    if (canShow) return [{ ...shown, _meta: { ...(isObject(shown._meta) && shown._meta), ui: tool.ui } }];
    return readUi(tool).visibility?.includes("model") === false ? [] : [shown];
  };
  return (result, canShow) => {
    const selections = canShow ? known.whole : known.plain;
    const { tools, cacheScope }: { readonly tools?: unknown; readonly cacheScope?: unknown } = result;
    if (!Array.isArray(tools)) return result;
    const selected = selections.get(result) ?? {
      ...result,
      ...(cacheScope !== undefined && { cacheScope: "private" }),
      tools: tools.flatMap((shown: unknown) => toEntry(shown, canShow)),
    };
    selections.set(result, selected);
    return selected;
  };
}

/**
 * True if the client declares support for views, and its revision has metadata of tools.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps
 */
function canShow({ session }: MiddlewareMessage): boolean {
  if (session?.revision.descriptionMembers.Tool?.includes("_meta") !== true) return false;
  const { extensions }: { readonly extensions?: unknown } = session.peer.capabilities;
  const settings = isObject(extensions) ? extensions[extension.id] : undefined;
  const { mimeTypes } = isObject(settings) ? settings : {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(uiMimeType);
}
