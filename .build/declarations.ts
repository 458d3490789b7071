import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/**
 * Returns the texts of declaration files, by path relative to a folder: of the declarations that the entries export, and of those that they refer to,
 * without all others. Imports name the compiled modules, which every compiler resolves.
 */
export function reachDeclarations(root: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const reach = new Reach(root);
  for (const entry of entries) reach.addAll(entry);
  return reach.texts();
}

/** Origin of an imported or re-exported name. */
interface Origin {
  readonly specifier: string;
  /** Name in that module; `*` for all of its names. */
  readonly name: string;
}

/** A declaration file, and what is kept of it. */
interface Module {
  readonly file: string;
  readonly source: ts.SourceFile;
  /** Statements that declare a name. */
  readonly declared: ReadonlyMap<string, readonly ts.Statement[]>;
  readonly imported: ReadonlyMap<string, Origin>;
  readonly exported: ReadonlyMap<string, Origin>;
  /** Modules of which everything is exported. */
  readonly stars: readonly string[];
  readonly kept: Set<ts.Statement>;
  /** Names of kept imports and re-exports. */
  readonly names: Set<string>;
}

class Reach {
  readonly #root: string;
  readonly #modules = new Map<string, Module>();
  readonly #reached = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Adds everything that a module exports. */
  addAll(file: string): void {
    const module = this.#read(file);
    for (const name of module.declared.keys()) this.#addDeclared(module, name);
    for (const name of module.exported.keys()) this.#addName(file, name);
    for (const star of module.stars) this.addAll(resolve(file, star));
  }

  texts(): ReadonlyMap<string, string> {
    const kept = [...this.#modules.values()].filter(
      (module) => module.kept.size + module.names.size > 0 || module.stars.length > 0,
    );
    return new Map(kept.map((module) => [module.file, textOf(module)]));
  }

  #addName(file: string, name: string): void {
    const key = `${file} ${name}`;
    if (this.#reached.has(key)) return;
    this.#reached.add(key);
    const module = this.#read(file);
    const origin = module.exported.get(name);
    if (module.declared.has(name)) return this.#addDeclared(module, name);
    if (!origin) return module.stars.forEach((star) => this.#addName(resolve(file, star), name));
    module.names.add(name);
    if (origin.specifier === "") this.#addWord(module, origin.name);
    else this.#addOrigin(file, origin);
  }

  #addOrigin(file: string, { specifier, name }: Origin): void {
    if (!specifier.startsWith(".")) return;
    if (name === "*") this.addAll(resolve(file, specifier));
    else this.#addName(resolve(file, specifier), name);
  }

  #addDeclared(module: Module, name: string): void {
    for (const statement of module.declared.get(name) ?? []) {
      if (module.kept.has(statement)) continue;
      module.kept.add(statement);
      for (const word of wordsOf(statement)) this.#addWord(module, word);
    }
  }

  #addWord(module: Module, word: string): void {
    this.#addDeclared(module, word);
    const origin = module.imported.get(word);
    if (!origin || module.names.has(word)) return;
    module.names.add(word);
    this.#addOrigin(module.file, origin);
  }

  #read(file: string): Module {
    const known = this.#modules.get(file);
    if (known) return known;
    const module = readModule(file, readFileSync(join(this.#root, file), "utf8"));
    this.#modules.set(file, module);
    return module;
  }
}

function resolve(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier.replace(/\.ts$/, ".d.ts"));
}

function readModule(file: string, text: string): Module {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const declared = new Map<string, ts.Statement[]>();
  const imported = new Map<string, Origin>();
  const exported = new Map<string, Origin>();
  const stars: string[] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const binding of importsOf(statement))
        imported.set(binding.name.text, { specifier: specifierOf(statement), name: originalName(binding) });
    } else if (ts.isExportDeclaration(statement)) {
      if (!statement.exportClause && statement.moduleSpecifier) stars.push(specifierOf(statement));
      for (const binding of exportsOf(statement))
        exported.set(binding.name.text, { specifier: specifierOf(statement), name: originalName(binding) });
    } else for (const name of namesOf(statement)) declared.set(name, [...(declared.get(name) ?? []), statement]);
  }
  return { file, source, declared, imported, exported, stars, kept: new Set(), names: new Set() };
}

function specifierOf({ moduleSpecifier }: ts.ImportDeclaration | ts.ExportDeclaration): string {
  return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
}

type Binding = ts.ImportSpecifier | ts.ExportSpecifier | ts.NamespaceImport;

function importsOf({ importClause }: ts.ImportDeclaration): readonly (ts.ImportSpecifier | ts.NamespaceImport)[] {
  const bindings = importClause?.namedBindings;
  return bindings ? (ts.isNamedImports(bindings) ? bindings.elements : [bindings]) : [];
}

/** Returns the name that a binding has in the other module; `*` for all of its names. */
function originalName(binding: Binding): string {
  return ts.isNamespaceImport(binding) ? "*" : (binding.propertyName ?? binding.name).text;
}

function exportsOf({ exportClause }: ts.ExportDeclaration): readonly ts.ExportSpecifier[] {
  return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : [];
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  if (isNamed && statement.name) return [statement.name.text];
  throw new Error(`${statement.getSourceFile().fileName}: a declaration of kind ${statement.kind} has no name`);
}

/** Returns the identifiers in a declaration: those that it refers to, and others. */
function wordsOf(node: ts.Node): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner)) words.add(inner.text);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return words;
}

function textOf({ source, kept, names }: Module): string {
  const parts = source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) return importText(statement, importsOf(statement), names);
    if (ts.isExportDeclaration(statement)) return importText(statement, exportsOf(statement), names);
    return kept.has(statement) ? statement.getFullText(source) : [];
  });
  return `${parts.join("").replace(/^\n/, "")}\n`;
}

/** Returns the text of an import or export with those of its names that are kept; nothing without any. */
function importText(statement: ts.Statement, elements: readonly Binding[], names: ReadonlySet<string>): string | [] {
  const kept = elements.filter(({ name }) => names.has(name.text));
  if (elements.length > 0 && kept.length === 0) return [];
  const list = kept.map((element) => element.getText()).join(", ");
  const reduced = statement.getText().replace(/\{[^}]*\}/, kept.length === 0 ? "{}" : `{ ${list} }`);
  const comment = statement.getFullText().slice(0, statement.getLeadingTriviaWidth());
  return comment + reduced.replace(/\.ts";$/, '.js";');
}
