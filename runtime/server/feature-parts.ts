import type { Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/list-kinds.ts";
import type { FixedList } from "./list/catalogue.ts";
import { readListChanged } from "./list/changing-lists.ts";
import type { CreateCursors } from "./list/cursors.ts";
import { writeToStandardError } from "./logging/stderr.ts";
import type { Feature } from "./feature.ts";
import type { ServerParts, ServerSettings } from "./handlers.ts";
import { createSessionRegistry, type SessionRegistry } from "./subscriptions/session-registry.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { AnyCoreDefinition, AnyTool } from "./any-definition.ts";
import type { ToolRules } from "./tools/registry.ts";

/** Options for the parts of a server. */
export interface PartsOptions {
  readonly middleware: readonly Middleware[];
  readonly toolRules: ToolRules;
  readonly createCursors: CreateCursors;
  // @part changes
  readonly revisions: readonly Revision[];
  // @part changes
  readonly features: readonly Feature[];
  // @part changes
  /** True if the server is being served, so that clients may already know its lists. */
  isServed(): boolean;
  // @part changes
  /** Discards the implementations that were built so far, after a change of the lists. */
  rebuild(): void;
}

/** Options for the lists of a server. */
export interface ListNeeds extends PartsOptions {
  // @part sessions, changes
  readonly sessions: SessionRegistry;
}

/** Creates the lists of a definition. */
export type CreateLists<Lists, Source> = (source: Source, needs: ListNeeds) => MadeLists<Lists>;

/** Lists of a server: the tools, and the lists that may change. */
export interface MadeLists<Lists> {
  readonly tools: FixedList<AnyTool>;
  /** Lists that may change; they become members of the server. */
  readonly lists: Lists;
  /** True if a list has entries, or may have some later. */
  isOffered(kind: ListKind): boolean;
}

/** Splits a definition into its lists, the sessions that are notified of changes, and the settings of the server. */
export function createParts<Lists extends object, Source extends AnyCoreDefinition>(
  source: Source,
  createLists: CreateLists<Lists, Source>,
  options: PartsOptions,
): { readonly parts: ServerParts & Lists; readonly lists: Lists } {
  const settings = createSettings(source, options);
  const needs = {
    ...options,
    // @part sessions, changes
    sessions: createSessionRegistry(),
  };
  const { tools, lists, isOffered } = createLists(source, needs);
  const parts = {
    tools,
    ...lists,
    settings,
    toolRules: options.toolRules,
    isOffered,
    // @part sessions, changes
    sessions: needs.sessions,
  };
  return { parts, lists };
}

function createSettings(source: AnyCoreDefinition, { middleware, createCursors }: PartsOptions): ServerSettings {
  return {
    // @part changes
    listChanged: readListChanged(source),
    // @part changes
    subscribe: source.subscribe ?? false,
    // @part changes
    mostSubscriptions: source.maxSubscriptions ?? 1_000,
    pageSize: source.pageSize,
    // @part caching
    cacheHints: source.cacheHints ?? {},
    cursors: createCursors(source.cursorKeys),
    logs: { initial: source.logLevel ?? "info", rate: source.logRate ?? { burst: 1_000, perSecond: 100 } },
    middleware,
    onError: source.onError ?? writeToStandardError,
  };
}
