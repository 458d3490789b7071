import type { Revision } from "../../generated/support.ts";
import { listKinds, type ListKind } from "../common/lists.ts";
import { createCatalogue, type CatalogueRules } from "./catalogue.ts";
import type { CreateCursors } from "./cursors.ts";
import { writeToStandardError } from "./error-log.ts";
import type { Feature, Offer } from "./feature.ts";
import type { ServerParts, ServerSettings } from "./handlers.ts";
import { createListChanges } from "./list-changes.ts";
import { createLiveSessions, type LiveSessions } from "./live-sessions.ts";
import type { Middleware } from "./middleware.ts";
import { createResourceCatalogue, type ResourceCatalogue } from "./resource-catalogue.ts";
import { checkOffer } from "./check-server.ts";
import type { ResourceSource, ServerSource, ToolSource } from "./source.ts";
import { checkTool, describeTool, type CheckInput } from "./tools.ts";

/** What the parts need to know of the server that they make up. */
export interface PartsOptions {
  readonly revisions: readonly Revision[];
  readonly middleware: readonly Middleware[];
  readonly features: readonly Feature[];
  readonly checkInput: CheckInput | undefined;
  readonly createCursors: CreateCursors;
  /** Whether clients may know by now what the server offers. */
  isServed(): boolean;
  /** Called when what was built so far no longer fits. */
  rebuild(): void;
}

/** Takes a definition apart: into what may change, who hears of changes, and how the server behaves. */
export function createParts(source: ServerSource, options: PartsOptions): ServerParts {
  const settings = createSettings(source, options);
  const sessions = createLiveSessions();
  const announce = createListChanges(sessions);
  const life = (kind: ListKind): Pick<CatalogueRules<unknown>, "permit" | "changed"> => ({
    permit() {
      if (options.isServed() && !settings.dynamic.has(kind)) throw notDynamic(kind);
    },
    changed: () => (options.isServed() ? announce(kind) : options.rebuild()),
  });
  const check = (offer: Offer): void => checkOffer(offer, options.features);
  return {
    tools: createCatalogue(source.tools ?? [], {
      noun: "tool",
      keyOf: ({ name }) => name,
      check: (tool) => checkLateTool(tool, options),
      ...life("tools"),
    }),
    resources: createResources(source, sessions, {
      check: (resource) => check({ resources: [resource] }),
      ...life("resources"),
    }),
    resourceTemplates: createCatalogue(source.resourceTemplates ?? [], {
      noun: "resource template",
      keyOf: ({ uriTemplate }) => uriTemplate,
      check: (template) => check({ resourceTemplates: [template] }),
      ...life("resources"),
    }),
    prompts: createCatalogue(source.prompts ?? [], {
      noun: "prompt",
      keyOf: ({ name }) => name,
      check: (prompt) => check({ prompts: [prompt] }),
      ...life("prompts"),
    }),
    sessions,
    settings,
    checkInput: options.checkInput,
  };
}

function createResources(
  { resources = [], subscriptions }: ServerSource,
  sessions: LiveSessions,
  life: Pick<CatalogueRules<ResourceSource>, "check" | "permit" | "changed">,
): ResourceCatalogue {
  const rules = {
    noun: "resource",
    keyOf: ({ uri }: { readonly uri: string }): string => uri,
    ...life,
  };
  return createResourceCatalogue(resources, rules, (uris) => {
    if (!subscriptions) throw new Error("Nobody can subscribe: define the server with `subscriptions: true`.");
    sessions.tellUpdated(uris);
  });
}

function createSettings(source: ServerSource, { middleware, createCursors }: PartsOptions): ServerSettings {
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
function checkLateTool(tool: ToolSource, { revisions, checkInput }: PartsOptions): void {
  checkTool(tool);
  for (const revision of revisions) describeTool(tool, revision, checkInput);
}

function notDynamic(kind: ListKind): Error {
  return new Error(
    `The ${kind} of a server that is being served stay as they are: define it with \`dynamic: ["${kind}"]\`.`,
  );
}
