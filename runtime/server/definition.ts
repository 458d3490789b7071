import type { Awaitable, Extension } from "../../generated/support.ts";
import type { Without } from "../protocol/result-members.ts";
import type { CacheHint } from "../protocol/cache-hint.ts";
import type { Fields, MissingMember, Unavailable } from "../protocol/missing.ts";
import type { ListKind } from "../protocol/list-kinds.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Skill } from "../skills/skill.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { CacheHints } from "./list/cache-hints.ts";
import type { InputQuestions, InputRequired } from "./input/input-required.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type {
  AnswerOf,
  Complete,
  HandlerContext,
  PromptTypes,
  ProtocolTypes,
  Requester,
  ResourceTypes,
  ToolTypes,
  WithContent,
} from "./protocol-types.ts";
import type { RequestStateOptions } from "./input/request-state-options.ts";
import type { KeepsLiterals, NoArguments, Schema } from "./schema.ts";
import type { Flat, TemplateVariables } from "./resources/template-variables.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";

/**
 * A tool: what the model sees of it, and the function behind it.
 * `I` is what `input` yields, `O` what `output` yields; `undefined` without one.
 */
export type ToolDefinition<P extends ToolTypes, I = NoArguments, O = undefined> = Fields<
  P,
  "Tool",
  "inputSchema" | "outputSchema" | "execution"
> & {
  /** Schema of the arguments. Default: the tool takes none, and refuses any. */
  readonly input?: Schema<I>;
  /** Called with checked arguments. Throw a `ToolError` to tell the model what went wrong. */
  readonly run: Run<P, I, O>;
} & Visibility<P> &
  // @part tasks
  TaskSupport<P, I> &
  StructuredOutput<P, O>;

/** Who may know of a definition, and who may use it. */
export interface Visibility<P extends ToolTypes> {
  /**
   * Whether a client may know of this. Where it gives `false`, lists leave it out, and asking for it is answered as if it did not
   * exist. Called for every list and every use, so it should be quick. Default: everybody.
   */
  visible?(requester: Requester<P>): boolean;
  /**
   * Scopes that a client needs to use this, if clients are asked who they are. Lists show it to all, so that a client can ask its user
   * for what it lacks. Default: none.
   */
  readonly scopes?: readonly string[];
}

/**
 * What `run` returns: the output where the tool has a schema for it, otherwise text or a result of the protocol. Where the revision has it,
 * also what is needed first.
 */
export type Run<P extends ToolTypes, I, O> = [NoInfer<O>] extends [undefined]
  ? Method<I, HandlerContext<P>, string | AnswerOf<P, "CallToolResult"> | InputOf<P> | KeepsLiterals>
  : Method<I, HandlerContext<P>, NoInfer<O> | InputOf<P>>;

/** What `inputRequired(...)` gives, with questions of the revision. */
export type InputOf<P extends ToolTypes> = P extends {
  InputRequests: infer Requests extends NonNullable<InputQuestions["inputRequests"]>;
}
  ? InputRequired<{ readonly inputRequests?: Requests; readonly requestState?: string }>
  : never;

// The type of a method rather than of a function: definitions with different arguments then fit into one list.
type Method<Args, Context, Result> = { run(args: Args, context: Context): Awaitable<Result> }["run"];

type StructuredOutput<P extends ToolTypes, O> = [MissingMember<P, "Tool", "outputSchema">] extends [never]
  ? {
      /** Schema of what `run` returns. The result carries it as structured content and, for models, as JSON in a text block. */
      readonly output?: Schema<O>;
      /** Content to show to the model instead of the JSON text. */
      render?(output: NoInfer<O>): Content<P>;
    }
  : { readonly output?: Unavailable<MissingMember<P, "Tool", "outputSchema">> & Schema<unknown> };

type TaskSupport<P extends ToolTypes, I> = [MissingMember<P, "Tool", "execution">] extends [never]
  ? {
      /** Lets calls run as tasks. Default: they do not. */
      readonly task?: true | PreparedToolTask<P, NoInfer<I>>;
    }
  : { readonly task?: Unavailable<MissingMember<P, "Tool", "execution">> & ToolTaskOptions };

/** A task that something has to be known for. */
export interface PreparedToolTask<P extends ToolTypes, I> extends ToolTaskOptions {
  /** Runs while the client waits, before the task begins: asks what it has to, and gives the arguments for `run`. */
  prepare?(args: I, context: HandlerContext<P>): Awaitable<I | InputOf<P>>;
}

/** Whether calls of a tool run as tasks: `true` for every default. */
export type ToolTask = true | ToolTaskOptions;

/** How calls of a tool run as tasks: where clients ask for a task, if they do; where the server decides, if they can. */
export interface ToolTaskOptions {
  /** `required`: plain calls are refused where clients could have tasks. Default `optional`. */
  readonly support?: "optional" | "required";
  /** Milliseconds that a task is kept from its creation, if the client does not say. Default: the server's. */
  readonly ttl?: number;
  /** Milliseconds that clients should wait between two questions. Default: the server's. */
  readonly pollInterval?: number;
}

type Content<P extends ToolTypes> = AnswerOf<P, "CallToolResult"> extends { content: infer C } ? C : never;

/** What reads of a resource say about being kept, where the revision can say it. */
export interface Caching {
  /** How long clients may keep what `read` gives, unless its result says so itself. Where not everybody may read, it is private. */
  readonly caching?: CacheHint;
}

/** A resource with a fixed URI. */
export type ResourceDefinition<P extends ResourceTypes> = Fields<P, "Resource"> &
  Visibility<P> &
  Caching & {
    /** Whether `resources/list` shows it. What it leaves out is read all the same, by whoever learns of it elsewhere. Default `true`. */
    readonly listed?: boolean;
    read(uri: string, context: HandlerContext<P>): Awaitable<ResourceContent<P>>;
  };

/** Content of a resource: text, bytes, or a result of the protocol. Bytes without a `mimeType` here or in a `Blob` are sent without one. */
export type ResourceContent<P extends ResourceTypes> =
  string | Uint8Array | Blob | AnswerOf<P, "ReadResourceResult"> | InputOf<P>;

/** Resources to list: all of them, or a page and where the next one begins. */
export type ResourcePage<P extends ResourceTypes> =
  readonly P["Resource"][] | { readonly resources: readonly P["Resource"][]; readonly nextCursor?: string };

/** Resources whose URIs follow a template (RFC 6570). */
export type ResourceTemplateDefinition<P extends ResourceTypes, T extends string = string> = Fields<
  P,
  "ResourceTemplate",
  "uriTemplate"
> &
  Visibility<P> &
  Caching & {
    readonly uriTemplate: T;
    /** Suggestions for variables of the template. */
    readonly complete?: { readonly [Name in keyof TemplateVariables<NoInfer<T>>]?: Complete };
    /** Names resources that exist now, for `resources/list`. Default: those of a template are not listed. */
    list?(page: { readonly cursor?: string }, context: HandlerContext<P>): Awaitable<ResourcePage<P>>;
    /** Called with the variables of the URI, percent-decoded: check them before use. `undefined` says that there is no such resource. */
    read(
      variables: TemplateVariables<NoInfer<T>>,
      context: HandlerContext<P> & { readonly uri: string },
    ): Awaitable<ResourceContent<P> | undefined>;
  };

/** A prompt: messages that the user can choose and fill in. `A` says which arguments there are and which are required. */
export type PromptDefinition<P extends PromptTypes, A extends ArgumentFlags = NoFlags> = Fields<
  P,
  "Prompt",
  "arguments"
> &
  Visibility<P> & {
    readonly arguments?: { readonly [Name in keyof A]: PromptArgumentDefinition<P, A[Name]> };
    get(args: ArgumentValues<NoInfer<A>>, context: HandlerContext<P>): Awaitable<PromptContent<P>>;
  };

/** One argument of a prompt. */
export type PromptArgumentDefinition<P extends PromptTypes, Required> = Fields<
  P,
  "PromptArgument",
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

/** Content of a prompt: text of one user message, messages, or a result of the protocol. A result without a description gets the prompt's. */
export type PromptContent<P extends PromptTypes> =
  | string
  // Both kinds of array: the compiler explains what is wrong with a literal only where it finds its own.
  | WithContent<P, P["PromptMessage"]>[]
  | readonly WithContent<P, P["PromptMessage"]>[]
  | PromptAnswer<P>
  | InputOf<P>;

type PromptAnswer<P extends PromptTypes> = Without<AnswerOf<P, "GetPromptResult">, "messages"> & {
  readonly messages: readonly WithContent<P, P["PromptMessage"]>[];
};

/** Everything that a server offers. Capabilities follow from it. */
export type ServerDefinition<P extends ProtocolTypes> = ServerHead<P> &
  ServerResources<P> &
  ServerPrompts<P> &
  ServerSkills &
  ServerTasks &
  ServerRounds &
  ServerExtensions;

/** What every server says of itself, its tools, and how it behaves. */
export type ServerHead<P extends ToolTypes> = Fields<P, "Implementation"> & {
  /** How to use the server as a whole, for the model. */
  readonly instructions?: string;
  readonly tools?: readonly ToolDefinition<P, unknown, unknown>[];
} & ServerOptions;

/** The resources of a server. */
export interface ServerResources<P extends ResourceTypes> {
  readonly resources?: readonly ResourceDefinition<P>[];
  readonly resourceTemplates?: readonly ResourceTemplateDefinition<P>[];
}

/** The prompts of a server. */
export interface ServerPrompts<P extends PromptTypes> {
  readonly prompts?: readonly PromptDefinition<P, ArgumentFlags>[];
}

/** The skills of a server. */
export interface ServerSkills {
  /** Read them from folders with `readSkills`, or write them with `createSkill`. Their files are resources as well. */
  readonly skills?: readonly Skill[];
  /** Lets clients look into the folders of skills, one at a time. Default `false`. */
  readonly directoryRead?: boolean;
}

/** Tasks that calls of tools become. */
export interface ServerTasks {
  /** How tasks are kept. They belong to a principal or, where nobody is authenticated, to a session. */
  readonly tasks?: TaskOptions;
}

/** Questions to clients. */
export interface ServerRounds {
  /** How calls go on that need input of the client, where each request stands alone. */
  readonly rounds?: RequestStateOptions;
}

/** Extensions of the protocol. */
export interface ServerExtensions {
  /**
   * Extensions that are declared to clients besides those that the definition makes use of, or that are declared with settings:
   * `{ ...extension, settings }`. Each is used with clients that declare it as well. Default: none.
   */
  readonly extensions?: readonly Extension[];
}

/** How a server behaves. */
export interface ServerOptions {
  // @part changes
  /** Lists that may change while clients are connected, or `true` for all; clients are told of changes. Default: none. */
  readonly dynamic?: true | readonly ListKind[];
  // @part changes
  /** Lets clients subscribe to resources; tell them with `server.resources.changed(uri)`. Default: `false`. */
  readonly subscriptions?: boolean;
  // @part changes
  /** Most subscriptions of one session. Default 1000. */
  readonly maxSubscriptions?: number;
  /** Capabilities outside of the protocol, by name, with their settings: `{ "com.example/search": {} }`. Declared as `experimental`. */
  readonly experimental?: { readonly [name: string]: object };
  /** Runs around every request, `initialize` and `ping` included, the first outermost. */
  readonly middleware?: readonly Middleware[];
  /** Most entries on one page of a list. Default: all on one page. */
  readonly pageSize?: number;
  // @part caching
  /** How long clients may keep the lists, and what the server says about itself. Default: not at all. */
  readonly caching?: CacheHints;
  /**
   * Secrets of 32 bytes or more that sign cursors: the first signs, all are accepted. Needed where several processes serve the
   * same clients. Default: a random one.
   */
  readonly cursorKeys?: readonly Uint8Array[];
  /** Least severe level that is logged to clients which did not choose one. Default: `info`. */
  readonly logLevel?: string;
  /** Most log messages to one session: so many at once, and so many a second in the long run. Default 1000 and 100. */
  readonly logRate?: Rate;
  /** Most progress reports of one call: so many at once, and so many a second, the newest. Default 100 and 20. */
  readonly progressRate?: Rate;
  /** Told about every failure that clients only learn in general terms. Default: written to standard error. */
  readonly onError?: OnError;
}
