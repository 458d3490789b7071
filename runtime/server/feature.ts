import type { Extension, Gate, RequestRow, Revision } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { DefinedExtension, installExtensions } from "../protocol/revision/defined-extension.ts";
import type { CreatePendingRequests } from "../protocol/peer/request-table.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { ExtensionSupport } from "./extensions/extension-support.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { InputSupport } from "./context.ts";
import type { ServedHandlers } from "./methods/served-handlers.ts";
import type { RevisionServer, ServerParts, ToolRules } from "./revision-server.ts";
import type { AnyCoreDefinition, AnyServerDefinition, Scoped, Visible } from "./any-definition.ts";
import type { ToolRegistry } from "./tools/registry.ts";

/**
 * Optional part of a server, in addition to tools. Programs without it do not contain its code. A member for the whole server
 * (`extensionSupport`, `installExtensions`, `describeTool`, `createAskForTask`, `createInput`, `createPendingRequests`) has one owner.
 */
export interface Feature {
  readonly name: string;
  /** Names of features to implement before this one, if the server has them; `others` for all without this value. */
  readonly follows?: readonly string[] | "others";
  /**
   * Checks a definition, or definitions added later, for mistakes. Clients of each revision of the server may be connected.
   *
   * @throws {SetupError} at the first mistake
   */
  check?(offer: object, revisions: readonly Revision[]): void;
  /** Returns the extension of the protocol served by the feature, if a definition uses it. */
  extension?(source: AnyServerDefinition): Extension | undefined;
  /** Support for extensions. Each feature that serves an extension brings it. */
  readonly extensionSupport?: ExtensionSupport;
  /** Sets up extensions with handlers of their own. Each such extension brings it. */
  readonly installExtensions?: typeof installExtensions;
  /** Creates the table of requests to a client with a session. Each feature that sends such requests brings it. */
  readonly createPendingRequests?: CreatePendingRequests;
  /** Creates the feature for one server, whose parts include the lists served by the feature. */
  create?(parts: ServerParts, source: AnyCoreDefinition): ServedFeature;
  /** Returns further members of a tool for lists, in addition to the ones of its definition. */
  readonly describeTool?: NonNullable<ToolRules["describeMore"]>;
  /** Returns the function to send input requests to clients as tasks, at revisions where clients have tasks. */
  readonly createAskForTask?: (revision: Revision) => AskForTask | undefined;
  /** Creates a function from a revision to the way in which handlers get input of their clients. Default: they cannot request any. */
  // The type of a method instead of a function: features read more members of the definition.
  readonly createInput?: { create(parts: ServerParts, source: AnyCoreDefinition): CreateInput }["create"];
}

/** Extension with the feature that serves it. */
export interface ServedExtension extends DefinedExtension {
  readonly feature: Feature;
}

/** True for an extension with the feature that serves it. */
export function isServedExtension(extension: Extension): extension is ServedExtension {
  return "feature" in extension;
}

/** Sends a request to be run as a task by the client. Resolves to its result. */
export type AskForTask = (call: CallContext, row: RequestRow, params: object) => Promise<unknown>;

/** Returns how handlers get input of their clients at a revision. */
export type CreateInput = (revision: Revision, askForTask: AskForTask | undefined) => InputSupport;

/** A feature of one server. */
export interface ServedFeature {
  /** Finds the definition addressed by a request, if the request belongs to this feature. */
  findAsked?(method: string, params: Readonly<Record<string, unknown>>): (Scoped & Visible) | undefined;
  /** Implements the feature at one revision. */
  implement?(server: RevisionServer, earlier: Earlier): Implemented;
  /** Shares the tasks of the feature with other nodes of a cluster. */
  startTasks?(node: TaskNode): void;
  /** Waits for work in progress in the feature, and ends what is left after the given time. */
  close?(options: Required<CloseOptions>): Promise<void>;
}

/** What is implemented at a revision before a feature: the tools, and the features before it. */
export interface Earlier {
  readonly tools: ToolRegistry;
  readonly features: readonly NamedImplementation[];
}

/** Implementation of a feature at one revision. */
export interface Implemented {
  readonly handlers: ServedHandlers;
  /** Gates of the capabilities the feature declares in addition to the ones of its methods. */
  readonly gates?: readonly Gate[];
  /** True if a client may read the resource at a URI. One feature has it. */
  readonly isUsable?: (uri: string, call: CallContext) => boolean;
  /** Reads the additional topics clients can listen for. One feature has it. */
  readonly listen?: ReadExtensionFilter;
}

/** Implementation of a feature, with its name. */
export interface NamedImplementation extends Implemented {
  readonly name: string;
}

/** Reads the filter members of an extension. Returns the accepted part of the filter and its topics. */
export type ReadExtensionFilter = (
  asked: Readonly<Record<string, unknown>>,
  call: CallContext,
) => Promise<AddedNotifications>;

/** Part of a filter accepted by an extension. */
export interface AddedNotifications {
  readonly filter: object;
  readonly topics: readonly string[];
  /** Aborted when there are no more notifications: the request gets its result then. */
  readonly ended?: AbortSignal;
  /** Called when the request has got its result or error for another reason. */
  leave?(): void;
}

/**
 * Returns what one of the features provides, if any does. Features may share it.
 *
 * @throws {SetupError} when two features provide different ones
 */
export function findProvided<One extends { readonly name: string }, Member extends keyof One & string>(
  features: readonly One[],
  member: Member,
): One[Member] | undefined {
  const [owner, ...others] = features.filter((feature) => feature[member] !== undefined);
  const other = others.find((feature) => feature[member] !== owner?.[member]);
  if (owner && other)
    throw new SetupError(`${member} is provided by the features ${owner.name} and ${other.name}; use one of them`);
  return owner?.[member];
}

/**
 * Sorts features: each comes after the ones it follows. Otherwise their order stays.
 *
 * @throws {SetupError} when features follow each other in a circle
 */
export function sortFeatures(features: readonly Feature[]): readonly Feature[] {
  const entered = new Set<Feature>();
  const sorted = new Set<Feature>();
  const enter = (feature: Feature): void => {
    if (sorted.has(feature)) return;
    if (entered.has(feature)) throw new SetupError(`The feature ${feature.name} follows itself; change its order`);
    entered.add(feature);
    for (const other of features) if (doesFollow(feature, other)) enter(other);
    sorted.add(feature);
  };
  for (const feature of features) enter(feature);
  return [...sorted];
}

function doesFollow({ follows = [] }: Feature, other: Feature): boolean {
  return follows === "others" ? other.follows !== "others" : follows.includes(other.name);
}
