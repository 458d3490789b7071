import type {
  Extension,
  ExtensionTables,
  NotificationRow,
  RequestRow,
  Role,
  Table,
} from "../../../generated/support.ts";
import { asHandled } from "../../internal/as-handled.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { createPendingRequests } from "../../protocol/peer/outgoing-requests.ts";
import {
  installExtensions,
  type DefinedExtension,
  type ExtensionSetup,
  type InstalledExtension,
} from "../../protocol/revision/defined-extension.ts";
import { extensionSupport } from "./extension-support.ts";
import type { Feature, ServedExtension } from "../feature.ts";
import { implementMethods } from "../methods/method-handlers.ts";
import { RevisionServer } from "../revision-server.ts";
import type { PromptLists } from "../prompts/registry.ts";
import type { ResourceLists } from "../resources/catalogue.ts";
import type { ToolLists } from "../tools/registry.ts";
import type { ExtensionContext, ExtensionNotificationHandlers, ExtensionRequestHandlers } from "./handler-types.ts";

/** Parts of an extension in addition to its tables. */
export interface ExtensionOptions<T extends ExtensionTables> {
  /**
   * Handlers of requests by method. Params have been checked. The result is checked as well, and the runtime adds `resultType`. Default: a request
   * without a handler is rejected with "method not found".
   */
  readonly requests?: ExtensionRequestHandlers<T>;
  /** Handlers of notifications by method. Params have been checked. */
  readonly notifications?: ExtensionNotificationHandlers<T>;
  /** Identifiers of other extensions that have to be in the same list. They are set up first. Default: none. */
  readonly requires?: readonly string[];
  /** Settings to declare in the capabilities of each side. Default: an empty object. */
  readonly declared?: { readonly [Side in Role]?: Readonly<Record<string, unknown>> };
  /**
   * Called once for each server, client or gateway with the extension, before it is used. At a server, it may add tools, resources and prompts.
   * Returns middleware, and a function to call when the end is closed. When it throws, nothing is set up.
   */
  setup?(place: ExtensionPlace): InstalledExtension | undefined | void;
}

/** Place where an extension is set up. */
export type ExtensionPlace =
  | { readonly end: "server"; readonly server: ToolLists & Partial<ResourceLists & PromptLists> }
  | { readonly end: "client" | "gateway" };

/**
 * Defines an extension from its compiled tables. The value works in the `extensions` of servers, clients and gateways, and may come from any package.
 *
 * @throws {SetupError} when a handler is no function, or names a method that the extension does not have
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
 * @example
 * ```ts
 * import { defineExtension } from "mcp-server-runtime";
 * import { extension } from "mcp-server-runtime/extensions/skills";
 *
 * const skills = defineExtension(extension, {
 *   requests: { "skills/list": () => ({ skills: [] }) },
 * });
 * defineServer({ name: "demo", version: "1.0.0", extensions: [skills] });
 * ```
 */
export function defineExtension<T extends ExtensionTables>(
  table: Extension<T>,
  options: ExtensionOptions<NoInfer<T>> = {},
): DefinedExtension {
  const { requests = {}, notifications = {}, requires = [], declared = {} } = options;
  const { id, clientRequests, serverRequests, clientNotifications, serverNotifications } = table;
  checkHandlers(id, requests, { kind: "request", tables: [clientRequests, serverRequests] });
  checkHandlers(id, notifications, { kind: "notification", tables: [clientNotifications, serverNotifications] });
  const handlers = { ...requests, ...notifications };
  const defined: ServedExtension = {
    ...table,
    clientRequests: byMethod(clientRequests),
    serverRequests: byMethod(serverRequests),
    clientNotifications: byMethod(clientNotifications),
    serverNotifications: byMethod(serverNotifications),
    requires,
    sides: declared,
    handlers,
    install: installExtensions,
    setup: (place) => options.setup?.(toPlace(place)),
    feature: createFeature(id, handlers),
  };
  return defined;
}

function toPlace({ end, server }: ExtensionSetup): ExtensionPlace {
  if (end !== "server") return { end };
  if (server && hasLists(server)) return { end, server };
  throw new Error("the server has no lists");
}

function hasLists(server: object): server is ToolLists {
  return "tools" in server;
}

function checkHandlers(
  id: string,
  handlers: object,
  { kind, tables }: { readonly kind: string; readonly tables: readonly Table<object>[] },
): void {
  for (const [method, handler] of Object.entries(handlers)) {
    if (!tables.some((table) => Object.hasOwn(table, method)))
      throw new SetupError(`Extension ${id} has no ${kind} ${method}; check the name`);
    if (typeof handler !== "function")
      throw new SetupError(`Extension ${id}: the handler of ${method} is not a function; write a function`);
  }
}

/** Names the handlers of rows after their methods: two extensions may have types of the same name. */
function byMethod<Row extends RequestRow | NotificationRow>(table: Table<Row>): Table<Row> {
  return Object.fromEntries(Object.entries(table).map(([method, row]) => [method, { ...row, handler: method }]));
}

/** Creates the feature that serves an extension. */
function createFeature(id: string, handlers: object): Feature {
  return {
    name: id,
    extensionSupport,
    installExtensions,
    createPendingRequests,
    create: () => ({
      implement(server) {
        if (!Object.hasOwn(server.revision.extensions ?? {}, id)) return { handlers: {} };
        const paged = Object.entries(handlers).map(([method, handle]) => [method, withPages(method, handle, server)]);
        const implemented = { handlers: Object.fromEntries(paged) };
        return { handlers: implementMethods(implemented, withRequests(server), new Set()) };
      },
    }),
  };
}

type Handle = (params: object, context: object) => unknown;

/** Adds pages of lists to the context of a handler. Their cursors are bound to the method and its other params. */
function withPages(method: string, handle: Handle, { parts, revision }: RevisionServer): Handle {
  const { cursors, pageSize = Infinity } = parts.settings;
  return (params, context) => {
    const { cursor, _meta, ...rest }: { readonly cursor?: unknown; readonly _meta?: unknown } = params;
    const scope = [method, revision.id, JSON.stringify(rest)].join("\n");
    const page: ExtensionContext<ExtensionTables>["page"] = async (items) => {
      const start = typeof cursor === "string" ? Number(await cursors.verify(scope, cursor)) : 0;
      const end = start + pageSize;
      const some = items.slice(start, end);
      if (end >= items.length) return { items: some };
      return { items: some, nextCursor: await cursors.sign(scope, String(end)) };
    };
    return handle(params, Object.assign(context, { page }));
  };
}

/** Adds requests of the extension to the contexts of handlers, for servers that send no other requests. */
function withRequests({ parts, revision, inputRunner, createScope }: RevisionServer): RevisionServer {
  return new RevisionServer(parts, revision, {
    inputRunner,
    createScope(call, contextParts) {
      const scope = createScope(call, contextParts);
      if ("request" in scope) return scope;
      const request = (method: string, params: object): Promise<unknown> => asHandled(send(call, method, params));
      return Object.assign(scope, { request });
    },
  });
}

async function send(call: CallContext, method: string, params: object): Promise<unknown> {
  const { id, serverRequests } = call.revision;
  const row = findMethod(serverRequests, method);
  if (!row) throw new Error(`Revision ${id} has no request ${method} of servers; check context.revision first`);
  return call.request(row, params);
}
