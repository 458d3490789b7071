import type { Revision } from "../../generated/support.ts";
import { deliverReport } from "../jsonrpc/error-report.ts";
import type { AnyCoreDefinition } from "./any-definition.ts";
import type { BuildOptions } from "./server.ts";
import type { Feature, ServerParts, ServerSettings } from "./feature.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import {
  createListHost,
  createToolList,
  readListChanged,
  type ListHost,
  type ToolLists,
} from "./list/changing-lists.ts";
import { createSignedCursors } from "./list/cursors.ts";
import { readLogLevels } from "./logging/log-levels.ts";
import { writeToStandardError } from "./logging/stderr.ts";
import { readShown } from "./list/shown-members.ts";
import type { Middleware } from "./middleware/middleware.ts";
import { checkParamHeaders } from "./tools/param-headers.ts";
import { createSessionRegistry } from "./subscriptions/session-registry.ts";

/** Options for the parts of a server. */
export interface PartsOptions extends Pick<BuildOptions, "sessions" | "cluster" | "describeError"> {
  readonly middleware: readonly Middleware[];
  readonly revisions: readonly Revision[];
  readonly features: readonly Feature[];
  /** True if the server is being served, so that clients may already know its lists. */
  isServed(): boolean;
  /** Discards the implementations that were built so far, after a change of the lists. */
  rebuild(): void;
  /** Builds the handlers of a revision, if the server has it. */
  implement(revision: string): void;
}

/** Splits a definition into its lists, the sessions that are notified of changes, and the settings of the server. */
export function createParts<Lists extends object, Definition extends AnyCoreDefinition>(
  definition: Definition,
  createLists: ((definition: Definition, host: ListHost) => Lists) | undefined,
  options: PartsOptions,
): { readonly parts: ServerParts; readonly lists: ToolLists & Lists } {
  const { cluster = { shared: undefined }, describeError } = options;
  const { sessions = createSessionRegistry() } = options;
  const { host, isOffered, describeLists } = createListHost(definition, { ...options, sessions });
  sessions.attach({ describeLists });
  const describeMore = options.features.find(({ describeTool }) => describeTool)?.describeTool;
  const [written] = options.revisions;
  const shown = readShown(options.revisions);
  const toolRules = { checkInput: checkParamHeaders, shown, written, describeMore, describeError };
  const tools = createToolList(definition, host, { revisions: options.revisions, toolRules });
  const lists = Object.assign({ tools }, createLists?.(definition, host));
  const settings = createSettings(definition, options, cluster);
  const { implement, revisions } = options;
  return { parts: { ...lists, settings, cluster, toolRules, shown, isOffered, sessions, implement, revisions }, lists };
}

function createSettings(
  definition: AnyCoreDefinition,
  { middleware, revisions }: PartsOptions,
  cluster: ClusterAccess,
): ServerSettings {
  const { onError = writeToStandardError } = definition;
  return {
    listChanged: readListChanged(definition),
    subscribe: definition.subscribe ?? false,
    maxSubscriptions: definition.maxSubscriptions ?? 1_000,
    pageSize: definition.pageSize,
    cacheHints: definition.cacheHints ?? {},
    cursors: createSignedCursors(definition.cursorKeys, cluster),
    logs: {
      written: readLogLevels(revisions),
      initial: definition.logLevel,
      rate: definition.logRate ?? { burst: 1_000, perSecond: 100 },
    },
    middleware,
    onError: (report) => deliverReport(report, { onError }),
  };
}
