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

/** Reads a source by its path; `undefined` for what is not ours, such as modules of Node. */
export type ReadSource = (path: string) => Promise<string>;

/**
 * Everything that a file reaches, and nothing else: of every file only the statements that are used, with the imports that they need.
 * The first file is taken whole.
 */
export async function reach(entry: { readonly path: string; readonly text: string }, read: ReadSource): Promise<Tree> {
  const search = new Search(read);
  const source = readSourceParts(entry.text);
  search.files.set(entry.path, new ReachedFile(source));
  await search.takeAll(entry.path, source);
  const tree = new Map<string, string>();
  for (const [path, file] of search.files) tree.set(path, path === entry.path ? entry.text : file.text());
  return new Map([...tree].filter(([, text]) => text !== ""));
}

/** What was found in one file so far. */
class ReachedFile {
  readonly source: SourceParts;
  readonly kept = new Set<SourcePart>();
  /** What it gives on from other files. */
  readonly passed = new Set<ReExport>();
  readonly #byName = new Map<string, SourcePart[]>();
  readonly #imports = new Map<string, ImportedName>();

  constructor(source: SourceParts) {
    this.source = source;
    for (const part of source.parts) {
      if (part.name === undefined) continue;
      const others = this.#byName.get(part.name);
      if (others) others.push(part);
      else this.#byName.set(part.name, [part]);
    }
    for (const imported of source.imports) this.#imports.set(imported.local, imported);
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
    const words = new Set(parts.flatMap((part) => [...part.words]));
    const used = this.source.imports.filter(({ local }) => words.has(local));
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
  readonly #loading = new Map<string, Promise<ReachedFile>>();
  readonly #read: ReadSource;

  constructor(read: ReadSource) {
    this.#read = read;
  }

  /** Takes every statement of a file. */
  async takeAll(path: string, { parts, reExports }: SourceParts): Promise<void> {
    const file = await this.#load(path);
    await Promise.all([
      ...parts.map((part) => this.#take(path, file, part)),
      ...reExports.flatMap(({ from, names }) => names.map((name) => this.#reachName(resolvePath(path, from), name))),
    ]);
  }

  async #load(path: string): Promise<ReachedFile> {
    const known = this.files.get(path);
    if (known) return known;
    const loading = this.#loading.get(path) ?? this.#read(path).then((text) => new ReachedFile(readSourceParts(text)));
    this.#loading.set(path, loading);
    const file = await loading;
    this.files.set(path, file);
    return file;
  }

  async #reachName(path: string, name: string): Promise<void> {
    if (!path.endsWith(".ts")) return;
    const file = await this.#load(path);
    const parts = file.declared(name);
    const given = parts.length === 0 ? file.source.reExports.filter(({ names }) => names.includes(name)) : [];
    await Promise.all([
      ...parts.map((part) => this.#take(path, file, part)),
      ...given.map((reExport) => this.#pass(path, file, reExport)),
    ]);
  }

  /** A statement that gives names on is kept as it is, with all of them. */
  async #pass(path: string, file: ReachedFile, reExport: ReExport): Promise<void> {
    if (file.passed.has(reExport)) return;
    file.passed.add(reExport);
    const target = resolvePath(path, reExport.from);
    await Promise.all(reExport.names.map((name) => this.#reachName(target, name)));
  }

  async #take(path: string, file: ReachedFile, part: SourcePart): Promise<void> {
    if (file.kept.has(part)) return;
    file.kept.add(part);
    const names = [...part.words];
    await Promise.all([
      ...names.flatMap((name) => file.declared(name)).map((other) => this.#take(path, file, other)),
      ...names.flatMap((name) => file.imported(name) ?? []).map((imported) => this.#follow(path, imported, part)),
    ]);
  }

  async #follow(path: string, { from, name, local }: ImportedName, { text }: SourcePart): Promise<void> {
    if (!from.startsWith(".")) return;
    const target = resolvePath(path, from);
    const names = name === "*" ? membersOf(local, text) : [name];
    await Promise.all(names.map((member) => this.#reachName(target, member)));
  }
}

function resolvePath(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}
