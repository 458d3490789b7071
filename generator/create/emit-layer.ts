import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generatedMark, type Tree } from "../emit/tree.ts";
import { loadTemplates, type Templates } from "../emit/templates.ts";
import { readCatalogue, isStatelessAt } from "./catalogue.ts";
import type { LayerChoices } from "./layer/choices.ts";
import {
  areasLeftOut,
  methodsLeft,
  trimChecks,
  trimConversions,
  trimMethods,
  trimRevision,
  withoutRowTypes,
} from "./layer/dispatch-rows.ts";
import { withoutCategories, withoutCheckDocs } from "./layer/doc-comments.ts";
import { declarationNames, entryView, type RevisionFacts } from "./layer/entry-view.ts";
import { trimLacks } from "./layer/lacks.ts";
import { layerReadme } from "./layer/layer-readme.ts";
import { partsOf, withoutParts, type Part } from "./layer/parts.ts";
import { reach } from "./layer/reach.ts";
import { shareChecks } from "./layer/shared-checks.ts";
import { createLock, lockName, lockText } from "./lock.ts";
import { packageRoot, packageVersion } from "../package-info.ts";
import { UserError } from "../user-error.ts";

/** Options of an emitted layer. */
export interface LayerOptions {
  readonly choices: LayerChoices;
  /** Version of this package, written into the headers and the lock file. */
  readonly version: string;
  /** Folder with `runtime/` and `generated/`. */
  readonly packageFolder: string;
  readonly templates: Templates;
}

interface LayerSources extends LayerOptions {
  readonly has: ReadonlySet<Part>;
}

/** Name of the template of the layer's entry file. */
export const layerTemplate = "mcp/index.ts";

/**
 * Emits the files of `src/mcp/` by path: an entry that binds the runtime to the choices; the files of `runtime/` and `generated/` that it reaches, at
 * the same places relative to each other; a README with a table of all of it; the list of revisions; and the lock file.
 * @throws {UserError} when a file of the package cannot be read.
 */
export function emitLayer(options: LayerOptions): Tree {
  const { choices, version } = options;
  const facts = choices.revisions.map((id) => readFacts(id, options));
  const origin = `for MCP ${choices.revisions.join(", ")}`;
  const view = { header: header(version, origin), ...entryView(choices, facts) };
  const entry = tidy(options.templates.render(layerTemplate, view));
  const checks = readChecks(options);
  const has = partsOf(choices, facts);
  const sources = { ...options, has };
  const read = (path: string): string => checks.get(path) ?? readSource(path, sources);
  const reached = reach({ path: entryPath, text: entry }, read);
  const layer = new Map([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
  layer.set(spokenName, spokenText(options));
  layer.set(readmeName, layerReadme(layer, { choices, mark: generatedMark, version }));
  const lock = createLock(layer, { generator: version, choices });
  return layer.set(lockName, lockText(lock));
}

/** Emits a layer from this package's own folder, or from a folder of the same structure. */
export function emitOwnLayer(choices: LayerChoices, packageFolder: string = packageRoot): Tree {
  const templates = loadTemplates(join(packageFolder, "templates"), [layerTemplate]);
  return emitLayer({ choices, version: packageVersion(), packageFolder, templates });
}

/** Name of the file that lists the revisions of the project, and nothing else: tests import it without loading the layer. */
export const spokenName = "revisions.ts";

function spokenText({ choices, packageFolder, version }: LayerOptions): string {
  const catalogue = readCatalogue(packageFolder);
  const rows = choices.revisions.map((id) => {
    const lifecycle = isStatelessAt(id, catalogue) ? "per-request" : "handshake";
    return `  { id: "${id}", lifecycle: "${lifecycle}" },`;
  });
  const text = `/** The revisions that this project speaks, newest first, and whether their clients open a session. */
export const revisions: readonly { readonly id: string; readonly lifecycle: "handshake" | "per-request" }[] = [
${rows.join("\n")}
];
`;
  return withHeader(text, version);
}

const entryPath = "index.ts";
const readmeName = "README.md";

/** Folders of the package that a layer may take files from. */
const sources = /^(runtime|generated)\//;

function readFacts(id: string, { packageFolder }: LayerOptions): RevisionFacts {
  const read = (name: string): string => readText(join(packageFolder, "generated", id, name));
  return { id, methods: read("methods.ts"), types: read("types.ts") };
}

/** Returns the checks of each revision, by path. */
function readChecks({ choices, packageFolder, version }: LayerOptions): ReadonlyMap<string, string> {
  const toPath = (revision: string): string => `generated/${revision}/validate.ts`;
  const sources = choices.revisions.map((revision) => {
    const text = withoutCheckDocs(readText(join(packageFolder, toPath(revision))));
    return { revision, text: withHeader(trimChecks(text, areasLeftOut(choices)), version) };
  });
  const shared = shareChecks(sources);
  return new Map([...shared].map(([revision, text]) => [toPath(revision), text]));
}

function readSource(path: string, options: LayerSources): string {
  const { packageFolder, version, choices, has } = options;
  if (!sources.test(path)) throw new Error(`${path} is outside of runtime/ and generated/, so it cannot be emitted.`);
  const text = withoutParts(readText(join(packageFolder, path)), has);
  if (extensionMethods.test(path)) return withHeader(withoutRowTypes(text), version);
  if (path === supportPath) return withHeader(needsConversions(choices) ? text : withoutConversionTypes(text), version);
  const [, revision = "", name = ""] = /^generated\/([^/]+)\/(\w+\.ts)$/.exec(path) ?? [];
  switch (name) {
    case "types.ts":
      return withHeader(withoutCategories(text), version);
    case "methods.ts": {
      const isNewest = revision === choices.revisions[0];
      const own = isNewest ? withoutConversions(text) : text;
      const trimmed = trimMethods(needsHeaders(choices) ? own : withoutHeaders(own), choices);
      return withHeader(trimRevision(trimmed, readSource(supportPath, options)), version);
    }
    case "convert.ts": {
      if (choices.client) return withHeader(text, version);
      const methods = readText(join(packageFolder, "generated", revision, "methods.ts"));
      const left = methodsLeft(trimMethods(methods, choices));
      return withHeader(trimConversions(text, left), version);
    }
    case "index.ts":
      return withHeader(choices.client ? text : trimLacks(text, declarationNames(choices.offers)), version);
    default:
      return withHeader(text, version);
  }
}

const extensionMethods = /^generated\/extensions\/[^/]+\/methods\.ts$/;

const supportPath = "generated/support.ts";

/** Reads synchronously: for a few hundred small files, waiting for each takes longer than reading it. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").replaceAll("\r\n", "\n");
  } catch (error) {
    throw new UserError(`${file} cannot be read. Reinstall create-mcp-server.`, { cause: error });
  }
}

/** Removes the conversions of the newest revision: the project's own code is written for it. */
function withoutConversions(methods: string): string {
  return methods.replace(/^import \{ conversions \} from ".\/convert.ts";\n/m, "").replace(/^  conversions,\n/m, "");
}

/** True if the layer converts between revisions. A server that speaks one revision needs no conversions. */
function needsConversions({ revisions, client }: LayerChoices): boolean {
  return client || revisions.length > 1;
}

/** True if the layer needs the tables of HTTP headers: stdio has no headers. */
function needsHeaders({ transports, client }: LayerChoices): boolean {
  return client || transports.some((transport) => transport !== "stdio");
}

function withoutHeaders(methods: string): string {
  return methods.replace(/^  headers: \[\n[^]*?^  \],\n/m, "  headers: [],\n");
}

/** Removes the member that refers to conversions, so that their types are no longer reached. */
function withoutConversionTypes(support: string): string {
  return support.replace(/^  \/\*\*[^\n]*\*\/\n  readonly conversions\?: Conversions;\n/m, "");
}

/**
 * Adds a header, or extends the one that generated sources have, which names their schema. The path of other files shows their origin. The entry and
 * the README say once what to do instead of editing.
 */
function withHeader(text: string, version: string): string {
  if (!text.startsWith(generatedMark)) return `${generatedMark} ${version}. Do not edit.\n\n${text}`;
  const [first = "", , ...rest] = text.split("\n");
  return [`${first} Do not edit.`, ...rest].join("\n");
}

function header(version: string, origin: string): string {
  return `${generatedMark} ${version} ${origin}.\n// ${advice}`;
}

const advice = "Do not edit: `npx create-mcp-server update` writes this folder anew.";

/** Removes the blank lines that templates leave where something was left out. */
function tidy(text: string): string {
  return `${text.replaceAll(/\n{3,}/g, "\n\n").trim()}\n`;
}
