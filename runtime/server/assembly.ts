import type { Revision } from "../../generated/support.ts";
import type { Acceptor, ServeOptions } from "../lifecycle/handshake.ts";
import type { ProgramInfo } from "../rpc/session.ts";
import { toCapabilities } from "./capabilities.ts";
import { checkServer } from "./check-server.ts";
import { createPlainScope } from "./context.ts";
import type { CreateCursors } from "./cursors.ts";
import type { Feature } from "./feature.ts";
import { createHandlers } from "./handlers.ts";
import { wrapLifecycle } from "./lifecycle-scope.ts";
import { createParts, type CreateLists } from "./parts.ts";
import { createScopeReader } from "./scopes.ts";
import type { CoreServer, ServerImplementation } from "./server.ts";
import type { CoreSource } from "./source.ts";
import type { CheckInput } from "./tools.ts";

/** How a program uses extensions. */
export interface Extending {
  /** Puts the extensions of a definition on revisions. */
  extend(source: CoreSource, revisions: readonly Revision[]): readonly Revision[];
  /** Keeps their methods from clients that do not declare them. */
  guard(handlers: object, revision: Revision): object;
}

/** What servers are made of: whatever is not named here is not part of the program. */
export interface ServerKit<Lists extends object = object, Source extends CoreSource = CoreSource> {
  /** What a server may offer besides tools, in the order in which it is implemented. */
  readonly features: readonly Feature[];
  /** Prepares connections, for the lifecycles that revisions of this program have. */
  readonly createAcceptor: (options: ServeOptions) => Acceptor;
  /** What a server has besides tools that may change. */
  readonly createLists: CreateLists<Lists, Source>;
  /** How lists are cut into pages. */
  readonly createCursors: CreateCursors;
  /** Looks at the arguments of tools, where revisions of this program ask for more than a schema. */
  readonly checkInput?: CheckInput;
  /** How extensions are used. Default: there are none in this program. */
  readonly extending?: Extending;
}

/**
 * Makes a server of its definition and a kit. Throws at once when something in it cannot be served: a bad name, a name that is there
 * twice, a schema that cannot be shown to clients.
 */
export function assembleServer<Lists extends object, Source extends CoreSource>(
  source: Source,
  spoken: readonly Revision[],
  kit: ServerKit<Lists, Source>,
): CoreServer & Lists {
  const { features, createAcceptor, createCursors, createLists, checkInput, extending } = kit;
  const revisions = extending?.extend(source, spoken) ?? spoken;
  const [newest] = revisions;
  if (!newest) throw new Error(`Server "${source.name}" needs at least one protocol revision.`);
  checkServer(source, features);
  const built = new Map<Revision, ServerImplementation>();
  const middleware = [...(source.middleware ?? [])];
  let isServed = false;
  const { parts, lists } = createParts(source, createLists, {
    revisions,
    middleware,
    features,
    toolRules: { checkInput, describeMore: features.find(({ describeTool }) => describeTool)?.describeTool },
    createCursors,
    isServed: () => isServed,
    rebuild: () => built.clear(),
  });
  const served = features.map((feature) => feature.create(parts, source));
  const askForTask = features.find((feature) => feature.askForTask)?.askForTask;
  const asking = features.find((feature) => feature.createScopes);
  const implement = (revision: Revision): ServerImplementation => {
    const made = built.get(revision) ?? build(revision);
    built.set(revision, made);
    return made;
  };
  const build = (revision: Revision): ServerImplementation => {
    const createScope = asking?.createScopes?.(revision, askForTask) ?? createPlainScope;
    const handlers = createHandlers(parts, revision, { served, createScope });
    const gates = served.flatMap((feature) => feature.gates?.(revision) ?? []);
    const capabilities = toCapabilities(handlers, revision, { ...parts.settings, gates });
    return { role: "server", revision, handlers: extending?.guard(handlers, revision) ?? handlers, capabilities };
  };
  implement(newest);
  const { tools, sessions, settings } = parts;
  const core: CoreServer = {
    info: toInfo(source),
    instructions: source.instructions,
    revisions,
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
    readScopes: createScopeReader(tools, served),
    get around() {
      return wrapLifecycle(middleware);
    },
    join: (connection) => sessions.join(connection),
    get sessionCount() {
      return sessions.size;
    },
    async close() {
      await sessions.close();
      await Promise.all(served.map((feature) => feature.close?.()));
    },
  };
  return Object.assign(core, lists);
}

/** What only some programs know how to serve. */
type More = "resources" | "resourceTemplates" | "prompts" | "extensions" | "skills" | "directoryRead";

/** What a definition says about the program, without what it offers and how it behaves. */
function toInfo(source: CoreSource): ProgramInfo {
  const { name, version, ...rest } = source;
  const more = Object.entries(rest).filter(([member]) => !Object.hasOwn(notShown, member));
  return { name, version, ...Object.fromEntries(more) };
}

const notShown: { readonly [Member in Exclude<keyof CoreSource, "name" | "version"> | More]-?: true } = {
  instructions: true,
  tools: true,
  resources: true,
  resourceTemplates: true,
  prompts: true,
  skills: true,
  directoryRead: true,
  dynamic: true,
  subscriptions: true,
  maxSubscriptions: true,
  middleware: true,
  pageSize: true,
  caching: true,
  cursorKeys: true,
  rounds: true,
  logLevel: true,
  logRate: true,
  progressRate: true,
  tasks: true,
  extensions: true,
  onError: true,
};
