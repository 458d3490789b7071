import type { Awaitable, Extension } from "../../generated/support.ts";
import type { Without } from "../protocol/revision/result-members.ts";
import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { Fields, MissingMember, Unavailable } from "../protocol/revision/missing.ts";
import type { ListKind } from "../protocol/methods/list-kinds.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Skill } from "../skills/skill.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { CacheHints } from "./list/cache-hints.ts";
import type { ServerMethods } from "./methods/method-types.ts";
import type { ServerMiddleware } from "./middleware/middleware.ts";
import type {
  InputOf,
  ResultOf,
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
import type { AnyMembers, NoArguments, Schema } from "./standard-schema.ts";
import type { DefinedSettings } from "./settings/settings.ts";
import type { Flat, TemplateVariables } from "./resources/uri-template/template-variables.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";
import type { OtherArgumentNames, ReturnValue } from "./compile-errors.ts";

/**
 * A tool: its description for the model, and the function to run. `I` is the type of values of `inputSchema`, `O` the type of values of
 * `outputSchema`; `O` is `undefined` without an output schema.
 */
// One object type instead of an intersection, here and below: compile errors then name the definition and the member, and nothing else.
export type ToolDefinition<P extends ToolTypes, I = NoArguments, O = undefined> = {
  readonly [Name in keyof ToolMembers<P, I, O>]: ToolMembers<P, I, O>[Name];
};

type ToolMembers<P extends ToolTypes, I, O> = ToolFields<P> &
  ToolFunction<P, I, O> &
  TaskSupport<P, I> &
  StructuredOutput<P, O>;

/** Members of a tool that do not depend on its schemas. */
export type ToolFields<P extends ToolTypes> = Fields<P, "Tool", "inputSchema" | "outputSchema" | "execution"> &
  Visibility<P>;

/*
 * The next types are the bases of an interface of the project. The compiler compares two tools by `I` and `O` alone as long as conditions have them on
 * the left side of `extends`. `NoInfer<O> extends` avoids distribution over a union, as `[O] extends` does, with less memory.
 */

/** Function of a tool, and the schema of its arguments. */
export interface ToolFunction<P extends ToolTypes, I, O> {
  /** Schema of the arguments. Default: the tool takes no arguments and rejects any. */
  readonly inputSchema?: SchemaOf<I>;
  /** Called with checked arguments. Throw a `ToolError` to report a failure to the model. */
  readonly execute: Execute<P, I, O>;
}

/** Schema with values of type `T`. If the compiler cannot infer `T` from the given schema, its errors quote the remedy. */
type SchemaOf<T> = keyof T extends never
  ? Schema<T> | (Unavailable<"wrap it in z.object({ ... }) or fromJsonSchema(...)"> & Schema<never>)
  : Schema<T>;

/** Access control of a definition: the clients allowed to see it, and the scopes its use needs. */
export interface Visibility<P extends ToolTypes> {
  /**
   * True if a client may see the definition. Otherwise, lists omit it, and a request for it is handled as if it did not exist. Called for every list
   * and every use, so it should be fast. Default: visible to every client.
   */
  visible?(requester: Requester<P>): boolean;
  /**
   * Scopes a client needs to use the definition, if the transport authenticates clients. Lists show it regardless of scopes, so that a client can
   * request missing scopes from its user. Default: none.
   */
  readonly scopes?: readonly string[];
}

/**
 * Function run by a tool. Returns the output if the tool has an output schema, otherwise text or a result of the protocol. May also return
 * `inputRequired(...)`, at revisions that have this result.
 */
export type Execute<P extends ToolTypes, I, O> =
  NoInfer<O> extends undefined
    ? Method<Arguments<I>, HandlerContext<P>, TextOrContent<P, "define outputSchema to return other values">>
    : Method<Arguments<I>, HandlerContext<P>, OutputOf<P, NoInfer<O>>>;

/** Return value of a tool with an output schema. */
export type OutputOf<P extends ToolTypes, O> = ReturnValue<O | InputOf<P>, O, "return what outputSchema describes">;

/** Arguments of a tool. The type of a function in a list of tools cannot follow from its schema; compile errors quote the remedy. */
type Arguments<I> =
  NoInfer<I> extends {} ? I : object | Unavailable<"define the tool with defineTool and an inputSchema">;

/** Return value of a tool without an output schema. Compile errors quote the remedy. `AnyMembers` keeps the literals of an output. */
export type TextOrContent<P extends ToolTypes, Remedy> = ReturnValue<
  string | ContentResult<P, Remedy> | InputOf<P> | AnyMembers,
  ContentResult<P, Remedy>,
  Remedy
>;

/** Result of the protocol, for tools without an output schema. */
export type ContentResult<P extends ToolTypes, _Remedy> = {
  readonly [Name in keyof ContentMembers<P>]: ContentMembers<P>[Name];
};

type ContentMembers<P extends ToolTypes> = ResultOf<P, "CallToolResult"> & { readonly [name: string]: unknown };

// The type of a method instead of a function, so that definitions with different arguments fit into one list.
type Method<Args, Context, Result> = { execute(args: Args, context: Context): Result }["execute"];

/** Output schema of a tool, at revisions that have structured content. */
export type StructuredOutput<P extends ToolTypes, O> = [MissingMember<P, "Tool", "outputSchema">] extends [never]
  ? {
      /** Schema of the output of `execute`. The result carries the output as structured content and, for models, as JSON in a text block. */
      readonly outputSchema?: SchemaOf<O>;
      /** Content to show to the model instead of the JSON text. */
      render?(output: NoInfer<O>): Content<P>;
    }
  : { readonly outputSchema?: Unavailable<MissingMember<P, "Tool", "outputSchema">> & Schema<O> };

/** Task support of a tool, at revisions that have tasks. */
export type TaskSupport<P extends ToolTypes, I> = [MissingMember<P, "Tool", "execution">] extends [never]
  ? {
      /** Permits calls to run as tasks. Default: calls do not run as tasks. */
      readonly task?: true | PreparedToolTask<P, NoInfer<I>>;
    }
  : { readonly task?: Unavailable<MissingMember<P, "Tool", "execution">> & ToolTaskOptions };

/** Options of a task with preparation before it begins, such as input of the client. */
export interface PreparedToolTask<P extends ToolTypes, I> extends ToolTaskOptions {
  /** Runs before the task begins, while the client waits. Requests the input the task needs, and returns the arguments for `execute`. */
  prepare?(args: I, context: HandlerContext<P>): Awaitable<I | InputOf<P>>;
}

/** Task support of a tool: options, or `true` for every default. */
export type ToolTask = true | ToolTaskOptions;

/**
 * Options of a tool whose calls run as tasks. At revisions where clients request tasks, a call runs as one on request. Where the server decides, a
 * call runs as one if the client supports tasks.
 */
export interface ToolTaskOptions {
  /** With `required`, plain calls are rejected where clients can use tasks. Default `optional`. */
  readonly support?: "optional" | "required";
  /** Milliseconds a task is kept from its creation, if the client sets no time. Default: the server's. */
  readonly ttl?: number;
  /** Milliseconds clients should wait between two requests for the status. Default: the server's. */
  readonly pollInterval?: number;
  /**
   * True if another node of a cluster may run the handler again, from its beginning, when the first node is lost: at most three nodes run it. The
   * handler gets the same arguments and responses. What it does outside of `once` happens again, so everything with effects belongs in steps. Default
   * `false`: the task fails, since its effects are unknown.
   *
   * @example
   * ```ts
   * const url = "https://pay.example/orders";
   * const order = defineTool({
   *   name: "order",
   *   task: { retryable: true },
   *   execute: async (_args, { once }) => {
   *     const status = await once("pay", async ({ token }) => {
   *       const paid = await fetch(url, { method: "POST", headers: { "idempotency-key": token } });
   *       return paid.status;
   *     });
   *     return `The payment has the status ${status}.`;
   *   },
   * });
   * ```
   */
  readonly retryable?: boolean;
}

type Content<P extends ToolTypes> = ResultOf<P, "CallToolResult"> extends { content: infer C } ? C : never;

/** Cache hint of a resource, sent at revisions with cache hints. */
export interface CacheHinted {
  /** Cache hint for the result of `read`, unless the result has its own. Always private if the definition has `visible` or `scopes`. */
  readonly cacheHint?: CacheHint;
}

/** A resource with a fixed URI. */
export type ResourceDefinition<P extends ResourceTypes> = {
  readonly [Name in keyof ResourceMembers<P>]: ResourceMembers<P>[Name];
};

type ResourceMembers<P extends ResourceTypes> = Fields<P, "Resource"> &
  Visibility<P> &
  CacheHinted & {
    /** True if `resources/list` shows the resource. A client with the URI from elsewhere can read it in any case. Default `true`. */
    readonly listed?: boolean;
    read(uri: string, context: HandlerContext<P>): ReadContent<P>;
  };

/** Content of a resource: text, bytes, or a result of the protocol. Bytes without a `mimeType` here or in a `Blob` are sent without one, which is reported once. */
export type ResourceContent<P extends ResourceTypes> =
  string | Uint8Array | Blob | ResultOf<P, "ReadResourceResult"> | InputOf<P>;

/** Return value of `read`: content, or `Absent` for a missing resource. */
type ReadContent<P extends ResourceTypes, Absent = never> = ReturnValue<
  ResourceContent<P> | Absent,
  ResourceContent<P>,
  "return a text, bytes or { contents: [{ uri, text }] }"
>;

/** Resources to list: all of them, or a page with the cursor of the next one. */
export type ResourcePage<P extends ResourceTypes> =
  readonly P["Resource"][] | { readonly resources: readonly P["Resource"][]; readonly nextCursor?: string };

/** Resources whose URIs follow a template (RFC 6570). */
export type ResourceTemplateDefinition<P extends ResourceTypes, T extends string = string> = {
  readonly [Name in keyof TemplateMembers<P, T>]: TemplateMembers<P, T>[Name];
};

type TemplateMembers<P extends ResourceTypes, T extends string> = Fields<P, "ResourceTemplate", "uriTemplate"> &
  Visibility<P> &
  CacheHinted & {
    readonly uriTemplate: T;
    /** Suggestions for variables of the template. */
    readonly complete?: { readonly [Name in keyof TemplateVariables<NoInfer<T>>]?: Complete };
    /** Returns the existing resources, for `resources/list`. Default: resources of a template are not listed. */
    list?(page: { readonly cursor?: string }, context: HandlerContext<P>): Awaitable<ResourcePage<P>>;
    /** Called with the percent-decoded variables of the URI: check them before use. Return `undefined` if there is no such resource. */
    read(
      variables: TemplateVariables<NoInfer<T>>,
      context: HandlerContext<P> & {
        /** URI requested by the client. */
        readonly uri: string;
      },
    ): ReadContent<P, undefined>;
  };

/** A prompt: messages for users to choose and fill in. `A` names the arguments and marks the required ones. */
export type PromptDefinition<P extends PromptTypes, A extends ArgumentFlags = NoFlags> = {
  readonly [Name in keyof PromptMembers<P, A>]: PromptMembers<P, A>[Name];
};

type PromptMembers<P extends PromptTypes, A extends ArgumentFlags> = Fields<P, "Prompt", "arguments"> &
  Visibility<P> & {
    readonly arguments?: { readonly [Name in keyof A]: PromptArgumentDefinition<P, A[Name]> };
    get(
      args: ArgumentValues<NoInfer<A>>,
      context: HandlerContext<P>,
    ): ReturnValue<PromptContent<P>, PromptContent<P>, "return a text or { messages: [{ role, content }] }">;
  };

/** One argument of a prompt. */
export type PromptArgumentDefinition<P extends PromptTypes, Required> = Fields<
  P,
  "PromptArgument",
  "name" | "required"
> &
  OtherArgumentNames & {
    /** True if the user must fill in the argument. Default: `false`. */
    readonly required?: Required & boolean;
    /** Suggests values while the user types. */
    readonly complete?: Complete;
  };

/** Argument names of a prompt; `true` marks the required ones. */
export type ArgumentFlags = { readonly [name: string]: unknown };

/** Argument names of a prompt without arguments. */
export type NoFlags = { readonly [name in never]: never };

/** Values of the arguments of a prompt: always text. Optional arguments may be absent. */
export type ArgumentValues<A extends ArgumentFlags> = Flat<
  { readonly [Name in keyof A as A[Name] extends true ? Name : never]: string } & {
    readonly [Name in keyof A as A[Name] extends true ? never : Name]?: string;
  }
>;

/** Content of a prompt: text of one user message, messages, or a result of the protocol. A result without a description gets the prompt's. */
export type PromptContent<P extends PromptTypes> =
  | string
  // Both kinds of array: the compiler explains errors in an array literal only if the union has a mutable array type.
  | WithContent<P, P["PromptMessage"]>[]
  | readonly WithContent<P, P["PromptMessage"]>[]
  | PromptResult<P>
  | InputOf<P>;

type PromptResult<P extends PromptTypes> = Without<ResultOf<P, "GetPromptResult">, "messages"> & {
  readonly messages: readonly WithContent<P, P["PromptMessage"]>[];
};

/**
 * List of definitions. For its second member, the compiler reads a list in the source as a tuple. Otherwise it would compare the types of all tools with
 * one another, which takes four fifths of its time for a server with 600 tools.
 */
export type DefinitionList<T> = readonly T[] | readonly [];

/** Definition of a server with every feature. The capabilities follow from it. */
export type ServerDefinition<P extends ProtocolTypes> = ServerHead<P> &
  ServerResources<P> &
  ServerPrompts<P> &
  ServerSkills &
  ServerTasks &
  ServerRequestState;

/** Part of every definition: implementation, tools of the type `Tool`, handlers of methods and options. */
export type ServerHead<P extends ToolTypes, Tool = ToolDefinition<P, unknown, unknown>> = Fields<
  P,
  "Implementation"
> & {
  /** Instructions for the model on the use of the server as a whole. */
  readonly instructions?: string;
  readonly tools?: DefinitionList<Tool>;
} & ServerMethods<P> &
  ServerOptions;

/** Fixed resources, and templates of resources whose URIs have variables. */
export interface ServerResources<P extends ResourceTypes> {
  readonly resources?: DefinitionList<ResourceDefinition<P>>;
  readonly resourceTemplates?: DefinitionList<ResourceTemplateDefinition<P>>;
}

/** Prompts for users to choose and fill in. */
export interface ServerPrompts<P extends PromptTypes> {
  readonly prompts?: DefinitionList<PromptDefinition<P, ArgumentFlags>>;
}

/** Folders of text and files for the host's model. */
export interface ServerSkills {
  /** Skills, read from folders with `readSkills` or written with `createSkill`. Their files are resources as well. */
  readonly skills?: readonly Skill[];
  /** True to list the folders of skills to clients, one at a time. Default `false`. */
  readonly directoryRead?: boolean;
}

/** Task options of a server. */
export interface ServerTasks {
  /** Options of tasks. A task belongs to a principal or, without authentication, to a session. */
  readonly tasks?: TaskOptions;
}

/** Input required options of a server. */
export interface ServerRequestState {
  /** Options of calls that need input of the client, for stateless requests. */
  readonly requestState?: RequestStateOptions;
}

/** Options of a server, independent of its features. */
export interface ServerOptions {
  /** Lists that may change while clients are connected, or `true` for all. Clients are notified of changes. Default: none. */
  readonly listChanged?: true | readonly ListKind[];
  /** True to accept subscriptions to resources. Notify them with `server.resources.notifyUpdated(uri)`. Default: `false`. */
  readonly subscribe?: boolean;
  /**
   * Maximum number of subscriptions of one session, or of one request to listen. Default 1000. Their URIs have at most 1,048,576 characters in a
   * session, and 262,144 in a request.
   */
  readonly maxSubscriptions?: number;
  /** Capabilities outside of the protocol, by name, with their settings: `{ "com.example/search": {} }`. Declared as `experimental`. */
  readonly experimental?: { readonly [name: string]: object };
  /**
   * Extensions made by `defineExtension`, or used by other members of the definition and declared with settings: `{ ...extension, settings }`. Each is
   * used with clients that declare it as well. Default: none.
   */
  readonly extensions?: readonly Extension[];
  /**
   * Middleware around every request, including `initialize` and `ping`, or around other messages. The first one is outermost. A `ping` before the
   * session has none.
   */
  readonly middleware?: readonly ServerMiddleware[];
  /** Maximum number of entries on one page of a list. Default: all on one page. */
  readonly pageSize?: number;
  /** Cache hints for the lists and for the server's information about itself. Default: clients keep nothing. */
  readonly cacheHints?: CacheHints;
  /**
   * Secrets of 32 bytes or more to sign cursors with: the first one signs, all are accepted. Needed where several processes serve the same clients.
   * Default: one random secret.
   */
  readonly cursorKeys?: readonly Uint8Array[];
  /** Least severe level of log messages for clients that have chosen none. Default: `info`. */
  readonly logLevel?: string;
  /** Rate limit of the log messages to one session. Default: a burst of 1000, and 100 per second on average. */
  readonly logRate?: Rate;
  /** Rate limit of the progress reports of one call; beyond it, only the newest is sent. Default: a burst of 100, and 20 per second. */
  readonly progressRate?: Rate;
  /** Called with every failure reported to clients in general terms only. Default: writes to standard error. */
  readonly onError?: OnError;
  /**
   * Settings of `defineSettings`, or a list of them: they are checked before the server is served by a program, and listed in its `--help`. Default:
   * none.
   */
  readonly settings?: DefinedSettings | readonly DefinedSettings[];
}
