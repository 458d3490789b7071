import type { Awaitable } from "../../generated/support.ts";
import type { Answer } from "../common/answer.ts";
import type { ListKind } from "../common/lists.ts";
import type { OnError } from "../rpc/report.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { Middleware } from "./middleware.ts";
import type { Complete, Fields, HandlerContext, ProtocolTypes, Requester } from "./protocol.ts";
import type { NoArguments, Schema } from "./schema.ts";
import type { Rate } from "./token-bucket.ts";
import type { MatchedValue } from "./uri-template.ts";

/**
 * A tool: what the model sees of it, and the function behind it.
 * `I` is what `input` yields, `O` what `output` yields; `undefined` without one.
 */
export type ToolDefinition<P extends ProtocolTypes, I = NoArguments, O = undefined> = Fields<
  P["Tool"],
  "inputSchema" | "outputSchema" | "execution"
> & {
  /** Schema of the arguments. Default: the tool takes none, and refuses any. */
  readonly input?: Schema<I>;
  /** Called with checked arguments. Throw a `ToolError` to tell the model what went wrong. */
  readonly run: Run<P, I, O>;
} & Visibility<P> &
  StructuredOutput<P, O> &
  TaskSupport<P>;

/** Who may know of a definition. */
export interface Visibility<P extends ProtocolTypes> {
  /**
   * Whether a client may know of this. Where it gives `false`, lists leave it out, and asking for it is answered as if it did not
   * exist. Called for every list and every use, so it should be quick. Default: everybody.
   */
  visible?(requester: Requester<P>): boolean;
}

/** What `run` returns: the output where the tool has a schema for it, otherwise text or a result of the protocol. */
export type Run<P extends ProtocolTypes, I, O> = [NoInfer<O>] extends [undefined]
  ? Method<I, HandlerContext<P>, string | Answer<P["CallToolResult"]>>
  : Method<I, HandlerContext<P>, NoInfer<O>>;

// The type of a method rather than of a function: definitions with different arguments then fit into one list.
type Method<Args, Context, Result> = { run(args: Args, context: Context): Awaitable<Result> }["run"];

type StructuredOutput<P extends ProtocolTypes, O> = "outputSchema" extends keyof P["Tool"]
  ? {
      /** Schema of what `run` returns. The result carries it as structured content and, for models, as JSON in a text block. */
      readonly output?: Schema<O>;
      /** Content to show to the model instead of the JSON text. */
      render?(output: NoInfer<O>): Content<P>;
    }
  : unknown;

type TaskSupport<P extends ProtocolTypes> = "execution" extends keyof P["Tool"]
  ? { /** Lets calls run as tasks. Default: they do not. */ readonly task?: ToolTask }
  : unknown;

/** Whether calls of a tool run as tasks: `true` leaves it to the client. */
export type ToolTask = true | ToolTaskOptions;

/** How calls of a tool run as tasks. */
export interface ToolTaskOptions {
  /** `required`: plain calls are refused where clients can ask for tasks. Default `optional`. */
  readonly support?: "optional" | "required";
  /** Milliseconds that a task is kept from its creation, if the client does not say. Default: the server's. */
  readonly ttl?: number;
  /** Milliseconds that clients should wait between two questions. Default: the server's. */
  readonly pollInterval?: number;
}

type Content<P extends ProtocolTypes> = P["CallToolResult"] extends { content: infer C } ? C : never;

/** A resource with a fixed URI. */
export type ResourceDefinition<P extends ProtocolTypes> = Fields<P["Resource"], never> &
  Visibility<P> & {
    read(uri: string, context: HandlerContext<P>): Awaitable<ResourceContent<P>>;
  };

/** What reading a resource gives: text, bytes, or a result of the protocol. */
export type ResourceContent<P extends ProtocolTypes> = string | Uint8Array | Blob | Answer<P["ReadResourceResult"]>;

/** Resources to list: all of them, or a page and where the next one begins. */
export type ResourcePage<P extends ProtocolTypes> =
  readonly P["Resource"][] | { readonly resources: readonly P["Resource"][]; readonly nextCursor?: string };

/** Resources whose URIs follow a template (RFC 6570). */
export type ResourceTemplateDefinition<P extends ProtocolTypes, T extends string = string> = Fields<
  P["ResourceTemplate"],
  "uriTemplate"
> &
  Visibility<P> & {
    readonly uriTemplate: T;
    /** Suggestions for variables of the template. */
    readonly complete?: { readonly [Name in keyof TemplateVariables<NoInfer<T>>]?: Complete };
    /** Names resources that exist now, for `resources/list`. Default: those of a template are not listed. */
    list?(page: { readonly cursor?: string }, context: HandlerContext<P>): Awaitable<ResourcePage<P>>;
    /** Called with the variables of the URI, percent-decoded: check them before they become part of a path or a query. */
    read(
      variables: TemplateVariables<NoInfer<T>>,
      context: HandlerContext<P> & { readonly uri: string },
    ): Awaitable<ResourceContent<P>>;
  };

/** The variables of a template by name. Those of `{a}` and `{+a}` are always there, others may be missing; `{a*}` gives a list. */
export type TemplateVariables<T extends string> = string extends T
  ? { readonly [name: string]: MatchedValue }
  : Flat<Expressions<T>>;

type Expressions<T extends string> = T extends `${string}{${infer Body}}${infer Rest}`
  ? ExpressionVariables<Body> & Expressions<Rest>
  : unknown;

type ExpressionVariables<Body extends string> = Body extends `+${infer List}`
  ? Always<Split<List>>
  : Body extends `${"#" | "." | "/" | ";" | "?" | "&"}${infer List}`
    ? Sometimes<Split<List>>
    : Always<Split<Body>>;

type Split<List extends string> = List extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : List;
type Always<Spec extends string> = { readonly [S in Spec as NameOf<S>]: ValueOf<S> };
type Sometimes<Spec extends string> = { readonly [S in Spec as NameOf<S>]?: ValueOf<S> };
type NameOf<S extends string> = S extends `${infer Name}*` ? Name : S extends `${infer Name}:${string}` ? Name : S;
type ValueOf<S extends string> = S extends `${string}*` ? readonly string[] : string;
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** A prompt: messages that the user can choose and fill in. `A` says which arguments there are and which are required. */
export type PromptDefinition<P extends ProtocolTypes, A extends ArgumentFlags = NoFlags> = Fields<
  P["Prompt"],
  "arguments"
> &
  Visibility<P> & {
    readonly arguments?: { readonly [Name in keyof A]: PromptArgumentDefinition<P, A[Name]> };
    get(args: ArgumentValues<NoInfer<A>>, context: HandlerContext<P>): Awaitable<PromptContent<P>>;
  };

/** One argument of a prompt. */
export type PromptArgumentDefinition<P extends ProtocolTypes, Required> = Fields<
  P["PromptArgument"],
  "name" | "required"
> & {
  /** Default: `false`. */
  readonly required?: Required & boolean;
  /** Suggests values while the user types. */
  readonly complete?: Complete;
};

/** Argument names of a prompt; `true` marks the required ones. */
export type ArgumentFlags = { readonly [name: string]: unknown };

/** No arguments. */
export type NoFlags = { readonly [name in never]: never };

/** The values of a prompt's arguments: always text, and there only when required or given. */
export type ArgumentValues<A extends ArgumentFlags> = Flat<
  { readonly [Name in keyof A as A[Name] extends true ? Name : never]: string } & {
    readonly [Name in keyof A as A[Name] extends true ? never : Name]?: string;
  }
>;

/** What a prompt gives: the text of one user message, several messages, or a result of the protocol. */
export type PromptContent<P extends ProtocolTypes> =
  string | readonly P["PromptMessage"][] | Answer<P["GetPromptResult"]>;

/** Everything that a server offers. Capabilities follow from it. */
export type ServerDefinition<P extends ProtocolTypes> = Fields<P["Implementation"], never> & {
  /** How to use the server as a whole, for the model. */
  readonly instructions?: string;
  readonly tools?: readonly ToolDefinition<P, unknown, unknown>[];
  readonly resources?: readonly ResourceDefinition<P>[];
  readonly resourceTemplates?: readonly ResourceTemplateDefinition<P>[];
  readonly prompts?: readonly PromptDefinition<P, ArgumentFlags>[];
} & ServerOptions;

/** How a server behaves. */
export interface ServerOptions {
  /** Lists that may change while clients are connected, or `true` for all; clients are told of changes. Default: none. */
  readonly dynamic?: true | readonly ListKind[];
  /** Lets clients subscribe to resources; tell them with `server.resources.changed(uri)`. Default: `false`. */
  readonly subscriptions?: boolean;
  /** Most subscriptions of one session. Default 1000. */
  readonly maxSubscriptions?: number;
  /** Runs around every request, the first outermost. */
  readonly middleware?: readonly Middleware[];
  /** Most entries on one page of a list. Default: all on one page. */
  readonly pageSize?: number;
  /**
   * Secrets of 32 bytes or more that sign cursors: the first signs, all are accepted. Needed where several processes serve the
   * same clients. Default: a random one.
   */
  readonly cursorKeys?: readonly Uint8Array[];
  /** Least severe level that is logged to clients which did not choose one. Default: `info`. */
  readonly logLevel?: string;
  /** Most log messages to one session: so many at once, and so many a second in the long run. Default 1000 and 100. */
  readonly logRate?: Rate;
  /** How tasks are kept that calls of tools become. They belong to a principal or, where nobody is authenticated, to a session. */
  readonly tasks?: TaskOptions;
  /** Told about every failure that clients only learn in general terms. Default: written to standard error. */
  readonly onError?: OnError;
}
