import type { Implemented } from "./feature.ts";
import { toListHandler } from "./list/list-handler.ts";
import type { LogLevels } from "./logging/log-levels.ts";
import type { ServedHandlers } from "./methods/served-handlers.ts";
import { wrapHandlers, type RequestStep } from "./middleware/middleware.ts";
import type { RevisionServer } from "./revision-server.ts";
import type { ToolRegistry } from "./tools/registry.ts";

/** Registries and features of a server at one revision, and the middleware around their handlers. */
export interface HandlerOptions {
  readonly tools: ToolRegistry;
  readonly implemented: readonly Implemented[];
  readonly steps: readonly RequestStep[];
}

/** Creates the handlers of a server at one revision. Only offered lists have handlers. */
export function createHandlers(server: RevisionServer, { tools, implemented, steps }: HandlerOptions): object {
  const features = implemented.reduce<ServedHandlers>((all, { handlers }) => ({ ...all, ...handlers }), {});
  const handlers: ServedHandlers = {
    ...(server.parts.lists.isOffered("tools") && implementTools(tools, server)),
    ...features,
    ...implementLogging(server.levels),
  };
  return wrapHandlers(handlers, server.revision, { steps, toContext: (call) => server.scope(call) });
}

function implementTools(tools: ToolRegistry, server: RevisionServer): ServedHandlers {
  return {
    listTools: toListHandler(tools),
    callTool(params, call) {
      const { name, arguments: args = {} } = params;
      return server.inputRunner.run({ method: "tools/call", params }, call, (during) => {
        const context = server.scope(during);
        return tools.run(tools.find(name, context), args, context);
      });
    },
  };
}

function implementLogging(levels: LogLevels): ServedHandlers {
  return {
    setLevel({ level }, call) {
      levels.set(call.session, level);
      return {};
    },
  };
}
