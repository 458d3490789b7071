import type { Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import type { StaticResult } from "../rpc/message.ts";
import type { OnError } from "../rpc/report.ts";
import { completeArgument, hasCompletions, type CompleteParams } from "./completions.ts";
import { HandlerScope, TemplateScope, findContextRows } from "./context.ts";
import { createEnvelope } from "./envelope.ts";
import { createLogLevels } from "./log-levels.ts";
import { createPrompts } from "./prompts.ts";
import { createResources } from "./resources.ts";
import type { ServerSource } from "./source.ts";
import { createTools, type RegistryOptions } from "./tools.ts";

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
  const envelope = createEnvelope(revision);
  const options: RegistryOptions = { revision, envelope, pageSize: source.pageSize, onError };
  const levels = createLogLevels(revision, source.logLevel ?? "info");
  const rows = findContextRows(revision);
  const scope = (call: CallContext): HandlerScope => new HandlerScope(call, rows, levels);

  const tools = createTools(source.tools ?? [], options);
  const resources = createResources(source.resources ?? [], source.resourceTemplates ?? [], options);
  const prompts = createPrompts(source.prompts ?? [], options);

  const toolHandlers: RegistryHandlers = {
    listTools: (params) => tools.list(params?.cursor),
    callTool: (params, call) => tools.call(params.name, params.arguments ?? {}, scope(call)),
  };
  const resourceHandlers: RegistryHandlers = {
    listResources: (params) => resources.list(params?.cursor),
    listResourceTemplates: (params) => resources.listTemplates(params?.cursor),
    readResource: ({ uri }, call) =>
      resources.read(uri, {
        plain: () => scope(call),
        withUri: () => new TemplateScope(call, rows, { levels, uri }),
      }),
  };
  const promptHandlers: RegistryHandlers = {
    listPrompts: (params) => prompts.list(params?.cursor),
    getPrompt: (params, call) => prompts.get(params.name, params.arguments ?? {}, scope(call)),
  };
  const completionHandlers: RegistryHandlers = {
    complete: async (params, call) => ({
      ...envelope.result,
      ...(await completeArgument(params, { prompts, resources }, call.signal)),
    }),
  };
  const hasResources = Boolean(source.resources?.length) || Boolean(source.resourceTemplates?.length);
  return {
    ...(source.tools?.length && toolHandlers),
    ...(hasResources && resourceHandlers),
    ...(source.prompts?.length && promptHandlers),
    ...(hasCompletions(source) && completionHandlers),
    setLevel: ({ level }, call) => {
      levels.set(call.session, level);
      return {};
    },
  };
}
