import { hasChangesAmong, type LayerChoices } from "./choices.ts";
import { partsOf, type Part } from "./parts.ts";

/** Facts of a revision, read from its generated files. */
export interface RevisionFacts {
  readonly id: string;
  /** Text of the revision's `methods.ts`. */
  readonly methods: string;
  /** Text of the revision's `types.ts`. */
  readonly types: string;
}

/** View of `templates/mcp/index.ts.hbs`. */
export function entryView(choices: LayerChoices, facts: readonly RevisionFacts[]): object {
  const offers = new Set(choices.offers);
  const uses = (transport: LayerChoices["transports"][number]): boolean => choices.transports.includes(transport);
  const revisions = facts.map(({ id }) => ({ id, alias: `revision${id.replaceAll("-", "")}` }));
  const features = featuresOf(choices, facts);
  const [newest = { id: "", methods: "", types: "" }] = facts;
  const has = partsOf(choices, facts);
  const unserved = unservedOf(choices, { newest, has });
  const untasked = has.has("tasks") ? "" : untaskedOf(choices, newest);
  return {
    newest: newest.id,
    revisions,
    list: toListText(revisions.map(({ alias }) => alias)),
    ownTypes: !choices.client,
    declarations: declarationsOf(choices, newest),
    leftOut: findLeftOut(choices, newest) ?? false,
    acceptor: acceptorOf(choices, facts),
    cursors: hasOneClient(choices) ? "createPlainCursors" : "createSignedCursors",
    features: features.map((name) => ({ name, file: featureFiles[name] })),
    featureList: features.join(", "),
    hasFeatures: has.has("features"),
    lists: listsOf(choices),
    extending: features.filter((name) => extensionFeatures.includes(name)).join(", "),
    definition: definitionText(choices, unserved.length > 0),
    unserved,
    untasked,
    unchanging: unserved.find(({ name }) => name === "listChanged")?.reason ?? "",
    explains: unserved.length > 0 || untasked !== "",
    rounds: features.includes("inputRequests"),
    tasksExtension: choices.client && features.includes("taskExtension"),
    // Only HTTP has headers that repeat parts of arguments.
    mirrors: facts.some(isStateless) && (uses("http") || uses("worker")),
    questions: offers.has("questions"),
    resources: offers.has("resources"),
    skills: offers.has("skills"),
    skillFolders: offers.has("skills") && !uses("worker"),
    ui: offers.has("ui"),
    prompts: offers.has("prompts"),
    client: choices.client,
    validator: choices.validator,
    re2js: choices.re2js === true,
    oauth: choices.auth === "oauth",
    apiKey: choices.auth === "api-key",
    stdio: uses("stdio"),
    http: uses("http"),
    worker: uses("worker"),
    ...furtherView(choices.transports),
    run: runName(choices.transports),
    // Projects with authentication limit, log and audit the requests of each caller.
    knowsCallers: choices.auth !== "none",
  };
}

/** Name of the function that serves over these transports; empty for a worker, which the platform calls. */
export function runName(transports: LayerChoices["transports"]): string {
  const isOnStdio = transports.includes("stdio");
  if (transports.includes("http")) return isOnStdio ? "runServer" : "runHttp";
  return isOnStdio ? "runStdio" : "";
}

/** View of the further transports in an entry. */
export function furtherView(transports: LayerChoices["transports"]): object {
  const websocket = transports.includes("websocket");
  const tcp = transports.includes("tcp");
  return { websocket, tcp, further: websocket || tcp };
}

/** Formats names between brackets: on one line if they fit, as a formatter would. */
export function toListText(names: readonly string[]): string {
  const line = names.join(", ");
  return line.length <= 70 ? line : `\n${names.map((name) => `  ${name},\n`).join("")}`;
}

/** True if a process has one client, and no lists that authors page by themselves, as those of resources may be. */
function hasOneClient({ transports, offers }: LayerChoices): boolean {
  return (
    transports.every((transport) => transport === "stdio") &&
    !offers.includes("resources") &&
    !offers.includes("skills")
  );
}

/** Returns features in the order in which they are implemented: completions and listening follow the features that they refer to. */
function featuresOf({ offers }: LayerChoices, facts: readonly RevisionFacts[]): string[] {
  const lists = offeringsWithLists.filter((name) => offers.includes(name));
  return [
    ...lists,
    ...(lists.length > 0 ? ["completions"] : []),
    ...(offers.includes("tasks") ? ["tasks"] : []),
    ...(offers.includes("tasks") && facts.some(isStateless) ? ["taskExtension"] : []),
    ...(hasChangesAmong(offers) && facts.some(hasListening) ? ["listening"] : []),
    ...(offers.includes("questions") ? [facts.some(isStateless) ? "inputRequests" : "clientRequests"] : []),
    ...extensions.filter((name) => offers.includes(name)),
  ];
}

/** View of the lists of a server: the function that creates them, its sources, and the type of the server. */
function listsOf({ offers }: LayerChoices): object {
  if (!hasChangesAmong(offers))
    return { changing: false, sources: "", of: "", create: "createFixedLists", server: "CoreServer" };
  const names = offeringsWithLists.filter((name) => offers.includes(name)).map((name) => listNames[name]);
  const types = ["ToolLists", ...names.map((name) => `${name}Lists`)];
  const sources = ["AnyCoreDefinition", ...names.map((name) => `Any${name}s`)];
  const made = names.map((name) => `\n    ...create${name}Lists(source, host),`);
  return {
    changing: true,
    sources: sources.toSorted().join(", "),
    of: `<${types.join(" & ")}, ${sources.join(" & ")}>`,
    create: `createChangingLists(${made.length > 0 ? `(source, host) => ({${made.join("")}\n  })` : "() => ({})"})`,
    server: ["CoreServer", ...types].join(" & "),
  };
}

const offeringsWithLists = ["resources", "prompts"] as const;

const listNames = { resources: "Resource", prompts: "Prompt" } as const;

/** Offerings that are extensions of the protocol. */
const extensions = ["skills", "ui"] as const;

/** Features that implement an extension. */
const extensionFeatures: readonly string[] = ["taskExtension", ...extensions];

/** Files of the features, relative to the server folder of the runtime. */
const featureFiles: Readonly<Record<string, string>> = {
  completions: "completions/feature.ts",
  listening: "subscriptions/feature.ts",
  prompts: "prompts/feature.ts",
  clientRequests: "input/client-requests-feature.ts",
  resources: "resources/feature.ts",
  inputRequests: "input/input-required-feature.ts",
  skills: "skills/feature.ts",
  taskExtension: "tasks/extension-feature.ts",
  tasks: "tasks/feature.ts",
  ui: "apps/feature.ts",
};

/** True if clients of the revision subscribe to changes by a request, `subscriptions/listen`. */
function hasListening({ methods }: RevisionFacts): boolean {
  return methods.includes('handler: "subscriptionsListen"');
}

/** True if requests of the revision are stateless: requests to the client then use multi round-trip requests. */
function isStateless({ methods }: RevisionFacts): boolean {
  return methods.includes('lifecycle: "per-request"');
}

/**
 * View of the lifecycle: the function that accepts connections for the lifecycles of the revisions, and the parts that it needs for requests to the
 * client and for conversions.
 */
function acceptorOf({ offers }: LayerChoices, facts: readonly RevisionFacts[]): object {
  const lifecycles = new Set(facts.map(({ methods }) => /^  lifecycle: "([\w-]+)",$/m.exec(methods)?.[1]));
  const hasSessions = lifecycles.has("handshake");
  const parts = [
    // Results carry the input requests of stateless revisions.
    ...(hasSessions && offers.includes("questions")
      ? [{ name: "createPendingRequests", file: "pending-requests" }]
      : []),
    ...(facts.length > 1 ? [{ name: "createRevisionConverter", file: "revision-converter" }] : []),
  ];
  const list = parts.map(({ name }) => name).join(", ");
  if (lifecycles.size > 1) return { name: "createDualAcceptor", file: "dual-era.ts", parts, list };
  return hasSessions
    ? { name: "createSessionAcceptor", file: "initialize-server.ts", parts, list }
    : { name: "createStatelessAcceptor", file: "stateless-server.ts", parts, list };
}

const always = ["Implementation", "ClientCapabilities", "LoggingLevel", "Tool", "CallToolResult"] as const;

const named: { readonly [Name in LayerChoices["offers"][number]]: readonly string[] } = {
  tools: [],
  resources: ["Resource", "ResourceTemplate", "ReadResourceResult"],
  prompts: ["Prompt", "PromptArgument", "PromptMessage", "GetPromptResult"],
  changes: [],
  questions: [
    "CreateMessageRequest",
    "CreateMessageResult",
    "ElicitRequest",
    "ElicitResult",
    "InputRequests",
    "InputResponses",
    "ListRootsResult",
  ],
  tasks: [],
  skills: [],
  ui: [],
};

interface DeclarationView {
  readonly name: string;
  readonly type: string;
}

/** Returns the declarations that definitions are generic over, as far as a project has such definitions. */
export function declarationNames(offers: LayerChoices["offers"]): readonly string[] {
  return [...always, ...offers.flatMap((offer) => named[offer])];
}

/**
 * Returns the declarations that the newest revision has; older revisions lack some of them. Parts that were left out are as unavailable as parts that
 * the revision lacks.
 */
function declarationsOf({ offers }: LayerChoices, newest: RevisionFacts): DeclarationView[] {
  const { types } = newest;
  const names = declarationNames(offers);
  const declared = new Set([...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name));
  const known = names.filter((name) => declared.has(name)).map((name) => ({ name, type: `t.${name}` }));
  const isWhole = findLeftOut({ offers }, newest) === undefined;
  return [...known, { name: "missing", type: isWhole ? "Missing" : "Missing & LeftOut" }];
}

/** Returns the parts of the revision that the project leaves out. A revision itself lists the parts that it lacks. */
function findLeftOut({ offers }: Pick<LayerChoices, "offers">, newest: RevisionFacts): LeftOut | undefined {
  const { types } = newest;
  const asking = offers.includes("questions") ? [] : ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];
  const methods = asking.filter((name) => types.includes(`export interface ${name} `));
  const hasTasks = knowsTasks(newest);
  const tasks = !offers.includes("tasks") && hasTasks;
  return methods.length > 0 || tasks ? { methods, tasks } : undefined;
}

/** True if the revision has tasks. In stateless revisions they are an extension. */
function knowsTasks(revision: RevisionFacts): boolean {
  return revision.types.includes("export interface ToolExecution ") || isStateless(revision);
}

function untaskedOf({ offers }: LayerChoices, newest: RevisionFacts): string {
  if (!knowsTasks(newest)) return `revision ${newest.id} has no tasks`;
  return `this project was made without tasks: npx create-mcp-server update --serve ${[...offers, "tasks"].join(",")}`;
}

interface LeftOut {
  readonly methods: readonly string[];
  readonly tasks: boolean;
}

/** Returns the members that definitions cannot have in a project, each with the reason and, where possible, the command that adds it. */
function unservedOf(
  { offers }: LayerChoices,
  { newest, has }: { readonly newest: RevisionFacts; readonly has: ReadonlySet<Part> },
): readonly { readonly name: string; readonly reason: string }[] {
  const added = offeringsWithLists.filter((name) => !offers.includes(name));
  const update = `npx create-mcp-server update --serve ${[...offers, "changes"].join(",")}`;
  return [
    ...added.map((name) => ({
      name,
      reason: `this project was made without ${name}: npx create-mcp-server add ${name.slice(0, -1)} <name>`,
    })),
    ...(has.has("changes")
      ? []
      : [{ name: "listChanged", reason: `this project was made without changes: ${update}` }]),
    ...(has.has("caching") ? [] : [{ name: "cacheHints", reason: `revision ${newest.id} has no caching` }]),
  ];
}

function definitionText({ offers }: LayerChoices, unserved: boolean): string {
  const parts = [
    "ServerHead<Declarations>",
    ...(offers.includes("resources") ? ["ServerResources<Declarations>"] : []),
    ...(offers.includes("prompts") ? ["ServerPrompts<Declarations>"] : []),
    ...(offers.includes("tasks") ? ["ServerTasks"] : []),
    ...(offers.includes("questions") ? ["ServerRequestState"] : []),
    ...(offers.includes("skills") ? ["ServerSkills"] : []),
  ];
  const types = [...parts.map((part) => `definitions.${part}`), ...(unserved ? ["Unserved"] : [])];
  const line = types.join(" & ");
  return line.length <= 120 - "export type ServerDefinition = ;".length ? line : types.join(" &\n  ");
}
