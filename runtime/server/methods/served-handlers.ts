import type { Awaitable } from "../../../generated/support.ts";
import type { ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { TaskHandlers, TaskParams } from "../../tasks/task-handlers.ts";

/**
 * Handlers of the features of a server, by handler name. Params have been checked against the revision; they contain the members read here. No
 * revision is imported here, because features serve all of them: `handlers.test-d.ts` compares each name and each member with the `ServerHandlers` of
 * every revision.
 */
export interface ServedHandlers extends Partial<TaskHandlers> {
  readonly listTools?: ListHandler;
  readonly callTool?: ServedHandler<CallToolParams>;
  readonly listResources?: ListHandler;
  readonly listResourceTemplates?: ListHandler;
  readonly readResource?: ServedHandler<UriParams>;
  readonly subscribe?: ServedHandler<UriParams>;
  readonly unsubscribe?: ServedHandler<UriParams>;
  readonly listPrompts?: ListHandler;
  readonly getPrompt?: ServedHandler<{
    readonly name: string;
    readonly arguments?: { readonly [name: string]: string };
  }>;
  readonly complete?: ServedHandler<CompleteParams>;
  readonly setLevel?: ServedHandler<{ readonly level: string }>;
  readonly subscriptionsListen?: ServedHandler<ListenParams>;
  readonly updateTask?: ServedHandler<TaskParams & { readonly inputResponses: Readonly<Record<string, unknown>> }>;
}

/** Handler of a request. Its result is an object, or one encoded before. */
export type ServedHandler<Params> = (params: Params, call: CallContext) => Awaitable<object>;

/** Handler of requests for the pages of a list. */
export type ListHandler = ServedHandler<{ readonly cursor?: string } | undefined>;

/** Params of `tools/call`, without those of tasks. */
export interface CallToolParams {
  readonly name: string;
  readonly arguments?: object;
}

/** Params of a request about one resource. */
export interface UriParams {
  readonly uri: string;
}

/** Params of `completion/complete`, in the form common to all revisions. */
export interface CompleteParams {
  readonly ref:
    { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

/** Params of a subscription request. Extensions add members to its filter. */
export interface ListenParams {
  readonly notifications: ListenFilter & { readonly [member: string]: unknown };
}
