import type { RevisionModel } from "../../model.ts";
import {
  hasEveryMethod,
  hasListChanged,
  type EngineName,
  type Feature,
  type LayerChoices,
  type Transport,
} from "./choices.ts";
import { hasTasks, inputDeclarations, omissionText, omittedInputRequests } from "./declarations.ts";

/** View of `templates/mcp/index.ts.hbs`. `models` are the chosen revisions, newest first. */
export function entryView(choices: LayerChoices, models: readonly RevisionModel[]): object {
  const { features, transports, client, auth } = choices;
  const [newest] = models;
  if (!newest) throw new Error("A project needs at least one revision; this is a bug in generator/scaffold.");
  const has = new Set(features);
  const uses = new Set(transports);
  const run = runName(transports);
  const further = uses.has("websocket") || uses.has("tcp");
  const listCreators = [
    ...(has.has("resources") ? ["createResourceLists"] : []),
    ...(has.has("prompts") ? ["createPromptLists"] : []),
  ];
  // The declarations of a whole revision have these requests, although the server does not send them.
  const unsent = hasEveryMethod(choices) ? omittedInputRequests(newest, choices) : [];
  return {
    newest: newest.id,
    served: unsent.length > 0 ? "ServerDeclarations" : "Declarations",
    unsent,
    inputNames: inputDeclarations(newest),
    revisionText: choices.revisions.join(", "),
    revisions: models.map(({ id }) => ({ id, alias: aliasOf(id) })),
    features: serverFeatures(choices, models),
    acceptor: acceptorOf(models),
    unavailable: unavailableMembers(choices, newest),
    unchanging: hasListChanged(features) ? "" : omissionText("list-changed", choices),
    untasked: has.has("tasks") ? "" : untaskedReason(choices, newest),
    ...Object.fromEntries(features.map((feature) => [feature, true])),
    skillFolders: has.has("skills") && !uses.has("worker"),
    client,
    clientTasks: client && has.has("tasks") && models.some(isStateless),
    validator: choices.validator,
    re2js: choices.re2js === true,
    engine: choices.scale && choices.scale !== "none" ? engineFactories[choices.scale] : undefined,
    oauth: auth === "oauth",
    apiKey: auth === "api-key",
    websocket: uses.has("websocket"),
    tcp: uses.has("tcp"),
    further,
    run,
    createLists: createListsText(listCreators),
    featureImports: ["buildServer", acceptorOf(models), ...serverFeatures(choices, models), ...listCreators]
      .sort()
      .join(", "),
    runtimeImports: [
      ...(client ? ["createClient as createRuntimeClient"] : []),
      ...(has.has("skills") && !uses.has("worker") ? ["readSkills as readSkillFolders"] : []),
      ...(further ? [run] : []),
    ]
      .sort()
      .join(", "),
    exports: exportedNames(choices, models).sort().join(", "),
  };
}

/** Functions to create engines, and the entries of the runtime with these functions. */
const engineFactories: { readonly [Name in EngineName]: { readonly create: string; readonly entry: string } } = {
  redis: { create: "createRedisEngine", entry: "adapters/redis" },
  nats: { create: "createNatsEngine", entry: "adapters/nats" },
};

/** Names the entry exports from the runtime unchanged. */
function exportedNames(
  { features, transports, client, auth, scale }: LayerChoices,
  models: readonly RevisionModel[],
): string[] {
  const has = new Set(features);
  const uses = new Set(transports);
  const run = runName(transports);
  const isPlain = !uses.has("websocket") && !uses.has("tcp");
  return [
    ...["createSessionState", "fromJsonSchema", "SetupError", "ToolError"],
    ...(has.has("input") ? ["CapabilityError"] : []),
    ...(has.has("input") && models.some(isStateless) ? ["inputRequired"] : []),
    ...(has.has("apps") ? ["createUiResource"] : []),
    ...(has.has("skills") ? ["createSkill"] : []),
    ...(client ? ["connectHttp", "connectStdio"] : []),
    ...(auth === "none" ? [] : ["auditLog", "rateLimit", "requestLogger"]),
    ...((auth !== "none" || scale !== undefined) && uses.has("stdio") ? ["readHttpPort"] : []),
    ...(isPlain && run !== "" ? [`${run} as run`] : []),
    ...(uses.has("http") ? ["serveHttp"] : []),
    ...(uses.has("stdio") ? ["serveStdio"] : []),
    ...(uses.has("worker") || uses.has("http") ? ["createHttpHandler"] : []),
  ];
}

/** Expression to create the lists of a server with the named functions; empty without lists. */
function createListsText(creators: readonly string[]): string {
  const [only] = creators;
  if (only === undefined) return "";
  if (creators.length === 1) return `(source, host) => ${only}(source, host)`;
  return `(source, host) => ({ ${creators.map((name) => `...${name}(source, host)`).join(", ")} })`;
}

/** Name of the function that serves over these transports; empty for a worker, because the platform calls it. */
export function runName(transports: readonly Transport[]): string {
  const isOnStdio = transports.includes("stdio");
  if (transports.includes("http")) return isOnStdio ? "runServer" : "runHttp";
  return isOnStdio ? "runStdio" : "";
}

function aliasOf(id: string): string {
  return `revision${id.replaceAll("-", "")}`;
}

/**
 * Names of the runtime's features, in the order in which they are implemented: completions, subscriptions and methods follow the features they refer
 * to.
 */
function serverFeatures({ features }: LayerChoices, models: readonly RevisionModel[]): readonly string[] {
  const has = new Set(features);
  const lists = (["resources", "prompts"] as const).filter((name) => has.has(name));
  return [
    ...lists,
    ...(lists.length > 0 ? ["completions"] : []),
    ...(has.has("tasks") ? ["tasks"] : []),
    ...(has.has("tasks") && models.some(isStateless) ? ["tasksExtension"] : []),
    ...(hasListChanged(features) && models.some(listensForChanges) ? ["subscriptions"] : []),
    ...(has.has("input") ? [inputFeature(models)] : []),
    ...(["skills", "apps"] as const).filter((name) => has.has(name)),
    ...(has.has("methods") ? ["methods"] : []),
  ];
}

/** Name of the feature with which calls get input of their clients. */
function inputFeature(models: readonly RevisionModel[]): string {
  if (models.every(isStateless)) return "statelessInput";
  return models.some(isStateless) ? "input" : "sessionInput";
}

/** Name of the function that accepts connections for the lifecycles of the revisions. */
function acceptorOf(models: readonly RevisionModel[]): string {
  const lifecycles = new Set(models.map(({ rules }) => rules.lifecycle));
  if (lifecycles.size > 1) return "createDualAcceptor";
  if (lifecycles.has("handshake")) return "createSessionAcceptor";
  return models.length > 1 ? "createDualAcceptor" : "createStatelessAcceptor";
}

/** True if clients of the revision subscribe to changes by a request, `subscriptions/listen`. */
function listensForChanges({ methods }: RevisionModel): boolean {
  return methods.some(({ handler }) => handler === "subscriptionsListen");
}

/** True if requests of the revision are stateless: input is then requested by multi round-trip requests. */
function isStateless({ rules }: RevisionModel): boolean {
  return rules.lifecycle === "per-request";
}

/** Members that server definitions of a project cannot have, each with the reason and, where possible, the command to add it. */
function unavailableMembers(
  choices: LayerChoices,
  newest: RevisionModel,
): readonly { readonly name: string; readonly reason: string }[] {
  const { features } = choices;
  const lists = (["resources", "prompts"] as const).filter((name) => !features.includes(name));
  const isCacheable = hasListChanged(features) || isStateless(newest);
  return [
    ...lists.map((name) => ({ name, reason: addCommand(name) })),
    ...(hasListChanged(features) ? [] : [{ name: "listChanged", reason: omissionText("list-changed", choices) }]),
    ...(features.includes("methods")
      ? []
      : ["handlers", "fallback"].map((name) => ({ name, reason: omissionText("methods", choices) }))),
    ...(isCacheable ? [] : [{ name: "cacheHints", reason: `revision ${newest.id} has no cache hints` }]),
  ];
}

function addCommand(feature: Feature): string {
  return `not in this project: run npx create-mcp-server add ${feature.slice(0, -1)} <name>`;
}

function untaskedReason(choices: LayerChoices, newest: RevisionModel): string {
  return hasTasks(newest) ? omissionText("tasks", choices) : `revision ${newest.id} has no tasks`;
}
