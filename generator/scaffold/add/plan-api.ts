import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { avoidDevice, readIfPresent, relativePath } from "../../internal/files.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { runPhase } from "../../internal/phase.ts";
import { safeLine } from "../../internal/text.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";
import { apiLockName, apiLockText, readApiLock, recordApi, type ApiRecord } from "../../openapi/api-lock.ts";
import { chooseName, mainApi } from "../../openapi/api-name.ts";
import { compareOperations, type OperationChange } from "../../openapi/compare-operations.ts";
import { emitSource, toolPath, type SourcePlace } from "../../openapi/emit-source.ts";
import { readDocument } from "../../openapi/document.ts";
import type { OutputMode } from "../../openapi/operation.ts";
import { titleOf } from "../../openapi/read-api.ts";
import { toSource, type ProjectSource } from "../../openapi/source.ts";
import { readSpecModels } from "../../read/spec-models.ts";
import { toMemberName } from "../../typed-client/tool-schema/names.ts";
import { schemaSamples } from "../create/example-tools.ts";
import { readPackageSection } from "../create/package-manager.ts";
import { patternPackages } from "../create/project-packages.ts";
import { revisionFacts } from "../create/project-options.ts";
import { addToManifest, readManifest, type Manifest } from "../init/manifest.ts";
import { findSpec } from "../layer/catalogue.ts";
import { toImportPath, withImportEnding, type LayerChoices } from "../layer/choices.ts";
import { readInstalledLayer } from "../layer/installed-layer.ts";
import { findDefinitions } from "./definition.ts";
import type { Growth } from "./grow-layer.ts";
import { planFiles, type FilePlan } from "./plan-files.ts";
import { register } from "./register.ts";
import { findServerModule, hasTestClient } from "./server-module.ts";

/** Document whose operations become tools of a project, and the choices for them. */
export interface ApiOptions {
  /** Path of the document. */
  readonly document: string;
  /** Folder of the project. */
  readonly folder: string;
  /** Name of the API in the project. Default: the name in the document. */
  readonly name?: string;
  /** Tags, names and paths of the wanted operations, with commas. Default: as in the last run, or all. */
  readonly only?: string;
  /** Text before the names of the tools. Default: the prefix of the last run, or none. */
  readonly prefix?: string;
  /** Treatment of API responses. Default: as in the last run, or `loose`. */
  readonly output?: OutputMode;
  /** True if edited files are replaced. */
  readonly force: boolean;
}

/** Changes by which a project gets the tools of a document. */
export interface ApiPlan {
  readonly source: ProjectSource;
  /** New record of the API. */
  readonly record: ApiRecord;
  readonly isNew: boolean;
  /** Path of the module with the server. */
  readonly server: string;
  readonly operations: readonly OperationChange[];
  /** Generated files. */
  readonly files: FilePlan;
  /** Texts of the other changed files, by path. */
  readonly others: ReadonlyMap<string, string>;
  /** New part of the protocol layer, if the tools need one. */
  readonly growth?: Growth;
  /** Packages to add to `package.json`. */
  readonly packages: readonly string[];
}

/** Plans the tools of a document in a project. Nothing is written. @throws {UserError} when the document or the project cannot be used. */
export async function planApi(options: ApiOptions, signal: AbortSignal): Promise<ApiPlan> {
  const { folder, document, force } = options;
  const known = await readLock(folder);
  const { choices } = await readInstalledLayer(folder);
  const path = relativePath(folder, document);
  const content = await runPhase("Reading the document", () => readDocument(document));
  const name = chooseName({ given: options.name, document: path, title: titleOf(content), known });
  const former = known.find((api) => api.name === name);
  // A new selection forgets the tools that were removed.
  const removed = options.only === undefined ? (former?.removed ?? []) : [];
  const chosen = { ...sourceOptions(options, name, former), except: removed };
  const whole = await runPhase("Reading the operations", async () => toSource(content, document, chosen));
  if (!whole.api) throw new UserError(`${safeLine(path)} describes no HTTP API; pass an OpenAPI document.`);
  const place = former?.place ?? newPlace(folder, name);
  const manifestText = await readText(folder, "package.json");
  const manifest = readManifest(manifestText, "package.json");
  const spec = findSpec(undefined, { project: folder, choices });
  const models = await runPhase("Reading schemas", () => readSpecModels(spec));
  const newest = models.models.find(({ id }) => id === choices.revisions[0]);
  if (!newest) throw new UserError("src/mcp/ has unknown revisions; run `npx create-mcp-server update` first.");
  const emitting = {
    ...revisionFacts(newest),
    name: manifest.name ?? "",
    packageFolder: packageRoot,
    layer: "mcp/index.ts",
    place,
    stubs: { prompts: false, resources: false, templates: false },
    signal,
  };
  const emitted = await runPhase("Writing the tools", () => emitSource(whole, emitting));
  const { source } = emitted;
  const tree = new Map([...emitted.tree].map(([file, text]) => [file, withImportEnding(text, choices.imports)]));
  // A project whose client was moved keeps the test that it has.
  if (!hasTestClient(folder) && !existsSync(join(folder, place.test))) tree.delete(place.test);
  const written = recordApi(source, tree, { name, document: path, place, removed });
  const planned = { record: written, known, plan: source.plan };
  await runPhase("Reading your code", () => rejectClashes(folder, planned));
  const records = former?.files ?? {};
  const files = await runPhase("Comparing the files", () => planFiles({ project: folder, tree, records, force }));
  const record = { ...written, files: { ...orphansOf(former, files), ...written.files } };
  const missing = missingPackages(manifest, source);
  const section = await readPackageSection(folder);
  const others = new Map<string, string>();
  const packages = Object.keys(missing);
  if (packages.length > 0) others.set("package.json", addToManifest(manifestText, { [section]: missing }));
  const server = findServerModule(folder);
  if (!former) others.set(server, registerApi(await readText(folder, server), { path: server, name, place, choices }));
  const apis = former ? known.map((api) => (api === former ? record : api)) : [...known, record];
  if (!isDeepStrictEqual(former, record)) others.set(apiLockName, apiLockText(apis));
  const growth = growthOf(choices, source);
  const operations = compareOperations(former?.operations ?? {}, record.operations);
  return { source, record, isNew: !former, server, operations, files, others, packages, ...(growth && { growth }) };
}

/** Returns the records of edited files no longer generated. Removing a file without its edit needs them, and so does merging it if it comes back. */
function orphansOf(former: ApiRecord | undefined, { edits }: FilePlan): ApiRecord["files"] {
  const orphans = new Set(edits.flatMap(({ path, kind }) => (kind === "orphaned" ? [path] : [])));
  return Object.fromEntries(Object.entries(former?.files ?? {}).filter(([path]) => orphans.has(path)));
}

/** Completes the options from the last run. Words of the last run may match nothing: the document may have changed. */
function sourceOptions(options: ApiOptions, name: string, known: ApiRecord | undefined) {
  const { only = known?.only, prefix = known?.prefix, output = known?.output } = options;
  return {
    variables: name === mainApi ? "API" : name.replaceAll("-", "_").toUpperCase(),
    acceptsIdle: options.only === undefined,
    ...(only !== undefined && { only }),
    ...(prefix !== undefined && prefix !== "" && { prefix: checkPrefix(prefix) }),
    ...(output && { output }),
    toolNames: new Map(Object.entries(known?.operations ?? {}).map(([operation, { tool }]) => [operation, tool])),
  };
}

function checkPrefix(prefix: string): string {
  if (/^[A-Za-z][\w-]{0,30}$/.test(prefix)) return prefix;
  const shown = JSON.stringify(safeLine(prefix, 80));
  throw new UserError(
    `--prefix: ${shown} cannot begin the name of a tool; use letters, digits, _ and -, for example shop_.`,
  );
}

function newPlace(folder: string, name: string): SourcePlace {
  const place = { folder: `src/${avoidDevice(name, "api")}`, test: `test/${name}-api.test.ts` };
  if (!existsSync(join(folder, place.folder))) return place;
  throw new UserError(`Nothing was added: ${place.folder} exists already. Choose another name with --as.`);
}

async function readLock(folder: string): Promise<readonly ApiRecord[]> {
  const text = await readIfPresent(join(folder, apiLockName));
  return text === undefined ? [] : readApiLock(text);
}

async function readText(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), "utf8").catch((error: unknown) => {
    throw new UserError(`${path} cannot be read (${systemCode(error)}); restore it and run the command again.`, {
      cause: error,
    });
  });
}

interface Records {
  readonly record: ApiRecord;
  readonly known: readonly ApiRecord[];
  readonly plan: ProjectSource["plan"];
}

/** Rejects tools whose names other definitions have: a server with two tools of one name does not start. */
async function rejectClashes(folder: string, records: Records): Promise<void> {
  const { record, known } = records;
  const names = Object.values(record.operations).map(({ tool }) => tool);
  const others = known.filter((api) => api.name !== record.name);
  const taken = new Map(
    others.flatMap((api) => Object.values(api.operations).map(({ tool }) => [tool, `the API ${api.name}`] as const)),
  );
  const generated = [record, ...known].flatMap(({ files }) => Object.keys(files));
  const values = names.filter((name) => !taken.has(name));
  const identities = { definer: "defineTool", member: "name", values, skipped: new Set(generated) };
  const places = new Map([...taken, ...(await findDefinitions(folder, identities))]);
  const [first, ...more] = names.filter((name) => places.has(name));
  if (first === undefined) return;
  const rest = more.length === 0 ? "" : ` (${more.length} more tools are there, too)`;
  const place = `Nothing was written: ${places.get(first)}`;
  const former = findMissingFile(folder, first, records);
  if (former !== undefined)
    throw new UserError(
      `${place} has the generated tool ${JSON.stringify(first)}${rest}; move the file back to ${former}`,
    );
  throw new UserError(
    `${place} has a tool ${JSON.stringify(first)} already${rest}. ` +
      `Choose other operations with --only, or other names with --prefix ${record.name.replaceAll("-", "_")}_`,
  );
}

/** Returns the path of a tool's file if it was generated before and is missing now; otherwise `undefined`. */
function findMissingFile(folder: string, name: string, { record, known, plan }: Records): string | undefined {
  const paths = plan.tools.flatMap((tool) => (tool.entry.name === name ? [toolPath(record.place, tool)] : []));
  const generated = known.flatMap(({ files }) => Object.keys(files));
  return paths.find((path) => generated.includes(path) && !existsSync(join(folder, path)));
}

/** Returns the packages for checking the schemas of an API, with their versions, if the project does not have them yet. */
function missingPackages({ packages }: Manifest, { needsRe2 }: ProjectSource): Readonly<Record<string, string>> {
  const needed = { ...schemaSamples.json.packages, ...(needsRe2 && patternPackages) };
  return Object.fromEntries(Object.entries(needed).filter(([name]) => packages[name] === undefined));
}

interface Registering {
  /** Path of the module with the server. */
  readonly path: string;
  readonly name: string;
  readonly place: SourcePlace;
  readonly choices: LayerChoices;
}

function registerApi(server: string, { path, name, place, choices }: Registering): string {
  const variable = toMemberName(name);
  const from = (file: string): string => toImportPath(`./${basename(place.folder)}/${file}.ts`, choices.imports);
  const tools = { member: "tools", variable: `${variable}Tools`, from: from("tools") };
  const settings = { member: "settings", variable: `${variable}Settings`, from: from("settings") };
  const served = register(path, server, { ...tools, exported: "tools", as: "spread" });
  return register(path, served, { ...settings, exported: "settings", as: "value" });
}

function growthOf({ validator, re2js }: LayerChoices, { needsRe2 }: ProjectSource): Growth | undefined {
  if (validator && (re2js === true || !needsRe2)) return undefined;
  const more = { validator: true, ...(needsRe2 && { re2js: true }) };
  return { part: "a validator of JSON Schemas", grow: (choices) => ({ ...choices, ...more }) };
}
