import type { Awaitable, Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import { createEnvelope } from "./envelope.ts";
import type { Implemented, FeatureContext, ServedFeature, ServerParts } from "./feature.ts";
import { toListHandler } from "./list/list-handler.ts";
import { createLogLevels, type LogLevels } from "./logging/log-levels.ts";
import { wrapHandlers } from "./middleware/middleware.ts";
import type { RegistryOptions } from "./list/registry-options.ts";
import type { InputRunner } from "./input/input-runner.ts";
import { createTools, type ToolRegistry } from "./tools/registry.ts";

/** Parts of a server at one revision that features may replace. */
export interface HandlerOptions {
  readonly createScope: CreateScope;
  readonly inputRunner: InputRunner;
  readonly served?: readonly ServedFeature[];
}

/** Builds the registries of a server for one revision and the handlers on top of them. Lists that are not offered have no handlers. */
export function createHandlers(parts: ServerParts, revision: Revision, made: HandlerOptions): object {
  const { isOffered } = parts;
  const { middleware, logs, ...settings } = parts.settings;
  const envelope = createEnvelope(revision);
  const levels = createLogLevels(revision, logs);
  const message = findRow(revision.serverNotifications, "loggingMessage");
  const { createScope, inputRunner } = made;
  const contextParts: ContextParts = { message, levels, inputRunner };
  const toContext = (call: CallContext): HandlerScope => createScope(call, contextParts);
  const options: RegistryOptions = {
    revision,
    envelope,
    ...settings,
    toolRules: parts.toolRules,
    shown: parts.shown,
    toRequester: toContext,
  };
  const tools = createTools(parts.tools, options);
  const handlers = {
    ...(isOffered("tools") && implementTools(tools, { inputRunner, toContext })),
    ...implementFeatures(made.served ?? [], {
      revision,
      options,
      ...contextParts,
      tools,
      createScope,
      toContext,
      isOffered,
    }),
    ...implementLogging(levels),
  };
  return wrapHandlers(handlers, revision, { middleware, toContext });
}

function implementFeatures(features: readonly ServedFeature[], scene: Omit<FeatureContext, "earlier">): object {
  const earlier: Implemented[] = [];
  for (const feature of features) earlier.push(feature.implement({ ...scene, earlier }));
  return Object.assign({}, ...earlier.map((implemented) => implemented.handlers));
}

interface CallToolParams {
  readonly name: string;
  readonly arguments?: object;
}

interface ToolScene {
  readonly inputRunner: InputRunner;
  toContext(call: CallContext): HandlerScope;
}

function implementTools(tools: ToolRegistry, { inputRunner, toContext }: ToolScene): object {
  return {
    listTools: toListHandler(tools),
    callTool(params: CallToolParams, call: CallContext): Awaitable<object> {
      const { name, arguments: args = {} } = params;
      return inputRunner.run({ method: "tools/call", params }, call, (during) => {
        const context = toContext(during);
        return tools.run(tools.find(name, context), args, context);
      });
    },
  };
}

function implementLogging(levels: LogLevels): object {
  return {
    setLevel({ level }: { readonly level: string }, call: CallContext): object {
      levels.set(call.session, level);
      return {};
    },
  };
}
