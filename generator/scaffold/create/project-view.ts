import { listText } from "../../internal/list-text.ts";
import { stubKinds } from "../../openapi/stub-kinds.ts";
import { deployView } from "../extras/deploy-files.ts";
import { isOnHttp, isOnStdio, definitionPath, isPackaged, registryName, urlOf } from "../extras/extra-files.ts";
import { configsOfAddress, configsOfCommand, serverCommand, type ServerCommand } from "../extras/host-files.ts";
import { engineView } from "../extras/scale-files.ts";
import { variablesOf } from "../extras/server-variables.ts";
import { describeRevisions, statelessAmong, toCatalogue } from "../layer/catalogue.ts";
import { frameworks, runtimePackages } from "../mount/frameworks.ts";
import { settingsModuleOf } from "../providers/provider-files.ts";
import { emitEnvExample } from "../settings/env-example.ts";
import { providerView } from "../providers/readme-view.ts";
import { accessParameters, curlArguments } from "./access-files.ts";
import { platformOf } from "./deploy-target.ts";
import { schemaSamples } from "./example-tools.ts";
import { clonePath, generatorPackage, launcherFolder } from "./launcher.ts";
import { commandsOf } from "./package-manager.ts";
import type { Selection } from "./project-choices.ts";
import { isEliciting, isOverSse, newestOf, servedModels, toolMembers, type ProjectOptions } from "./project-options.ts";
import { hasSkillFolder, packagesOf } from "./project-packages.ts";
import { extraLines, partsText, readmeCommands } from "./readme-text.ts";

/** Returns the view of the templates of a project. */
export function projectView(options: ProjectOptions): object {
  const { selection } = options;
  return {
    ...packageView(options),
    ...toolView(options),
    ...definitionView(options),
    ...serviceView(options),
    ...mountView(selection),
    ...accessView(options),
    ...deployView(selection.target),
    ...hostView(options),
    ...readmeCommands(options),
    inspect: inspectCommand(options),
  };
}

/** Members for the package, its packages and its runtime. */
function packageView(options: ProjectOptions): object {
  const { name, revisions, selection, runtime, launcher } = options;
  return {
    name,
    revisionText: describeRevisions(revisions),
    client: selection.client,
    packages: listPackages(packagesOf(options)),
    runtimePackages: listPackages(runtimePackages[selection.mount]),
    vendored: selection.runtime === "vendored",
    archive: selection.runtime !== "vendored" && runtime.version.startsWith("file:"),
    launcher: launcher !== undefined,
    sharesPackages: sharesPackages(options),
    ownFiles: ownFiles(options),
    extraLines: extraLines(options),
    otel: selection.extras.includes("otel"),
    lint: selection.extras.includes("lint"),
    engine: selection.scale === "none" ? undefined : engineView(selection.scale),
  };
}

/** True if the packages of a clone are in git: GitHub has no clone to write them again. */
function sharesPackages({ selection }: ProjectOptions): boolean {
  return selection.extras.includes("ci");
}

/** Files of this machine, as git ignores them: paths, and packages from the clone. */
function ownFiles(options: ProjectOptions): readonly string[] {
  const { selection, runtime, launcher } = options;
  return [
    ...(selection.extras.includes("claude-desktop") ? ["claude_desktop_config.json"] : []),
    ...(launcher ? [sharesPackages(options) ? clonePath : `${launcherFolder}/`] : []),
    ...(runtime.archives.size > 0 && !sharesPackages(options) ? ["vendor/*.tgz"] : []),
  ];
}

/** Members for the tools: from a source, or the example. */
function toolView(options: ProjectOptions): object {
  const { source, selection } = options;
  const isStructured = toolMembers(newestOf(options)).has("outputSchema");
  const sample = schemaSamples[selection.schema];
  return {
    example: source === undefined,
    sample,
    // A project with a source of tools does not import the schema library in the module of the server.
    form: (source ? schemaSamples.json : sample).form,
    structured: isStructured,
    answer: isStructured ? `'{"words":2,"characters":12}'` : '"2 words, 12 characters"',
    firstTools: source ? "...tools" : "measureText",
    sourceName: source?.origin ?? "",
    callsApi: source?.api !== undefined,
    hasEnvExample: emitEnvExample(options).length > 0,
    settingsModule: settingsModuleOf(source?.api !== undefined),
    tokens: variablesOf(source).filter(({ isSecret }) => isSecret),
  };
}

/** Members for the module with the server. */
function definitionView(options: ProjectOptions): object {
  const { source, selection } = options;
  const features = new Set(selection.features);
  const skills = features.has("skills");
  const stubs = stubKinds(source, features);
  const samples = samplesOf(options);
  const elicits = isEliciting(options);
  const isWorker = selection.transport === "worker";
  return {
    ...samples,
    stubs,
    elicits,
    skills,
    skillFolder: hasSkillFolder(selection),
    tasks: features.has("tasks"),
    parts: partsText({ ...samples, elicits, skill: skills && isWorker }),
    helperImport: listText("import { ", helpersOf(options, samples).sort(), ' } from "./mcp/index.ts";'),
    opening: isWorker ? "export default createHttpHandler" : "await run",
    runOptions: runOptionsText(options),
    definition: definitionPath(selection),
    resourceList: [
      ...(samples.resources ? ["styleGuide"] : []),
      ...(stubs.resources ? ["...resources"] : []),
      ...(samples.view ? ["meter"] : []),
    ].join(", "),
    promptList: stubs.prompts ? "...prompts" : samples.prompts ? "shorten" : "",
    ownResources: [...(stubs.resources ? ["resources"] : []), ...(stubs.templates ? ["resourceTemplates"] : [])].join(
      ", ",
    ),
  };
}

/** Samples besides the tool; true for each sample in the project. */
interface Samples {
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly view: boolean;
}

function samplesOf(options: ProjectOptions): Samples {
  const { source, selection } = options;
  const features = new Set(selection.features);
  const stubs = stubKinds(source, features);
  const showsViews = source === undefined && toolMembers(newestOf(options)).has("_meta");
  return {
    resources: features.has("resources") && !stubs.resources && !stubs.templates,
    prompts: features.has("prompts") && !stubs.prompts,
    view: features.has("apps") && showsViews,
  };
}

/** Functions the module of the server imports from the layer. */
function helpersOf(options: ProjectOptions, { resources, prompts, view }: Samples): string[] {
  const { source, selection } = options;
  const definesTool = !source || isEliciting(options);
  const skillHelper = hasSkillFolder(selection) ? "readSkills" : "createSkill";
  const start = selection.transport === "worker" ? "createHttpHandler" : "run";
  return [
    ...(source ? [] : schemaSamples[selection.schema].helpers),
    ...(definesTool ? ["defineTool"] : []),
    ...(prompts ? ["definePrompt"] : []),
    ...(resources ? ["defineResource"] : []),
    ...(view ? ["createUiResource"] : []),
    ...(selection.features.includes("skills") ? [skillHelper] : []),
    "defineServer",
    ...(isOnHttp(selection.transport) ? [] : [start]),
  ];
}

/** Members for the transports. Next.js serves the requests of its own routes. */
function serviceView(options: ProjectOptions): object {
  const { selection } = options;
  const { transport, further, mount } = selection;
  const isServedByNext = mount === "next";
  const servesHttp = isOnHttp(transport) && !isServedByNext;
  return {
    stdio: isOnStdio(transport),
    http: servesHttp,
    worker: transport === "worker",
    websocket: further.includes("websocket"),
    tcp: further.includes("tcp"),
    alsoHttp: transport === "http" && further.length > 0,
    sse: servesHttp
      ? listOf(
          servedModels(options)
            .filter(isOverSse)
            .map(({ id }) => id),
        )
      : "",
    isFunction: transport === "worker" || isServedByNext,
    testingImport: testingImport(options),
    split: isOnHttp(transport),
    exported: isOnHttp(transport) && mount === "none",
    spawns: transport !== "worker" && !isServedByNext,
    fetches: transport !== "stdio",
    listens: servesHttp || further.length > 0,
    lines: isOnStdio(transport) || further.includes("tcp"),
    reloads: transport !== "worker" && mount === "none",
    servesPage: isOnHttp(transport) && transport !== "worker" && mount === "none",
    serviceText: serviceText(selection),
    url: urlOf(selection),
  };
}

/** Import of the test helpers for the transports of a project. */
function testingImport(options: ProjectOptions): string {
  const { transport, further, mount, auth } = options.selection;
  const isFunction = transport === "worker" || mount === "next";
  const servesHttp = isOnHttp(transport) && !isFunction;
  const startsHttp = servesHttp && auth !== "none";
  const names = [
    "createServerTests",
    ...(isFunction ? ["openFetch"] : []),
    ...(servesHttp ? ["openHttp"] : []),
    ...(servesHttp && servedModels(options).some(isOverSse) ? ["openSse"] : []),
    ...(isOnStdio(transport) ? ["openStdio"] : []),
    ...(further.includes("tcp") ? ["openTcp"] : []),
    ...(further.includes("websocket") ? ["openWebSocket"] : []),
    ...(startsHttp ? ["startHttpProgram"] : []),
    ...(isFunction || startsHttp ? ["type TestHttpServer"] : []),
  ];
  return listText("import { ", names, ' } from "mcp-server-runtime/testing";');
}

/** Members for the framework around the server. */
function mountView({ mount, target }: Selection): object {
  return {
    mount: mount !== "none",
    mountTitle: mount === "none" ? "" : frameworks[mount].title,
    express: mount === "express",
    fastify: mount === "fastify",
    hono: mount === "hono",
    next: mount === "next",
    isolates: target === "worker" || mount === "next",
  };
}

/** Members for authentication, and for requests by hand. */
function accessView(options: ProjectOptions): object {
  const { selection, revisions } = options;
  const { auth, mount, provider, scale, transport, further } = selection;
  const stateless = statelessAmong(revisions, toCatalogue(servedModels(options)));
  return {
    isProtected: auth !== "none",
    oauth: auth === "oauth",
    apiKey: auth === "api-key",
    provider: provider && providerView(provider),
    parameters: accessParameters(selection),
    curl: curlArguments(revisions, stateless),
    needsReach: isOnStdio(transport) && (auth !== "none" || scale !== "none"),
    passesVariables: mount !== "none" || auth !== "none" || (transport === "http" && further.length > 0),
  };
}

/** Members for hosts and registries. */
function hostView(options: ProjectOptions): object {
  const { selection } = options;
  const server = serverCommand(options);
  const isListed = selection.extras.includes("registry") && isPackaged(selection);
  return {
    command: server.name,
    workerName: toWorkerName(server.name),
    registryName: isListed ? registryName(server) : "",
    hosts: { claudeDesktop: "", overHttp: "", ...configsOf(server, selection) },
  };
}

function configsOf(server: ServerCommand, selection: Selection): object {
  const address = { name: server.name, url: urlOf(selection), isKeyed: selection.auth === "api-key" };
  if (!isOnStdio(selection.transport)) return configsOfAddress(address);
  const isReached = isOnHttp(selection.transport);
  return { ...configsOfCommand(server), ...(isReached && { overHttp: configsOfAddress(address).claudeCode }) };
}

/** Name of a worker: letters, digits and dashes, as in a label of DNS. */
function toWorkerName(name: string): string {
  const label = name
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, "");
  return label === "" ? "mcp-server" : label;
}

const connects = "await connectEngine()";
/** A server on stdio has one client, which starts it. */
const connectsOverNetwork = "isOnStdio ? {} : await connectEngine()";

/** Returns the options of `run` as an expression; empty without options. */
function runOptionsText({ selection, name }: ProjectOptions): string {
  const spread = [
    ...(selection.scale === "none" ? [] : [isOnStdio(selection.transport) ? connectsOverNetwork : connects]),
    ...(selection.extras.includes("otel") ? [`await startTelemetry(${JSON.stringify(name)})`] : []),
  ];
  const members = selection.auth === "none" ? [] : ["authenticate"];
  const [first = ""] = spread;
  if (members.length === 0 && spread.length <= 1) return first;
  return `{ ${[...spread.map((value) => `...(${value})`), ...members].join(", ")} }`;
}

/** Members of `package.json` for packages. */
function listPackages(packages: Readonly<Record<string, string>>): string {
  return Object.entries(packages)
    .map(([key, version]) => `"${key}": "${version}"`)
    .join(",\n    ");
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

/** Names of the transports in a sentence. */
function serviceText({ transport, target, further }: Selection): string {
  const platform = platformOf(target);
  const names = [
    ...(platform ? [platform.title] : serviceTexts[transport]),
    ...further.map((name) => furtherTexts[name]),
  ];
  return names.join(", ").replace(/, (?=[^,]*$)/, " and ");
}

const furtherTexts: { readonly [Name in Selection["further"][number]]: string } = {
  websocket: "WebSocket",
  tcp: "TCP",
};

/**
 * Returns the command to inspect the server. A project from a clone has the program; other projects fetch it. A server started by it gets its
 * required variables; a server at an address gets the key of the README.
 */
export function inspectCommand({ manager, launcher, source, selection }: ProjectOptions): string {
  const program = launcher ? generatorPackage : commandsOf(manager).latest(generatorPackage);
  const isStarted = isOnStdio(selection.transport);
  const variables = isStarted ? variablesOf(source).filter(({ isRequired }) => isRequired) : [];
  const passed = [
    ...variables.map(({ name }) => ` --env ${name}`),
    ...(!isStarted && selection.auth === "api-key" ? [" --header-env X-API-Key=KEY"] : []),
  ];
  return `${program.replace(/^npx /, "npx -y ")} inspect --open${passed.join("")}`;
}

const serviceTexts: { readonly [Name in Selection["transport"]]: readonly string[] } = {
  stdio: ["stdio"],
  http: ["HTTP"],
  both: ["stdio", "HTTP"],
  worker: [],
};
