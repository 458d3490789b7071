import type { Extension, Gate, RequestRow, Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/methods/list-kinds.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { ExtensionSupport } from "./extensions.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { ContextParts, CreateScope, HandlerScope } from "./context.ts";
import type { RegistryOptions, ToolRules } from "./list/registry-options.ts";
import type { InputRunner } from "./input/input-runner.ts";
import type { AnyCoreDefinition, AnyServerDefinition, Scoped, AnyTool, Visible } from "./any-definition.ts";
import type { ToolRegistry } from "./tools/registry.ts";
import type { Catalogue } from "./list/catalogue.ts";
import type { SessionRegistry } from "./subscriptions/session-registry.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { ShownMembers } from "./list/shown-members.ts";
import type { CacheHints } from "./list/cache-hints.ts";
import type { Cursors } from "./list/cursors.ts";
import type { LogOptions } from "./logging/log-levels.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { OnError } from "../jsonrpc/error-report.ts";

/** Optional part of a server, in addition to tools. A program that does not name it does not contain its code. */
export interface Feature {
  readonly name: string;
  /**
   * Checks a definition, or definitions that are added later, for mistakes. Clients of each revision of the server may be connected.
   *
   * @throws {SetupError} at the first mistake
   */
  check?(offer: object, revisions: readonly Revision[]): void;
  /** Returns the extension of the protocol that the feature serves, if a definition uses it. */
  extension?(source: AnyServerDefinition): Extension | undefined;
  /** Support for extensions, which each feature that serves one brings. */
  readonly extensionSupport?: ExtensionSupport;
  /** Creates the feature for one server, whose parts include the lists that the feature serves. */
  create(parts: ServerParts, source: AnyCoreDefinition): ServedFeature;
  /** Returns the members that lists show of a tool in addition to those of its definition. */
  readonly describeTool?: (tool: AnyTool, revision: Revision) => object;
  /** Returns the function that sends input requests to clients as tasks, at revisions where clients have tasks. */
  readonly createAskForTask?: (revision: Revision) => AskForTask | undefined;
  /** Returns the function that creates contexts at a revision, if they offer more than those of programs without input requests. */
  createScopes?(revision: Revision, askForTask: AskForTask | undefined): CreateScope;
}

/** Sends a request that the client runs as a task. Resolves to its result. */
export type AskForTask = (call: CallContext, row: RequestRow, params: object) => Promise<unknown>;

/** A feature of one server. */
export interface ServedFeature {
  /** Finds the definition that a request addresses, if the request belongs to this feature. */
  findAsked?(method: string, params: Readonly<Record<string, unknown>>): (Scoped & Visible) | undefined;
  /** Returns the handlers of the feature at one revision. */
  implement(scene: FeatureContext): Implemented;
  /** Returns the gates of the capabilities that the feature declares in addition to those of its methods. */
  gates?(revision: Revision): readonly Gate[];
  /** Returns the rounds of calls that need input of the client. */
  inputRunner?(revision: Revision): InputRunner;
  /** Shares the tasks of the feature with other nodes of a cluster. */
  startTasks?(node: TaskNode): void;
  /** Waits for the work that is in progress in the feature, and ends what is left after the given time. */
  close?(options: Required<CloseOptions>): Promise<void>;
}

/** Parts of a server at one revision, from which a feature is implemented. */
export interface FeatureContext extends ContextParts {
  readonly revision: Revision;
  readonly options: RegistryOptions;
  readonly tools: ToolRegistry;
  readonly createScope: CreateScope;
  toContext(call: CallContext): HandlerScope;
  /** True if a list has entries, or may have some later. */
  isOffered(kind: ListKind): boolean;
  /** Implementations of the features before this one. */
  readonly earlier: readonly Implemented[];
}

/** Implementation of a feature at one revision. */
export interface Implemented {
  /** Functions by handler name, such as `readResource`. Their params were checked against the revision. */
  readonly handlers: object;
  /** True if a client may read the resource at a URI. */
  isUsable?(uri: string, call: CallContext): boolean;
  /** Reads the additional topics that clients can listen for. */
  readonly listen?: ReadExtensionFilter;
}

/** Reads the filter members of an extension. Returns the accepted part of the filter and its topics. */
export type ReadExtensionFilter = (
  asked: Readonly<Record<string, unknown>>,
  call: CallContext,
) => Promise<AddedNotifications>;

/** Part of a filter that an extension accepts. */
export interface AddedNotifications {
  readonly filter: object;
  readonly topics: readonly string[];
  /** Aborted when there are no more notifications: the request gets its result then. */
  readonly ended?: AbortSignal;
  /** Called when the request has got its result or error for another reason. */
  leave?(): void;
}

/** Parts of a server that are the same at every revision. */
export interface ServerParts {
  readonly tools: Catalogue<AnyTool>;
  readonly sessions: SessionRegistry;
  readonly settings: ServerSettings;
  readonly cluster: ClusterAccess;
  readonly toolRules: ToolRules;
  /** Members of definitions that clients receive: those of the newest revision, for which definitions are written. Older revisions get less. */
  readonly shown: ShownMembers;
  /** Revisions of the server, newest first. */
  readonly revisions: readonly Revision[];
  /** True if a list has entries, or may have some later. */
  isOffered(kind: ListKind): boolean;
  /** Builds the handlers of a revision, if the server has it. */
  implement(revision: string): void;
}

/** Options of a server, with every default filled in. */
export interface ServerSettings {
  /** Lists that may change. They are offered even while they are empty. */
  readonly listChanged: ReadonlySet<ListKind>;
  readonly subscribe: boolean;
  /** Maximum number of subscriptions of one session, or of one request that listens for changes. */
  readonly maxSubscriptions: number;
  readonly pageSize: number | undefined;
  readonly cacheHints: CacheHints;
  readonly cursors: Cursors;
  readonly logs: LogOptions;
  readonly middleware: readonly Middleware[];
  readonly onError: OnError;
}
