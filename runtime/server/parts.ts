import type { Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import type { OnError } from "../rpc/report.ts";
import { createCatalogue, type CatalogueRules } from "./catalogue.ts";
import { checkResource, checkTemplate } from "./check-server.ts";
import { TaskManager } from "../tasks/task-manager.ts";
import { readAuth } from "./context.ts";
import { createCursors } from "./cursors.ts";
import type { ServerParts, ServerSettings } from "./handlers.ts";
import { createListChanges } from "./list-changes.ts";
import { createLiveSessions, type LiveSessions } from "./live-sessions.ts";
import type { Middleware } from "./middleware.ts";
import { createResourceCatalogue, type ResourceCatalogue } from "./resource-catalogue.ts";
import type { ServerSource, ToolSource } from "./source.ts";
import { checkToolName, describeTool } from "./tools.ts";

/** What the parts need to know of the server that they make up. */
export interface PartsOptions {
  readonly revisions: readonly Revision[];
  readonly middleware: readonly Middleware[];
  /** Whether clients may know by now what the server offers. */
  isServed(): boolean;
  /** Called when what was built so far no longer fits. */
  rebuild(): void;
}

/** Takes a definition apart: into what may change, who hears of changes, and how the server behaves. */
export function createParts(source: ServerSource, options: PartsOptions): ServerParts {
  const settings = createSettings(source, options.middleware);
  const sessions = createLiveSessions(source.maxSubscriptions ?? 1_000);
  const announce = createListChanges(sessions);
  const life = (kind: ListKind): Pick<CatalogueRules<unknown>, "permit" | "changed"> => ({
    permit() {
      if (options.isServed() && !settings.dynamic.has(kind)) throw notDynamic(kind);
    },
    changed: () => (options.isServed() ? announce(kind) : options.rebuild()),
  });
  return {
    tools: createCatalogue(source.tools ?? [], {
      noun: "tool",
      keyOf: ({ name }) => name,
      check: (tool) => checkTool(tool, options.revisions),
      ...life("tools"),
    }),
    resources: createResources(source, sessions, life("resources")),
    resourceTemplates: createCatalogue(source.resourceTemplates ?? [], {
      noun: "resource template",
      keyOf: ({ uriTemplate }) => uriTemplate,
      check: checkTemplate,
      ...life("resources"),
    }),
    prompts: createCatalogue(source.prompts ?? [], {
      noun: "prompt",
      keyOf: ({ name }) => name,
      check() {},
      ...life("prompts"),
    }),
    sessions,
    tasks: new TaskManager({
      ...source.tasks,
      onError: settings.onError,
      principalOf: ({ origin }) => readAuth(origin)?.principal,
    }),
    settings,
  };
}

function createResources(
  { resources = [], subscriptions }: ServerSource,
  sessions: LiveSessions,
  life: Pick<CatalogueRules<unknown>, "permit" | "changed">,
): ResourceCatalogue {
  const rules = {
    noun: "resource",
    keyOf: ({ uri }: { readonly uri: string }): string => uri,
    check: checkResource,
    ...life,
  };
  return createResourceCatalogue(resources, rules, (uris) => {
    if (!subscriptions) throw new Error("Nobody can subscribe: define the server with `subscriptions: true`.");
    sessions.tellSubscribers(uris);
  });
}

function createSettings(source: ServerSource, middleware: readonly Middleware[]): ServerSettings {
  const { dynamic = [], subscriptions = false, pageSize, cursorKeys, logLevel = "info" } = source;
  return {
    dynamic: new Set(dynamic === true ? ["tools", "resources", "prompts"] : dynamic),
    subscriptions,
    pageSize,
    cursors: createCursors(cursorKeys),
    logs: { initial: logLevel, rate: source.logRate ?? { burst: 1_000, perSecond: 100 } },
    middleware,
    offersTasks: source.tasks !== undefined && (dynamic === true || dynamic.includes("tools")),
    onError: source.onError ?? writeToStandardError,
  };
}

/** A tool that comes later must fit every revision at once: clients of each may be there. */
function checkTool(tool: ToolSource, revisions: readonly Revision[]): void {
  checkToolName(tool.name);
  for (const revision of revisions) describeTool(tool, revision);
}

function notDynamic(kind: ListKind): Error {
  return new Error(
    `The ${kind} of a server that is being served stay as they are: define it with \`dynamic: ["${kind}"]\`.`,
  );
}

const writeToStandardError: OnError = ({ kind, method, error }) => {
  // `ignored` is what peers may do: unknown notifications, late answers.
  if (kind !== "ignored") console.error(`[mcp] ${kind}${method === undefined ? "" : ` in ${method}`}:`, error);
};
