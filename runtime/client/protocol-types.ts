import type { Awaitable } from "../../generated/support.ts";
import type { HandlerResult, Without } from "../protocol/revision/result-members.ts";
import type { MissingKind, MissingMethod, Unavailable } from "../protocol/revision/missing.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import type { TaskControl } from "../tasks/call-scope.ts";

/**
 * Declarations of a revision by name, as far as every revision has them: `Declarations` of a generated revision fits. Clients are generic over it,
 * which makes it a compile error to use a member the revision does not have.
 */
export interface ClientTypes {
  Implementation: object;
  ClientCapabilities: object;
  ServerCapabilities: object;
  LoggingLevel: string;
  LoggingMessageNotification: { params: object };
  Tool: object;
  ListToolsResult: object;
  CallToolResult: object;
  Resource: object;
  ListResourcesResult: object;
  ReadResourceResult: object;
  ResourceTemplate: object;
  ListResourceTemplatesResult: object;
  Prompt: object;
  ListPromptsResult: object;
  GetPromptResult: object;
  CompleteRequest: { params: object };
  CompleteResult: { completion: object };
  CreateMessageRequest: { params: object };
  CreateMessageResult: object;
  Root: object;
}

/** Context of a server's request, for the handler of the request. Without `P`, it is one of any revision. */
export interface ClientRequestContext<P extends ClientTypes = ClientTypes> {
  /** Server which sent the request; users should see it. Self-declared: good for display, not for decisions. */
  readonly server: { readonly info: P["Implementation"]; readonly capabilities: P["ServerCapabilities"] };
  /** Revision of this server. */
  readonly revision: string;
  /** JSON-RPC `id` of the request. */
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /** Aborted when the server cancels the request or disconnects: dismiss the prompt to the user. */
  readonly signal: AbortSignal;
  /** Set when the server requested a task. */
  readonly task?: TaskControl | undefined;
  /** Reports progress; does nothing if the server did not request it. Each report must be greater than the last. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
}

/** Context of a form request. */
export interface FormContext<P extends ClientTypes = ClientTypes> extends ClientRequestContext<P> {
  /** Returns the issues of these values, to show to the user; empty when the values can be sent. Omitted fields take their defaults. */
  check(content: object): readonly SchemaIssue[];
}

/** Folders and files opened to servers by the user: all of them, or a function which returns them. */
export type RootsOption<P extends ClientTypes> =
  readonly P["Root"][] | ((context: ClientRequestContext<P>) => Awaitable<readonly P["Root"][]>);

/** Roots of a client, which may change while it is connected. */
export interface Roots<Source = AnyRootsOption> {
  /** Replaces the roots and notifies every server. */
  set(roots: Source): void;
  /** Notifies every server of changed roots: once for each turn of the event loop, however often it is called. */
  notifyListChanged(): void;
}

/** Roots of a client. At revisions where servers request roots when they need them, servers are not notified of changes. */
export type RootsOf<P extends ClientTypes> = [MissingMethod<P, "RootsListChangedNotification">] extends [never]
  ? Roots<RootsOption<P>>
  : Without<Roots<RootsOption<P>>, "notifyListChanged"> & {
      readonly notifyListChanged: Unavailable<MissingMethod<P, "RootsListChangedNotification">>;
    };

/** Handler of sampling requests, by which servers get completions of a model. */
export type SamplingOption<P extends ClientTypes> = {
  /** Show the request and the response to the user, who may edit both. Throw `rejectedByUser()` when the user rejects it. */
  createMessage(
    params: P["CreateMessageRequest"]["params"],
    context: ClientRequestContext<P>,
  ): Awaitable<HandlerResult<P["CreateMessageResult"]>>;
} & { readonly [Name in SamplingFeature<P>]?: true } & AsTask<P> &
  ("tools" extends SamplingFeature<P> ? unknown : { readonly tools?: Unavailable<MissingKind<P, "tool_use">> & true });

/** Option to permit a server to request a task instead of waiting for the result, if the revision has such tasks. */
type AsTask<P> = P extends { GetTaskPayloadRequest: object }
  ? { /** Lets servers request it as a task. Default: not allowed. */ readonly task?: true }
  : { readonly task?: Unavailable<MissingMethod<P, "GetTaskRequest">> & true };

/** Handlers of elicitation requests, by which servers get input of the user. Each handler given is declared as a capability. */
export type ElicitationOption<P extends ClientTypes> = {
  /** Shows a form. Omitted values take their defaults; `context.check` returns the issues of the others. */
  form?(params: FormParams<P>, context: FormContext<P>): Awaitable<FormResult<P>>;
} & (P extends { ElicitRequestURLParams: infer Params }
  ? {
      /**
       * Asks the user for consent to open a page, and opens it where neither this program nor a model can look. Show the whole URL, emphasize its
       * host, and never fetch it beforehand. `accept` means an opened page, not a finished interaction.
       */
      url?(params: Params, context: ClientRequestContext<P>): Awaitable<UrlResult>;
    }
  : {
      readonly url?: Unavailable<MissingMethod<P, "ElicitationCompleteNotification">> &
        NonNullable<AnyElicitationOption["url"]>;
    }) &
  (P extends { ElicitationCompleteNotification: object }
    ? {
        /** Called when the interaction on an opened page is complete: what waited for it may be retried. */
        completed?(elicitationId: string): unknown;
      }
    : unknown) &
  AsTask<P>;

/** User's response to a form. */
export type FormResult<P> =
  { readonly action: "accept"; readonly content?: FormContent<P> } | { readonly action: "decline" | "cancel" };

/** User's response to a request to open a page. */
export interface UrlResult {
  readonly action: "accept" | "decline" | "cancel";
}

/** Names of the lists of a server. */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts";

/** Types of the items of the lists. */
export interface ListItems<P extends ClientTypes> {
  readonly tools: P["Tool"];
  readonly resources: P["Resource"];
  readonly resourceTemplates: P["ResourceTemplate"];
  readonly prompts: P["Prompt"];
}

/** Types of the pages of the lists. */
export interface ListPages<P extends ClientTypes> {
  readonly tools: P["ListToolsResult"];
  readonly resources: P["ListResourcesResult"];
  readonly resourceTemplates: P["ListResourceTemplatesResult"];
  readonly prompts: P["ListPromptsResult"];
}

type SamplingFeature<P extends ClientTypes> = P["ClientCapabilities"] extends { sampling?: infer Sampling }
  ? Extract<keyof NonNullable<Sampling>, "tools" | "context">
  : never;

type FormParams<P> = P extends { ElicitRequestFormParams: infer Params }
  ? Params
  : P extends { ElicitRequest: { params: infer Params } }
    ? Params
    : never;

type FormContent<P> = P extends { ElicitResult: { content?: infer Content } } ? NonNullable<Content> : never;

/** Roots of any revision, or a function which returns them. */
export type AnyRootsOption = readonly object[] | ((context: ClientRequestContext) => unknown);

/** Sampling option of any revision. */
export interface AnySamplingOption {
  readonly tools?: true;
  readonly context?: true;
  readonly task?: true;
  createMessage(params: object, context: ClientRequestContext): unknown;
}

/** Elicitation option of any revision. */
export interface AnyElicitationOption {
  readonly task?: true;
  form?(params: object, context: FormContext): unknown;
  url?(params: object, context: ClientRequestContext): unknown;
  completed?(elicitationId: string): unknown;
}
