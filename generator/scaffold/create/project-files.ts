import { readFileSync } from "node:fs";
import { join } from "node:path";
import { relativePath } from "../../internal/files.ts";
import { formatRendered } from "../../internal/format.ts";
import { loadTemplates, type Templates } from "../../internal/templates.ts";
import { joinFiles, type Tree } from "../../internal/tree.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { emitLayer } from "../layer/emit-layer.ts";
import { definitionPath, emitExtras, extraTemplates, isOnHttp, urlOf } from "../extras/extra-files.ts";
import { platformOf } from "./deploy-target.ts";
import { toLayerChoices } from "./project-choices.ts";
import { buildScript, buildTemplate, emitBuildScript, toBuildScript } from "./build-script.ts";
import { accessTemplates, emitAccess } from "./access-files.ts";
import { emitMount, mountTemplates } from "../mount/project-files.ts";
import { stubKinds } from "../../openapi/stub-kinds.ts";
import { builtPackages, hasSkillFolder } from "./project-packages.ts";
import { managerFiles } from "./package-manager.ts";
import { deployTemplates, deployText, emitDeployment } from "../extras/deploy-files.ts";
import { emitScale, scaleTemplates } from "../extras/scale-files.ts";
import { emitProviderFiles, providerTemplates, settingsModuleOf } from "../providers/provider-files.ts";
import { newestOf, revisionFacts, type ProjectOptions } from "./project-options.ts";
import { emitEnvExample } from "../settings/env-example.ts";
import { mainApi } from "../../openapi/api-name.ts";
import { projectView } from "./project-view.ts";

/** Emits all text files of a new project, by path relative to its folder. */
export async function emitProject(options: ProjectOptions): Promise<Tree> {
  const folder = join(packageRoot, "templates");
  const own = [...rendered, serverTest, ...Object.keys(sampleTests).map(sampleTemplate)].map(
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
  const names = [...own, ...further, serverTemplate, buildTemplate, ignoreTemplate];
  const templates = loadTemplates(folder, names);
  const facts = projectView(options);
  const view = { ...facts, deployText: deployText(options.selection.target, templates, facts) };
  const { selection, revisions, spec, source, models, runtime, launcher } = options;
  const more = { ...(source?.needsRe2 && { re2js: true }), ...(spec !== undefined && { spec }) };
  const layer = await emitLayer({ ...toLayerChoices(selection, revisions), ...more }, models);
  const skills = hasSkillFolder(selection) ? skillFiles : [];
  // Next.js bundles and serves by itself.
  const hasBuild = selection.mount !== "next";
  const copies = [attributes, ownConfig[hasBuild ? "any" : "next"], ...skills].map(({ from, to }): [string, string] => {
    return [to, readFileSync(join(folder, "project", from), "utf8").replaceAll("\r\n", "\n")];
  });
  const preset = await emitPreset(options, templates);
  return joinFiles(
    copies,
    managerFiles(options.manager, builtPackages(selection)),
    [...rendered, ...(source ? [] : [serverTest])].map((name) => [
      name,
      tidy(templates.render(`project/${name}`, view)),
    ]),
    testedSamples(view).map((name) => [
      `test/${name}.test.ts`,
      templates.render(`project/${sampleTemplate(name)}`, view),
    ]),
    [[".gitignore", templates.render(ignoreTemplate, view)]],
    hasBuild ? [emitBuild(options, templates)] : [],
    [[definitionPath(selection), await formatRendered(templates.render(serverTemplate, view))]],
    isOnHttp(selection.transport) ? await emitMount(options, view, templates) : [],
    await emitDeployment(selection.target, templates, view),
    emitExtras(options, templates),
    emitEnvExample(options),
    preset,
    // A preset has files of its own for some of those for any authorization server.
    [...emitAccessFiles(options, templates)].filter(([path]) => !preset.has(path)),
    selection.scale === "none" ? [] : await emitScale(options, selection.scale, templates),
    await emitOwnTools(options),
    [...layer].map(([path, text]) => [`src/mcp/${path}`, text]),
    runtime.files,
    launcher?.files ?? [],
  );
}

function emitAccessFiles({ selection }: ProjectOptions, templates: Templates): Tree {
  const settings = platformOf(selection.target)?.settings;
  return emitAccess({ ...selection, url: urlOf(selection), settings }, templates);
}

function emitBuild({ selection }: ProjectOptions, templates: Templates): [string, string] {
  return [buildScript, emitBuildScript(toBuildScript(selection), templates)];
}

/** Emits the files of a preset. */
async function emitPreset({ selection, source }: ProjectOptions, templates: Templates): Promise<Tree> {
  const { provider } = selection;
  if (!provider) return new Map();
  const settingsModule = settingsModuleOf(source?.api !== undefined);
  const place = platformOf(selection.target)?.settings;
  return emitProviderFiles({ ...selection, provider, url: urlOf(selection), settingsModule, place }, templates);
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

/** Template of `.gitignore`. npm leaves such files out of packages, and git would apply it here, so it has another name. */
const ignoreTemplate = "project/_gitignore";

/** Template of the module with the server. */
export const serverTemplate = "project/src/server.ts";

const rendered = ["package.json", "README.md", "test/client.ts", "vitest.config.ts"] as const;

/** Test of the example tool. Tools from a source bring their own. */
const serverTest = "test/server.test.ts";

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

/** Names of the test files of a project's samples. */
function testedSamples(view: object): readonly string[] {
  return Object.entries(sampleTests).flatMap(([name, member]) => (Reflect.get(view, member) ? [name] : []));
}

/** Git would apply `.gitattributes` here, so it has another name. */
const attributes = { from: "_gitattributes", to: ".gitattributes" } as const;

/** Settings of the compiler. Next.js writes into the settings of its sources, which its mount emits. */
const ownConfig = {
  any: { from: "tsconfig.json", to: "tsconfig.json" },
  next: { from: "test/tsconfig.json", to: "test/tsconfig.json" },
} as const;

/** Files of the example skill, which are copied. */
const skillFiles = ["skills/edit-text/SKILL.md", "skills/edit-text/references/CHECKLIST.md"].map((path) => ({
  from: path,
  to: path,
}));

/** Removes the blank lines of templates where something was left out. */
function tidy(text: string): string {
  return `${text
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll("\n\n}", "\n}")
    .trim()}\n`;
}
