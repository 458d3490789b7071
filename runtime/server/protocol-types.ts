import type { Awaitable } from "../../generated/support.ts";
import type { Answer, Envelope, Without } from "../protocol/result-members.ts";
import type {
  AvailableContent,
  MissingMember,
  MissingMembers,
  MissingMethod,
  Unavailable,
  UnavailableMembers,
} from "../protocol/missing.ts";
import type { TaskControl } from "../tasks/task-control.ts";

/**
 * The declarations of a revision by name, as far as every revision has them: `Declarations` of a generated revision fits.
 * Definitions are generic over it, so that what a revision lacks is a compile error.
 */
export interface ProtocolTypes extends ResourceTypes, PromptTypes {}

/** What every server has to do with. */
export interface ToolTypes {
  Implementation: object;
  ClientCapabilities: object;
  LoggingLevel: string;
  Tool: object;
  CallToolResult: object;
}

/** What servers with resources have to do with. */
export interface ResourceTypes extends ToolTypes {
  Resource: object;
  ResourceTemplate: object;
  ReadResourceResult: object;
}

/** What servers with prompts have to do with. */
export interface PromptTypes extends ToolTypes {
  Prompt: object;
  PromptArgument: object;
  PromptMessage: object;
  GetPromptResult: object;
}

/** What a handler may answer with: a result of the revision, whose content is of the kinds that it has. */
export type AnswerOf<P, Name extends keyof P & string> = WithContent<
  P,
  Without<Answer<P[Name]>, keyof MissingMembers<P, Name>>
> &
  UnavailableMembers<MissingMembers<P, Name>, Envelope>;

/** `T` with its content, one block or several, of the kinds that the revision has. */
export type WithContent<P, T> = T extends { content: infer Content }
  ? Without<T, "content"> & { content: ContentOf<P, Content> }
  : T;

type ContentOf<P, Content> = Content extends readonly (infer Block)[]
  ? AvailableContent<P, Block>[]
  : AvailableContent<P, Content>;

/** What a handler learns about its request and what it may do while it runs. */
export type HandlerContext<P extends ToolTypes> = RequestFacts<P> &
  // @part questions
  ReturnedInput<P> &
  // @part tasks
  TaskFacts<P> &
  ClientQuestions<P>;

/** What a handler learns that returned `inputRequired(...)` in the round before. */
export type ReturnedInput<P extends ToolTypes> = P extends { InputResponses: infer Responses }
  ? {
      /** The answers, by the keys of the questions; those of the last round only. */
      readonly inputResponses?: Readonly<Partial<Responses>> | undefined;
      /** What was returned with the questions. */
      readonly requestState?: string | undefined;
    }
  : unknown;

/** What a tool learns about the task that its call has become. */
export type TaskFacts<P extends ToolTypes> = [MissingMember<P, "Tool", "execution">] extends [never]
  ? { /** There when the client asked for a task. */ readonly task?: TaskControl | undefined }
  : { readonly task?: Unavailable<MissingMember<P, "Tool", "execution">> };

/** Somebody whom the transport knows. */
export interface Authenticated {
  readonly principal: string;
  /** What they may do. */
  readonly scopes?: readonly string[];
  /** What else is known; in the words of whoever checked it. */
  readonly claims?: unknown;
}

/** Who sent a request: what may depend on it depends on nothing else. */
export interface Requester<P extends ToolTypes> {
  /** Who is authenticated; `undefined` where the transport asks nobody who they are. */
  readonly auth: Authenticated | undefined;
  readonly client: {
    /** Self-declared: good for logs, not for decisions. Absent where the revision lets clients leave it out. */
    readonly info: P["Implementation"] | undefined;
    readonly capabilities: P["ClientCapabilities"];
  };
  /** The same object for all requests of a session, and for no others: a key for a `WeakMap`. */
  readonly session: object;
  /** The revision that this client speaks. */
  readonly revision: string;
}

/** What every handler gets. */
export interface RequestFacts<P extends ToolTypes> extends Requester<P> {
  /**
   * Aborted when the client cancels the request or goes away, and when the handler is left behind at a question: where each request
   * stands alone it begins anew with the answer. Pass it on to whatever you wait for.
   */
  readonly signal: AbortSignal;
  /** Reports progress; does nothing when the client did not ask for it. Every report must be greater than the last. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /** Sends a log message, unless the client asked for more severe ones only. Never log secrets: the client is a third party. */
  log(level: P["LoggingLevel"], data: unknown, logger?: string): Promise<void>;
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /**
   * Lets go of the HTTP connection on which the client waits, when the answer will take long: the client comes back for it. Gives
   * `false`, and does nothing, where clients cannot.
   */
  releaseConnection(): boolean;
  /**
   * Does something once in a call, however often its handler runs, and gives the same result each time. The result must be JSON or nothing:
   * where a call takes several rounds the client carries it and can read it. What it throws is thrown each time; in programs that ask clients
   * a `ToolError` or an `RpcError` as it is, anything else as a `StepError`. Never ask the client inside of it.
   *
   * @param key - names the step within the call
   */
  once<T>(key: string, work: () => Awaitable<T>): Promise<T>;
}

/**
 * Questions that a handler may put to the client. They fail with a `CapabilityError` when the client did not declare the capability. Where
 * each request stands alone, the handler stops at a question that has no answer yet, and runs again from its beginning when the answer comes:
 * what it does before must be the same each time, and what must not happen twice belongs into `once`.
 */
export type ClientQuestions<P> = (P extends Question<"CreateMessage", infer Params, infer Result>
  ? {
      /** Asks the client's model for a completion. */ sample(
        params: Params,
        options?: QuestionOptions,
      ): Promise<Result>;
    }
  : { readonly sample: Unavailable<MissingMethod<P, "CreateMessageRequest">> }) &
  (P extends Question<"Elicit", infer Params, infer Result>
    ? { /** Asks the user for input. */ elicit(params: Params, options?: QuestionOptions): Promise<Result> }
    : { readonly elicit: Unavailable<MissingMethod<P, "ElicitRequest">> }) &
  (P extends { ListRootsResult: { roots: infer Roots } }
    ? { /** Asks which folders the user opened to the server. */ roots(options?: QuestionOptions): Promise<Roots> }
    : { readonly roots: Unavailable<MissingMethod<P, "ListRootsRequest">> });

/** Options of a question. */
export interface QuestionOptions {
  /** Names the question where it travels inside a result. Default: its kind and a number. */
  readonly key?: string;
}

type Question<Name extends string, Params, Result> = { readonly [K in `${Name}Request`]: { params: Params } } & {
  readonly [K in `${Name}Result`]: Result;
};

/** Suggests values for what the user has typed so far, best first. */
export type Complete = (value: string, context: CompletionContext) => Awaitable<readonly string[] | Completion>;

/** What a completion may depend on. */
export interface CompletionContext {
  /** Values that the user has settled for the other arguments; empty where the revision cannot say. */
  readonly arguments: { readonly [name: string]: string };
  readonly signal: AbortSignal;
}

/** Suggestions together with what is known about the rest. */
export interface Completion {
  readonly values: readonly string[];
  /** How many there are in all. Default: as many as `values`. */
  readonly total?: number;
  /** There are more than `values`. */
  readonly hasMore?: boolean;
}
