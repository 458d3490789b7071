import { type Gate, type Revision, isObject } from "../../generated/support.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import { defaultTimeouts } from "../jsonrpc/limits.ts";
import { systemClock } from "../internal/timers.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { AnyCoreDefinition, AnyTool } from "./any-definition.ts";
import { toCapabilities } from "./capabilities.ts";
import { checkFeatures, checkLists, checkServer } from "./check-definition.ts";
import { createPlainScope } from "./context.ts";
import type { CoreServer, ServerImplementation, BuildOptions } from "./server.ts";
import type { ServerExtensions } from "./definition.ts";
import type { Feature, ServedFeature, ServerParts } from "./feature.ts";
import { createHandlers, type HandlerOptions } from "./handlers.ts";
import { createPlainInputRunner } from "./input/input-runner.ts";
import { wrapLifecycle } from "./middleware/lifecycle-scope.ts";
import type { ToolLists } from "./list/changing-lists.ts";
import type { Middleware } from "./middleware/middleware.ts";
import { pickShown } from "./list/shown-members.ts";
import { createParts } from "./server-parts.ts";
import type { DefinedSettings, SettingsReader } from "./settings/settings.ts";
import type { Catalogue } from "./list/catalogue.ts";

/**
 * Creates a server with chosen features from its definition.
 *
 * @throws {SetupError} when the definition cannot be served: an invalid name, a duplicate name, a schema that cannot be shown to clients
 * @throws {Error} when there is no revision, or when an extension is invalid
 */
export function buildServer<Lists extends object, Definition extends AnyCoreDefinition>(
  definition: Definition & ServerExtensions,
  spoken: readonly Revision[],
  { features, createAcceptor, createLists, ...shared }: BuildOptions<Lists, Definition>,
): CoreServer & ToolLists & Lists {
  checkLists(definition);
  const revisions = extend(spoken, definition, features);
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${definition.name}" requires at least one protocol revision`);
  checkServer(definition);
  checkFeatures(definition, features, revisions);
  const built = new Map<Revision, ServerImplementation>();
  const middleware = [...(definition.middleware ?? [])];
  let isServed = false;
  const { parts, lists } = createParts(definition, createLists, {
    ...shared,
    revisions,
    middleware,
    features,
    isServed: () => isServed,
    rebuild: () => built.clear(),
    implement: (id) => {
      const revision = revisions.find((candidate) => candidate.id === id);
      if (revision) implement(revision);
    },
  });
  const served = features.map((feature) => feature.create(parts, definition));
  const implement = (revision: Revision): ServerImplementation => {
    const made = built.get(revision) ?? implementAt(revision, { definition, parts, features, served });
    built.set(revision, made);
    return made;
  };
  // Two members with the same method are reported before a client connects.
  for (const revision of definition.handlers ? revisions : [newest]) implement(revision);
  const core = {
    startTasks(node: TaskNode): void {
      for (const feature of served) feature.startTasks?.(node);
    },
    ...describe(definition, parts),
    cluster: parts.cluster,
    revisions,
    createAcceptor,
    use(step: Middleware): void {
      if (isServed) throw new Error("Middleware cannot be added to a served server; call use() before serving it");
      middleware.push(step);
      built.clear();
    },
    implement(revision: Revision): ServerImplementation {
      isServed = true;
      return implement(revision);
    },
    readScopes: createScopeReader(parts.tools, served),
    get around() {
      return wrapLifecycle(middleware);
    },
    join: parts.sessions.join.bind(parts.sessions),
    clients: parts.sessions,
    get sessionCount() {
      return parts.sessions.size;
    },
    async close(options: CloseOptions = {}): Promise<void> {
      const { drain = defaultTimeouts.drain } = options;
      const deadline = systemClock.now() + drain;
      await parts.sessions.close(options);
      const rest = Math.max(0, deadline - systemClock.now());
      await Promise.all(served.map(async (feature) => feature.close?.({ drain: rest })));
    },
  };
  return Object.assign(core, lists);
}

/** Returns the revisions with the extensions of a definition. */
function extend(
  revisions: readonly Revision[],
  definition: AnyCoreDefinition & ServerExtensions,
  features: readonly Feature[],
): readonly Revision[] {
  const extensions = extensionsOf(definition, features);
  const support = supportIn(features);
  if (support) return support.extend(revisions, extensions);
  if (extensions.length === 0) return revisions;
  throw new SetupError("Extensions are not part of this project; add a feature that serves one");
}

function supportIn(features: readonly Feature[]): Feature["extensionSupport"] {
  return features.find(({ extensionSupport }) => extensionSupport)?.extensionSupport;
}

/** Returns the extensions that a definition names, and those that its members need. */
function extensionsOf(
  definition: AnyCoreDefinition & ServerExtensions,
  features: readonly Feature[],
): NonNullable<ServerExtensions["extensions"]> {
  const { extensions = [] } = definition;
  const implied = features.flatMap((feature) => feature.extension?.(definition) ?? []);
  return [...extensions, ...implied.filter(({ id }) => !extensions.some((named) => named.id === id))];
}

interface Built {
  readonly definition: AnyCoreDefinition;
  readonly parts: ServerParts;
  readonly features: readonly Feature[];
  readonly served: readonly ServedFeature[];
}

function implementAt(revision: Revision, { definition, parts, features, served }: Built): ServerImplementation {
  const handlers = createHandlers(parts, revision, {
    createScope: createPlainScope,
    inputRunner: createPlainInputRunner(),
    ...implementFeatures(features, served, revision),
  });
  const gates: Gate[] = served.flatMap((feature) => feature.gates?.(revision) ?? []);
  const { settings } = parts;
  const capabilities = toCapabilities(handlers, revision, {
    ...settings,
    experimental: definition.experimental,
    gates,
  });
  const guarded = supportIn(features)?.guard(handlers, revision) ?? handlers;
  return { role: "server", revision, handlers: guarded, capabilities };
}

/** Collects the features at a revision, and the contexts and input runners with which they replace the plain ones. */
function implementFeatures(
  features: readonly Feature[],
  served: readonly ServedFeature[],
  revision: Revision,
): Partial<HandlerOptions> {
  const askForTask = features.find((feature) => feature.createAskForTask)?.createAskForTask?.(revision);
  const createScope = features.find((feature) => feature.createScopes)?.createScopes?.(revision, askForTask);
  const inputRunner = served.find((feature) => feature.inputRunner)?.inputRunner?.(revision);
  return { served, ...(createScope && { createScope }), ...(inputRunner && { inputRunner }) };
}

/** Members of a server that come from its definition unchanged. */
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

/** Combines the settings of a definition. A variable that several of them read is listed once. */
function combineSettings(settings: DefinedSettings | readonly DefinedSettings[]): SettingsReader {
  const readers = [settings].flat().map((one) => one["~settings"]);
  const variables = new Map(readers.flatMap((reader) => reader.variables).map((one) => [one.name, one]));
  return { variables: [...variables.values()], check: () => readers.forEach((reader) => reader.check()) };
}

/**
 * Creates a function that returns the scopes that a request needs, before any part of the response has been sent. It returns none for a
 * definition with restricted visibility: the registries check those scopes after they have found that the client may see the definition.
 */
function createScopeReader(
  tools: Catalogue<AnyTool>,
  features: readonly ServedFeature[],
): (method: string, params: unknown) => readonly string[] {
  return (method, params) => {
    if (!isObject(params)) return [];
    const { name } = params;
    const tool = method === "tools/call" && typeof name === "string" ? tools.get(name) : undefined;
    const found = tool ?? findFirst(features, ({ findAsked }) => findAsked?.(method, params));
    return found?.visible ? [] : (found?.scopes ?? []);
  };
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
