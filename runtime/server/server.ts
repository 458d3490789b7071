import type { Implementation, Revision } from "../../generated/support.ts";
import type { Connection } from "../rpc/peer.ts";
import type { OnError } from "../rpc/report.ts";
import type { Capabilities, ProgramInfo } from "../rpc/session.ts";
import { toCapabilities } from "./capabilities.ts";
import type { Catalogue } from "./catalogue.ts";
import { checkServer } from "./check-server.ts";
import type { Middleware } from "./middleware.ts";
import { createHandlers } from "./handlers.ts";
import { createParts } from "./parts.ts";
import type { ResourceCatalogue } from "./resource-catalogue.ts";
import type { PromptSource, ServerSource, TemplateSource, ToolSource } from "./source.ts";

/** A server as it can be served: over any transport, to any number of clients, at each of its revisions. */
export interface Server {
  readonly info: ProgramInfo;
  readonly instructions: string | undefined;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly onError: OnError;
  /** What the server offers. It may change until the server is served, and afterwards as far as the definition says `dynamic`. */
  readonly tools: Catalogue<ToolSource>;
  readonly resources: ResourceCatalogue;
  readonly resourceTemplates: Catalogue<TemplateSource>;
  readonly prompts: Catalogue<PromptSource>;
  /** Puts middleware around every request, inside of what is there already. Only until the server is served. */
  use(middleware: Middleware): void;
  /** Handlers and capabilities for one of the revisions; built at the first use and then shared. */
  implement(revision: Revision): ServerImplementation;
  /** Counts a session among those that are told of changes, until its connection closes. */
  join(connection: Connection): void;
  /** How many sessions there are. */
  readonly sessionCount: number;
  /** Closes every session in order: running calls may finish for a moment. */
  close(): Promise<void>;
}

/** A server at one revision. */
export interface ServerImplementation extends Implementation<object> {
  readonly role: "server";
  readonly capabilities: Capabilities;
}

/**
 * Makes a server of its definition. Throws at once when something in it cannot be served: a bad name, a name that is there
 * twice, a schema that cannot be shown to clients.
 */
export function createServer(source: ServerSource, revisions: readonly Revision[]): Server {
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${source.name}" needs at least one protocol revision.`);
  checkServer(source);
  const built = new Map<Revision, ServerImplementation>();
  const middleware = [...(source.middleware ?? [])];
  let isServed = false;
  const parts = createParts(source, {
    revisions,
    middleware,
    isServed: () => isServed,
    rebuild: () => built.clear(),
  });
  const implement = (revision: Revision): ServerImplementation => {
    const made = built.get(revision) ?? build(revision);
    built.set(revision, made);
    return made;
  };
  const build = (revision: Revision): ServerImplementation => {
    const handlers = createHandlers(parts, revision);
    const capabilities = toCapabilities(handlers, revision, parts.settings);
    return { role: "server", revision, handlers, capabilities };
  };
  implement(newest);
  const { tools, resources, resourceTemplates, prompts, sessions, settings } = parts;
  return {
    info: toInfo(source),
    instructions: source.instructions,
    revisions,
    onError: settings.onError,
    tools,
    resources,
    resourceTemplates,
    prompts,
    use(step) {
      if (isServed) throw new Error("Middleware came too late: call use() before the server is served.");
      middleware.push(step);
      built.clear();
    },
    implement(revision) {
      isServed = true;
      return implement(revision);
    },
    join: (connection) => sessions.join(connection),
    get sessionCount() {
      return sessions.size;
    },
    async close() {
      await sessions.close();
      await parts.tasks.close();
    },
  };
}

/** What a definition says about the program, without what it offers and how it behaves. */
function toInfo(source: ServerSource): ProgramInfo {
  const { name, version, ...rest } = source;
  const more = Object.entries(rest).filter(([member]) => !Object.hasOwn(notShown, member));
  return { name, version, ...Object.fromEntries(more) };
}

const notShown: { readonly [Member in Exclude<keyof ServerSource, "name" | "version">]-?: true } = {
  instructions: true,
  tools: true,
  resources: true,
  resourceTemplates: true,
  prompts: true,
  dynamic: true,
  subscriptions: true,
  maxSubscriptions: true,
  middleware: true,
  pageSize: true,
  cursorKeys: true,
  logLevel: true,
  logRate: true,
  tasks: true,
  onError: true,
};
