import { isImportOrExport } from "./imported-files.ts";
import { reject, ts } from "./syntax.ts";

/** A declaration on the top level of a file. */
export interface Declared {
  /** Its name in the joined text. */
  readonly name: string;
  /** Path of its file, for messages. */
  readonly path: string;
  readonly node: ts.Node;
}

/** Replacement of a part of a file. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Meaning of names, in all files. */
export interface Names {
  readonly checker: ts.TypeChecker;
  /** Declarations of all files, by {@link keyOf}. */
  readonly declared: ReadonlyMap<string, Declared>;
  /** Paths of the files, by their joined names. */
  readonly paths: ReadonlyMap<string, string>;
  /** Names declared inside types and namespaces, once they are known. */
  readonly hidden: Map<ts.Node, ReadonlySet<string>>;
}

interface File {
  readonly path: string;
  readonly source: ts.SourceFile;
}

/** Returns the key of a declaration on the top level of a file. */
export function keyOf(source: ts.SourceFile, name: string): string {
  return `${source.fileName} ${name}`;
}

/** Meaning of a name. */
interface Target {
  /** Key of a declaration on the top level of a file. */
  readonly key?: string;
  /** True for a whole file: `import * as name`. */
  readonly isFile: boolean;
  /** True if there is a declaration somewhere, such as a member or a type parameter. */
  readonly isKnown: boolean;
}

/** Follows imports and exports to the declaration. */
export function targetOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): Target {
  // Only an import or an export of a name stands for another symbol.
  const isAlias = symbol?.declarations?.some((node) => aliasKinds.has(node.kind)) ?? false;
  const target = symbol && isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  const [node] = target?.declarations ?? [];
  if (!node) return { isFile: false, isKnown: false };
  if (ts.isSourceFile(node)) return { isFile: true, isKnown: true };
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const name = ts.isSourceFile(statement.parent) ? ts.getNameOfDeclaration(node) : undefined;
  const key = name && ts.isIdentifier(name) ? keyOf(name.getSourceFile(), name.text) : undefined;
  return { isFile: false, isKnown: true, ...(key !== undefined && { key }) };
}

const aliasKinds: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.ImportSpecifier,
  ts.SyntaxKind.NamespaceImport,
  ts.SyntaxKind.ExportSpecifier,
]);

/**
 * Returns the edits after which a file can be joined with the others, in the order of their places: without imports, and with the joined names.
 *
 * @throws {SpecError} when a name is not found, or would get another meaning
 */
export function editReferences(file: File, names: Names): readonly Edit[] {
  const edits = new Map<number, Edit>();
  const add = (edit: Edit | undefined): void => {
    if (edit) edits.set(edit.start, edit);
  };
  const visit = (node: ts.Node): void => {
    for (const link of linksOf(node)) add(editLink(link, names));
    if (isImportOrExport(node)) {
      rejectUnknown(file, node, names);
      add(removal(node));
      return;
    }
    const whole =
      ts.isQualifiedName(node) || ts.isPropertyAccessExpression(node) ? editMember(file, node, names) : undefined;
    if (whole) add(whole);
    else if (ts.isIdentifier(node)) add(editName(file, node, names));
    else node.forEachChild(visit);
  };
  visit(file.source);
  return [...edits.values()].sort((a, b) => a.start - b.start);
}

/** An import with a comment leaves a semicolon; otherwise the next declaration would get the comment. */
function removal(node: ts.ImportDeclaration | ts.ExportDeclaration): Edit {
  const { text } = node.getSourceFile();
  const start = node.getStart();
  const isCommented = text.slice(node.getFullStart(), start).includes("/**");
  const isLine = /^[ \t]*\n/.test(text.slice(node.end)) && /(?:^|\n)[ \t]*$/.test(text.slice(0, start));
  const end = isLine && !isCommented ? text.indexOf("\n", node.end) + 1 : node.end;
  return { start, end, text: isCommented ? ";" : "" };
}

function rejectUnknown({ path }: File, node: ts.ImportDeclaration | ts.ExportDeclaration, names: Names): void {
  const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  if (!bindings || ts.isNamespaceImport(bindings) || ts.isNamespaceExport(bindings)) return;
  for (const specifier of bindings.elements) {
    const { key } = targetOf(names.checker.getSymbolAtLocation(specifier.name), names.checker);
    if (key === undefined || !names.declared.has(key))
      throw reject(path, specifier, "the file has no such type or constant");
  }
}

/** Replaces `file.Name` of an imported file. Returns `undefined` for the name of another object. */
function editMember(
  { path }: File,
  node: ts.QualifiedName | ts.PropertyAccessExpression,
  { checker, declared, hidden }: Names,
): Edit | undefined {
  const [left, right] = ts.isQualifiedName(node) ? [node.left, node.right] : [node.expression, node.name];
  if (!targetOf(checker.getSymbolAtLocation(left), checker).isFile) return undefined;
  const { key } = targetOf(checker.getSymbolAtLocation(right), checker);
  const name = key === undefined ? undefined : declared.get(key)?.name;
  if (name === undefined) throw reject(path, node, "the file has no such type or constant");
  rejectHidden(path, node, { name, checker, hidden });
  return { start: node.getStart(), end: node.end, text: name };
}

function editName({ path }: File, node: ts.Identifier, { checker, declared, paths, hidden }: Names): Edit | undefined {
  const { key, isKnown, isFile } = targetOf(checker.getSymbolAtLocation(node), checker);
  const found = key === undefined ? undefined : declared.get(key);
  if (isFile) throw reject(path, node, "expected the name of a type behind the name of the file");
  if (!isKnown && !isLabel(node)) {
    const other = paths.get(node.text);
    if (other !== undefined) throw reject(path, node, `\`${node.text}\` is declared by ${other}, but not imported`);
  }
  if (!found || found.name === node.text) return undefined;
  rejectHidden(path, node, { name: found.name, checker, hidden });
  return { start: node.getStart(), end: node.end, text: found.name };
}

/** The name of an item of a tuple is only documentation. */
function isLabel(node: ts.Identifier): boolean {
  return ts.isNamedTupleMember(node.parent) && node.parent.name === node;
}

/** @throws {SpecError} when a name has another meaning at its new place, such as a type parameter */
function rejectHidden(
  path: string,
  node: ts.Node,
  { name, ...scopes }: { readonly name: string } & Pick<Names, "checker" | "hidden">,
): void {
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent) {
    if (!namesInside(around, scopes).has(name)) continue;
    throw reject(path, node, `\`${name}\` has another meaning here; rename one of them`);
  }
}

/** Returns the names declared by a type or a namespace for its inside. */
function namesInside(node: ts.Node, { checker, hidden }: Pick<Names, "checker" | "hidden">): ReadonlySet<string> {
  const before = hidden.get(node);
  if (before) return before;
  const names = new Set<string>();
  if (ts.isMappedTypeNode(node)) names.add(node.typeParameter.name.text);
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    for (const { name } of node.typeParameters ?? []) names.add(name.text);
  if (ts.isModuleBlock(node)) {
    for (const statement of node.statements) for (const { text } of declaredNames(statement)) names.add(text);
    // A namespace in parts has what the other parts export.
    for (const name of checker.getSymbolAtLocation(node.parent.name)?.exports?.keys() ?? []) names.add(String(name));
  }
  hidden.set(node, names);
  return names;
}

/** Returns the names declared by a statement. */
export function declaredNames(statement: ts.Statement): readonly ts.Identifier[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name).filter(ts.isIdentifier);
  const isType =
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isEnumDeclaration(statement);
  if (isType) return [statement.name];
  return ts.isModuleDeclaration(statement) && ts.isIdentifier(statement.name) ? [statement.name] : [];
}

/** Returns the names in the links of the comments of a node. */
function linksOf(node: ts.Node): readonly ts.Identifier[] {
  const links: ts.Identifier[] = [];
  const visit = (part: ts.Node): void => {
    const isLink = ts.isJSDocLink(part) || ts.isJSDocLinkCode(part) || ts.isJSDocLinkPlain(part);
    if (isLink && part.name && ts.isIdentifier(part.name)) links.push(part.name);
    part.forEachChild(visit);
  };
  ts.getJSDocCommentsAndTags(node).forEach(visit);
  return links;
}

function editLink(node: ts.Identifier, { checker, declared }: Names): Edit | undefined {
  const { key } = targetOf(checker.getSymbolAtLocation(node), checker);
  const name = key === undefined ? undefined : declared.get(key)?.name;
  return name === undefined ? undefined : { start: node.getStart(), end: node.end, text: name };
}
