import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/**
 * Returns the texts of the given declaration files and of what they refer to, by path: of other files only the statements that are reached. Imports
 * name the compiled modules, which every compiler resolves.
 */
export function reachDeclarations(root: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, DeclarationFile>();
  const open = (path: string): DeclarationFile => {
    const file = files.get(path) ?? new DeclarationFile(path, readFileSync(join(root, path), "utf8"));
    files.set(path, file);
    return file;
  };
  const wanted: Reference[] = entries.map((path) => ({ path, name: "*" }));
  for (const { path, name } of wanted) wanted.push(...open(path).reach(name));
  return new Map([...files].map(([path, file]) => [path, file.text()]));
}

/** Name that a file exports; `*` is all of them. */
interface Reference {
  readonly path: string;
  readonly name: string;
}

/** Name of another file, and the specifier or import that names it; a name of another package refers to no file. */
interface Passed {
  readonly from: readonly Reference[];
  readonly node: ts.Node;
}

/** Statements of a declaration file, with those that were reached so far. */
class DeclarationFile {
  readonly #path: string;
  readonly #source: ts.SourceFile;
  /** Declarations by name; an overloaded function has several. */
  readonly #declared = new Map<string, ts.Statement[]>();
  readonly #imported = new Map<string, Passed>();
  /** Names that are exported from elsewhere. */
  readonly #reExported = new Map<string, Passed>();
  /** Reached statements, and specifiers of imports and re-exports. */
  readonly #kept = new Set<ts.Node>();

  constructor(path: string, text: string) {
    this.#path = path;
    this.#source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    for (const statement of this.#source.statements) this.#add(statement);
  }

  /** Marks what declares a name, and returns what that refers to in other files. */
  reach(name: string): Reference[] {
    if (name === "*") return this.#source.statements.flatMap((statement) => this.#keepWhole(statement));
    const passed = this.#reExported.get(name);
    if (passed) return this.#keep(passed.node) ? [...passed.from] : [];
    if (this.#isLocal(name)) return this.#reachLocal(name);
    const stars = this.#source.statements.filter(isStar);
    if (stars.length === 0) throw new Error(`${this.#path} declares no ${name}.`);
    return stars.flatMap((statement) => this.#keepWhole(statement));
  }

  /** Returns the reached part of the file. */
  text(): string {
    const parts = this.#source.statements.flatMap((statement) => this.#partOf(statement) ?? []);
    const isModule = this.#source.statements.some((statement) => this.#kept.has(statement) && isExported(statement));
    return `${parts.join("\n")}\n${isModule ? "" : "export {};\n"}`;
  }

  #isLocal(name: string): boolean {
    return this.#declared.has(name) || this.#imported.has(name);
  }

  #reachLocal(name: string): Reference[] {
    const imported = this.#imported.get(name);
    if (imported) return this.#keep(imported.node) ? [...imported.from] : [];
    return (this.#declared.get(name) ?? []).flatMap((statement) => this.#keepDeclaration(statement));
  }

  #add(statement: ts.Statement): void {
    if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      const path = this.#resolve(statement.moduleSpecifier);
      if (name) this.#imported.set(name.text, { from: [], node: statement });
      if (namedBindings && ts.isNamespaceImport(namedBindings))
        this.#imported.set(namedBindings.name.text, { from: toReferences(path, "*"), node: statement });
      else for (const one of namedBindings?.elements ?? []) this.#imported.set(one.name.text, toPassed(one, path));
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (moduleSpecifier && exportClause && ts.isNamedExports(exportClause))
        for (const one of exportClause.elements)
          this.#reExported.set(one.name.text, toPassed(one, this.#resolve(moduleSpecifier)));
    } else {
      for (const name of namesOf(statement)) {
        const others = this.#declared.get(name);
        if (others) others.push(statement);
        else this.#declared.set(name, [statement]);
      }
    }
  }

  #keep(node: ts.Node): boolean {
    if (this.#kept.has(node)) return false;
    this.#kept.add(node);
    for (let parent = node.parent; !ts.isSourceFile(parent); parent = parent.parent) this.#kept.add(parent);
    return true;
  }

  #keepWhole(statement: ts.Statement): Reference[] {
    if (ts.isImportDeclaration(statement)) return [];
    if (!ts.isExportDeclaration(statement)) return this.#keepDeclaration(statement);
    const { exportClause, moduleSpecifier } = statement;
    const path = this.#resolve(moduleSpecifier);
    if (exportClause && ts.isNamedExports(exportClause))
      return exportClause.elements.flatMap((one) => {
        if (moduleSpecifier) return this.reach(one.name.text);
        return this.#keep(one) ? this.#reachLocal(nameOf(one)) : [];
      });
    return this.#keep(statement) && path !== undefined ? [{ path, name: "*" }] : [];
  }

  #keepDeclaration(statement: ts.Statement): Reference[] {
    if (!this.#keep(statement)) return [];
    const references: Reference[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) references.push(...this.#reachLocal(node.text));
      if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
        const path = this.#resolve(node.argument.literal);
        if (path !== undefined) references.push({ path, name: node.qualifier?.getText() ?? "*" });
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
    return references;
  }

  #partOf(statement: ts.Statement): string | undefined {
    const isPassing = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    if (!this.#kept.has(statement)) return undefined;
    const text = statement.getFullText().trim();
    if (!isPassing) return text.replaceAll(reference, '$1"$2.js"');
    const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
    const named = clause && (ts.isNamedImports(clause) || ts.isNamedExports(clause)) ? clause : undefined;
    const kept = named?.elements.filter((one) => this.#kept.has(one)).map((one) => one.getText());
    const short = named && kept ? text.replace(named.getText(), `{ ${kept.join(", ")} }`) : text;
    return short.replaceAll(reference, '$1"$2.js"');
  }

  /** Returns the declaration file of a module of this package; undefined for other modules. */
  #resolve(specifier: ts.Node | undefined): string | undefined {
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
    return posix.join(posix.dirname(this.#path), specifier.text.replace(/\.ts$/, ".d.ts"));
  }
}

function toPassed(specifier: ts.ImportSpecifier | ts.ExportSpecifier, path: string | undefined): Passed {
  return { from: toReferences(path, nameOf(specifier)), node: specifier };
}

function toReferences(path: string | undefined, name: string): readonly Reference[] {
  return path === undefined ? [] : [{ path, name }];
}

/** Returns the name that a specifier has in the other file. */
function nameOf({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier): string {
  return (propertyName ?? name).text;
}

const reference = /(from |import\()"(\.[^"]+)\.ts"/g;

function isStar(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement) && statement.exportClause === undefined;
}

function isExported(statement: ts.Statement): boolean {
  if (ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement)) return true;
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isDeclaration =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name ? [statement.name.text] : [];
}
