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
 * Returns everything that a file reaches, and nothing else: only the used statements of each file, with the imports that they need. The first file is
 * kept whole.
 */
export function reach(entry: { readonly path: string; readonly text: string }, read: ReadSource): Tree {
  const search = new Search(read);
  search.takeAll(new ReachedFile(entry.path, entry.text));
  const tree = new Map<string, string>();
  for (const [path, file] of search.files) tree.set(path, path === entry.path ? entry.text : file.text());
  return new Map([...tree].filter(([, text]) => text !== ""));
}

/** Statements, re-exports and imports of one file that the search has reached so far. */
class ReachedFile {
  readonly path: string;
  readonly source: SourceParts;
  readonly kept = new Set<SourcePart>();
  /** Re-exports of names from other files. */
  readonly passed = new Set<ReExport>();
  /** Imports that were followed already. */
  readonly followed = new Set<ImportedName>();
  readonly #byName = new Map<string, SourcePart[]>();
  readonly #imports = new Map<string, ImportedName>();
  /** Paths of imported files, by specifier. */
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

/** Types and values of one file may be imported by two statements; a namespace import always is a statement of its own. */
function importLines(names: readonly ImportedName[]): string[] {
  const [first] = names;
  if (!first) return [];
  const whole = names.filter(({ name }) => name === "*");
  const single = names.filter(({ name }) => name !== "*");
  const groups = [...whole.map((name) => [name]), ...(single.length > 0 ? [single] : [])];
  return groups.map((group) => importText(group, first.from));
}

/** Texts of the statements, in source order. */
function joinParts(parts: readonly SourcePart[]): string[] {
  return parts.map(({ text }) => text);
}

/** Search that follows names from file to file. */
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

  /** Keeps a re-export as it is, with all of its names. */
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
