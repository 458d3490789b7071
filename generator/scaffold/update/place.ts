import { locationOf, parseSource, ts } from "../../read/syntax.ts";
import { SpecError } from "../../internal/spec-error.ts";
import type { Rename } from "./rename.ts";

/** Part of a source to replace, and its new text. */
export interface Place extends Rename {
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
export function findPlaces(file: string, text: string, moves: Moves): Place[] {
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
  /** Names in this file that refer to all types of the protocol. */
  readonly #types = new Set<string>();
  /** Names in this file that refer to the whole layer. */
  readonly #layers = new Set<string>();
  readonly #places: Place[] = [];

  constructor(source: ts.SourceFile, moves: Moves) {
    this.#source = source;
    this.#moves = moves;
    this.#renames = new Map(moves.renames.map((one) => [one.from, one]));
  }

  run(): Place[] {
    for (const statement of this.#source.statements) {
      if (ts.isImportDeclaration(statement)) this.#takeImport(statement);
      if (ts.isExportDeclaration(statement)) this.#takeExport(statement);
    }
    this.#visit(this.#source);
    return this.#places.sort((a, b) => a.at - b.at);
  }

  #takeImport({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
    const bindings = importClause?.namedBindings;
    if (!bindings) return;
    const isTypes = this.#isTypes(moduleSpecifier) && isOfTypes(importClause);
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
    if (ts.isQualifiedName(node) && this.#standsForTypes(node.left)) this.#renameReference(node.right);
    else if (ts.isImportTypeNode(node)) this.#takeImportType(node);
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  #standsForTypes(name: ts.EntityName): boolean {
    if (ts.isIdentifier(name)) return this.#types.has(name.text);
    return name.right.text === "protocol" && ts.isIdentifier(name.left) && this.#layers.has(name.left.text);
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
    const text = specifier.getText(this.#source).replace(from, to);
    this.#add(specifier, { from: specifier.text, to: specifier.text.replace(from, to) }, text);
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

/** Matches the path of the types of a revision. */
const typeModule = /(?:^|\/)mcp\/([^/]+)\/(?:types|declarations)\.[jt]s$/;

function isLayer(specifier: ts.Node): boolean {
  return ts.isStringLiteral(specifier) && /(^|\/)mcp(\/index)?\.[jt]s$/.test(specifier.text);
}

/** True if an import has types only. Values differ between revisions; the compiler reports types that do. */
function isOfTypes(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const bindings = clause.namedBindings;
  return (
    bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
}
