import type { Awaitable } from "../../generated/support.ts";
import type { Without } from "../common/answer.ts";
import type { TaskControl } from "../tasks/task-call.ts";

/**
 * The declarations of a revision by name, as far as every revision has them: `Declarations` of a generated revision fits.
 * Definitions are generic over it, so that what a revision lacks is a compile error.
 */
export interface ProtocolTypes {
  Implementation: object;
  ClientCapabilities: object;
  LoggingLevel: string;
  Tool: object;
  CallToolResult: object;
  Resource: object;
  ResourceTemplate: object;
  ReadResourceResult: object;
  Prompt: object;
  PromptArgument: object;
  PromptMessage: object;
  GetPromptResult: object;
}

/** The fields that a definition may fill in: those of the revision, but for the ones that are derived. */
export type Fields<T, Derived extends PropertyKey> = Readonly<Without<T, Derived>>;

/** What a handler learns about its request and what it may do while it runs. */
export type HandlerContext<P extends ProtocolTypes> = RequestFacts<P> & ClientQuestions<P> & TaskFacts<P>;

/** What a tool learns about the task that its call has become. */
export type TaskFacts<P extends ProtocolTypes> = "execution" extends keyof P["Tool"]
  ? { /** There when the client asked for a task. */ readonly task?: TaskControl | undefined }
  : unknown;

/** Somebody whom the transport knows. */
export interface Authenticated {
  readonly principal: string;
  /** What else is known, such as scopes; in the words of whoever checked it. */
  readonly claims?: unknown;
}

/** Who sent a request: what may depend on it depends on nothing else. */
export interface Requester<P extends ProtocolTypes> {
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
export interface RequestFacts<P extends ProtocolTypes> extends Requester<P> {
  /** Aborted when the client cancels the request or goes away. Pass it on to whatever you wait for. */
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
}

/** Questions that a handler may put to the client. They fail with a `ToolError` when the client did not declare the capability. */
export type ClientQuestions<P> = (P extends Question<"CreateMessage", infer Params, infer Result>
  ? { /** Asks the client's model for a completion. */ sample(params: Params): Promise<Result> }
  : unknown) &
  (P extends Question<"Elicit", infer Params, infer Result>
    ? { /** Asks the user for input. */ elicit(params: Params): Promise<Result> }
    : unknown) &
  (P extends { ListRootsResult: { roots: infer Roots } }
    ? { /** Asks which folders the user opened to the server. */ roots(): Promise<Roots> }
    : unknown);

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
