import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { ServerOptions, ToolTaskOptions } from "./definition.ts";
import type { Authenticated, Complete } from "./protocol-types.ts";
import type { Step } from "./input/once.ts";
import type { Schema } from "./schema.ts";
import type { MatchedValue } from "./resources/uri-template.ts";

/**
 * Definitions as the registries see them, without the types of a revision. A definition written for any revision fits,
 * because methods compare their parameters in both directions. The arguments of each call were checked before.
 */
export interface AnyServerDefinition extends AnyCoreDefinition, AnyResources, AnyPrompts {}

/** Definition of a server of any revision, without resources and prompts. */
export interface AnyCoreDefinition extends ServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly tools?: readonly AnyTool[];
  /** Options of tasks; the task features know their type. */
  readonly tasks?: object;
  /** Options of input required; the features that send input requests know their type. */
  readonly requestState?: object;
  /** Handlers of methods by name, such as `listTools`. */
  readonly handlers?: object;
  /** Handles requests of methods outside of a revision. */
  fallback?(request: { readonly method: string; readonly params: unknown }, context: AnyContext): unknown;
}

/** Definition that may be visible to some clients only. */
export interface Visible {
  visible?(requester: AnyRequester): boolean;
}

/** Definition that may need scopes to be used. */
export interface Scoped {
  readonly scopes?: readonly string[];
}

/** A tool of any revision. */
export interface AnyTool extends Visible, Scoped {
  readonly name: string;
  readonly inputSchema?: Schema<unknown>;
  readonly outputSchema?: Schema<unknown>;
  readonly task?: true | AnyTaskTool;
  readonly ui?: object;
  execute(args: unknown, context: AnyContext): unknown;
  render?(output: unknown): unknown;
}

/** Options of a tool of any revision whose calls run as tasks. */
export interface AnyTaskTool extends ToolTaskOptions {
  prepare?(args: unknown, context: AnyContext): unknown;
}

/** Resources and resource templates of a server of any revision. */
export interface AnyResources {
  readonly resources?: readonly AnyResource[];
  readonly resourceTemplates?: readonly AnyResourceTemplate[];
}

/** A resource of any revision. */
export interface AnyResource extends Visible, Scoped {
  readonly uri: string;
  readonly name: string;
  readonly size?: number;
  readonly mimeType?: string;
  readonly cacheHint?: CacheHint;
  readonly listed?: boolean;
  read(uri: string, context: AnyContext): unknown;
}

/** A resource template of any revision. */
export interface AnyResourceTemplate extends Visible, Scoped {
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly cacheHint?: CacheHint;
  readonly complete?: { readonly [name: string]: Complete | undefined };
  list?(page: { readonly cursor?: string }, context: AnyContext): unknown;
  read(variables: { readonly [name: string]: MatchedValue }, context: AnyContext & { readonly uri: string }): unknown;
}

/** Prompts of a server of any revision. */
export interface AnyPrompts {
  readonly prompts?: readonly AnyPrompt[];
}

/** A prompt of any revision. */
export interface AnyPrompt extends Visible, Scoped {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: { readonly [name: string]: AnyPromptArgument };
  get(args: { readonly [name: string]: string }, context: AnyContext): unknown;
}

/** A prompt argument of any revision. */
export interface AnyPromptArgument {
  readonly required?: boolean;
  readonly complete?: Complete;
}

/** Sender of a request at any revision. */
export interface AnyRequester {
  /** Authenticated principal; `undefined` where the transport does not authenticate clients. */
  readonly auth: Authenticated | undefined;
  /** Client that sent the request, as it describes itself. */
  readonly client: {
    /** Self-declared: suitable for logs, not for decisions. Absent where the revision lets clients omit it. */
    readonly info: object | undefined;
    /** Capabilities that the client declares. */
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
  /** Responses by the keys of the input requests that the handler returned in the previous round. */
  readonly inputResponses?: { readonly [key: string]: unknown } | undefined;
  /** State that the handler returned with the input requests. */
  readonly requestState?: string | undefined;
  /** Present if the call runs as a task and the revision of the definition has tasks. */
  readonly task?: unknown;
  /** Sends a request to the client, at revisions where servers send requests or input requests. */
  readonly request?: unknown;
  /** Asks the client's model for a completion, at revisions that have sampling. */
  readonly sample?: unknown;
  /** Asks the user for input, at revisions that have elicitation. */
  readonly elicit?: unknown;
  /** Lists the folders that the user opened to the server, at revisions that have roots. */
  readonly roots?: unknown;
}
