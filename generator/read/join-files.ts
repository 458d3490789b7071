import type { Location } from "../model.ts";
import { SpecError, type SpecProblem } from "../internal/spec-error.ts";
import type { SchemaFile } from "./imported-files.ts";
import { declaredNames, editReferences, keyOf, targetOf, type Declared, type Edit } from "./edit-references.ts";
import { locationOf, openFiles, reject, type ts } from "./syntax.ts";

/** Several files as one text. */
export interface JoinedFiles {
  readonly text: string;
  /** Returns the original place of a place in the text. */
  readonly originOf: (location: Location) => Omit<SpecProblem, "text">;
}

/**
 * Joins the files of a schema, in the given order; the last one is the schema itself. Imports and exports of names are left out. A declaration gets
 * the name under which the schema exports it, everywhere; without an export, it keeps its own.
 *
 * @throws {SpecError} when two declarations have the same name, a name is not found, or a name would get another meaning
 */
export function joinFiles(files: readonly SchemaFile[]): JoinedFiles {
  const { sources, checker } = openFiles(files);
  const parts = sources.map((source, at): Part => ({ source, path: files[at]?.path ?? source.fileName }));
  const declared = nameDeclarations(parts, checker);
  const paths = new Map([...declared.values()].map(({ name, path }) => [name, path]));
  const names = { checker, declared, paths, hidden: new Map() };
  const pieces: Piece[] = [];
  let text = "";
  for (const part of parts) {
    const edits = editReferences(part, names);
    text += `${text && "\n"}// From ${part.source.fileName.slice(1)}\n`;
    pieces.push({ ...part, edits, start: text.length });
    text += `${applyEdits(part.source.text, edits).trimEnd()}\n`;
  }
  return { text, originOf: (location) => originOf(pieces, text, location) };
}

/** A file, with its path for messages. */
interface Part {
  readonly path: string;
  readonly source: ts.SourceFile;
}

/** A file, as it is joined. */
interface Piece extends Part {
  readonly edits: readonly Edit[];
  /** Place of its first character in the joined text. */
  readonly start: number;
}

/** Returns the declarations of all files with their names in the joined text, by file and name. */
function nameDeclarations(parts: readonly Part[], checker: ts.TypeChecker): ReadonlyMap<string, Declared> {
  const exported = exportedNames(parts, checker);
  const declared = new Map<string, Declared>();
  for (const { source, path } of parts) {
    for (const node of source.statements.flatMap(declaredNames)) {
      const key = keyOf(source, node.text);
      // An interface in parts has the place of its first part.
      if (!declared.has(key)) declared.set(key, { name: exported.get(key) ?? node.text, path, node });
    }
  }
  rejectSameNames([...declared.values()]);
  return declared;
}

function rejectSameNames(declarations: readonly Declared[]): void {
  const first = new Map<string, Declared>();
  for (const declared of declarations) {
    const { name, path, node } = declared;
    const other = first.get(name);
    if (other)
      throw new SpecError({
        file: path,
        ...locationOf(node),
        text: `\`${name}\` is also declared at ${placeOf(other)}`,
      });
    first.set(name, declared);
  }
}

function placeOf({ path, node }: Declared): string {
  const { line, column } = locationOf(node);
  return `${path}:${line}:${column}`;
}

/** Returns the names under which the schema exports declarations. */
function exportedNames(parts: readonly Part[], checker: ts.TypeChecker): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const schema = parts.at(-1);
  const module = schema && checker.getSymbolAtLocation(schema.source);
  for (const symbol of module ? checker.getExportsOfModule(module) : []) {
    const key = targetOf(symbol, checker).key;
    if (key === undefined) continue;
    const before = names.get(key);
    const node = symbol.declarations?.[0] ?? schema?.source;
    if (before !== undefined && node) {
      const path = parts.find(({ source }) => source === node.getSourceFile())?.path ?? "";
      throw reject(path, node, `a declaration has one name; write \`type ${symbol.name} = ${before}\``);
    }
    names.set(key, symbol.name);
  }
  return names;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let end = 0;
  const kept = edits.map((edit) => {
    const before = text.slice(end, edit.start);
    end = edit.end;
    return before + edit.text;
  });
  return kept.join("") + text.slice(end);
}

function originOf(pieces: readonly Piece[], text: string, { line, column }: Location): Omit<SpecProblem, "text"> {
  const lines = text.split("\n").slice(0, line - 1);
  const offset = lines.reduce((sum, { length }) => sum + length + 1, column - 1);
  const piece = pieces.findLast(({ start }) => start <= offset) ?? pieces[0];
  if (!piece) throw new Error("A joined schema has no files; this is a bug in the generator.");
  const at = beforeEdits(Math.max(0, offset - piece.start), piece.edits);
  const place = piece.source.getLineAndCharacterOfPosition(at);
  return { file: piece.path, line: place.line + 1, column: place.character + 1 };
}

/** Returns the place in a text from its place in the edited text. */
function beforeEdits(offset: number, edits: readonly Edit[]): number {
  let moved = 0;
  for (const { start, end, text } of edits) {
    if (offset < start + moved) break;
    if (offset < start + moved + text.length) return start;
    moved += text.length - (end - start);
  }
  return offset - moved;
}
