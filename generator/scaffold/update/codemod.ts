import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, basename, join } from "node:path";
import type { Declaration, RevisionModel } from "../../model.ts";
import { shapeKey } from "../../model/shapes.ts";
import { copyPermissions, move, relativePath } from "../../internal/files.ts";
import { replaceFile } from "../../internal/tree.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";
import { listSources } from "./removed-names.ts";
import { locationOf, parseSource, ts } from "../../read/syntax.ts";
import { SpecError } from "../../internal/spec-error.ts";
import { countText, escapePattern } from "../../internal/text.ts";
import type { SourceChange } from "./incompatible-code.ts";
import { hasInterfaces, sidesOf } from "./type-names.ts";

/** Mechanical changes of a project's own code for another revision. */
export interface Codemod {
  readonly renames: readonly Rename[];
  readonly rewrites: readonly Rewrite[];
}

/** Plans the mechanical changes of a project's own code. Writes nothing. */
export async function planCodemod(project: string, older: RevisionModel, newer: RevisionModel): Promise<Codemod> {
  const renames = findRenames(older, newer);
  const rewrites = await planRewrites(project, { renames, revisions: { from: older.id, to: newer.id } });
  return { renames, rewrites };
}

/** Describes the changes, one line each, and their number. */
export function describeCodemod({ rewrites }: Codemod, dryRun: boolean): readonly string[] {
  const lines = rewrites.flatMap(({ file, places }) =>
    places.map(({ line, from, to }) => `${file}:${line}: ${from} is ${to}`),
  );
  const done = dryRun ? "would be rewritten; nothing was." : "rewritten.";
  return [...lines, `${countText(lines.length, "place")} in ${countText(rewrites.length, "file")} ${done}`];
}

/** A type with another name in a newer revision. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the types with another name in a newer revision. A removed type is renamed when exactly one new type has identical members. If none has, it
 * is renamed when exactly one new type has a longer name, beginning with the old one, and members of the same names. A type whose name stayed is
 * renamed when it became a union with exactly one new type with the old members. Only object types with at least two members are matched.
 */
export function findRenames(older: RevisionModel, newer: RevisionModel): Rename[] {
  const before = new Set(older.declarations.map(({ name }) => name));
  const after = new Map(newer.declarations.map((declaration) => [declaration.name, declaration]));
  const added = newer.declarations.filter(({ name }) => !before.has(name));
  const telling = older.declarations.filter(({ shape }) => shape.kind === "object" && shape.properties.length > 1);
  return telling.flatMap((old): Rename[] => {
    const now = after.get(old.name);
    const possible = now ? alternativesOf(now, added) : added;
    const same = possible.filter(({ shape }) => shapeKey(shape) === shapeKey(old.shape));
    const found = same.length > 0 || now ? same : possible.filter((declaration) => isSuccessor(declaration, old));
    const [only] = found;
    return only && found.length === 1 ? [{ from: old.name, to: only.name }] : [];
  });
}

/** Returns the new types among the alternatives of a union. */
function alternativesOf({ shape }: Declaration, added: readonly Declaration[]): Declaration[] {
  const names = shape.kind === "union" ? shape.of.map((one) => (one.kind === "reference" ? one.name : "")) : [];
  return added.filter(({ name }) => names.includes(name));
}

function isSuccessor(declaration: Declaration, old: Declaration): boolean {
  return declaration.name.startsWith(old.name) && namesOf(declaration) === namesOf(old);
}

function namesOf({ shape }: Declaration): string {
  const names = shape.kind === "object" ? shape.properties.map(({ name }) => name) : [];
  return names.sort().join(" ");
}

/** Text of a source before and after its mechanical changes. */
export interface Rewrite extends SourceChange {
  readonly places: readonly RenamedPlace[];
}

/** Plans the new text of every source with mechanical changes. Nothing is executed or written. */
export async function planRewrites(project: string, moves: Moves): Promise<Rewrite[]> {
  const files = await listSources(project);
  const rewrites = files.map(async (path): Promise<Rewrite[]> => {
    const file = relativePath(project, path);
    const before = await readFile(path, "utf8");
    const places = findPlaces(file, before, moves);
    const after = places.reduceRight(
      (whole, { at, length, text }) => whole.slice(0, at) + text + whole.slice(at + length),
      before,
    );
    return places.length === 0 ? [] : [{ file, before, after, places }];
  });
  return (await Promise.all(rewrites)).flat();
}

/**
 * Writes all rewrites or none: each is written to a temporary file first, and replaced files are restored when a later step fails.
 * @throws {UserError} when a file cannot be written.
 */
export async function applyRewrites(project: string, rewrites: readonly Rewrite[]): Promise<void> {
  const steps = rewrites.map(({ file, before, after }) => {
    const path = join(project, file);
    return { path, next: join(dirname(path), `.${basename(path)}.${process.pid}.tmp`), before, after };
  });
  const done: typeof steps = [];
  try {
    for (const { next, after } of steps) await writeFile(next, after, { flag: "wx" });
    for (const step of steps) {
      await copyPermissions(step.path, step.next);
      await move(step.next, step.path);
      done.push(step);
    }
  } catch (error) {
    for (const { path, before } of done) await replaceFile(path, before);
    for (const { next } of steps) await rm(next, { force: true });
    throw new UserError(
      `the sources could not be rewritten (${systemCode(error) ?? String(error)}); they are as they were.`,
      {
        cause: error,
      },
    );
  }
}

/** Part of a source to replace, and its new text. */
export interface RenamedPlace extends Rename {
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly line: number;
}

/** Changes to search for: renamed types, and the folder of a revision that is no longer the newest. */
export interface Moves {
  readonly renames: readonly Rename[];
  /** Revisions whose types a layer has, before and after. */
  readonly revisions: Rename;
}

/**
 * Finds the mechanical changes in a source. All of them are types and their import paths, which compilation removes: the behaviour of the program
 * does not change.
 */
export function findPlaces(file: string, text: string, moves: Moves): RenamedPlace[] {
  try {
    const source = parseSource(file, text);
    return new Search(source, moves).run();
  } catch (error) {
    // The compiler reports files that cannot be parsed.
    if (error instanceof SpecError) return [];
    throw error;
  }
}

class Search {
  readonly #source: ts.SourceFile;
  readonly #moves: Moves;
  readonly #renames: ReadonlyMap<string, Rename>;
  /** Names in this file for all types of the protocol. */
  readonly #types = new Set<string>();
  /** Names in this file for the whole layer. */
  readonly #layers = new Set<string>();
  readonly #places: RenamedPlace[] = [];

  constructor(source: ts.SourceFile, moves: Moves) {
    this.#source = source;
    this.#moves = moves;
    this.#renames = new Map(moves.renames.map((one) => [one.from, one]));
  }

  run(): RenamedPlace[] {
    for (const statement of this.#source.statements) {
      if (ts.isImportDeclaration(statement)) this.#takeImport(statement);
      if (ts.isExportDeclaration(statement)) this.#takeExport(statement);
    }
    this.#visit(this.#source);
    return this.#places.sort((a, b) => a.at - b.at);
  }

  #takeImport({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
    if (!importClause?.namedBindings) return;
    const bindings = importClause.namedBindings;
    const isTypes = this.#isTypes(moduleSpecifier) && (importClause.isTypeOnly || hasOnlyTypes(bindings));
    if (ts.isNamespaceImport(bindings)) {
      if (isTypes) this.#types.add(bindings.name.text);
      else if (isLayer(moduleSpecifier)) this.#layers.add(bindings.name.text);
    } else {
      const whole = bindings.elements.filter(({ propertyName, name }) => (propertyName ?? name).text === "protocol");
      if (isLayer(moduleSpecifier)) for (const { name } of whole) this.#types.add(name.text);
      if (isTypes) for (const element of bindings.elements) this.#renameElement(element);
    }
    if (isTypes) this.#moveFolder(moduleSpecifier);
  }

  #takeExport({ moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration): void {
    if (!moduleSpecifier || !isTypeOnly || !this.#isTypes(moduleSpecifier)) return;
    if (exportClause && ts.isNamedExports(exportClause))
      for (const element of exportClause.elements) this.#renameElement(element);
    this.#moveFolder(moduleSpecifier);
  }

  /** Keeps the name within this file, and for modules that import it: only the imported name changes. */
  #renameElement({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier): void {
    const found = this.#renames.get((propertyName ?? name).text);
    if (found && propertyName) this.#add(propertyName, found, found.to);
    else if (found) this.#add(name, found, `${found.to} as ${found.from}`);
  }

  #visit(node: ts.Node): void {
    if (ts.isQualifiedName(node)) this.#takeName(node);
    else if (ts.isImportTypeNode(node)) this.#takeImportType(node);
    else if (ts.isHeritageClause(node) && hasInterfaces(node))
      for (const { expression } of node.types) this.#takeName(expression);
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  #takeName(name: ts.Node): void {
    const { left, right } = sidesOf(name);
    if (left && right && this.#standsForTypes(left)) this.#renameReference(right);
  }

  #standsForTypes(name: ts.Node): boolean {
    if (ts.isIdentifier(name)) return this.#types.has(name.text);
    const { left, right } = sidesOf(name);
    return right?.text === "protocol" && left !== undefined && ts.isIdentifier(left) && this.#layers.has(left.text);
  }

  /** Handles import types such as `import("./mcp/index.ts").protocol.Tool`. */
  #takeImportType({ argument, qualifier }: ts.ImportTypeNode): void {
    const specifier = ts.isLiteralTypeNode(argument) ? argument.literal : undefined;
    if (!specifier) return;
    if (this.#isTypes(specifier)) {
      this.#moveFolder(specifier);
      if (qualifier && ts.isIdentifier(qualifier)) this.#renameReference(qualifier);
    }
    const isOfLayer = isLayer(specifier) && qualifier && ts.isQualifiedName(qualifier);
    if (isOfLayer && ts.isIdentifier(qualifier.left) && qualifier.left.text === "protocol")
      this.#renameReference(qualifier.right);
  }

  #renameReference(name: ts.Identifier): void {
    const found = this.#renames.get(name.text);
    if (found) this.#add(name, found, found.to);
  }

  #moveFolder(specifier: ts.Node): void {
    const { from, to } = this.#moves.revisions;
    if (!ts.isStringLiteral(specifier) || from === to) return;
    // Other folders of the path may have the name of the revision, too.
    const move = (path: string): string => path.replace(new RegExp(`${escapePattern(from)}(?=/[^/]+$)`), to);
    this.#add(specifier, { from: specifier.text, to: move(specifier.text) }, move(specifier.getText(this.#source)));
  }

  #isTypes(specifier: ts.Node): boolean {
    if (!ts.isStringLiteral(specifier)) return false;
    return typeModule.exec(specifier.text)?.[1] === this.#moves.revisions.from;
  }

  #add(node: ts.Node, { from, to }: Rename, text: string): void {
    const at = node.getStart(this.#source);
    this.#places.push({ from, to, text, at, length: node.getEnd() - at, line: locationOf(node).line });
  }
}

/** Matches the path of the types of a revision, with any ending or none. */
const typeModule = /(?:^|\/)mcp\/([^/]+)\/(?:types|declarations)(?:\.[jt]s)?$/;

function isLayer(specifier: ts.Node): boolean {
  return ts.isStringLiteral(specifier) && /(^|\/)mcp(\/index)?(\.[jt]s)?$/.test(specifier.text);
}

/** True if an import marks each name as a type. Values differ between revisions; the compiler reports types that differ. */
function hasOnlyTypes(bindings: ts.NamedImportBindings): boolean {
  return ts.isNamedImports(bindings) && bindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}
