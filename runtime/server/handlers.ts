import type { Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import type { CallContext } from "../rpc/call.ts";
import type { StaticResult } from "../rpc/message.ts";
import type { OnError } from "../rpc/report.ts";
import type { Catalogue } from "./catalogue.ts";
import { completeArgument, hasCompletions, type Completables, type CompleteParams } from "./completions.ts";
import { HandlerScope, ReadScope, findContextRows, type ContextRows } from "./context.ts";
import type { Cursors } from "./cursors.ts";
import { createEnvelope, type Envelope } from "./envelope.ts";
import type { Listing } from "./listing.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { implementListening, type ListenParams } from "./listen.ts";
import { createLogLevels, type LogLevels, type LogOptions } from "./log-levels.ts";
import { wrapHandlers, type Middleware } from "./middleware.ts";
import { createPrompts, type PromptRegistry } from "./prompts.ts";
import type { RegistryOptions } from "./registry.ts";
import type { ResourceCatalogue } from "./resource-catalogue.ts";
import { createResources, resourceNotFound, type ResourceRegistry } from "./resources.ts";
import type { PromptSource, TemplateSource, ToolSource } from "./source.ts";
import { knowsTasks } from "../tasks/task.ts";
import type { TaskManager } from "../tasks/task-manager.ts";
import { implementTaskCalls } from "./tool-tasks.ts";
import { createTools, type ToolRegistry } from "./tools.ts";

/** What a server consists of, the same at every revision. */
export interface ServerParts {
  readonly tools: Catalogue<ToolSource>;
  readonly resources: ResourceCatalogue;
  readonly resourceTemplates: Catalogue<TemplateSource>;
  readonly prompts: Catalogue<PromptSource>;
  readonly sessions: LiveSessions;
  readonly tasks: TaskManager;
  readonly settings: ServerSettings;
}

/** How a server behaves, with every default filled in. */
export interface ServerSettings {
  /** Lists that may change, so that they are offered even while they are empty. */
  readonly dynamic: ReadonlySet<ListKind>;
  readonly subscriptions: boolean;
  readonly pageSize: number | undefined;
  readonly cursors: Cursors;
  readonly logs: LogOptions;
  readonly middleware: readonly Middleware[];
  /** Offer tasks even while no tool asks for them. */
  readonly offersTasks: boolean;
  readonly onError: OnError;
}

/** What the registries answer: `ServerHandlers` of any revision, as far as their params and results agree. */
export interface RegistryHandlers {
  listTools?(params: ListParams | undefined, call: CallContext): ListAnswer;
  callTool?(params: CallToolParams, call: CallContext): Promise<object>;
  listResources?(params: ListParams | undefined, call: CallContext): ListAnswer;
  listResourceTemplates?(params: ListParams | undefined, call: CallContext): ListAnswer;
  readResource?(params: UriParams, call: CallContext): Promise<object>;
  subscribe?(params: UriParams, call: CallContext): object;
  unsubscribe?(params: UriParams, call: CallContext): object;
  listPrompts?(params: ListParams | undefined, call: CallContext): ListAnswer;
  getPrompt?(params: GetPromptParams, call: CallContext): Promise<object>;
  complete?(params: CompleteParams, call: CallContext): Promise<object>;
  setLevel?(params: SetLevelParams, call: CallContext): object;
  subscriptionsListen?(params: ListenParams, call: CallContext): Promise<object>;
}

type ListAnswer = StaticResult | Promise<object>;

interface ListParams {
  readonly cursor?: string;
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
export function createHandlers(parts: ServerParts, revision: Revision): object {
  const { tools, resources, resourceTemplates: templates, prompts, sessions, settings } = parts;
  const { dynamic, pageSize, cursors, onError, middleware } = settings;
  const envelope = createEnvelope(revision);
  const levels = createLogLevels(revision, settings.logs);
  const scopes: Scopes = { rows: findContextRows(revision), levels };
  const toContext = (call: CallContext): HandlerScope => new HandlerScope(call, scopes.rows, levels);
  const options: RegistryOptions = { revision, envelope, pageSize, cursors, onError, toRequester: toContext };
  const toolRegistry = createTools(tools, options);
  const hasTasks = knowsTasks(revision) && (settings.offersTasks || [...tools].some((tool) => tool.task));
  const resourceRegistry = createResources({ resources, templates, toContext }, options);
  const promptRegistry = createPrompts(prompts, options);
  const where: Completables = { prompts: promptRegistry, resources: resourceRegistry };
  const offers = { tools: tools.size, resources: resources.size + templates.size, prompts: prompts.size };
  const isOffered = (kind: ListKind): boolean => offers[kind] > 0 || dynamic.has(kind);
  const isCompletable = hasCompletions(prompts, templates) || dynamic.has("prompts") || dynamic.has("resources");
  const isHeard = isOffered("tools") || isOffered("resources") || isOffered("prompts");
  const handlers: RegistryHandlers = {
    ...(isOffered("tools") && implementTools(toolRegistry, scopes)),
    ...(hasTasks && implementTaskCalls(toolRegistry, parts.tasks, { revision, toContext })),
    ...(isOffered("resources") && implementResources(resourceRegistry, scopes)),
    ...(isOffered("resources") &&
      settings.subscriptions &&
      implementSubscriptions(resourceRegistry, sessions, options)),
    ...(isOffered("prompts") && implementPrompts(promptRegistry, scopes)),
    ...(isCompletable && implementCompletions(where, envelope, scopes)),
    ...(isHeard &&
      implementListening({ revision, sessions, has: (uri, call) => resourceRegistry.has(uri, toContext(call)) })),
    ...implementLogging(levels),
  };
  return wrapHandlers(handlers, revision, { middleware, toContext });
}

/** What the contexts of handlers share. */
interface Scopes {
  readonly rows: ContextRows;
  readonly levels: LogLevels;
}

function implementTools(tools: ToolRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listTools: toListHandler(tools),
    callTool: (params, call) => tools.call(params.name, params.arguments ?? {}, new HandlerScope(call, rows, levels)),
  };
}

function implementResources(resources: ResourceRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listResources: toListHandler(resources),
    listResourceTemplates: toListHandler(resources.templates),
    readResource: ({ uri }, call) => resources.read(uri, new ReadScope(call, rows, { levels, uri })),
  };
}

/** Who may not know of a resource learns nothing from subscribing to it either. */
function implementSubscriptions(
  resources: ResourceRegistry,
  sessions: LiveSessions,
  { revision, toRequester }: RegistryOptions,
): RegistryHandlers {
  return {
    subscribe({ uri }, call) {
      if (!resources.has(uri, toRequester(call))) throw resourceNotFound(uri, revision);
      sessions.subscribe(call.session, uri);
      return {};
    },
    unsubscribe({ uri }, call) {
      sessions.unsubscribe(call.session, uri);
      return {};
    },
  };
}

function implementPrompts(prompts: PromptRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listPrompts: toListHandler(prompts),
    getPrompt: (params, call) => prompts.get(params.name, params.arguments ?? {}, new HandlerScope(call, rows, levels)),
  };
}

function implementCompletions(where: Completables, { result }: Envelope, { rows, levels }: Scopes): RegistryHandlers {
  return {
    async complete(params, call) {
      const scope = new HandlerScope(call, rows, levels);
      return { ...result, ...(await completeArgument(params, where, scope)) };
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

function toListHandler(list: Listing): (params: ListParams | undefined, call: CallContext) => ListAnswer {
  return (params, call) => list.page(params?.cursor, call);
}
