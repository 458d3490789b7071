import type { Awaitable } from "../../generated/support.ts";
import type { Answer, Without } from "../protocol/result-members.ts";
import type { MissingKind, MissingMethod, Unavailable } from "../protocol/missing.ts";
import type { SchemaIssue } from "../protocol/schema-issue.ts";
import type { Roots } from "./input/roots.ts";
import type { AnyElicitationOption } from "./any-definition.ts";
import type { TaskControl } from "../tasks/task-control.ts";

/**
 * The declarations of a revision by name, as far as every revision has them: `Declarations` of a generated revision fits.
 * Clients are generic over it, so that what a revision lacks is a compile error.
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

/** What a client knows about a request of its server, and what it may do while it answers. */
export interface ClientRequestContext<P extends ClientTypes> {
  /** Who asks; users should see it. Self-declared: good for display, not for decisions. */
  readonly server: { readonly info: P["Implementation"]; readonly capabilities: P["ServerCapabilities"] };
  /** The revision that this server speaks. */
  readonly revision: string;
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /** Aborted when the server cancels the request or goes away: take the question off the screen. */
  readonly signal: AbortSignal;
  /** There when the server asked for a task. */
  readonly task?: TaskControl | undefined;
  /** Reports progress; does nothing when the server did not ask for it. Every report must be greater than the last. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
}

/** The context of a form. */
export interface FormContext<P extends ClientTypes> extends ClientRequestContext<P> {
  /** What is wrong with these values, so that the user can be told; empty when they can be sent. Fields left out take their defaults. */
  check(content: object): readonly SchemaIssue[];
}

/** The folders and files that the user opens to servers: all of them, or how to find them. */
export type RootsOption<P extends ClientTypes> =
  readonly P["Root"][] | ((context: ClientRequestContext<P>) => Awaitable<readonly P["Root"][]>);

/** The roots of a client; where servers ask for them when they need them, nobody is told of changes. */
export type RootsOf<P extends ClientTypes> = [MissingMethod<P, "RootsListChangedNotification">] extends [never]
  ? Roots<RootsOption<P>>
  : Without<Roots<RootsOption<P>>, "changed"> & {
      readonly changed: Unavailable<MissingMethod<P, "RootsListChangedNotification">>;
    };

/** How servers get completions of a model. */
export type SamplingOption<P extends ClientTypes> = {
  /** Let the user see and edit what is asked and what is answered. Throw `rejectedByUser()` when they refuse. */
  createMessage(
    params: P["CreateMessageRequest"]["params"],
    context: ClientRequestContext<P>,
  ): Awaitable<Answer<P["CreateMessageResult"]>>;
} & { readonly [Name in SamplingFeature<P>]?: true } & AsTask<P> &
  ("tools" extends SamplingFeature<P> ? unknown : { readonly tools?: Unavailable<MissingKind<P, "tool_use">> & true });

/** The revision lets a server ask for a task instead of waiting for the answer. */
type AsTask<P> = P extends { GetTaskPayloadRequest: object }
  ? { /** Lets servers have it done as a task. Default: not. */ readonly task?: true }
  : { readonly task?: Unavailable<MissingMethod<P, "GetTaskRequest">> & true };

/** How servers get input of the user. What is given is what is declared. */
export type ElicitationOption<P extends ClientTypes> = {
  /** Shows a form. Values left out take their defaults; `context.check` tells what is wrong with the others. */
  form?(params: FormParams<P>, context: FormContext<P>): Awaitable<FormAnswer<P>>;
} & (P extends { ElicitRequestURLParams: infer Params }
  ? {
      /**
       * Asks the user whether to open a page, and opens it where neither this program nor a model can look. Show the whole URL,
       * stress its host, and never fetch it beforehand. `accept` means that it was opened, not that it was finished.
       */
      url?(params: Params, context: ClientRequestContext<P>): Awaitable<UrlAnswer>;
    }
  : {
      readonly url?: Unavailable<MissingMethod<P, "ElicitationCompleteNotification">> &
        NonNullable<AnyElicitationOption["url"]>;
    }) &
  (P extends { ElicitationCompleteNotification: object }
    ? {
        /** The interaction on a page that was opened is over: what waited for it may be tried again. */
        completed?(elicitationId: string): unknown;
      }
    : unknown) &
  AsTask<P>;

/** What the user did with a form. */
export type FormAnswer<P> =
  { readonly action: "accept"; readonly content?: FormContent<P> } | { readonly action: "decline" | "cancel" };

/** What the user did when asked to open a page. */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel";
}

/** The lists of a server. */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts";

/** What the lists consist of. */
export interface ListItems<P extends ClientTypes> {
  readonly tools: P["Tool"];
  readonly resources: P["Resource"];
  readonly resourceTemplates: P["ResourceTemplate"];
  readonly prompts: P["Prompt"];
}

/** What the pages of the lists are. */
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
