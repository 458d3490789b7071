import type { ImplementationInfo } from "../protocol/session/session.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import type { TaskControl } from "../tasks/task-control.ts";
import type { ClientSettings } from "./options.ts";

/**
 * Options as the runtime sees them, without the types of a revision. Options written for any revision fit, because methods compare their
 * parameters in both directions. The arguments of their functions are checked before each call.
 */
export interface AnyClientOptions extends ClientSettings {
  readonly info: ImplementationInfo;
  readonly roots?: AnyRootsOption;
  readonly sampling?: AnySamplingOption;
  readonly elicitation?: AnyElicitationOption;
  readonly logLevel?: string;
  onLog?(entry: object): unknown;
  /** Handlers of methods by name, such as `createMessage`. */
  readonly handlers?: object;
  /** Handles requests of methods outside of a revision. */
  fallback?(request: { readonly method: string; readonly params: unknown }, context: AnyClientRequestContext): unknown;
}

/** Roots of any revision, or a function that returns them. */
export type AnyRootsOption = readonly object[] | ((context: AnyClientRequestContext) => unknown);

/** Sampling option of any revision. */
export interface AnySamplingOption {
  readonly tools?: true;
  readonly context?: true;
  readonly task?: true;
  createMessage(params: object, context: AnyClientRequestContext): unknown;
}

/** Elicitation option of any revision. */
export interface AnyElicitationOption {
  readonly task?: true;
  form?(params: object, context: AnyFormContext): unknown;
  url?(params: object, context: AnyClientRequestContext): unknown;
  completed?(elicitationId: string): unknown;
}

/** Context of a server's notification at any revision. */
export interface AnyServerNotificationContext {
  readonly server: { readonly info: object; readonly capabilities: object };
  readonly revision: string;
}

/** Context of a server's request at any revision. */
export interface AnyClientRequestContext extends AnyServerNotificationContext {
  readonly requestId: string | number;
  readonly meta: { readonly [key: string]: unknown };
  readonly signal: AbortSignal;
  readonly task?: TaskControl | undefined;
  progress(progress: number, total?: number, message?: string): Promise<void>;
}

/** Context of a form request at any revision. */
export interface AnyFormContext extends AnyClientRequestContext {
  check(content: object): readonly SchemaIssue[];
}
