import { readFileSync } from "node:fs";
import { join } from "node:path";
import { relativePath } from "../../internal/files.ts";
import { formatRendered } from "../../internal/format.ts";
import { listText } from "../../internal/list-text.ts";
import { loadTemplates, type Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { emitLayer } from "../layer/emit-layer.ts";
import {
  definitionPath,
  emitExtras,
  extraTemplates,
  isOnHttp,
  isOnStdio,
  registryName,
  urlOf,
} from "../extras/extra-files.ts";
import { platformOf } from "./deploy-target.ts";
import { toLayerChoices, type Selection } from "./project-choices.ts";
import { extraLines, partsText, readmeCommands } from "./readme-text.ts";
import { accessParameters, accessTemplates, curlArguments, emitAccess } from "./access-files.ts";
import { emitMount, mountTemplates, unusedByNext } from "../mount/project-files.ts";
import { frameworks, runtimePackages } from "../mount/frameworks.ts";
import { stubKinds } from "../../openapi/stub-kinds.ts";
import { builtPackages, packagesOf, hasSkillFolder } from "./project-packages.ts";
import { generatorPackage } from "./launcher.ts";
import { commandsOf, managerFiles } from "./package-manager.ts";
import { schemaSamples } from "./example-tools.ts";
import { deployTemplates, deployText, deployView, emitDeployment } from "../extras/deploy-files.ts";
import { emitScale, engineView, scaleTemplates } from "../extras/scale-files.ts";
import { configsOfAddress, configsOfCommand, serverCommand } from "../extras/host-files.ts";
import { describeRevisions, statelessAmong, toCatalogue } from "../layer/catalogue.ts";
import { variablesOf } from "../extras/server-variables.ts";
import { emitProviderFiles, providerTemplates, settingsModuleOf } from "../providers/provider-files.ts";
import { providerView } from "../providers/readme-view.ts";
import {
  isEliciting,
  isOverSse,
  newestOf,
  revisionFacts,
  toolMembers,
  type ProjectOptions,
  servedModels,
} from "./project-options.ts";
import { mainApi } from "../../openapi/api-name.ts";

/** Emits all text files of a new project, by path relative to its folder. */
export async function emitProject(options: ProjectOptions): Promise<Tree> {
  const folder = join(packageRoot, "templates");
  const own = [...rendered, stdoutModule, ...Object.keys(sampleTests).map(sampleTemplate)].map(
    (name) => `project/${name}`,
  );
  const further = [
    ...extraTemplates,
    ...accessTemplates,
    ...providerTemplates,
    ...scaleTemplates,
    ...mountTemplates,
    ...deployTemplates,
  ];
  const names = [...own, ...further, serverTemplate];
  const templates = loadTemplates(folder, names);
  const facts = projectView(options);
  const view = { ...facts, deployText: deployText(options.selection.target, templates, facts) };
  const { selection, revisions, spec, source, models, runtime, launcher } = options;
  const more = { ...(source?.needsRe2 && { re2js: true }), ...(spec !== undefined && { spec }) };
  const layer = await emitLayer({ ...toLayerChoices(selection, revisions), ...more }, models);
  const builder = { from: selection.target === "worker" ? "build-worker.js" : "build.js", to: "build.js" };
  const skills = hasSkillFolder(selection) ? skillFiles : [];
  const hasHandler = isOnHttp(selection.transport) && selection.mount === "none";
  const copies = [...copied, builder, ...skills].map(({ from, to }): [string, string] => {
    const text = readFileSync(join(folder, "project", from), "utf8").replaceAll("\r\n", "\n");
    return [to, hasHandler && to === "build.js" ? withHandler(text) : text];
  });
  const tree = new Map([
    ...copies,
    ...managerFiles(options.manager, builtPackages(selection)),
    ...[...rendered, ...(isOnStdio(selection.transport) ? [stdoutModule] : [])].map((name): [string, string] => [
      name,
      tidy(templates.render(`project/${name}`, view)),
    ]),
    ...testedSamples(view).map((name): [string, string] => [
      `test/${name}.test.ts`,
      templates.render(`project/${sampleTemplate(name)}`, view),
    ]),
    [definitionPath(selection), await formatRendered(templates.render(serverTemplate, view))],
    ...(isOnHttp(selection.transport) ? await emitMount(options, view, templates) : []),
    ...(await emitDeployment(selection.target, templates, view)),
    ...emitExtras(options, templates),
    ...emitAccess({ ...selection, url: urlOf(selection), settings: platformOf(selection.target)?.settings }, templates),
    ...(await emitPreset(options, templates)),
    ...(selection.scale === "none" ? [] : await emitScale(options, selection.scale, templates)),
    ...(await emitOwnTools(options)),
    ...[...layer].map(([path, text]): [string, string] => [`src/mcp/${path}`, text]),
    ...runtime.files,
    ...(launcher?.files ?? []),
  ]);
  if (selection.mount === "next") for (const path of unusedByNext) tree.delete(path);
  return tree;
}

/** Emits the files of a preset, which replace those for any authorization server. */
async function emitPreset({ selection, source }: ProjectOptions, templates: Templates): Promise<Tree> {
  const { provider } = selection;
  if (!provider) return new Map();
  const settingsModule = settingsModuleOf(source?.api !== undefined);
  return emitProviderFiles({ ...selection, provider, url: urlOf(selection), settingsModule }, templates);
}

/** Emits tools from a source. The module is loaded only here: it needs a compiler of schemas. */
async function emitOwnTools({ source, selection, ...options }: ProjectOptions): Promise<Tree> {
  if (!source) return new Map();
  const { name, signal } = options;
  const newest = newestOf(options);
  const stubs = stubKinds(source, new Set(selection.features));
  const { emitSource, mainPlace } = await import("../../openapi/emit-source.ts");
  const facts = { name, packageFolder: packageRoot, layer: "mcp/index.ts", ...(signal && { signal }) };
  const { source: emitted, tree } = await emitSource(source, { ...facts, ...revisionFacts(newest), stubs });
  if (!source.api) return tree;
  const { apiLockName, apiLockText, recordApi } = await import("../../openapi/api-lock.ts");
  const api = { name: mainApi, document: relativePath(options.folder, source.path), place: mainPlace };
  return new Map([...tree, [apiLockName, apiLockText([recordApi(emitted, tree, api)])]]);
}

/** Template of the module that defines the server. */
export const serverTemplate = "project/src/server.ts";

/** Adds the handler to the modules that a build script bundles. */
function withHandler(build: string): string {
  const entry = `entryPoints: ["src/server.ts"]`;
  if (!build.includes(entry)) throw new Error(`build.js has no ${entry}; this is a bug in templates/project.`);
  return build.replace(entry, `entryPoints: ["src/server.ts", "src/handler.ts"]`);
}

const rendered = [
  "package.json",
  "README.md",
  "test/client.ts",
  "test/links.ts",
  "test/server.test.ts",
  "vitest.config.ts",
] as const;

/** Test file of each sample, with the member of the view that is set if the project has the sample. */
const sampleTests = {
  "measure-text-tool": "example",
  "style-guide-resource": "resources",
  "shorten-prompt": "prompts",
  "meter-resource": "view",
  "edit-text-skill": "skills",
} as const;

function sampleTemplate(name: string): string {
  return `test/samples/${name}.test.ts`;
}

/** Names of the test files of the samples that a project has. */
function testedSamples(view: object): readonly string[] {
  return Object.entries(sampleTests).flatMap(([name, member]) => (Reflect.get(view, member) ? [name] : []));
}

/** Module that protects stdout. */
const stdoutModule = "src/stdout.ts";

/** Files that are copied. npm leaves `.gitignore` out of packages, and git would apply both files here, so they have other names. */
const copied = [
  { from: "notices.js", to: "notices.js" },
  { from: "_gitignore", to: ".gitignore" },
  { from: "_gitattributes", to: ".gitattributes" },
  { from: "tsconfig.json", to: "tsconfig.json" },
  { from: "test/tsconfig.json", to: "test/tsconfig.json" },
] as const;

/** Files of the example skill, which are copied. */
const skillFiles = ["skills/edit-text/SKILL.md", "skills/edit-text/references/CHECKLIST.md"].map((path) => ({
  from: path,
  to: path,
}));

/** Removes the blank lines that templates leave where something was left out. */
function tidy(text: string): string {
  return `${text
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll("\n\n}", "\n}")
    .trim()}\n`;
}

/** Returns the view of the templates of a project. */
export function projectView(options: ProjectOptions): object {
  const { name, revisions, selection, source } = options;
  const models = servedModels(options);
  const stateless = statelessAmong(revisions, toCatalogue(models));
  const members = toolMembers(newestOf(options));
  const isStructured = members.has("outputSchema");
  const server = serverCommand(options);
  const sample = schemaSamples[selection.schema];
  const features = new Set(selection.features);
  const service = selection.transport;
  const hosts = isOnStdio(service)
    ? configsOfCommand(server)
    : configsOfAddress({ name: server.name, url: urlOf(selection), isKeyed: selection.auth === "api-key" });
  const isExample = source === undefined;
  const hasView = features.has("apps") && isExample && members.has("_meta");
  const elicits = isEliciting(options);
  const stubs = stubKinds(source, features);
  const hasOwnResources = stubs.resources || stubs.templates;
  const isExampleOf = {
    resources: features.has("resources") && !hasOwnResources,
    prompts: features.has("prompts") && !stubs.prompts,
  };
  const helpers = [
    ...(source ? [] : [...sample.helpers, "defineTool"]),
    ...(elicits && source ? ["defineTool"] : []),
    ...(isExampleOf.prompts ? ["definePrompt"] : []),
    ...(isExampleOf.resources ? ["defineResource"] : []),
    ...(hasView ? ["createUiResource"] : []),
    ...(features.has("skills") ? [hasSkillFolder(selection) ? "readSkills" : "createSkill"] : []),
    ...["defineServer", ...(isOnHttp(service) ? [] : [service === "worker" ? "createHttpHandler" : "run"])],
  ];
  return {
    name,
    example: isExample,
    client: selection.client,
    parts: partsText({ ...isExampleOf, elicits, view: hasView, skill: features.has("skills") && service === "worker" }),
    extraLines: extraLines(options),
    firstTools: source ? "...tools" : "measureText",
    sourceName: source?.origin ?? "",
    callsApi: source?.api !== undefined,
    settingsModule: settingsModuleOf(source?.api !== undefined),
    vendored: selection.runtime === "vendored",
    archive: selection.runtime !== "vendored" && options.runtime.version.startsWith("file:"),
    launcher: options.launcher !== undefined,
    tokens: variablesOf(source).filter(({ isSecret }) => isSecret),
    structured: isStructured,
    answer: isStructured ? `'{"words":2,"characters":12}'` : '"2 words, 12 characters"',
    revisionText: describeRevisions(revisions),
    sample,
    helperImport: listText("import { ", helpers.sort(), ' } from "./mcp/index.ts";'),
    packages: listPackages(packagesOf(options)),
    command: server.name,
    workerName: server.name
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 63),
    registryName: selection.extras.includes("registry") && service !== "worker" ? registryName(server) : "",
    opening: service === "worker" ? "export default createHttpHandler" : "await run",
    elicits,
    // A project with a source of tools does not import the schema library in this file.
    form: (source ? schemaSamples.json : sample).form,
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
    skills: features.has("skills"),
    skillFolder: hasSkillFolder(selection),
    view: hasView,
    stdio: isOnStdio(service),
    inspect: inspectCommand(options),
    http: isOnHttp(service) && selection.mount !== "next",
    worker: service === "worker",
    sse: isOnHttp(service) && selection.mount !== "next" ? listOf(models.filter(isOverSse).map(({ id }) => id)) : "",
    engine: selection.scale === "none" ? undefined : engineView(selection.scale),
    otel: selection.extras.includes("otel"),
    runOptions: runOptionsText(options),
    isProtected: selection.auth !== "none",
    oauth: selection.auth === "oauth",
    apiKey: selection.auth === "api-key",
    provider: selection.provider && providerView(selection.provider),
    parameters: accessParameters(selection),
    curl: curlArguments(revisions, stateless),
    spawns: service !== "worker" && selection.mount !== "next",
    alsoHttp: service === "http" && selection.further.length > 0,
    passesVariables:
      selection.mount !== "none" || selection.auth !== "none" || (service === "http" && selection.further.length > 0),
    split: isOnHttp(service),
    definition: definitionPath(selection),
    mount: selection.mount !== "none",
    mountTitle: selection.mount === "none" ? "" : frameworks[selection.mount].title,
    reloads: service !== "worker" && selection.mount === "none",
    exported: isOnHttp(service) && selection.mount === "none",
    express: selection.mount === "express",
    fastify: selection.mount === "fastify",
    hono: selection.mount === "hono",
    next: selection.mount === "next",
    isolates: selection.target === "worker" || selection.mount === "next",
    runtimePackages: listPackages(runtimePackages[selection.mount]),
    fetches: service !== "stdio",
    websocket: selection.further.includes("websocket"),
    tcp: selection.further.includes("tcp"),
    listens: (isOnHttp(service) && selection.mount !== "next") || selection.further.length > 0,
    lines: isOnStdio(service) || selection.further.includes("tcp"),
    serviceText: serviceText(selection),
    url: urlOf(selection),
    tasks: features.has("tasks"),
    ...deployView(selection.target),
    ...readmeCommands(options),
    hosts: { claudeDesktop: "", ...hosts },
  };
}

/** Returns the options of `run` as an expression; empty without options. */
function runOptionsText({ selection, name }: ProjectOptions): string {
  const spread = [
    ...(selection.scale === "none" ? [] : ["await connectEngine()"]),
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

/** Returns the command that inspects the server. A project from a clone has the program; other projects fetch it. Variables that the server requires are passed on. */
export function inspectCommand({ manager, launcher, source }: ProjectOptions): string {
  const program = launcher ? generatorPackage : commandsOf(manager).latest(generatorPackage);
  const variables = variablesOf(source).filter(({ isRequired }) => isRequired);
  const passed = variables.map(({ name }) => ` --env ${name}`);
  return `${program.replace(/^npx /, "npx -y ")} inspect --open${passed.join("")}`;
}

const serviceTexts: { readonly [Name in Selection["transport"]]: readonly string[] } = {
  stdio: ["stdio"],
  http: ["HTTP"],
  both: ["stdio", "HTTP"],
  worker: [],
};
