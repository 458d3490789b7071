import { formatTypeScript } from "../internal/format.ts";
import { escapePattern } from "../internal/text.ts";
import { parseValidSource, ts } from "../read/syntax.ts";
import { hashPart, membersMark, readParts, type NamedImport, type Part, type SourceParts } from "./source-parts.ts";

/** Result of the merge of an edited file with its newly generated text. */
export interface Merge {
  readonly text: string;
  /** Edited parts, which stay as they are. */
  readonly kept: readonly string[];
  /** Those of them whose generated text changed as well. */
  readonly conflicts: readonly string[];
}

/** Texts of a file, and the record of the text generated before. */
export interface MergeInput {
  readonly path: string;
  /** Text in the project, formatted. */
  readonly edited: string;
  /** Newly generated text. */
  readonly generated: string;
  /** Hashes of the parts of the text generated before. */
  readonly hashes: Readonly<Record<string, string>>;
}

/**
 * Merges an edited file with its newly generated text, statement by statement, and member by member in definitions. A part without edits is replaced;
 * an edited, added or removed one stays so.
 */
export async function mergeSource({ path, edited, generated, hashes }: MergeInput): Promise<Merge> {
  const mine = readParts(path, edited);
  const theirs = readParts(path, generated);
  const renamed = findRenamed(mine.parts, theirs.parts, hashes);
  const merging: Merging = { hashes: renameKeys(hashes, renamed), kept: [], conflicts: [] };
  const own = mine.parts.map((part) => ({ ...part, key: renamed.get(part.key) ?? part.key }));
  const parts = mergeParts({ mine: own, theirs: theirs.parts, prefix: "" }, merging);
  const merged = parts.map((part) => (part.isClose === true ? "\n" : "\n\n") + partText(part)).join("");
  const body = `${renamed.size > 0 ? renameUses(path, merged, renamed) : merged}\n\n${mine.tail}`;
  const text = [mine.head, importText([mine, theirs], body), body].join("\n\n");
  const { kept, conflicts } = merging;
  return { text: await formatTypeScript(text, { collapses: true }), kept, conflicts };
}

type Hashes = MergeInput["hashes"];

/** Finds the new names of generated statements whose names differ only in case now. The file of a tool stays the same then. */
function findRenamed(mine: readonly Part[], theirs: readonly Part[], hashes: Hashes): ReadonlyMap<string, string> {
  const isGenerated = (key: string): boolean => theirs.some((part) => part.key === key);
  const added = theirs.filter(({ key }) => !Object.hasOwn(hashes, key) && mine.every((part) => part.key !== key));
  const names = new Map(added.map(({ key }) => [key.toLowerCase(), key]));
  const former = mine.filter(({ key }) => /^[\w$]+$/.test(key) && Object.hasOwn(hashes, key) && !isGenerated(key));
  return new Map(
    former.flatMap(({ key }) => {
      const name = names.get(key.toLowerCase());
      return name === undefined ? [] : [[key, name] as const];
    }),
  );
}

function renameKeys(hashes: Hashes, renamed: ReadonlyMap<string, string>): Merging["hashes"] {
  const rename = (key: string): string => key.replace(/^[\w$]+(?=\.|$)/, (name) => renamed.get(name) ?? name);
  return new Map(Object.entries(hashes).map(([key, hash]) => [rename(key), hash]));
}

/** Renames variables and types. Texts, comments and members keep their names. */
function renameUses(path: string, text: string, renamed: ReadonlyMap<string, string>): string {
  const places: { readonly start: number; readonly end: number; readonly name: string }[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isIdentifier(node) && !isMemberName(node) ? renamed.get(node.text) : undefined;
    const prefix = ts.isShorthandPropertyAssignment(node.parent) ? `${node.getText()}: ` : "";
    if (name !== undefined) places.push({ start: node.getStart(), end: node.getEnd(), name: prefix + name });
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(parseValidSource(path, text), visit);
  return places.reduceRight((whole, { start, end, name }) => whole.slice(0, start) + name + whole.slice(end), text);
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  const isNamed =
    ts.isPropertyAccessExpression(parent) || ts.isObjectLiteralElement(parent) || ts.isTypeElement(parent);
  return isNamed && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

/** Returns a pattern of a name, except as a member of another one. */
function useOf(name: string): RegExp {
  return new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${escapePattern(name)}(?![\\w$])`, "g");
}

interface Merging {
  /** Hashes of the parts of the text generated before, by key. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly kept: string[];
  readonly conflicts: string[];
}

interface Lists {
  readonly mine: readonly Part[];
  readonly theirs: readonly Part[];
  /** Text before the keys of the parts among the hashes. */
  readonly prefix: string;
}

function mergeParts({ mine, theirs, prefix }: Lists, merging: Merging): Part[] {
  const known = (key: string): string | undefined => merging.hashes.get(prefix + key);
  const own = new Map(mine.map((part) => [part.key, part]));
  const merged = theirs.flatMap((part): Part[] => {
    const edited = own.get(part.key);
    if (edited) return [mergePart(edited, part, { prefix, merging })];
    if (known(part.key) === undefined) return [part];
    merging.kept.push(`${prefix}${part.key} (removed)`);
    return [];
  });
  const generated = new Set(theirs.map(({ key }) => key));
  for (const [place, part] of mine.entries()) {
    if (generated.has(part.key)) continue;
    const edits = listEdits(part, prefix, merging.hashes);
    if (edits.length === 0) continue;
    if (known(part.key) !== undefined) merging.kept.push(...edits);
    const before = mine.slice(0, place).findLast(({ key }) => merged.some((one) => one.key === key));
    merged.splice(before ? merged.findIndex(({ key }) => key === before.key) + 1 : 0, 0, part);
  }
  return merged;
}

/** Lists a part and its members, as far as their texts differ from the ones generated before. */
function listEdits(part: Part, prefix: string, hashes: Merging["hashes"]): string[] {
  const key = prefix + part.key;
  const members = (part.members ?? []).flatMap((member) => listEdits(member, `${key}.`, hashes));
  return hashes.get(key) === hashPart(part) ? members : [key, ...members];
}

function mergePart(
  edited: Part,
  generated: Part,
  { prefix, merging }: { readonly prefix: string; readonly merging: Merging },
): Part {
  const key = prefix + edited.key;
  const before = merging.hashes.get(key);
  const isKept = hashPart(edited) !== before && hashPart(edited) !== hashPart(generated);
  if (isKept) {
    merging.kept.push(key);
    if (hashPart(generated) !== before) merging.conflicts.push(key);
  }
  const chosen = isKept ? edited : generated;
  if (!edited.members || !generated.members) return chosen;
  const lists = { mine: edited.members, theirs: generated.members, prefix: `${key}.` };
  return { ...chosen, members: mergeParts(lists, merging) };
}

function partText({ text, members }: Part): string {
  return members ? text.replace(membersMark, () => `{${members.map(memberText).join("")}}`) : text;
}

function memberText({ text, isClose }: Part): string {
  // A comment at the end of a member would hide a comma on its line.
  return `${isClose === true ? "" : "\n"}${text}\n,`;
}

/** Writes the imports of both files that the body uses. If both import a name from different modules, the first file has precedence. */
function importText([mine, theirs]: readonly [SourceParts, SourceParts], body: string): string {
  const modules = new Map(mine.imports.flatMap(({ module, names }) => names.map(({ local }) => [local, module])));
  const isOther = (local: string, module: string): boolean => (modules.get(local) ?? module) !== module;
  const isUsed = (local: string, module: string): boolean => useOf(local).test(body) && !isOther(local, module);
  return joinImports([...mine.imports, ...theirs.imports])
    .map((one) => ({ ...one, names: one.names.filter(({ local }) => isUsed(local, one.module)) }))
    .filter(({ names }) => names.length > 0)
    .map(({ above, names, module, attributes, beside }) => {
      const specifiers = names.map(({ text, isType }) => (isType ? `type ${text}` : text)).join(", ");
      return `${above}import { ${specifiers} } from ${JSON.stringify(module)} ${attributes}; ${beside}`.trim();
    })
    .join("\n");
}

/** Joins the imports of a module. The second specifier of a name replaces the first. */
function joinImports(imports: readonly NamedImport[]): readonly NamedImport[] {
  const joined = new Map<string, NamedImport>();
  for (const one of imports) {
    const key = `${one.module} ${one.attributes}`;
    const { above = "", beside = "", names = [] } = joined.get(key) ?? {};
    const specifiers = new Map([...names, ...one.names].map((name) => [name.local, name]));
    const comments = { above: above + one.above, beside: beside + one.beside };
    joined.set(key, { ...one, ...comments, names: [...specifiers.values()] });
  }
  return [...joined.values()];
}
