import { ts } from "ts-morph";

/* Edits of the text of a schema. Each returns the new text, and throws when the schema has no such place. */

/** Gives a schema another date. */
export function redate(text: string, from: string, to: string): string {
  return replaceOnce(text, `LATEST_PROTOCOL_VERSION = "${from}"`, `LATEST_PROTOCOL_VERSION = "${to}"`);
}

/** Adds an alternative to a union of types. */
export function addToUnion(text: string, union: string, member: string): string {
  const { type } = aliasOf(text, union);
  const start = type.getStart();
  const isListed = text.charAt(start) === "|";
  return insertAt(text, start, isListed ? `| ${member}\n  ` : `${member} | `);
}

/** Adds a member at the beginning of an interface. */
export function addMember(text: string, type: string, member: string): string {
  const { members } = interfaceOf(text, type);
  return insertAt(text, members.pos, `\n  ${member};\n`);
}

/** Makes an optional member of an interface required. */
export function requireMember(text: string, type: string, member: string): string {
  const found = interfaceOf(text, type).members.find((one) => one.name?.getText() === member);
  const question = found && ts.isPropertySignature(found) ? found.questionToken : undefined;
  if (!question) throw new Error(`${type} has no optional member ${member}; draw another one`);
  return splice(text, { start: question.getStart(), end: question.end, by: "" });
}

/** Removes a member of an interface, with its comment. */
export function removeMember(text: string, type: string, member: string): string {
  const found = interfaceOf(text, type).members.find((one) => one.name?.getText() === member);
  if (!found) throw new Error(`${type} has no member ${member}; draw another one`);
  return splice(text, { start: found.pos, end: found.end, by: "" });
}

/** Appends declarations. */
export function append(text: string, declarations: string): string {
  return `${text.trimEnd()}\n\n${declarations.trim()}\n`;
}

/** Replaces a literal inside of a declaration. */
export function renameLiteral(
  text: string,
  type: string,
  names: { readonly from: string; readonly to: string },
): string {
  const found = literalsIn(declarationOf(text, type)).find((literal) => literal.text === names.from);
  if (!found) throw new Error(`${type} has no literal "${names.from}"; draw another one`);
  return splice(text, { start: found.getStart(), end: found.getEnd(), by: JSON.stringify(names.to) });
}

/** Gives a constant another value. */
export function changeConstant(text: string, constant: string, value: number): string {
  const pattern = new RegExp(`(?<=\\bconst ${constant} = )-?\\d+(?=;)`);
  if (!pattern.test(text)) throw new Error(`The schema has no constant ${constant}; draw another one`);
  return text.replace(pattern, String(value));
}

/** Returns the value of a constant. */
export function readConstant(text: string, constant: string): number {
  const [value] = new RegExp(`(?<=\\bconst ${constant} = )-?\\d+(?=;)`).exec(text) ?? [];
  if (value === undefined) throw new Error(`The schema has no constant ${constant}; draw another one`);
  return Number(value);
}

/** Removes a declaration with its comment, its alternatives in unions, and the members of its type. */
export function removeType(text: string, type: string): string {
  const declaration = declarationOf(text, type);
  const uses = parse(text).statements.flatMap((statement) => usesOf(statement, type));
  const places = [{ start: declaration.pos, end: declaration.end }, ...uses.map((use) => rangeOf(use))];
  const last = places.toSorted((a, b) => b.start - a.start);
  return last.reduce((whole, place) => splice(whole, { ...place, by: "" }), text);
}

/** Writes a stray semicolon after a declaration. TypeScript permits it. */
export function addSemicolon(text: string, type: string): string {
  return insertAt(text, declarationOf(text, type).end, ";");
}

/** Writes a tag in the comment of a declaration. */
export function addTag(text: string, type: string, tag: string): string {
  const start = declarationOf(text, type).getStart();
  const end = text.lastIndexOf("*/", start);
  return insertAt(text, end, `* ${tag}\n `);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function splice(text: string, { start, end, by }: Edit): string {
  return text.slice(0, start) + by + text.slice(end);
}

function insertAt(text: string, at: number, part: string): string {
  return splice(text, { start: at, end: at, by: part });
}

function replaceOnce(text: string, part: string, by: string): string {
  if (text.split(part).length !== 2) throw new Error(`${part} is not in the schema once`);
  return text.replace(part, () => by);
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile("schema.ts", text, ts.ScriptTarget.ESNext, true);
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

function declarationOf(text: string, name: string): TypeDeclaration {
  for (const statement of parse(text).statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (isType && statement.name.text === name) return statement;
  }
  throw new Error(`The schema has no type ${name}; draw another one`);
}

function aliasOf(text: string, name: string): ts.TypeAliasDeclaration {
  const found = declarationOf(text, name);
  if (ts.isTypeAliasDeclaration(found)) return found;
  throw new Error(`${name} is no union; draw another one`);
}

function interfaceOf(text: string, name: string): ts.InterfaceDeclaration {
  const found = declarationOf(text, name);
  if (ts.isInterfaceDeclaration(found)) return found;
  throw new Error(`${name} is no interface; draw another one`);
}

function literalsIn(node: ts.Node): ts.StringLiteral[] {
  if (ts.isStringLiteral(node)) return [node];
  return childrenOf(node).flatMap(literalsIn);
}

/** Returns the smallest parts of a declaration to remove with a type: members of objects, and alternatives of unions. */
function usesOf(node: ts.Node, type: string): ts.Node[] {
  const isUse = ts.isPropertySignature(node) || (ts.isUnionTypeNode(node.parent) && ts.isTypeReferenceNode(node));
  const inner = childrenOf(node).flatMap((child) => usesOf(child, type));
  if (inner.length > 0 || !isUse) return inner;
  return namesIn(node).includes(type) ? [node] : [];
}

function namesIn(node: ts.Node): string[] {
  const own = ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? [node.typeName.text] : [];
  return [...own, ...childrenOf(node).flatMap(namesIn)];
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/** Returns the place of a part, including the `|` between it and the others. */
function rangeOf(node: ts.Node): Omit<Edit, "by"> {
  const { parent } = node;
  if (!ts.isUnionTypeNode(parent)) return { start: node.pos, end: node.end };
  const isFirst = parent.types[0] === node;
  const next = parent.types[1];
  if (isFirst && next) return { start: node.getStart(), end: next.getStart() };
  const before = parent.types[parent.types.findIndex((one) => one === node) - 1];
  return { start: before?.end ?? node.pos, end: node.end };
}
