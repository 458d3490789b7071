import type { Gate, Revision } from "../../generated/support.ts";
import type { Acceptor, ServeOptions } from "../lifecycle/acceptor.ts";
import type { ImplementationInfo } from "../protocol/session.ts";
import { toCapabilities } from "./capabilities.ts";
import { checkFeatures, checkServer } from "./check-definition.ts";
import { createPlainScope } from "./context.ts";
import type { CreateCursors } from "./list/cursors.ts";
import type { Feature, ServedFeature } from "./feature.ts";
import { createHandlers, type HandlerOptions } from "./handlers.ts";
import { wrapLifecycle } from "./lifecycle-scope.ts";
import { createParts, type CreateLists } from "./feature-parts.ts";
import { createPlainRounds } from "./input/rounds.ts";
import { createScopeReader } from "./scopes.ts";
import type { CoreServer, ServerImplementation } from "./create-server.ts";
import type { AnyCoreDefinition } from "./any-definition.ts";
import type { CheckInput } from "./tools/registry.ts";

/** Extension support of a program. */
export interface Extending {
  /** Adds the extensions of a definition to revisions. */
  extend(source: AnyCoreDefinition, revisions: readonly Revision[]): readonly Revision[];
  /** Wraps the handlers of extension methods so that they reject clients that do not declare the extension. */
  guard(handlers: object, revision: Revision): object;
}

/** Parts of which servers are built. Code of other parts is not included in the program. */
export interface ServerKit<Lists extends object = object, Source extends AnyCoreDefinition = AnyCoreDefinition> {
  // @part features
  /** Features that a server may offer in addition to tools, in the order in which they are implemented. */
  readonly features: readonly Feature[];
  /** Creates the acceptor of connections, for the lifecycles that revisions of this program have. */
  readonly createAcceptor: (options: ServeOptions) => Acceptor;
  /** Creates the lists of a server: its tools and those of its features. */
  readonly createLists: CreateLists<Lists, Source>;
  /** Creates the cursors that lead from one page of a list to the next. */
  readonly createCursors: CreateCursors;
  /** Checks the input schemas of tools, where revisions of this program require more than a valid schema. */
  readonly checkInput?: CheckInput;
  // @part extensions
  /** Extension support. Default: the program supports no extensions. */
  readonly extending?: Extending;
}

/**
 * Creates a server from its definition and a kit.
 *
 * @throws {SetupError} when the definition cannot be served: an invalid name, a duplicate name, a schema that cannot be shown to clients
 * @throws {Error} when there is no revision, or when an extension is invalid
 */
export function assembleServer<Lists extends object, Source extends AnyCoreDefinition>(
  source: Source,
  spoken: readonly Revision[],
  kit: ServerKit<Lists, Source>,
): CoreServer & Lists {
  // @part extensions
  if (kit.extending) return assembleExtended(source, kit.extending.extend(source, spoken), kit);
  return assembleExtended(source, spoken, kit);
}

function assembleExtended<Lists extends object, Source extends AnyCoreDefinition>(
  source: Source,
  revisions: readonly Revision[],
  kit: ServerKit<Lists, Source>,
): CoreServer & Lists {
  const { createAcceptor, createCursors, createLists } = kit;
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${source.name}" needs at least one protocol revision.`);
  checkServer(source);
  // @part features
  checkFeatures(source, kit.features);
  const built = new Map<Revision, ServerImplementation>();
  const middleware = [...(source.middleware ?? [])];
  let isServed = false;
  const { parts, lists } = createParts(source, createLists, {
    // @part changes
    revisions,
    middleware,
    // @part changes
    features: kit.features,
    toolRules: {
      checkInput: kit.checkInput,
      // @part ui, tasks
      describeMore: kit.features.find(({ describeTool }) => describeTool)?.describeTool,
    },
    createCursors,
    // @part changes
    isServed: () => isServed,
    // @part changes
    rebuild: () => built.clear(),
  });
  // @part features
  const served = kit.features.map((feature) => feature.create(parts, source));
  const implement = (revision: Revision): ServerImplementation => {
    const made = built.get(revision) ?? build(revision);
    built.set(revision, made);
    return made;
  };
  const build = (revision: Revision): ServerImplementation => {
    const handlers = createHandlers(parts, revision, {
      createScope: createPlainScope,
      rounds: createPlainRounds(),
      // @part features
      ...implementFeatures(kit.features, served, revision),
    });
    const gates: Gate[] = [];
    // @part features
    gates.push(...served.flatMap((feature) => feature.gates?.(revision) ?? []));
    const capabilities = toCapabilities(handlers, revision, {
      ...parts.settings,
      experimental: source.experimental,
      gates,
    });
    return {
      role: "server",
      revision,
      handlers,
      // @part extensions
      ...(kit.extending && { handlers: kit.extending.guard(handlers, revision) }),
      capabilities,
    };
  };
  implement(newest);
  const { tools, settings } = parts;
  const core: CoreServer = {
    info: toInfo(source),
    instructions: source.instructions,
    revisions,
    // @part caching
    discovery: settings.caching.discover,
    onError: settings.onError,
    progressRate: source.progressRate,
    createAcceptor,
    tools,
    use(step) {
      if (isServed) throw new Error("Middleware came too late: call use() before the server is served.");
      middleware.push(step);
      built.clear();
    },
    implement(revision) {
      isServed = true;
      return implement(revision);
    },
    // @part http
    readScopes: createScopeReader(tools, served),
    get around() {
      return wrapLifecycle(middleware);
    },
    // @part sessions, changes
    join: (connection) => parts.sessions.join(connection),
    // @part sessions, changes
    get sessionCount() {
      return parts.sessions.size;
    },
    async close() {
      // @part sessions, changes
      await parts.sessions.close();
      // @part features
      await Promise.all(served.map(async (feature) => feature.close?.()));
    },
  };
  return Object.assign(core, lists);
}

/** Collects the features at a revision, and the contexts and rounds with which they replace the plain ones. */
function implementFeatures(
  features: readonly Feature[],
  served: readonly ServedFeature[],
  revision: Revision,
): Partial<HandlerOptions> {
  const askForTask = features.find((feature) => feature.askForTask)?.askForTask;
  const createScope = features.find((feature) => feature.createScopes)?.createScopes?.(revision, askForTask);
  const rounds = served.find((feature) => feature.rounds)?.rounds?.(revision);
  return { served, ...(createScope && { createScope }), ...(rounds && { rounds }) };
}

/** Members of definitions that only some programs can serve. */
type More = "resources" | "resourceTemplates" | "prompts" | "extensions" | "skills" | "directoryRead";

/** Returns the members of a definition that describe the implementation, without its features and options. */
function toInfo(source: AnyCoreDefinition): ImplementationInfo {
  const { name, version, ...rest } = source;
  const more = Object.entries(rest).filter(([member]) => !Object.hasOwn(notShown, member));
  return { name, version, ...Object.fromEntries(more) };
}

const notShown: { readonly [Member in Exclude<keyof AnyCoreDefinition, "name" | "version"> | More]-?: true } = {
  instructions: true,
  tools: true,
  resources: true,
  resourceTemplates: true,
  prompts: true,
  skills: true,
  directoryRead: true,
  // @part changes
  dynamic: true,
  // @part changes
  subscriptions: true,
  // @part changes
  maxSubscriptions: true,
  experimental: true,
  middleware: true,
  pageSize: true,
  // @part caching
  caching: true,
  cursorKeys: true,
  // @part questions
  rounds: true,
  logLevel: true,
  logRate: true,
  progressRate: true,
  // @part tasks
  tasks: true,
  extensions: true,
  onError: true,
};
