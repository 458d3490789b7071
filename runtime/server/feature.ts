import type { RequestRow, Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import type { CallContext } from "../rpc/call.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import type { CompleteParams } from "./completions.ts";
import type { RegistryHandlers, ServerParts } from "./handlers.ts";
import type { Complete } from "./protocol.ts";
import type { RegistryOptions } from "./registry.ts";
import type { ListenMore } from "./listen.ts";
import type { Rounds } from "./rounds.ts";
import type { AnyContext, Scoped, ServerSource, Visible } from "./source.ts";
import type { ToolRegistry } from "./tools.ts";

/** Something that servers may offer besides tools. A program that never names it does not carry its code. */
export interface Feature {
  readonly name: string;
  /** Finds mistakes that hold at every revision; throws at the first. */
  check?(offer: Offer): void;
  /** Prepares it for one server. */
  create(parts: ServerParts, source: ServerSource): ServedFeature;
  /** Puts a question to the client as a task, where the client can do that. */
  readonly askForTask?: AskForTask;
  /** What handlers get at a revision, where it is more than in a program that asks nothing. */
  createScopes?(revision: Revision, askForTask: AskForTask | undefined): CreateScope;
}

/** The part of a definition that a feature may be about. */
export type Offer = Pick<ServerSource, "resources" | "resourceTemplates" | "prompts">;

/** Sends a request that the client answers as a task; resolves to its result. */
export type AskForTask = (call: CallContext, row: RequestRow, params: object) => Promise<unknown>;

/** A feature of one server. */
export interface ServedFeature {
  /** What a request is about, if it is one of its own. */
  findAsked?(method: string, params: Readonly<Record<string, unknown>>): (Scoped & Visible) | undefined;
  /** What it answers at one revision. */
  implement(scene: Scene): Implemented;
  /** How calls go on that need input of the client. */
  rounds?(revision: Revision): Rounds;
  /** Ends what goes on in it. */
  close?(): Promise<void>;
}

/** What a feature is implemented for. */
export interface Scene extends ContextParts {
  readonly revision: Revision;
  readonly options: RegistryOptions;
  readonly tools: ToolRegistry;
  readonly createScope: CreateScope;
  toContext(call: CallContext): HandlerScope;
  /** Whether there is anything in a list, or may be later. */
  isOffered(kind: ListKind): boolean;
  /** What the features before this one have made. */
  readonly earlier: readonly Implemented[];
}

/** What a feature answers at one revision. */
export interface Implemented {
  readonly handlers: RegistryHandlers;
  /** Whether a client may read what is behind a URI. */
  isUsable?(uri: string, call: CallContext): boolean;
  /** What can be listened for besides. */
  readonly listen?: ListenMore;
  /** Who suggests values for what is asked about, if it is one of its own; refuses what it does not have. */
  findComplete?(params: CompleteParams, scope: AnyContext): Found | undefined;
}

/** Somebody who suggests values, or nobody for something that is there. */
export interface Found {
  readonly complete: Complete | undefined;
}
