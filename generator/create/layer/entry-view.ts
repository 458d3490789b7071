import type { LayerChoices } from "./choices.ts";

/** What is known of a revision from its generated files. */
export interface RevisionFacts {
  readonly id: string;
  /** Text of its `methods.ts`. */
  readonly methods: string;
  /** Text of its `types.ts`. */
  readonly types: string;
}

/** What `templates/mcp/index.ts.hbs` shows. */
export function entryView(choices: LayerChoices, facts: readonly RevisionFacts[]): object {
  const offers = new Set(choices.offers);
  const has = (transport: LayerChoices["transports"][number]): boolean => choices.transports.includes(transport);
  const revisions = facts.map(({ id }) => ({ id, alias: `revision${id.replaceAll("-", "")}` }));
  const features = featuresOf(choices, facts);
  const [newest = { id: "", methods: "", types: "" }] = facts;
  return {
    newest: newest.id,
    revisions,
    list: toListText(revisions.map(({ alias }) => alias)),
    ownTypes: !choices.client,
    declarations: declarationsOf(choices, newest),
    leftOut: findLeftOut(choices, newest) ?? false,
    acceptor: acceptorOf(choices, facts),
    cursors: hasOneClient(choices) ? "createPlainCursors" : "createSignedCursors",
    features: features.map((name) => ({ name, file: fileName(name) })),
    featureList: features.join(", "),
    lists: listsOf(choices),
    extending: features.filter((name) => extensionFeatures.includes(name)).join(", "),
    definition: definitionText(choices),
    rounds: features.includes("rounds"),
    tasksExtension: choices.client && features.includes("taskExtension"),
    // Only HTTP has headers in which parts of arguments are repeated.
    mirrors: facts.some(standsAlone) && (has("http") || has("worker")),
    resources: offers.has("resources"),
    skills: offers.has("skills"),
    skillFolders: offers.has("skills") && !has("worker"),
    ui: offers.has("ui"),
    prompts: offers.has("prompts"),
    client: choices.client,
    validator: choices.validator,
    oauth: choices.auth === "oauth",
    apiKey: choices.auth === "api-key",
    stdio: has("stdio"),
    http: has("http"),
    worker: has("worker"),
    run: runName(choices.transports),
    // Who lets others in counts what they ask for, and writes it down.
    knowsCallers: choices.auth !== "none",
  };
}

/** The function that serves over these; none for a worker, which is called. */
export function runName(transports: LayerChoices["transports"]): string {
  const isOnStdio = transports.includes("stdio");
  if (transports.includes("http")) return isOnStdio ? "runEither" : "runHttp";
  return isOnStdio ? "runStdio" : "";
}

/** What stands between brackets: on one line if there is room for it, as a formatter would have it. */
export function toListText(names: readonly string[]): string {
  const line = names.join(", ");
  return line.length <= 70 ? line : `\n${names.map((name) => `  ${name},\n`).join("")}`;
}

/** Whether a process has one client, and no list in it that others make: those of resources may go on in lists of their authors. */
function hasOneClient({ transports, offers }: LayerChoices): boolean {
  return (
    transports.every((transport) => transport === "stdio") &&
    !offers.includes("resources") &&
    !offers.includes("skills")
  );
}

/** In the order in which they are implemented: what suggests and listens comes after what it is about. */
function featuresOf({ offers }: LayerChoices, facts: readonly RevisionFacts[]): string[] {
  const lists = offeringsWithLists.filter((name) => offers.includes(name));
  return [
    ...lists,
    ...(lists.length > 0 ? ["completions"] : []),
    ...(offers.includes("tasks") ? ["tasks"] : []),
    ...(offers.includes("tasks") && facts.some(standsAlone) ? ["taskExtension"] : []),
    ...(facts.some(({ methods }) => methods.includes('handler: "subscriptionsListen"')) ? ["listening"] : []),
    ...(offers.includes("questions") ? [facts.some(standsAlone) ? "rounds" : "questions"] : []),
    ...extensions.filter((name) => offers.includes(name)),
  ];
}

/** What a server has besides tools that may change: how it is made, of what, and what it is then. */
function listsOf({ offers }: LayerChoices): object {
  const names = offeringsWithLists.filter((name) => offers.includes(name)).map((name) => listNames[name]);
  const types = names.map((name) => `${name}Lists`);
  const sources = ["CoreSource", ...names.map((name) => `${name}Sources`)];
  const made = types.map((type) => `...create${type}(source, host)`);
  return {
    sources: names.length > 0 && sources.toSorted().join(", "),
    of: names.length > 0 ? `<${types.join(" & ")}, ${sources.join(" & ")}>` : "",
    create: names.length > 0 ? `(source, host) => ({ ${made.join(", ")} })` : "() => ({})",
    server: ["CoreServer", ...types].join(" & "),
  };
}

const offeringsWithLists = ["resources", "prompts"] as const;

const listNames = { resources: "Resource", prompts: "Prompt" } as const;

/** Offerings that are extensions of the protocol. */
const extensions = ["skills", "ui"] as const;

/** Features that serve an extension. */
const extensionFeatures: readonly string[] = ["taskExtension", ...extensions];

/** `taskExtension` is in `task-extension.ts`. */
function fileName(feature: string): string {
  return feature.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** Where each request stands alone, questions to the client take rounds. */
function standsAlone({ methods }: RevisionFacts): boolean {
  return methods.includes('lifecycle: "per-request"');
}

/** Which lifecycles the revisions have, and so what prepares connections; and what those do besides answering in the words of one revision. */
function acceptorOf({ offers }: LayerChoices, facts: readonly RevisionFacts[]): object {
  const lifecycles = new Set(facts.map(({ methods }) => /^  lifecycle: "([\w-]+)",$/m.exec(methods)?.[1]));
  const hasSessions = lifecycles.has("handshake");
  const parts = [
    // Where each request stands alone, questions are parts of results.
    ...(hasSessions && offers.includes("questions") ? [{ name: "createOutbound", file: "outbound" }] : []),
    ...(facts.length > 1 ? [{ name: "createDowngrade", file: "downgrade" }] : []),
  ];
  const list = parts.map(({ name }) => name).join(", ");
  if (lifecycles.size > 1) return { name: "createDualAcceptor", file: "dual.ts", parts, list };
  return hasSessions
    ? { name: "createSessionAcceptor", file: "sessions.ts", parts, list }
    : { name: "createLoneAcceptor", file: "per-request.ts", parts, list };
}

const always = ["Implementation", "ClientCapabilities", "LoggingLevel", "Tool", "CallToolResult"] as const;

const named: { readonly [Name in LayerChoices["offers"][number]]: readonly string[] } = {
  tools: [],
  resources: ["Resource", "ResourceTemplate", "ReadResourceResult"],
  prompts: ["Prompt", "PromptArgument", "PromptMessage", "GetPromptResult"],
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

/** The declarations that definitions are generic over, as far as a project has such definitions. */
export function declarationNames(offers: LayerChoices["offers"]): readonly string[] {
  return [...always, ...offers.flatMap((offer) => named[offer])];
}

/** Older revisions do not have all of them. What was left out is as unavailable as what the revision lacks. */
function declarationsOf({ offers }: LayerChoices, newest: RevisionFacts): DeclarationView[] {
  const { types } = newest;
  const names = declarationNames(offers);
  const declared = new Set([...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name));
  const known = names.filter((name) => declared.has(name)).map((name) => ({ name, type: `t.${name}` }));
  const isWhole = findLeftOut({ offers }, newest) === undefined;
  return [...known, { name: "lacks", type: isWhole ? "Lacks" : "Lacks & LeftOut" }];
}

/** What the revision has and the project does not; a revision says itself what it lacks. */
function findLeftOut({ offers }: Pick<LayerChoices, "offers">, newest: RevisionFacts): LeftOut | undefined {
  const { types } = newest;
  const asking = offers.includes("questions") ? [] : ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];
  const methods = asking.filter((name) => types.includes(`export interface ${name} `));
  const hasTasks = types.includes("export interface ToolExecution ") || standsAlone(newest);
  const tasks = !offers.includes("tasks") && hasTasks;
  return methods.length > 0 || tasks ? { methods, tasks } : undefined;
}

interface LeftOut {
  readonly methods: readonly string[];
  readonly tasks: boolean;
}

function definitionText({ offers }: LayerChoices): string {
  const parts = [
    "ServerHead<Declarations>",
    ...(offers.includes("resources") ? ["ServerResources<Declarations>"] : []),
    ...(offers.includes("prompts") ? ["ServerPrompts<Declarations>"] : []),
    ...(offers.includes("tasks") ? ["ServerTasks"] : []),
    ...(offers.includes("questions") ? ["ServerRounds"] : []),
    ...(offers.includes("skills") ? ["ServerSkills"] : []),
  ];
  const line = parts.map((part) => `definitions.${part}`).join(" & ");
  return line.length <= 120 - "export type ServerDefinition = ;".length
    ? line
    : parts.map((part) => `definitions.${part}`).join(" &\n  ");
}
