import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { ServerOptions, ToolTaskOptions } from "./definition.ts";
import type { AnyContext, AnyRequester, Complete } from "./protocol-types.ts";
import type { Schema } from "./standard-schema.ts";
import type { MatchedValue } from "./resources/uri-template/uri-template.ts";

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

/** Definition whose visibility may be restricted. */
export interface Visible {
  visible?(requester: AnyRequester): boolean;
}

/** Definition with optional scopes. */
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
