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

/** How a program uses extensions. */
export interface Extending {
  /** Puts the extensions of a definition on revisions. */
  extend(source: AnyCoreDefinition, revisions: readonly Revision[]): readonly Revision[];
  /** Keeps their methods from clients that do not declare them. */
  guard(handlers: object, revision: Revision): object;
}

/** What servers are made of: whatever is not named here is not part of the program. */
export interface ServerKit<Lists extends object = object, Source extends AnyCoreDefinition = AnyCoreDefinition> {
  // @part features
  /** What a server may offer besides tools, in the order in which it is implemented. */
  readonly features: readonly Feature[];
  /** Prepares connections, for the lifecycles that revisions of this program have. */
  readonly createAcceptor: (options: ServeOptions) => Acceptor;
  /** What a server lists: its tools, and what else there is. */
  readonly createLists: CreateLists<Lists, Source>;
  /** How lists are cut into pages. */
  readonly createCursors: CreateCursors;
  /** Looks at the arguments of tools, where revisions of this program ask for more than a schema. */
  readonly checkInput?: CheckInput;
  // @part extensions
  /** How extensions are used. Default: there are none in this program. */
  readonly extending?: Extending;
}

/**
 * Makes a server of its definition and a kit. Throws at once when something in it cannot be served: a bad name, a name that is there
 * twice, a schema that cannot be shown to clients.
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
      await Promise.all(served.map((feature) => feature.close?.()));
    },
  };
  return Object.assign(core, lists);
}

/** How features are implemented at a revision, and what they put in the place of what every program has. */
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

/** What only some programs know how to serve. */
type More = "resources" | "resourceTemplates" | "prompts" | "extensions" | "skills" | "directoryRead";

/** What a definition says about the program, without what it offers and how it behaves. */
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
