import { parseSource, ts } from "../../read/syntax.ts";

/**
 * Removes a constant from a module: its declaration or its import, its entries in list literals, and imports and private declarations used for
 * nothing else. The rest of the text does not change. Other uses of the constant stay: `findUses` returns them.
 */
export function unregister(path: string, source: string, variable: string): string {
  let text = source;
  const names = [variable];
  // Grows while it is read: what was removed may have been the only user of something else.
  for (const name of names) {
    const file = parseSource(path, text);
    if (name !== variable && (isExported(file, name) || findUses(file, name).length > 0)) continue;
    const nodes = [...bindingsOf(file, name), ...(name === variable ? entriesOf(file, name) : [])];
    names.push(...nodes.flatMap(identifiersIn).filter((used) => used !== variable));
    const cuts = nodes.map(cutOf).sort((a, b) => b.from - a.from);
    text = cuts.reduce((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
  }
  return text;
}

/** Returns the uses of a name in a module: identifiers outside its declaration and its import. */
export function findUses(file: ts.SourceFile, name: string): readonly ts.Identifier[] {
  const bound = bindingsOf(file, name);
  return collect(file, (node): node is ts.Identifier => ts.isIdentifier(node) && node.text === name).filter(
    ({ parent }) => !bound.some((node) => node === parent || node === parent.parent.parent),
  );
}

/** Returns the statement at the top of a module that declares only this constant or function; `undefined` when there is none. */
export function declarationOf(file: ts.SourceFile, name: string): ts.Statement | undefined {
  return file.statements.find((statement) => {
    if (ts.isFunctionDeclaration(statement)) return statement.name?.text === name;
    if (!ts.isVariableStatement(statement)) return false;
    const [declaration, another] = statement.declarationList.declarations;
    return !another && declaration && ts.isIdentifier(declaration.name) && declaration.name.text === name;
  });
}

/** Returns the part of an import that binds a name in a module; `undefined` when no import does. */
export function importOf(file: ts.SourceFile, name: string): ts.ImportSpecifier | ts.NamespaceImport | undefined {
  const isImport = (node: ts.Node): node is ts.ImportSpecifier | ts.NamespaceImport =>
    (ts.isImportSpecifier(node) || ts.isNamespaceImport(node)) && node.name.text === name;
  return collect(file, isImport)[0];
}

/** Returns the paths of other modules in the imports and exports of a module, also in dynamic imports and types. */
export function findModulePaths(file: ts.SourceFile): readonly ts.StringLiteral[] {
  return collect(file, (node): node is ts.StringLiteral => ts.isStringLiteral(node) && isModulePath(node));
}

/** Returns the string literals of a module. */
export function findTexts(file: ts.SourceFile): readonly ts.StringLiteralLike[] {
  return collect(file, ts.isStringLiteralLike);
}

function isModulePath({ parent }: ts.StringLiteral): boolean {
  if (ts.isCallExpression(parent)) return parent.expression.kind === ts.SyntaxKind.ImportKeyword;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
}

/** True if an import or export takes a constant from its module by name, also under another one. */
export function takesName(declaration: ts.Node, name: string): boolean {
  const isElement = (node: ts.Node): node is ts.ImportSpecifier | ts.ExportSpecifier =>
    (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) && (node.propertyName ?? node.name).text === name;
  return collect(declaration, isElement).length > 0;
}

function bindingsOf(file: ts.SourceFile, name: string): readonly ts.Node[] {
  const node = declarationOf(file, name) ?? importOf(file, name);
  return node ? [node] : [];
}

/** Returns the elements of lists equal to this identifier. */
function entriesOf(file: ts.SourceFile, name: string): readonly ts.Node[] {
  return findUses(file, name).filter(({ parent }) => ts.isArrayLiteralExpression(parent));
}

function isExported(file: ts.SourceFile, name: string): boolean {
  const statement = declarationOf(file, name);
  const modifiers = statement && ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function identifiersIn(node: ts.Node): readonly string[] {
  return collect(node, ts.isIdentifier).map(({ text }) => text);
}

function collect<Kind extends ts.Node>(root: ts.Node, accepts: (node: ts.Node) => node is Kind): readonly Kind[] {
  const found: Kind[] = [];
  const visit = (node: ts.Node): void => {
    if (accepts(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

/** Returns the text to cut with a node: a statement with its comment, or an element with its comma. */
function cutOf(node: ts.Node): Cut {
  const { parent } = node;
  if (ts.isArrayLiteralExpression(parent)) return cutOfElement(parent.elements, node);
  if (ts.isNamedImports(parent) && parent.elements.length > 1) return cutOfElement(parent.elements, node);
  const whole = ts.findAncestor(node, ts.isImportDeclaration) ?? node;
  const { text } = whole.getSourceFile();
  const [lineEnd = ""] = /^\r?\n/.exec(text.slice(whole.getEnd())) ?? [];
  if (ts.isImportDeclaration(whole)) return { from: whole.getStart(), to: whole.getEnd() + lineEnd.length };
  const before = text.slice(whole.getFullStart(), whole.getStart());
  // A comment above a blank line is not part of the declaration.
  const blank = [...before.matchAll(/\r?\n[ \t]*(?=\r?\n)/g)].at(-1)?.index ?? 0;
  return { from: whole.getFullStart() + blank, to: whole.getEnd() };
}

function cutOfElement(list: ts.NodeArray<ts.Node>, node: ts.Node): Cut {
  const at = list.indexOf(node);
  const [previous, next] = [list[at - 1], list[at + 1]];
  if (next) return { from: node.getStart(), to: next.getStart() };
  return previous ? { from: previous.getEnd(), to: node.getEnd() } : { from: list.pos, to: list.end };
}
