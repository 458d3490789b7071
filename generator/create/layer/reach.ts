import { posix } from "node:path";
import type { Tree } from "../../emit/tree.ts";
import {
  importText,
  membersOf,
  readSourceParts,
  type ImportedName,
  type ReExport,
  type SourcePart,
  type SourceParts,
} from "./source-parts.ts";

/** Reads a source by its path. */
export type ReadSource = (path: string) => string;

/**
 * Everything that a file reaches, and nothing else: of every file only the statements that are used, with the imports that they need.
 * The first file is taken whole.
 */
export function reach(entry: { readonly path: string; readonly text: string }, read: ReadSource): Tree {
  const search = new Search(read);
  search.takeAll(new ReachedFile(entry.path, entry.text));
  const tree = new Map<string, string>();
  for (const [path, file] of search.files) tree.set(path, path === entry.path ? entry.text : file.text());
  return new Map([...tree].filter(([, text]) => text !== ""));
}

/** What was found in one file so far. */
class ReachedFile {
  readonly path: string;
  readonly source: SourceParts;
  readonly kept = new Set<SourcePart>();
  /** What it gives on from other files. */
  readonly passed = new Set<ReExport>();
  /** Imports that lead nowhere new. */
  readonly followed = new Set<ImportedName>();
  readonly #byName = new Map<string, SourcePart[]>();
  readonly #imports = new Map<string, ImportedName>();
  /** Paths of the files that its specifiers name. */
  readonly #targets = new Map<string, string>();

  constructor(path: string, text: string) {
    this.path = path;
    this.source = readSourceParts(text);
    for (const part of this.source.parts) {
      if (part.name === undefined) continue;
      const others = this.#byName.get(part.name);
      if (others) others.push(part);
      else this.#byName.set(part.name, [part]);
    }
    for (const imported of this.source.imports) this.#imports.set(imported.local, imported);
  }

  target(specifier: string): string {
    const target = this.#targets.get(specifier) ?? posix.join(posix.dirname(this.path), specifier);
    this.#targets.set(specifier, target);
    return target;
  }

  declared(name: string): readonly SourcePart[] {
    return this.#byName.get(name) ?? [];
  }

  imported(name: string): ImportedName | undefined {
    return this.#imports.get(name);
  }

  text(): string {
    const parts = this.source.parts.filter((part) => this.kept.has(part));
    if (parts.length === 0 && this.passed.size === 0) return "";
    const used = this.source.imports.filter(({ local }) => parts.some(({ words }) => words.has(local)));
    const specifiers = [...new Set(used.map(({ from }) => from))];
    const imports = specifiers.flatMap((from) => importLines(used.filter((name) => name.from === from)));
    const given = [...this.passed].map((reExport) => reExport.text);
    const blocks = [this.source.header, imports.join(""), given.join(""), ...joinParts(parts)];
    return `${blocks
      .map((block) => block.trimEnd())
      .filter((block) => block !== "")
      .join("\n\n")}\n`;
  }
}

/** Types and values of one file may be imported by two statements; everything under one name always is by its own. */
function importLines(names: readonly ImportedName[]): string[] {
  const [first] = names;
  if (!first) return [];
  const whole = names.filter(({ name }) => name === "*");
  const single = names.filter(({ name }) => name !== "*");
  const groups = [...whole.map((name) => [name]), ...(single.length > 0 ? [single] : [])];
  return groups.map((group) => importText(group, first.from));
}

/** One-line statements that stood together stay together. */
function joinParts(parts: readonly SourcePart[]): string[] {
  return parts.map(({ text }) => text);
}

/** Follows names through files. */
class Search {
  readonly files = new Map<string, ReachedFile>();
  readonly #read: ReadSource;

  constructor(read: ReadSource) {
    this.#read = read;
  }

  /** Takes every statement of a file. */
  takeAll(file: ReachedFile): void {
    this.files.set(file.path, file);
    for (const part of file.source.parts) this.#take(file, part);
    for (const { from, names } of file.source.reExports)
      for (const name of names) this.#reachName(file.target(from), name);
  }

  #load(path: string): ReachedFile {
    const known = this.files.get(path);
    if (known) return known;
    const file = new ReachedFile(path, this.#read(path));
    this.files.set(path, file);
    return file;
  }

  #reachName(path: string, name: string): void {
    if (!path.endsWith(".ts")) return;
    const file = this.#load(path);
    const parts = file.declared(name);
    for (const part of parts) this.#take(file, part);
    if (parts.length > 0) return;
    for (const reExport of file.source.reExports) if (reExport.names.includes(name)) this.#pass(file, reExport);
  }

  /** A statement that gives names on is kept as it is, with all of them. */
  #pass(file: ReachedFile, reExport: ReExport): void {
    if (file.passed.has(reExport)) return;
    file.passed.add(reExport);
    for (const name of reExport.names) this.#reachName(file.target(reExport.from), name);
  }

  #take(file: ReachedFile, part: SourcePart): void {
    if (file.kept.has(part)) return;
    file.kept.add(part);
    for (const name of part.words) {
      for (const other of file.declared(name)) this.#take(file, other);
      const imported = file.imported(name);
      if (imported && !file.followed.has(imported)) this.#follow(file, imported, part);
    }
  }

  #follow(file: ReachedFile, imported: ImportedName, { text }: SourcePart): void {
    const { from, name, local } = imported;
    if (name !== "*") file.followed.add(imported);
    if (!from.startsWith(".")) return;
    const target = file.target(from);
    const names = name === "*" ? membersOf(local, text) : [name];
    for (const member of names) this.#reachName(target, member);
  }
}
