import { readFileSync } from "node:fs";
import { join } from "node:path";
import { greet, measureText } from "./example-tools.ts";
import { loadTemplates } from "../emit/templates.ts";
import type { Tree } from "../emit/tree.ts";
import { emitLayer, layerTemplate, spokenName } from "./emit-layer.ts";
import { emitPackageLayer, importModule, ownDependency, packageTemplate } from "./package-layer.ts";
import { emitExtras, extraTemplates, isOnStdio, registryName, urlOf, type ExtraOptions } from "./extra-files.ts";
import { toLayerChoices, toOffers, type Selection } from "./project-choices.ts";
import { extraLines, partsText, readmeCommands } from "./readme-text.ts";
import { accessTemplates, accessVariables, curlArguments, emitAccess } from "./access-files.ts";
import { stubKinds } from "../from/stub-kinds.ts";
import type { ProjectSource } from "../from/source.ts";
import { builtPackages, packagesOf } from "./project-packages.ts";
import { managerFiles, type PackageManager } from "./package-manager.ts";
import { readToolMembers, readTypes } from "./revision-types.ts";
import { schemaSamples } from "./schema-samples.ts";
import { importText } from "./layer/source-parts.ts";
import { emitSkills, hasSkillFolder } from "./skill-files.ts";
import { describeRevisions, readCatalogue, isStatelessAt } from "./catalogue.ts";
import { variablesOf } from "./server-variables.ts";
import { configsOfAddress, configsOfCommand, type ServerCommand } from "./client-config.ts";

/** Options of the files of a project. */
export interface ProjectOptions {
  /** Absolute path of the project, for the client configuration in its README. */
  readonly folder: string;
  /** Package name, already checked. */
  readonly name: string;
  /** Revisions that the project serves, newest first. Its types are those of the first. */
  readonly revisions: readonly string[];
  readonly selection: Selection;
  readonly manager: PackageManager;
  /** Source of its tools. Default: an example. */
  readonly source?: ProjectSource;
  /** Spec folder of the revisions, relative to the project, with forward slashes. Default: that of this package. */
  readonly spec?: string;
  /** Version of this package, written into the emitted layer. */
  readonly version: string;
  /** Folder of this package, or one of the same structure, with `runtime/`, `generated/`, `spec/` and `templates/`. */
  readonly packageFolder: string;
  /** Cancels the generation of tools, which may take long. */
  readonly signal?: AbortSignal;
}

/** Emits all files of a new project, by path relative to its folder. */
export async function emitProject(options: ProjectOptions): Promise<Tree> {
  const folder = join(options.packageFolder, "templates");
  const names = [layerTemplate, ...rendered.map((name) => `project/${name}`), ...extraTemplates, ...accessTemplates];
  const templates = loadTemplates(folder, [...names, packageTemplate, workerTemplate]);
  const view = projectView(options);
  const { selection, revisions, spec, source } = options;
  const more = { ...(source?.needsRe2 && { re2js: true }), ...(spec !== undefined && { spec }) };
  const choices = { ...toLayerChoices(selection, revisions), ...more };
  const builder = { from: options.selection.transport === "worker" ? "build-worker.js" : "build.js", to: "build.js" };
  const copies = [...copied, builder].map(({ from, to }): [string, string] => [
    to,
    readFileSync(join(folder, "project", from), "utf8").replaceAll("\r\n", "\n"),
  ]);
  const own = new Map([
    ...copies,
    ...managerFiles(options.manager, builtPackages(options.selection)),
    ...namesOf(selection).map((name): [string, string] => [name, tidy(templates.render(`project/${name}`, view))]),
    ...(selection.transport === "worker" ? [["wrangler.jsonc", templates.render(workerTemplate, view)] as const] : []),
    ...emitExtras(extraOptions(options), templates),
    ...emitAccess({ ...options.selection, url: urlOf(selection.transport) }, templates),
    ...emitSkills(options.selection, folder),
    ...(await emitOwnTools(options)),
  ]);
  if (options.selection.runtime === "package")
    return importModule(own).set("src/mcp.ts", emitPackageLayer(choices, templates));
  const layer = emitLayer({ ...options, choices, templates });
  return new Map([...own, ...[...layer].map(([path, text]): [string, string] => [`src/mcp/${path}`, text])]);
}

/** Emits tools from a source. The module is loaded only here: it needs a compiler of schemas and a formatter. */
async function emitOwnTools({ source, revisions, selection, ...options }: ProjectOptions): Promise<Tree> {
  if (!source) return new Map();
  const { name, packageFolder, signal } = options;
  const stubs = stubKinds(source, new Set(selection.serve));
  const { emitSource } = await import("../from/emit-source.ts");
  const toolMembers = readToolMembers(revisions[0] ?? "", packageFolder);
  const hasAudio = readTypes(revisions[0] ?? "", packageFolder).includes("\nexport interface AudioContent ");
  const facts = { name, packageFolder, layer: "mcp/index.ts", ...(signal && { signal }) };
  return emitSource(source, { ...facts, toolMembers, hasAudio, stubs });
}

const workerTemplate = "project/wrangler.jsonc";

const rendered = [
  "package.json",
  "README.md",
  "src/server.ts",
  "src/stdout.ts",
  "test/client.ts",
  "test/links.ts",
  "test/server.test.ts",
] as const;

/** Returns the rendered files; `src/stdout.ts` protects stdout and is omitted without stdio. */
function namesOf({ transport }: Selection): readonly (typeof rendered)[number][] {
  return rendered.filter((name) => name !== "src/stdout.ts" || isOnStdio(transport));
}

/** Files that are copied. npm leaves `.gitignore` out of packages, and git would apply both files here, so they have other names. */
const copied = [
  { from: "notices.js", to: "notices.js" },
  { from: "_gitignore", to: ".gitignore" },
  { from: "_gitattributes", to: ".gitattributes" },
  { from: "tsconfig.json", to: "tsconfig.json" },
  { from: "test/tsconfig.json", to: "test/tsconfig.json" },
] as const;

/** Removes the blank lines that templates leave where something was left out. */
function tidy(text: string): string {
  return `${text
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll("\n\n}", "\n}")
    .trim()}\n`;
}

function serverCommand({ name, folder, source }: ProjectOptions): ServerCommand {
  const variables = variablesOf(source).flatMap(({ name: variable, isRequired }) =>
    isRequired ? [[variable, "..."]] : [],
  );
  return {
    name: name.slice(name.indexOf("/") + 1),
    program: join(folder, "dist", "server.js"),
    env: variables.length > 0 ? Object.fromEntries(variables) : undefined,
  };
}

function extraOptions(options: ProjectOptions): ExtraOptions {
  const { name, revisions, selection } = options;
  const { transport: service, extras } = selection;
  const variables = accessVariables[selection.auth];
  const own = options.source
    ? options.source.contract.tools.map(({ name: tool, description = tool }) => ({ name: tool, description }))
    : [measureText];
  const tools = [...own, ...(isEliciting(options) ? [greet] : [])];
  const revisionText = describeRevisions(revisions);
  const { manager, packageFolder, version } = options;
  const archive = selection.runtime === "package" ? ownDependency(packageFolder, version).archive : undefined;
  const layer = { emitted: selection.runtime === "emitted", vendored: archive !== undefined };
  return {
    name,
    server: serverCommand(options),
    service,
    offers: toOffers(selection.serve),
    isKeyed: selection.auth === "api-key",
    variables,
    needed: variablesOf(options.source),
    extras,
    skillFolder: hasSkillFolder(selection),
    tools,
    revisionText,
    manager,
    ...layer,
  };
}

/** True if the project has a tool that asks the user for input. */
function isEliciting({ revisions: [newest = ""], selection, packageFolder }: ProjectOptions): boolean {
  const isKnown = readTypes(newest, packageFolder).includes("export interface ElicitResult ");
  return isKnown && selection.serve.includes("questions");
}

function projectView(options: ProjectOptions): object {
  const { name, revisions, selection, source, packageFolder } = options;
  const catalogue = readCatalogue(packageFolder);
  const alone = revisions.filter((id) => isStatelessAt(id, catalogue));
  const members = revisions.map((id) => readToolMembers(id, packageFolder));
  const structured = members.map((names) => names.has("outputSchema"));
  const server = serverCommand(options);
  const sample = schemaSamples[selection.schema];
  const offers = new Set(selection.serve);
  const service = selection.transport;
  const hosts = isOnStdio(service)
    ? configsOfCommand(server)
    : configsOfAddress({ name: server.name, url: urlOf(service), isKeyed: selection.auth === "api-key" });
  const isExample = source === undefined;
  const entry = selection.runtime === "package" ? "./mcp.ts" : "./mcp/index.ts";
  const hasView = offers.has("ui") && isExample && (members[0]?.has("_meta") ?? false);
  const elicits = isEliciting(options);
  const stubs = stubKinds(source, offers);
  const hasOwnResources = stubs.resources || stubs.templates;
  const isExampleOf = {
    resources: offers.has("resources") && !hasOwnResources,
    prompts: offers.has("prompts") && !stubs.prompts,
  };
  const helpers = [
    ...(source ? [] : [...sample.helpers, "defineTool"]),
    ...(elicits && source ? ["defineTool"] : []),
    ...(isExampleOf.prompts ? ["definePrompt"] : []),
    ...(isExampleOf.resources ? ["defineResource"] : []),
    ...(hasView ? ["createUiResource"] : []),
    ...(offers.has("skills") ? [hasSkillFolder(selection) ? "readSkills" : "createSkill"] : []),
    ...["defineServer", service === "worker" ? "createHttpHandler" : "run"],
  ];
  return {
    name,
    example: isExample,
    entry,
    client: selection.client,
    parts: partsText({ ...isExampleOf, elicits, view: hasView, skill: offers.has("skills") && service === "worker" }),
    extraLines: extraLines(options),
    firstTools: source ? "...tools" : "measureText",
    sourceName: source?.origin ?? "",
    callsApi: source?.api !== undefined,
    emitted: selection.runtime === "emitted",
    tokens: variablesOf(source).filter(({ isSecret }) => isSecret),
    structured: structured[0],
    answer: structured[0] ? `'{"words":2,"characters":12}'` : '"2 words, 12 characters"',
    revisionText: describeRevisions(revisions),
    sample,
    imports: importText(
      helpers.sort().map((helper) => ({ local: helper, name: helper, from: entry, isType: false })),
      entry,
    ).trimEnd(),
    packages: Object.entries(packagesOf(options))
      .map(([key, version]) => `"${key}": "${version}"`)
      .join(",\n    "),
    command: server.name,
    workerName: server.name
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 63),
    registryName: selection.extras.includes("registry") && service !== "worker" ? registryName(server) : "",
    opening: service === "worker" ? "export default createHttpHandler" : "await run",
    elicits,
    ...isExampleOf,
    resourceList: [
      ...(isExampleOf.resources ? ["styleGuide"] : []),
      ...(stubs.resources ? ["...resources"] : []),
      ...(hasView ? ["meter"] : []),
    ].join(", "),
    promptList: stubs.prompts ? "...prompts" : isExampleOf.prompts ? "shorten" : "",
    stubs,
    ownResources: Object.entries({ resources: stubs.resources, resourceTemplates: stubs.templates })
      .flatMap(([list, has]) => (has ? [list] : []))
      .join(", "),
    skills: offers.has("skills"),
    skillFolder: hasSkillFolder(selection),
    view: hasView,
    stdio: service === "stdio" || service === "both",
    http: isOnHttp(service),
    worker: service === "worker",
    sse: isOnHttp(service) ? listOf(revisions.filter((id) => isOverSse(id, packageFolder))) : "",
    isProtected: selection.auth !== "none",
    oauth: selection.auth === "oauth",
    apiKey: selection.auth === "api-key",
    curl: curlArguments(revisions, alone),
    spawns: service !== "worker",
    fetches: service !== "stdio",
    websocket: selection.further.includes("websocket"),
    tcp: selection.further.includes("tcp"),
    further: selection.further.length > 0,
    listens: service === "http" || service === "both" || selection.further.length > 0,
    lines: isOnStdio(service) || selection.further.includes("tcp"),
    serviceText: serviceText(selection),
    spoken: selection.runtime === "package" ? "../src/mcp.ts" : `../src/mcp/${spokenName}`,
    url: urlOf(service),
    ...readmeCommands(options),
    hosts: { claudeDesktop: "", ...hosts },
  };
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

function isOnHttp(service: Selection["transport"]): boolean {
  return service === "http" || service === "both";
}

/** True if the transport of a revision over HTTP is HTTP with SSE: the revision has sessions, but no header for their ids. */
function isOverSse(revision: string, packageFolder: string): boolean {
  const methods = readFileSync(join(packageFolder, "generated", revision, "methods.ts"), "utf8");
  return methods.includes('lifecycle: "handshake"') && !methods.includes('source: "session"');
}

/** Names of the transports in a sentence. */
function serviceText({ transport, further }: Selection): string {
  const names = [...serviceTexts[transport], ...further.map((name) => furtherTexts[name])];
  return names.join(", ").replace(/, (?=[^,]*$)/, " and ");
}

const furtherTexts: { readonly [Name in Selection["further"][number]]: string } = {
  websocket: "WebSocket",
  tcp: "TCP",
};

const serviceTexts: { readonly [Name in Selection["transport"]]: readonly string[] } = {
  stdio: ["stdio"],
  http: ["HTTP"],
  both: ["stdio", "HTTP"],
  worker: ["edge workers"],
};
