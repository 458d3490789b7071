import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { relativePath } from "../../internal/files.ts";
import { runtimePackage } from "../create/runtime-package.ts";
import { createCompiler, type CompileError, type Replacement, findLibrary } from "./compiler.ts";
import { findNameUses, listSources, type RemovedName } from "./removed-names.ts";

/** A line of the user's code. */
export interface CodeLine {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly line: number;
}

/** A line with compile errors under another protocol layer. */
export interface IncompatibleLine extends CodeLine {
  readonly reason: string;
}

/** Text of a source before and after a change. */
export interface SourceChange {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Change of a project to another protocol layer. */
export interface Change {
  readonly moved: readonly RemovedName[];
  /** New layer: a folder, or the module in its place. */
  readonly layer: Replacement;
  /** Sources changed together with it. */
  readonly rewrites?: readonly SourceChange[];
}

/**
 * Compiles a project, including its tests, with another protocol layer in memory. Lists new compile errors, one per line of code; existing errors are
 * not reported. Returns `undefined` when the project has no `tsconfig.json`, or its compiler or the runtime is not installed: without the types of
 * the runtime, the compiler finds almost nothing.
 */
export async function findIncompatibleCode(
  project: string,
  { layer, rewrites = [] }: Pick<Change, "layer" | "rewrites">,
): Promise<readonly IncompatibleLine[] | undefined> {
  const config = join(project, "tsconfig.json");
  const library = findLibrary(project);
  if (library === undefined || !existsSync(config) || !hasRuntime(project)) return undefined;
  const files = await listSources(project);
  const compiler = createCompiler({ config, library, files });
  const textsOf = (state: "before" | "after"): ReadonlyMap<string, string> =>
    new Map(rewrites.map((rewrite) => [join(project, rewrite.file), rewrite[state]]));
  const found = compiler.findErrors({ replaced: layer, texts: textsOf("after") });
  const among = new Set(found.map(({ file }) => file));
  const known = new Set(found.length === 0 ? [] : compiler.findErrors({ texts: textsOf("before"), among }).map(toKey));
  const incompatible = found.flatMap((error): IncompatibleLine[] => {
    const { file, line, text } = error;
    if (known.has(toKey(error))) return [];
    return [{ file: relativePath(project, file), line, reason: readReason(text) }];
  });
  return [...new Map(incompatible.map((line) => [toPlace(line), line])).values()];
}

/** True if the project can import the runtime. In a workspace, a folder above the project may have it. */
function hasRuntime(project: string): boolean {
  try {
    createRequire(join(project, "package.json")).resolve(`${runtimePackage}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** Effects of a change on the user's code. */
export interface Impact {
  readonly places: readonly IncompatibleLine[];
  /** True if the project was compiled; otherwise there may be more places. */
  readonly isCompiled: boolean;
}

/** Finds all places to change for another layer: code with compile errors, and removed or deprecated names of the protocol. */
export async function findPlacesToChange(project: string, { moved, ...change }: Change): Promise<Impact> {
  const uses = (await findNameUses(project, moved)).map(({ file, line, what, name, kind, advice }) => ({
    file,
    line,
    reason: `${what} ${name} is ${kind}: ${advice.replaceAll(/\s+/g, " ")}`,
  }));
  const told = new Set(uses.map(toPlace));
  const found = await findIncompatibleCode(project, change);
  const incompatible = (found ?? []).filter((line) => !told.has(toPlace(line)));
  const places = [...uses, ...incompatible].sort((a, b) =>
    a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1,
  );
  return { places, isCompiled: found !== undefined };
}

function toPlace({ file, line }: CodeLine): string {
  return `${file}:${line}`;
}

/** Returns a key that is equal before and after the change: the folder of a revision, which messages may contain, is replaced. */
function toKey({ file, line, text }: CompileError): string {
  return `${file}:${line}: ${text.replaceAll(/\bmcp\/[^/"]+\/(?=types|declarations)/g, "mcp/")}`;
}

/** Maximum length of a reason, in characters. Types of functions can be as long as the function; the line number is more useful. */
const longest = 160;

/**
 * Returns the reason, given by the layer's types, why something is missing in a revision. Otherwise returns the deepest message of the compiler's
 * chain: the others repeat whole types.
 */
export function readReason(text: string): string {
  const [, reason] = /\bUnavailable<"((?:[^"\\]|\\.){0,10000})">/.exec(text) ?? [];
  if (reason !== undefined) return reason.replaceAll('\\"', '"');
  const deepest = text.split("\n").reduce((found, line) => (depthOf(line) > depthOf(found) ? line : found));
  const shown = deepest.trim();
  return shown.length > longest ? `${shown.slice(0, longest)}...` : shown;
}

function depthOf(line: string): number {
  return line.search(/\S|$/);
}
