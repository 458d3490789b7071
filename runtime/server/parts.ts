import type { Revision } from "../../generated/support.ts";
import { listKinds, type ListKind } from "../common/lists.ts";
import { createCatalogue, type Catalogue, type CatalogueRules } from "./catalogue.ts";
import type { CreateCursors } from "./cursors.ts";
import { writeToStandardError } from "./error-log.ts";
import type { Feature } from "./feature.ts";
import type { ServerParts, ServerSettings } from "./handlers.ts";
import { createListChanges } from "./list-changes.ts";
import { createLiveSessions, type LiveSessions } from "./live-sessions.ts";
import type { Middleware } from "./middleware.ts";
import type { CoreSource, ToolSource } from "./source.ts";
import { checkTool, describeTool, type ToolRules } from "./tools.ts";

/** What the parts need to know of the server that they make up. */
export interface PartsOptions {
  readonly revisions: readonly Revision[];
  readonly middleware: readonly Middleware[];
  readonly features: readonly Feature[];
  readonly toolRules: ToolRules;
  readonly createCursors: CreateCursors;
  /** Whether clients may know by now what the server offers. */
  isServed(): boolean;
  /** Called when what was built so far no longer fits. */
  rebuild(): void;
}

/** Where the lists of a server come from. */
export interface ListHost {
  readonly sessions: LiveSessions;
  /** A list that may change as far as the definition says `dynamic`; clients are told. */
  createList<Definition>(
    kind: ListKind,
    definitions: readonly Definition[],
    rules: Pick<CatalogueRules<Definition>, "noun" | "keyOf" | "check">,
  ): Catalogue<Definition>;
  /** Finds mistakes in what comes later; throws at the first. */
  check(offer: object): void;
}

/** Makes the lists of a definition, besides its tools. */
export type CreateLists<Lists, Source> = (source: Source, host: ListHost) => Lists;

/** Takes a definition apart: into what may change, who hears of changes, and how the server behaves. */
export function createParts<Lists extends object, Source extends CoreSource>(
  source: Source,
  createLists: CreateLists<Lists, Source>,
  options: PartsOptions,
): { readonly parts: ServerParts & Lists; readonly lists: Lists } {
  const settings = createSettings(source, options);
  const sessions = createLiveSessions();
  const { host, isShown } = createListHost(settings, sessions, options);
  const tools = host.createList("tools", source.tools ?? [], {
    noun: "tool",
    keyOf: ({ name }) => name,
    check: (tool) => checkLateTool(tool, options),
  });
  const lists = createLists(source, host);
  const isOffered = (kind: ListKind): boolean => settings.dynamic.has(kind) || isShown(kind);
  return { parts: { ...lists, tools, sessions, settings, toolRules: options.toolRules, isOffered }, lists };
}

function createListHost(
  { dynamic }: ServerSettings,
  sessions: LiveSessions,
  { features, isServed, rebuild }: PartsOptions,
): { readonly host: ListHost; isShown(kind: ListKind): boolean } {
  const announce = createListChanges(sessions);
  const made: { readonly kind: ListKind; readonly list: { readonly size: number } }[] = [];
  const host: ListHost = {
    sessions,
    createList(kind, definitions, rules) {
      const list = createCatalogue(definitions, {
        ...rules,
        permit() {
          if (isServed() && !dynamic.has(kind)) throw notDynamic(kind);
        },
        changed: () => (isServed() ? announce(kind) : rebuild()),
      });
      made.push({ kind, list });
      return list;
    },
    check(offer) {
      for (const feature of features) feature.check?.(offer);
    },
  };
  return { host, isShown: (kind) => made.some((one) => one.kind === kind && one.list.size > 0) };
}

function createSettings(source: CoreSource, { middleware, createCursors }: PartsOptions): ServerSettings {
  const {
    dynamic = [],
    subscriptions = false,
    maxSubscriptions = 1_000,
    pageSize,
    cursorKeys,
    logLevel = "info",
  } = source;
  return {
    dynamic: new Set(dynamic === true ? listKinds : dynamic),
    subscriptions,
    mostSubscriptions: maxSubscriptions,
    pageSize,
    caching: source.caching ?? {},
    cursors: createCursors(cursorKeys),
    logs: { initial: logLevel, rate: source.logRate ?? { burst: 1_000, perSecond: 100 } },
    middleware,
    onError: source.onError ?? writeToStandardError,
  };
}

/** A tool that comes later must fit every revision at once: clients of each may be there. */
function checkLateTool(tool: ToolSource, { revisions, toolRules }: PartsOptions): void {
  checkTool(tool);
  for (const revision of revisions) describeTool(tool, revision, toolRules);
}

function notDynamic(kind: ListKind): Error {
  return new Error(
    `The ${kind} of a server that is being served stay as they are: define it with \`dynamic: ["${kind}"]\`.`,
  );
}
