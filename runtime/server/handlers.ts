import type { Awaitable, Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/methods/list-kinds.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Catalogue } from "./list/catalogue.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import type { CacheHints } from "./list/cache-hints.ts";
import type { Cursors } from "./list/cursors.ts";
import { createEnvelope } from "./envelope.ts";
import type { Implemented, FeatureContext, ServedFeature } from "./feature.ts";
import { toListHandler } from "./list/list-handler.ts";
import type { SessionRegistry } from "./subscriptions/session-registry.ts";
import { createLogLevels, type LogLevels, type LogOptions } from "./logging/log-levels.ts";
import { wrapHandlers, type Middleware } from "./middleware/middleware.ts";
import type { RegistryOptions } from "./list/registry-options.ts";
import type { InputRunner } from "./input/input-runner.ts";
import type { AnyTool } from "./any-definition.ts";
import type { ShownMembers } from "./list/shown-members.ts";
import { createTools, type ToolRegistry, type ToolRules } from "./tools/registry.ts";

/** Parts of a server that are the same at every revision. */
export interface ServerParts {
  readonly tools: Catalogue<AnyTool>;
  readonly sessions: SessionRegistry;
  readonly settings: ServerSettings;
  readonly cluster: ClusterAccess;
  readonly toolRules: ToolRules;
  /** Members of definitions that clients receive: those of the newest revision, for which definitions are written. Older revisions get less. */
  readonly shown: ShownMembers;
  /** Revisions of the server, newest first. */
  readonly revisions: readonly Revision[];
  /** True if a list has entries, or may have some later. */
  isOffered(kind: ListKind): boolean;
  /** Builds the handlers of a revision, if the server has it. */
  implement(revision: string): void;
}

/** Options of a server, with every default filled in. */
export interface ServerSettings {
  /** Lists that may change. They are offered even while they are empty. */
  readonly listChanged: ReadonlySet<ListKind>;
  readonly subscribe: boolean;
  /** Maximum number of subscriptions of one session, or of one request that listens for changes. */
  readonly maxSubscriptions: number;
  readonly pageSize: number | undefined;
  readonly cacheHints: CacheHints;
  readonly cursors: Cursors;
  readonly logs: LogOptions;
  readonly middleware: readonly Middleware[];
  readonly onError: OnError;
}

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
