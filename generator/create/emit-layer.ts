import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { generatedMark, type Tree } from "../emit/tree.ts";
import type { Templates } from "../emit/templates.ts";
import { createLock, lockName, lockText } from "./lock.ts";
import { UserError } from "../user-error.ts";

/** What an emitted layer depends on. */
export interface LayerOptions {
  /** Revisions that it speaks, newest first. */
  readonly revisions: readonly string[];
  /** Version of this package. */
  readonly version: string;
  /** Folder with `runtime/` and `generated/`. */
  readonly packageFolder: string;
  readonly templates: Templates;
}

/** Name of the template of the layer's entry. */
export const layerTemplate = "mcp/index.ts";

/**
 * The files of `src/mcp/` by path: an entry that binds the runtime to the revisions, what it reaches of `runtime/` and
 * `generated/`, at the same places relative to each other, and the lock file.
 */
export async function emitLayer(options: LayerOptions): Promise<Tree> {
  const entry = options.templates.render(layerTemplate, entryView(options));
  const layer = new Map([[entryPath, entry]]);
  await addReached(layer, importsOf(entryPath, entry), options);
  const lock = createLock(layer, { generator: options.version, revisions: options.revisions });
  return layer.set(lockName, lockText(lock));
}

/** Modules that a source of ours imports, resolved against its own path; relative ones only. */
export function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(relativeImport)].map(([, specifier = ""]) => specifier);
  return specifiers.map((specifier) => posix.join(posix.dirname(path), specifier));
}

const entryPath = "index.ts";

/** Our sources are formatted, so every import ends its line or stands in `import("...")`. */
const relativeImport = /\b(?:from |import |import\()"(\.{1,2}\/[^"]+)"/g;

/** Folders of the package that a layer may take files from. */
const sources = /^(runtime|generated)\//;

function entryView({ revisions, version }: LayerOptions): object {
  const views = revisions.map((id) => ({ id, alias: `revision${id.replaceAll("-", "")}` }));
  return {
    header: header(version, `for MCP ${revisions.join(", ")}`),
    revisions: views,
    newest: views[0],
    list: views.map(({ alias }) => alias).join(", "),
  };
}

/** Breadth first, one round of parallel reads a step. */
async function addReached(layer: Map<string, string>, paths: readonly string[], options: LayerOptions): Promise<void> {
  const fresh = [...new Set(paths)].filter((path) => !layer.has(path));
  if (fresh.length === 0) return;
  const files = await Promise.all(fresh.map((path) => readSource(path, options)));
  for (const [path, text] of files) layer.set(path, text);
  const next = files.flatMap(([path, text]) => importsOf(path, text));
  await addReached(layer, next, options);
}

async function readSource(path: string, options: LayerOptions): Promise<[string, string]> {
  const { packageFolder, version, revisions } = options;
  if (!sources.test(path)) throw new Error(`${path} is outside of runtime/ and generated/, so it cannot be emitted.`);
  const file = join(packageFolder, path);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read. Reinstall create-mcp-server.`, { cause: error });
  });
  const source = text.replaceAll("\r\n", "\n");
  const isNewest = path === `generated/${revisions[0]}/methods.ts`;
  return [path, withHeader(path, isNewest ? withoutConversions(source) : source, version)];
}

/** The newest revision of a project needs no way down to it: the project's own code is written for it. */
function withoutConversions(methods: string): string {
  return methods.replace(/^import \{ conversions \} from ".\/convert.ts";\n/m, "").replace(/^  conversions,\n/m, "");
}

/** Generated sources have a header already; it keeps saying which schema they come from. */
function withHeader(path: string, text: string, version: string): string {
  if (!text.startsWith(generatedMark)) return `${header(version, `from ${path}`)}\n\n${text}`;
  const [first = "", , ...rest] = text.split("\n");
  return [first, advice, ...rest].join("\n");
}

function header(version: string, origin: string): string {
  return `${generatedMark} ${version} ${origin}.\n${advice}`;
}

const advice = "// Do not edit: `npx create-mcp-server update` writes this folder anew.";
