import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import type { TaskControl } from "../tasks/task-control.ts";

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
