import type { Revision } from "../../generated/support.ts";
import type { ListKind } from "../protocol/list-kinds.ts";
import type { FixedList } from "./list/catalogue.ts";
import { toDynamic } from "./list/changing-lists.ts";
import type { CreateCursors } from "./list/cursors.ts";
import { writeToStandardError } from "./logging/stderr.ts";
import type { Feature } from "./feature.ts";
import type { ServerParts, ServerSettings } from "./handlers.ts";
import { createSessionRegistry, type SessionRegistry } from "./subscriptions/session-registry.ts";
import type { Middleware } from "./middleware/middleware.ts";
import type { AnyCoreDefinition, AnyTool } from "./any-definition.ts";
import type { ToolRules } from "./tools/registry.ts";

/** What the parts need to know of the server that they make up. */
export interface PartsOptions {
  readonly middleware: readonly Middleware[];
  readonly toolRules: ToolRules;
  readonly createCursors: CreateCursors;
  // @part changes
  readonly revisions: readonly Revision[];
  // @part changes
  readonly features: readonly Feature[];
  // @part changes
  /** Whether clients may know by now what the server offers. */
  isServed(): boolean;
  // @part changes
  /** Called when what was built so far no longer fits. */
  rebuild(): void;
}

/** What lists need to know of their server. */
export interface ListNeeds extends PartsOptions {
  // @part sessions, changes
  readonly sessions: SessionRegistry;
}

/** Makes what a definition lists. */
export type CreateLists<Lists, Source> = (source: Source, needs: ListNeeds) => MadeLists<Lists>;

/** What a server lists. */
export interface MadeLists<Lists> {
  readonly tools: FixedList<AnyTool>;
  /** What of it may change. */
  readonly lists: Lists;
  /** Whether there is anything in a list, or may be later. */
  isOffered(kind: ListKind): boolean;
}

/** Takes a definition apart: into what is listed, who hears of changes, and how the server behaves. */
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
    dynamic: toDynamic(source),
    // @part changes
    subscriptions: source.subscriptions ?? false,
    // @part changes
    mostSubscriptions: source.maxSubscriptions ?? 1_000,
    pageSize: source.pageSize,
    // @part caching
    caching: source.caching ?? {},
    cursors: createCursors(source.cursorKeys),
    logs: { initial: source.logLevel ?? "info", rate: source.logRate ?? { burst: 1_000, perSecond: 100 } },
    middleware,
    onError: source.onError ?? writeToStandardError,
  };
}
