import type { Gate, RequestRow, Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/list-kinds.ts";
import type { CallContext } from "../protocol/incoming-call.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import type { ServerParts } from "./handlers.ts";
import type { RegistryOptions } from "./list/registry-options.ts";
import type { ListenMore } from "./subscriptions/listen.ts";
import type { Rounds } from "./input/rounds.ts";
import type { AnyCoreDefinition, Scoped, AnyTool, Visible } from "./any-definition.ts";
import type { ToolRegistry } from "./tools/registry.ts";

/** Something that servers may offer besides tools. A program that never names it does not carry its code. */
export interface Feature {
  readonly name: string;
  /** Finds mistakes that hold at every revision in a definition, or in what comes later; throws at the first. */
  check?(offer: object): void;
  /** Prepares it for one server, whose parts include the lists that it is about. */
  create(parts: ServerParts, source: AnyCoreDefinition): ServedFeature;
  /** What lists say of a tool besides. */
  readonly describeTool?: (tool: AnyTool, revision: Revision) => object;
  /** Puts a question to the client as a task, where the client can do that. */
  readonly askForTask?: AskForTask;
  /** What handlers get at a revision, where it is more than in a program that asks nothing. */
  createScopes?(revision: Revision, askForTask: AskForTask | undefined): CreateScope;
}

/** Sends a request that the client answers as a task; resolves to its result. */
export type AskForTask = (call: CallContext, row: RequestRow, params: object) => Promise<unknown>;

/** A feature of one server. */
export interface ServedFeature {
  /** What a request is about, if it is one of its own. */
  findAsked?(method: string, params: Readonly<Record<string, unknown>>): (Scoped & Visible) | undefined;
  /** What it answers at one revision. */
  implement(scene: Scene): Implemented;
  /** What it has declared besides the gates of the methods that it answers. */
  gates?(revision: Revision): readonly Gate[];
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
  /** Functions by handler name: `readResource`. What they are called with was checked against the revision. */
  readonly handlers: object;
  /** Whether a client may read what is behind a URI. */
  isUsable?(uri: string, call: CallContext): boolean;
  /** What can be listened for besides. */
  readonly listen?: ListenMore;
}
