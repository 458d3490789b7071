import type { Awaitable } from "../../generated/support.ts";
import type { HandlerResult, ResultEnvelope, Without } from "../protocol/revision/result-members.ts";
import type {
  AvailableContent,
  MissingMember,
  MissingMembers,
  MissingMethod,
  Unavailable,
  UnavailableMembers,
} from "../protocol/revision/missing.ts";
import type { MethodsOf, ParamsArgument, SentParamsOf } from "../protocol/revision/method-types.ts";
import type { InputRequiredFields, InputRequired } from "./input/input-required.ts";
import type { Step } from "./input/once.ts";
import type { ClientRequests } from "./input/request-types.ts";
import type { TaskControl } from "../tasks/call-scope.ts";

/**
 * Declarations of a revision by name, limited to the ones of every revision: `Declarations` of a generated revision fits. Definitions are generic
 * over it, so the use of a member missing at a revision is a compile error.
 */
export interface ProtocolTypes extends ResourceTypes, PromptTypes {}

/** Declarations used by every server. */
export interface ToolTypes {
  Implementation: object;
  ClientCapabilities: object;
  LoggingLevel: string;
  Tool: object;
  CallToolResult: object;
}

/** Declarations used by servers with resources. */
export interface ResourceTypes extends ToolTypes {
  Resource: object;
  ResourceTemplate: object;
  ReadResourceResult: object;
}

/** Declarations used by servers with prompts. */
export interface PromptTypes extends ToolTypes {
  Prompt: object;
  PromptArgument: object;
  PromptMessage: object;
  GetPromptResult: object;
}

/** Result of the revision for a handler to return, with content of the kinds known to the revision. */
export type ResultOf<P, Name extends keyof P & string> = WithContent<
  P,
  Without<HandlerResult<P[Name]>, keyof MissingMembers<P, Name>>
> &
  UnavailableMembers<MissingMembers<P, Name>, ResultEnvelope>;

/** `T` with its content, one block or several, limited to the kinds known to the revision. */
export type WithContent<P, T> = T extends { content: infer Content }
  ? Without<T, "content"> & { content: ContentOf<P, Content> }
  : T;

type ContentOf<P, Content> = Content extends readonly (infer Block)[]
  ? AvailableContent<P, Block>[]
  : AvailableContent<P, Content>;

/** Context of a handler: facts about its request, and functions to use while it runs. */
// One object type instead of an intersection: compile errors then name it.
export type HandlerContext<P extends ToolTypes> = {
  readonly [Name in keyof ContextMembers<P>]: ContextMembers<P>[Name];
};

type ContextMembers<P extends ToolTypes> = RequestFacts<P> & ReturnedInput<P> & TaskFacts<P> & ClientRequests<P>;

/** Context members for a handler that returned `inputRequired(...)` in the previous round. */
export type ReturnedInput<P extends ToolTypes> = P extends { InputResponses: infer Responses }
  ? {
      /** Responses by the keys of the input requests; those of the last round only. */
      readonly inputResponses?: Readonly<Partial<Responses>> | undefined;
      /** State returned by the handler with the input requests. */
      readonly requestState?: string | undefined;
    }
  : unknown;

/** Context members for a tool call run as a task. */
export type TaskFacts<P extends ToolTypes> = [MissingMember<P, "Tool", "execution">] extends [never]
  ? {
      /** Set when the client asked for a task. */
      readonly task?: TaskControl | undefined;
    }
  : {
      /** Unavailable: the revision has no tasks. */
      readonly task?: Unavailable<MissingMember<P, "Tool", "execution">>;
    };

/** Principal authenticated by the transport. */
export interface Authenticated {
  /** Identity of the client, unique for its verifier. */
  readonly principal: string;
  /** Scopes granted to the principal. */
  readonly scopes?: readonly string[];
  /** Further facts about the principal, in the format of the verifier. */
  readonly claims?: unknown;
}

/** Sender of a request. Decisions about a sender are made from these members only. */
export interface Requester<P extends ToolTypes> {
  /** Authenticated principal; `undefined` where the transport does not authenticate clients. */
  readonly auth: Authenticated | undefined;
  /** Client that sent the request, as it describes itself. */
  readonly client: {
    /** Self-declared: suitable for logs, not for decisions. Absent where clients may omit it at the revision. */
    readonly info: P["Implementation"] | undefined;
    /** Capabilities declared by the client. */
    readonly capabilities: P["ClientCapabilities"];
  };
  /** The same object for all requests of a session, and for no others: for `createSessionState`, or a key for a `WeakMap`. */
  readonly session: SessionOf<P>;
  /** The revision of this client. */
  readonly revision: string;
}

/** Session of a request. Without a session, the type names the reason; such an object belongs to one request. */
type SessionOf<P> = [MissingMethod<P, "InitializeRequest">] extends [never]
  ? RequestSession
  : Unavailable<`there is no session: ${MissingMethod<P, "InitializeRequest"> & string}`>;

/** Session of a client: what its requests have in common. */
export interface RequestSession {
  /** Marks the type. Has no value. */
  readonly [requestSession]?: true;
}
declare const requestSession: unique symbol;

/** Context members for every handler. */
export interface RequestFacts<P extends ToolTypes> extends Requester<P> {
  /**
   * Aborted when the client cancels the request or disconnects, and when the handler is abandoned at an input request: with stateless requests, the
   * handler starts again with the response. Pass the signal on to the operations you await.
   */
  readonly signal: AbortSignal;
  /** Reports progress; does nothing when the client did not request it. Each value must be greater than the last one. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /** Sends a log message, unless the client requested more severe ones only. Never log secrets: the client is a third party. */
  log(level: P["LoggingLevel"], data: unknown, logger?: string): Promise<void>;
  /**
   * Sends a notification of the revision, which belongs to the request. Progress and log messages have functions of their own.
   *
   * @throws {Error} when the revision of the client has no such notification
   */
  notify<Method extends MethodsOf<P, "ServerNotification">>(
    method: Method,
    ...params: ParamsArgument<SentParamsOf<P, Method>>
  ): Promise<void>;
  /** JSON-RPC `id` of the request. */
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /**
   * Closes the HTTP connection on which the client waits, for a late response: the client connects again to get it. Returns `false`, and does
   * nothing, where clients cannot connect again.
   */
  releaseConnection(): boolean;
  /**
   * Runs a step once in a call, however often the handler runs, and returns the same result each time. The result must be JSON or `undefined`: where
   * a call takes several rounds, the client carries it and can read it. An error of the step is thrown each time. In programs with input requests, a
   * `ToolError` or an `RpcError` is thrown unchanged, any other error as a `StepError`. Never send an input request inside a step. In a retryable
   * task, ended steps are not repeated; interrupted ones are, with the same `token`.
   *
   * @param key - name of the step within the call
   */
  once<T>(key: string, work: (step: Step) => Awaitable<T>): Promise<T>;
}

/** Suggests values for what the user has typed so far, best first. */
export type Complete = (value: string, context: CompletionContext) => Awaitable<readonly string[] | Completion>;

/** Facts a completion may depend on. */
export interface CompletionContext {
  /** Values chosen by the user for the other arguments; empty where the revision cannot carry them. */
  readonly arguments: { readonly [name: string]: string };
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

/** Suggestions, with facts about the ones left out. */
export interface Completion {
  readonly values: readonly string[];
  /** Total number of suggestions. Default: the length of `values`. */
  readonly total?: number;
  /** True if there are more suggestions than `values`. */
  readonly hasMore?: boolean;
}

/** Return value of `inputRequired(...)`, with input requests of the revision. */
export type InputOf<P extends ToolTypes> = P extends {
  InputRequests: infer Requests extends NonNullable<InputRequiredFields["inputRequests"]>;
}
  ? InputRequired<{ readonly inputRequests?: Requests; readonly requestState?: string }>
  : never;

/** Sender of a request at any revision. */
export interface AnyRequester {
  /** Authenticated principal; `undefined` where the transport does not authenticate clients. */
  readonly auth: Authenticated | undefined;
  /** Client that sent the request, as it describes itself. */
  readonly client: {
    /** Self-declared: suitable for logs, not for decisions. Absent where the revision lets clients omit it. */
    readonly info: object | undefined;
    /** Capabilities declared by the client. */
    readonly capabilities: object;
  };
  /** The same object for all requests of a session, and for no others: a key for a `WeakMap`. */
  readonly session: object;
  /** The revision of this client. */
  readonly revision: string;
}

/** The context of a handler of any revision. */
export interface AnyContext extends AnyRequester {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress; does nothing when the client did not ask for it. Each value must be greater than the last one. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /** Sends a log message, unless the client asked for more severe ones only. */
  log(level: string, data: unknown, logger?: string): Promise<void>;
  /** Sends a notification of the revision, which belongs to the request. */
  notify(method: string, params?: object): Promise<void>;
  /** JSON-RPC `id` of the request. */
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /** Closes the HTTP connection on which the client waits. Returns `false`, and does nothing, where clients cannot connect again. */
  releaseConnection(): boolean;
  /** Runs a step once in a call, however often the handler runs, and returns the same result each time. */
  once(key: string, work: (step: Step) => unknown): Promise<unknown>;
  /** Responses by the keys of the input requests returned by the handler in the previous round. */
  readonly inputResponses?: { readonly [key: string]: unknown } | undefined;
  /** State returned by the handler with the input requests. */
  readonly requestState?: string | undefined;
  /** Present if the call runs as a task and the revision of the definition has tasks. */
  readonly task?: unknown;
  /** Sends a request to the client, at revisions where servers send requests or input requests. */
  readonly request?: unknown;
  /** Requests a completion of the client's model, at revisions with sampling. */
  readonly sample?: unknown;
  /** Requests input of the user, at revisions with elicitation. */
  readonly elicit?: unknown;
  /** Lists the folders the user has opened to the server, at revisions with roots. */
  readonly roots?: unknown;
}
