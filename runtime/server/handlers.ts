import type { Awaitable, Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import { findRow } from "../common/rows.ts";
import type { CallContext } from "../rpc/call.ts";
import type { OnError } from "../rpc/report.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CompleteParams } from "./completions.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import type { CacheHints } from "./definitions.ts";
import type { Cursors } from "./cursors.ts";
import { createEnvelope } from "./envelope.ts";
import type { Implemented, Scene, ServedFeature } from "./feature.ts";
import { toListHandler, type ListHandler } from "./list-handler.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { ListenParams } from "./listen.ts";
import { createLogLevels, type LogLevels, type LogOptions } from "./log-levels.ts";
import { wrapHandlers, type Middleware } from "./middleware.ts";
import type { RegistryOptions } from "./registry.ts";
import type { ResourceCatalogue } from "./resource-catalogue.ts";
import { createPlainRounds } from "./rounds.ts";
import type { PromptSource, TemplateSource, ToolSource } from "./source.ts";
import { createTools, type CheckInput, type ToolRegistry } from "./tools.ts";

/** What a server consists of, the same at every revision. */
export interface ServerParts {
  readonly tools: Catalogue<ToolSource>;
  readonly resources: ResourceCatalogue;
  readonly resourceTemplates: Catalogue<TemplateSource>;
  readonly prompts: Catalogue<PromptSource>;
  readonly sessions: LiveSessions;
  readonly settings: ServerSettings;
  readonly checkInput: CheckInput | undefined;
}

/** How a server behaves, with every default filled in. */
export interface ServerSettings {
  /** Lists that may change, so that they are offered even while they are empty. */
  readonly dynamic: ReadonlySet<ListKind>;
  readonly subscriptions: boolean;
  /** Most subscriptions of one session, or of one request that waits for news. */
  readonly mostSubscriptions: number;
  readonly pageSize: number | undefined;
  readonly caching: CacheHints;
  readonly cursors: Cursors;
  readonly logs: LogOptions;
  readonly middleware: readonly Middleware[];
  readonly onError: OnError;
}

/** What the registries answer: `ServerHandlers` of any revision, as far as their params and results agree. */
export interface RegistryHandlers {
  readonly listTools?: ListHandler;
  callTool?(params: CallToolParams, call: CallContext): Awaitable<object>;
  readonly listResources?: ListHandler;
  readonly listResourceTemplates?: ListHandler;
  readResource?(params: UriParams, call: CallContext): Awaitable<object>;
  subscribe?(params: UriParams, call: CallContext): object;
  unsubscribe?(params: UriParams, call: CallContext): object;
  readonly listPrompts?: ListHandler;
  getPrompt?(params: GetPromptParams, call: CallContext): Awaitable<object>;
  complete?(params: CompleteParams, call: CallContext): Promise<object>;
  setLevel?(params: SetLevelParams, call: CallContext): object;
  subscriptionsListen?(params: ListenParams, call: CallContext): Promise<object>;
  readonly listSkills?: ListHandler;
  getSkill?(params: UriParams, call: CallContext): object;
  readResourceDirectory?(params: UriParams & { readonly cursor?: string }, call: CallContext): Promise<object>;
}

interface CallToolParams {
  readonly name: string;
  readonly arguments?: object;
}

interface UriParams {
  readonly uri: string;
}

interface GetPromptParams {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: string };
}

interface SetLevelParams {
  readonly level: string;
}

/** Builds the registries of a server for one revision and the handlers on top of them; what is not offered has none. */
export function createHandlers(
  parts: ServerParts,
  revision: Revision,
  features: { readonly served: readonly ServedFeature[]; readonly createScope: CreateScope },
): object {
  const { resources, resourceTemplates: templates, prompts, settings } = parts;
  const { dynamic, pageSize, caching, cursors, onError, middleware } = settings;
  const envelope = createEnvelope(revision);
  const levels = createLogLevels(revision, settings.logs);
  const message = findRow(revision.serverNotifications, "loggingMessage");
  const rounds = features.served.find((feature) => feature.rounds)?.rounds?.(revision) ?? createPlainRounds();
  const contextParts: ContextParts = { message, levels, rounds };
  const { createScope } = features;
  const toContext = (call: CallContext): HandlerScope => createScope(call, contextParts);
  const options: RegistryOptions = {
    revision,
    envelope,
    caching,
    pageSize,
    cursors,
    onError,
    checkInput: parts.checkInput,
    toRequester: toContext,
  };
  const tools = createTools(parts.tools, options);
  const offers = { tools: parts.tools.size, resources: resources.size + templates.size, prompts: prompts.size };
  const isOffered = (kind: ListKind): boolean => offers[kind] > 0 || dynamic.has(kind);
  const earlier: Implemented[] = [];
  const scene: Scene = { revision, options, ...contextParts, tools, createScope, toContext, isOffered, earlier };
  for (const feature of features.served) earlier.push(feature.implement(scene));
  const handlers: RegistryHandlers = {
    ...(isOffered("tools") && implementTools(tools, { rounds, toContext })),
    ...Object.assign({}, ...earlier.map((implemented) => implemented.handlers)),
    ...implementLogging(levels),
  };
  return wrapHandlers(handlers, revision, { middleware, toContext });
}

function implementTools(
  tools: ToolRegistry,
  { rounds, toContext }: Pick<Scene, "rounds" | "toContext">,
): RegistryHandlers {
  return {
    listTools: toListHandler(tools),
    callTool(params, call) {
      const { name, arguments: args = {} } = params;
      const context = toContext(call);
      const tool = tools.find(name, context);
      return rounds.run({ method: "tools/call", params }, call, (during) =>
        tools.run(tool, args, during === call ? context : toContext(during)),
      );
    },
  };
}

function implementLogging(levels: LogLevels): RegistryHandlers {
  return {
    setLevel({ level }, call) {
      levels.set(call.session, level);
      return {};
    },
  };
}
