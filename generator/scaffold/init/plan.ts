import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatRendered } from "../../internal/format.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { loadTemplates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { UserError } from "../../internal/user-error.ts";
import { readSpecModels } from "../../read/spec-models.ts";
import { schemaSamples } from "../create/example-tools.ts";
import { generatorPackage, readLauncher } from "../create/launcher.ts";
import { readSelection, toLayerChoices, type SelectionText } from "../create/project-choices.ts";
import { serverTemplate } from "../create/project-files.ts";
import { inspectCommand, projectView } from "../create/project-view.ts";
import { servedModels, type ProjectOptions } from "../create/project-options.ts";
import { devTools } from "../create/project-packages.ts";
import { urlOf } from "../extras/extra-files.ts";
import { readRuntime, runtimePackage } from "../create/runtime-package.ts";
import { chooseRevisions, toCatalogue } from "../layer/catalogue.ts";
import { toImportPath, withImportEnding, type ImportEnding } from "../layer/choices.ts";
import { emitLayer } from "../layer/emit-layer.ts";
import { emitHandler, handlerTemplate, pathsOf } from "../mount/handler-file.ts";
import { emitRoutes, routeTemplate } from "../mount/project-files.ts";
import type { Application } from "./application.ts";
import { findEntry } from "./entry.ts";
import { addToManifest, type ManifestAdditions } from "./manifest.ts";
import { describePaste, type Paste } from "./next-steps.ts";
import { readMajor } from "./typescript-settings.ts";

/** Choices for a server in an existing application, as text from the command line. */
export type InitChoices = Pick<SelectionText, "features" | "schema"> & {
  /** Revisions: one, a comma-separated list, `latest` or `all`. Default: all released revisions. */
  readonly protocol?: string | undefined;
};

/** Changes of an application: new files, and additions to its `package.json`. */
export interface InitPlan {
  /** New text files, by path relative to the application. */
  readonly files: Tree;
  /** New binary files. */
  readonly archives: ReadonlyMap<string, Uint8Array>;
  readonly additions: ManifestAdditions;
  /** New text of `package.json`. */
  readonly manifest: string;
  readonly revisions: readonly string[];
  /** Script to bundle the server; absent if the application compiles it. */
  readonly build: string | undefined;
  readonly paste: Paste | undefined;
}

/** Path of the module with the server. */
export const definitionFile = "src/mcp-server.ts";

const handlerFile = "src/mcp-handler.ts";

/** Plans the changes of an application. Changes nothing. @throws {UserError} when a choice is not possible, or files are in the way. */
export async function planInit(application: Application, { protocol, ...choices }: InitChoices): Promise<InitPlan> {
  const { folder, framework, manager, manifest, sources } = application;
  const mount = framework === "node" ? "none" : framework;
  const selection = readSelection({ ...choices, transport: "http", extras: "none", mount });
  if (selection.features.includes("skills"))
    throw new UserError(
      "--features skills: a server in an application has no folder for them; define them in code later.",
    );
  const spec = await readSpecModels();
  const revisions = chooseRevisions(protocol, toCatalogue(spec.models));
  const runtime = readRuntime("dependency");
  const launcher = readLauncher();
  const options: ProjectOptions = {
    folder,
    name: application.name,
    manager,
    models: spec,
    runtime,
    revisions,
    selection,
    ...(launcher && { launcher }),
  };
  const ending = sources.kind === "typescript" ? sources.ending : "js";
  const layer = await emitLayer(
    { ...toLayerChoices(selection, revisions), ...(ending !== "ts" && { imports: ending }) },
    spec,
  );
  const files = new Map([
    ...[...layer].map(([path, text]): [string, string] => [`src/mcp/${path}`, text]),
    ...[...(await emitModules(options, application))].map(([path, text]): [string, string] => [
      path,
      withImportEnding(text, ending),
    ]),
    ...runtime.files,
    ...(launcher?.files ?? []),
  ]);
  rejectConflicts(folder, [...files.keys(), ...runtime.archives.keys()]);
  const additions = toAdditions(options, application);
  const entry = findEntry(folder, manifest, framework);
  return {
    files,
    archives: runtime.archives,
    additions,
    manifest: addToManifest(application.text, additions),
    revisions,
    build: sources.kind === "javascript" ? "mcp:build" : undefined,
    paste: describePaste(application, entry, toImport(application, ending)),
  };
}

/** Emits the modules of the server, by path: its definition, its handler, and the routes of Next.js. */
async function emitModules(options: ProjectOptions, { framework, isOnEdge, routes }: Application): Promise<Tree> {
  const { selection } = options;
  const templates = loadTemplates(join(packageRoot, "templates"), [serverTemplate, handlerTemplate, routeTemplate]);
  const isIsolated = framework === "next" || isOnEdge;
  const view = { ...projectView(options), isolates: isIsolated };
  const choices = { framework, auth: selection.auth, models: servedModels(options), isScaled: false, isOnEdge };
  const names = { definition: "./mcp-server.ts", layer: "./mcp/index.ts" };
  const places = routes === undefined ? undefined : { folder: routes, handler: handlerFile };
  return new Map([
    [definitionFile, await formatRendered(templates.render(serverTemplate, view))],
    [handlerFile, await emitHandler({ ...choices, ...names }, templates)],
    ...(places ? await emitRoutes(pathsOf(choices), places, templates) : []),
  ]);
}

function rejectConflicts(folder: string, paths: readonly string[]): void {
  const taken = paths.filter((path) => existsSync(join(folder, path)));
  if (taken.length === 0) return;
  const shown = taken.slice(0, 3).join(", ");
  throw new UserError(
    `${shown} ${taken.length === 1 ? "exists" : "exist"} already; rename ${taken.length === 1 ? "it" : "them"}, and run init again.`,
  );
}

/** Returns the packages and scripts for the server. Members already in `package.json` stay as they are. */
function toAdditions(
  options: ProjectOptions,
  { framework, manifest, sources, isOnEdge }: Application,
): ManifestAdditions {
  const { runtime, launcher, selection } = options;
  const { packages } = schemaSamples[selection.schema];
  for (const [name, range] of Object.entries(packages))
    rejectOlder(name, { wanted: range, has: manifest.packages[name] });
  const build = sources.kind === "javascript" ? { "mcp:build": bundleCommand(manifest.isModule) } : {};
  // Next.js has a server of its own for development.
  const url = urlOf({ target: isOnEdge && framework !== "next" ? "worker" : "node" });
  const scripts = { ...build, "mcp:inspect": `${inspectCommand(options)} ${url}` };
  const taken = Object.keys(scripts).find((name) => manifest.scripts[name] !== undefined);
  if (taken !== undefined)
    throw new UserError(`package.json has a script ${taken} already; rename it, and run init again.`);
  const isMissing = ([name]: [string, string]): boolean => manifest.packages[name] === undefined;
  const tools =
    sources.kind === "javascript" ? { esbuild: devTools.esbuild } : { "@types/node": devTools["@types/node"] };
  return {
    scripts,
    dependencies: Object.fromEntries(
      Object.entries({ [runtimePackage]: runtime.version, ...packages })
        .filter(isMissing)
        .sort(),
    ),
    devDependencies: Object.fromEntries(
      Object.entries({ ...tools, ...(launcher && { [generatorPackage]: launcher.version }) })
        .filter(isMissing)
        .sort(),
    ),
  };
}

function rejectOlder(
  name: string,
  { wanted, has }: { readonly wanted: string; readonly has: string | undefined },
): void {
  const [needed = 0, present = Infinity] = [readMajor(wanted), readMajor(has)];
  if (present >= needed) return;
  throw new UserError(`package.json has ${name} ${has}, tools need ${wanted}; update it, or choose another --schema.`);
}

/** Bundles the server for an application without a compiler: ES modules import packages, CommonJS contains them. */
function bundleCommand(isModule: boolean): string {
  const common = "esbuild src/mcp-handler.ts --bundle --platform=node --target=node20.19 --keep-names";
  return isModule
    ? `${common} --packages=external --format=esm --outfile=${bundles.esm}`
    : `${common} --format=cjs --outfile=${bundles.cjs} --log-override:ignored-bare-import=silent`;
}

const bundles = { esm: "dist/mcp-handler.mjs", cjs: "dist/mcp-handler.cjs" };

/** Path with which the application imports the handler. */
function toImport({ sources, manifest }: Application, ending: ImportEnding): string {
  if (sources.kind === "javascript") return manifest.isModule ? bundles.esm : bundles.cjs;
  return toImportPath(handlerFile, ending);
}
