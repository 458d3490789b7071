import type { Extension, Revision } from "../../generated/support.ts";
import { deliverReport } from "../jsonrpc/error-report.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { orderMiddleware } from "../protocol/peer/message-middleware.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { AnyCoreDefinition } from "./any-definition.ts";
import { checkFeatures, checkLists, checkServer } from "./check-definition.ts";
import { findProvided, isServedExtension, sortFeatures, type Feature } from "./feature.ts";
import { ServerLists } from "./list/changing-lists.ts";
import { createSignedCursors } from "./list/cursors.ts";
import { pickShown, readShown } from "./list/shown-members.ts";
import { readLogLevels } from "./logging/log-levels.ts";
import { writeToStandardError } from "./logging/stderr.ts";
import type { ServerMiddleware } from "./middleware/middleware.ts";
import type { ServerParts, ServerSettings, ToolRules } from "./revision-server.ts";
import { SealedServer, type SealedParts } from "./sealed-server.ts";
import type { BuildOptions, CoreServer } from "./server.ts";
import type { DefinedSettings, SettingsReader } from "./settings/settings.ts";
import { createSessionRegistry } from "./subscriptions/session-registry.ts";
import { createToolList, type ToolLists } from "./tools/registry.ts";

/**
 * Creates a server with chosen features from its definition.
 *
 * @throws {SetupError} when the definition cannot be served: an invalid name, a duplicate name, a schema that cannot be shown to clients
 * @throws {Error} when there is no revision, or when an extension is invalid
 */
export function buildServer<Lists extends object, Definition extends AnyCoreDefinition>(
  definition: Definition,
  spoken: readonly Revision[],
  options: BuildOptions<Lists, Definition>,
): CoreServer & ToolLists & Lists {
  checkLists(definition);
  const extensions = extensionsOf(definition, options.features);
  const own = extensions.filter(isServedExtension).map(({ feature }) => feature);
  const features = sortFeatures([...options.features, ...own]);
  const revisions = extend(spoken, extensions, features);
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${definition.name}" requires at least one protocol revision`);
  checkServer(definition);
  checkFeatures(definition, features, revisions);
  const builder = new ServerBuilder(definition, { ...options, features, revisions });
  // Two members with the same method are reported before a client connects.
  for (const revision of definition.handlers ? revisions : [newest]) builder.current.at(revision);
  const { parts, lists } = builder;
  const core = {
    ...describe(definition, parts),
    cluster: parts.cluster,
    revisions,
    use: (step: ServerMiddleware) => builder.use(step),
    createAcceptor(connections) {
      builder.seal();
      return options.createAcceptor({
        ...connections,
        createPendingRequests: findProvided(features, "createPendingRequests"),
      });
    },
    implement: (revision) => builder.current.at(revision),
    readScopes: (method, params) => builder.current.readScopes(method, params),
    get around() {
      return builder.current.around;
    },
    get messageMiddleware() {
      return builder.current.messageMiddleware;
    },
    startTasks: (node) => builder.current.startTasks(node),
    join: parts.sessions.join.bind(parts.sessions),
    clients: parts.sessions,
    get sessionCount() {
      return parts.sessions.size;
    },
    async close(closing: CloseOptions = {}) {
      try {
        await builder.current.close(closing);
      } finally {
        await installed?.close();
      }
    },
  } satisfies Omit<CoreServer, "tools">;
  const server = Object.assign(core, lists);
  const installed = findProvided(features, "installExtensions")?.(extensions, { end: "server", server });
  builder.install(installed?.middleware ?? []);
  return server;
}

/** A server before it is served: middleware may be added, and every list may change. */
class ServerBuilder<Lists extends object, Definition extends AnyCoreDefinition> {
  readonly parts: ServerParts;
  /** Lists of the server, which are its members. */
  readonly lists: ToolLists & Lists;
  readonly #middleware: ServerMiddleware[];
  /** Middleware of extensions, which runs inside the one of the server. */
  readonly #installed: ServerMiddleware[] = [];
  readonly #sealed: Omit<SealedParts, "middleware">;
  #current: { readonly server: SealedServer; readonly version: number } | undefined;

  constructor(
    definition: Definition,
    options: BuildOptions<Lists, Definition> & { readonly revisions: readonly Revision[] },
  ) {
    const { features, revisions, describeError } = options;
    const { cluster = { shared: undefined }, sessions = createSessionRegistry() } = options;
    const lists = new ServerLists(definition, { sessions, features, revisions });
    sessions.attach(lists);
    const describeMore = findProvided(features, "describeTool");
    const rules: ToolRules = { revisions, shown: readShown(revisions), describeMore };
    const tools = createToolList(definition, lists, rules);
    this.lists = Object.assign({ tools }, options.createLists?.(definition, lists));
    const settings = createSettings(definition, revisions, cluster);
    this.parts = { ...this.lists, ...rules, lists, sessions, settings, cluster, describeError };
    this.#middleware = [...(definition.middleware ?? [])];
    const { parts } = this;
    this.#sealed = {
      definition,
      parts,
      features,
      createInput: findProvided(features, "createInput")?.(parts, definition),
      served: features.map((one) => ({ name: one.name, feature: one.create?.(parts, definition) ?? {} })),
    };
  }

  /**
   * Adds middleware. It runs inside the middleware added before.
   *
   * @throws {Error} when the server is being served
   */
  use(step: ServerMiddleware): void {
    if (this.parts.lists.isSealed)
      throw new Error("Middleware cannot be added to a served server; call use() before serving it");
    this.#middleware.push(step);
  }

  install(middleware: readonly ServerMiddleware[]): void {
    this.#installed.push(...middleware);
  }

  /** The server as it is now. It is another one after each change. */
  get current(): SealedServer {
    const version = this.parts.lists.version + this.#middleware.length + this.#installed.length;
    if (this.#current?.version !== version) {
      const server = new SealedServer({
        ...this.#sealed,
        middleware: orderMiddleware(this.#middleware, this.#installed),
      });
      this.#current = { server, version };
    }
    return this.#current.server;
  }

  /** Ends the time of changes, because clients are served from now on. */
  seal(): void {
    this.parts.lists.seal();
  }
}

function createSettings(
  definition: AnyCoreDefinition,
  revisions: readonly Revision[],
  cluster: ClusterAccess,
): ServerSettings {
  const { onError = writeToStandardError } = definition;
  return {
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
    onError: (report) => deliverReport(report, { onError }),
  };
}

/** Returns the revisions with these extensions. */
function extend(
  revisions: readonly Revision[],
  extensions: readonly Extension[],
  features: readonly Feature[],
): readonly Revision[] {
  const support = findProvided(features, "extensionSupport");
  if (support) return support.extend(revisions, extensions);
  if (extensions.length === 0) return revisions;
  throw new SetupError(`Nothing serves the extension ${extensions[0]?.id}; wrap it in defineExtension`);
}

/** Returns the extensions named by a definition or needed by its members. One that is named as well may have other settings. */
function extensionsOf(definition: AnyCoreDefinition, features: readonly Feature[]): readonly Extension[] {
  const { extensions = [] } = definition;
  const implied = features.flatMap((feature) => feature.extension?.(definition) ?? []);
  const named = extensions.map((extension) => {
    const used = implied.find(({ id }) => id === extension.id);
    const { settings } = extension;
    return used && !isServedExtension(extension) ? { ...used, ...(settings && { settings }) } : extension;
  });
  return [...named, ...implied.filter(({ id }) => !extensions.some((one) => one.id === id))];
}

/** Members of a server taken unchanged from its definition. */
function describe(
  definition: AnyCoreDefinition,
  { settings, shown }: ServerParts,
): Pick<CoreServer, "info" | "instructions" | "discovery" | "onError" | "progressRate" | "settings"> {
  const { name, version } = definition;
  return {
    info: { name, version, ...pickShown(definition, "Implementation", shown) },
    instructions: definition.instructions,
    discovery: settings.cacheHints.discover,
    onError: settings.onError,
    progressRate: definition.progressRate,
    settings: definition.settings && combineSettings(definition.settings),
  };
}

/** Combines the settings of a definition. A variable read by several of them is listed once. */
function combineSettings(settings: DefinedSettings | readonly DefinedSettings[]): SettingsReader {
  const readers = [settings].flat().map((one) => one["~settings"]);
  const variables = new Map(readers.flatMap((reader) => reader.variables).map((one) => [one.name, one]));
  return { variables: [...variables.values()], check: () => readers.forEach((reader) => reader.check()) };
}
