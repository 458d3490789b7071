import type { Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import type { StaticResult } from "../rpc/message.ts";
import type { OnError } from "../rpc/report.ts";
import { completeArgument, hasCompletions, type Completables, type CompleteParams } from "./completions.ts";
import { HandlerScope, ReadScope, findContextRows, type ContextRows } from "./context.ts";
import { createEnvelope, type Envelope } from "./envelope.ts";
import { createLogLevels, type LogLevels } from "./log-levels.ts";
import { createPrompts, type PromptRegistry } from "./prompts.ts";
import { createResources, type ResourceRegistry } from "./resources.ts";
import type { ServerSource } from "./source.ts";
import { createTools, type RegistryOptions, type ToolRegistry } from "./tools.ts";

/** What the registries answer: `ServerHandlers` of any revision, as far as their params and results agree. */
export interface RegistryHandlers {
  listTools?(params: ListParams | undefined, call: CallContext): StaticResult;
  callTool?(params: CallToolParams, call: CallContext): Promise<object>;
  listResources?(params: ListParams | undefined, call: CallContext): StaticResult;
  listResourceTemplates?(params: ListParams | undefined, call: CallContext): StaticResult;
  readResource?(params: ReadResourceParams, call: CallContext): Promise<object>;
  listPrompts?(params: ListParams | undefined, call: CallContext): StaticResult;
  getPrompt?(params: GetPromptParams, call: CallContext): Promise<object>;
  complete?(params: CompleteParams, call: CallContext): Promise<object>;
  setLevel?(params: SetLevelParams, call: CallContext): object;
}

interface ListParams {
  readonly cursor?: string;
}

interface CallToolParams {
  readonly name: string;
  readonly arguments?: object;
}

interface ReadResourceParams {
  readonly uri: string;
}

interface GetPromptParams {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: string };
}

interface SetLevelParams {
  readonly level: string;
}

/** Builds the registries of a server for one revision and the handlers on top of them; what is not defined has none. */
export function createHandlers(source: ServerSource, revision: Revision, onError: OnError): RegistryHandlers {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = source;
  const envelope = createEnvelope(revision);
  const options: RegistryOptions = { revision, envelope, pageSize: source.pageSize, onError };
  const levels = createLogLevels(revision, source.logLevel ?? "info");
  const scopes: Scopes = { rows: findContextRows(revision), levels };
  const resourceRegistry = createResources(resources, resourceTemplates, options);
  const promptRegistry = createPrompts(prompts, options);
  const where: Completables = { prompts: promptRegistry, resources: resourceRegistry };
  return {
    ...(tools.length > 0 && implementTools(createTools(tools, options), scopes)),
    ...(resources.length + resourceTemplates.length > 0 && implementResources(resourceRegistry, scopes)),
    ...(prompts.length > 0 && implementPrompts(promptRegistry, scopes)),
    ...(hasCompletions(source) && implementCompletions(where, envelope)),
    setLevel: ({ level }, call) => {
      levels.set(call.session, level);
      return {};
    },
  };
}

/** What the contexts of handlers share. */
interface Scopes {
  readonly rows: ContextRows;
  readonly levels: LogLevels;
}

function implementTools(tools: ToolRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listTools: (params) => tools.list(params?.cursor),
    callTool: (params, call) => tools.call(params.name, params.arguments ?? {}, new HandlerScope(call, rows, levels)),
  };
}

function implementResources(resources: ResourceRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listResources: (params) => resources.list(params?.cursor),
    listResourceTemplates: (params) => resources.listTemplates(params?.cursor),
    readResource: ({ uri }, call) => resources.read(uri, new ReadScope(call, rows, { levels, uri })),
  };
}

function implementPrompts(prompts: PromptRegistry, { rows, levels }: Scopes): RegistryHandlers {
  return {
    listPrompts: (params) => prompts.list(params?.cursor),
    getPrompt: (params, call) => prompts.get(params.name, params.arguments ?? {}, new HandlerScope(call, rows, levels)),
  };
}

function implementCompletions(where: Completables, { result }: Envelope): RegistryHandlers {
  return {
    complete: async (params, call) => ({ ...result, ...(await completeArgument(params, where, call.signal)) }),
  };
}
