import { hashText } from "../internal/files.ts";
import { parseValidSource, ts } from "../read/syntax.ts";

/** A statement of a source file, identified by its name, or a member of the definition in one. */
export interface Part {
  /** Name of what it declares; unique within its list. */
  readonly key: string;
  /** Text with its comments. Of a definition: without its members. */
  readonly text: string;
  /** Members of the definition, if the statement is one. */
  readonly members?: readonly Part[];
  /** True if no blank line precedes a statement, and no line break a member. */
  readonly isClose?: boolean;
}

/** An import of named exports only. */
export interface NamedImport {
  readonly module: string;
  /** Attributes as they are written, such as `with { type: "json" }`. */
  readonly attributes: string;
  /** Comment above it, with a line break. */
  readonly above: string;
  /** Comment on the same line, with a line break. */
  readonly beside: string;
  readonly names: readonly ImportedName[];
}

/** An imported name in a file. */
export interface ImportedName {
  /** Name in the file. */
  readonly local: string;
  /** Specifier as it is written, without `type`. */
  readonly text: string;
  readonly isType: boolean;
}

/** A source file, divided into its imports and its statements. */
export interface SourceParts {
  /** Comment before the first statement, if this is an import. */
  readonly head: string;
  readonly imports: readonly NamedImport[];
  readonly parts: readonly Part[];
  /** Comment after the last statement. */
  readonly tail: string;
}

/** Place of the members in the text of a definition. */
export const membersMark = "{/*members*/}";

/** Divides a formatted source file. */
export function readParts(path: string, text: string): SourceParts {
  const file = parseValidSource(path, text);
  const imports: NamedImport[] = [];
  const parts: Part[] = [];
  const name = createKeys();
  let end = 0;
  let head = "";
  for (const statement of file.statements) {
    const start = end;
    end = endOf(text, statement.getEnd());
    const named = readImport(statement);
    if (!named) {
      const isClose = /^[^\n]*\n[^\n]*\S/.test(text.slice(start, end)) && parts.length > 0;
      parts.push({ ...toPart(text, { statement, start, end, key: name(keyOf(statement)) }), isClose });
      continue;
    }
    const isFirst = imports.length + parts.length === 0;
    if (isFirst) head = text.slice(start, statement.getStart()).trim();
    const above = isFirst ? "" : toLines(text.slice(start, statement.getStart()));
    imports.push({ ...named, above, beside: toLines(text.slice(statement.getEnd(), end)) });
  }
  return { head, imports, parts, tail: text.slice(end).trim() };
}

/** Ends a comment with a line break. */
function toLines(comment: string): string {
  return comment.trim() === "" ? "" : `${comment.trim()}\n`;
}

/** Returns the hashes of the parts, by key. The key of a member is the key of its definition, a dot and its name. */
export function hashParts({ parts }: SourceParts): Readonly<Record<string, string>> {
  const rows = parts.flatMap((part): [string, string][] => [
    [part.key, hashPart(part)],
    ...(part.members ?? []).map((member): [string, string] => [`${part.key}.${member.key}`, hashPart(member)]),
  ]);
  return Object.fromEntries(rows);
}

/** Hash of a part: the first 16 characters of the SHA-256 of its text. */
export function hashPart({ text }: Part): string {
  return hashText(text).slice(0, 16);
}

/** Includes a comment on the same line. */
function endOf(text: string, end: number): number {
  return ts.getTrailingCommentRanges(text, end)?.at(-1)?.end ?? end;
}

/** Reads an import of named exports only; `undefined` for other statements. */
function readImport(statement: ts.Statement): Pick<NamedImport, "module" | "attributes" | "names"> | undefined {
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const { moduleSpecifier, importClause: clause, attributes } = statement;
  if (!clause || clause.name || !clause.namedBindings || !ts.isNamedImports(clause.namedBindings)) return undefined;
  const names = clause.namedBindings.elements.map((element) => ({
    local: element.name.text,
    text: element.getText().replace(/^type\s+/, ""),
    isType: clause.isTypeOnly || element.isTypeOnly,
  }));
  return { module: moduleSpecifier.text, attributes: attributes?.getText() ?? "", names };
}

interface Range {
  readonly statement: ts.Statement;
  readonly start: number;
  readonly end: number;
  readonly key: string;
}

function toPart(text: string, { statement, start, end, key }: Range): Part {
  const definition = findDefinition(statement);
  if (!definition) return { key, text: text.slice(start, end).trim() };
  const name = createKeys();
  let at = definition.getStart() + 1;
  const members = definition.properties.map((property): Part => {
    const from = at;
    at = endOf(text, property.getEnd());
    const own = text.slice(from, at).replace(/^\s*,/, "");
    return { key: name(property.name?.getText() ?? "..."), text: own.trim(), isClose: !/^[^\S\n]*\n/.test(own) };
  });
  const rest = text
    .slice(at, definition.getEnd() - 1)
    .replace(",", "")
    .trim();
  const last = members.pop();
  if (last) members.push(rest === "" ? last : { ...last, text: `${last.text}\n${rest}` });
  const shell = text.slice(start, definition.getStart()) + membersMark + text.slice(definition.getEnd(), end);
  return { key, text: shell.trim(), members };
}

/** Finds the object in `const name = defineTool({ ... })`. */
function findDefinition(statement: ts.Statement): ts.ObjectLiteralExpression | undefined {
  const value = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0]?.initializer : undefined;
  if (!value || !ts.isCallExpression(value) || !/^define[A-Z]/.test(value.expression.getText())) return undefined;
  const [definition] = value.arguments;
  return definition && ts.isObjectLiteralExpression(definition) ? definition : undefined;
}

function keyOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText()).join(",");
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return statement.name?.text ?? "default";
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return statement.name.text;
  if (ts.isExpressionStatement(statement) && ts.isCallExpression(statement.expression))
    return `${statement.expression.expression.getText()}()`.slice(0, 80);
  return statement.getText().slice(0, 80);
}

/** Returns a function that appends a number to repeated keys. */
function createKeys(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key} ${count}`;
  };
}
