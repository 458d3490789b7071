import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { createCompiler, type Complaint, type Replacement } from "./compiler.ts";
import { findLibrary } from "./library.ts";
import { findUses, listSources, type MovedName } from "./use.ts";

/** A line of a user's code. */
export interface Place {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly line: number;
}

/** A line that does not fit another protocol layer. */
export interface Misfit extends Place {
  readonly reason: string;
}

/** What a project goes to. */
export interface Change {
  readonly moved: readonly MovedName[];
  /** Its layer, wherever that is. */
  readonly layer: Replacement;
  /** Lines that are taken care of, as far as the compiler is concerned. */
  readonly settled?: readonly Place[];
}

/**
 * Compiles a project with another protocol layer, in memory, and lists what the compiler does not accept any more, one a line; what it does
 * not accept now is no news. Tests are compiled as the rest is. Nothing can be said where the project has no `tsconfig.json`, or its compiler is not installed.
 */
export async function findMisfits(project: string, layer: Replacement): Promise<readonly Misfit[] | undefined> {
  const config = join(project, "tsconfig.json");
  const library = findLibrary(project);
  if (library === undefined || !existsSync(config)) return undefined;
  const files = await listSources(project);
  const compiler = createCompiler({ config, library, files });
  const found = compiler.complain(layer);
  const known = new Set(found.length === 0 ? [] : compiler.complain().map(toKey));
  const misfits = found.flatMap((complaint): Misfit[] => {
    const { file, line, text } = complaint;
    if (known.has(toKey(complaint))) return [];
    return [{ file: relative(project, file).split(sep).join("/"), line, reason: readReason(text) }];
  });
  return [...new Map(misfits.map((misfit) => [toPlace(misfit), misfit])).values()];
}

/** What a change means for a user's code. */
export interface Impact {
  readonly places: readonly Misfit[];
  /** Whether the compiler could be asked; otherwise there may be more places. */
  readonly isCompiled: boolean;
}

/** All places that another layer is no home for: what does not compile with it, and names of the protocol that are gone or advised against. */
export async function findPlacesToChange(project: string, { moved, layer, settled = [] }: Change): Promise<Impact> {
  const uses = (await findUses(project, moved)).map(({ file, line, what, name, kind, advice }) => ({
    file,
    line,
    reason: `${what} ${name} is ${kind}: ${advice.replaceAll(/\s+/g, " ")}`,
  }));
  const told = new Set([...uses, ...settled].map(toPlace));
  const found = await findMisfits(project, layer);
  const misfits = (found ?? []).filter((misfit) => !told.has(toPlace(misfit)));
  const places = [...uses, ...misfits].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  return { places, isCompiled: found !== undefined };
}

function toPlace({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** Texts may name the folder of a revision, which says nothing of what is wrong. */
function toKey({ file, line, text }: Complaint): string {
  return `${file}:${line}: ${text.replaceAll(/\bgenerated\/[^/"]+\//g, "generated/")}`;
}

/** Types of functions can be as long as the function: the line number says more than they do. */
const longest = 160;

/** Of what a revision lacks the layer's types have the reason in them; otherwise the compiler's first line says it. */
function readReason(text: string): string {
  const [, reason] = /\bUnavailable<"((?:[^"\\]|\\.)*)">/.exec(text) ?? [];
  const [first = ""] = text.split("\n");
  if (reason !== undefined) return reason.replaceAll('\\"', '"');
  return first.length > longest ? `${first.slice(0, longest)}...` : first;
}
