import type { Constant, Declaration, ObjectShape, OmitShape, Property, ReferenceShape, Shape } from "../model.ts";
import { referencesIn } from "../model/shapes.ts";
import { findUnknownTags, readComment } from "./doc-comment.ts";
import { readImports, withCoreNames, type Imports } from "./imports.ts";
import { readFiniteNumber, readShape, type ShapeContext } from "./shape.ts";
import { SpecError } from "../internal/spec-error.ts";
import { mergeInterfaces } from "./merge-interfaces.ts";
import { rejectCircles, rejectNonObjects, spreadUnions } from "./structure.ts";
import { locationOf, parseSource, reject, ts } from "./syntax.ts";

/** All declarations of a schema file, in source order. */
export interface Schema {
  readonly constants: readonly Constant[];
  readonly declarations: readonly Declaration[];
  /** Tags without a meaning for the reader, which are kept as documentation: one text for each name, with its first place. */
  readonly warnings: readonly string[];
}

/**
 * Reads a protocol schema written in TypeScript: a local file or the unmodified upstream file. The reader uses only the syntax, never the type
 * checker, so aliases, order and optionality stay as written.
 *
 * @throws {SpecError} at the first construct that the model cannot represent, with file, line and column.
 * @param core - declarations that the file may import: an extension uses those of the core
 */
export function readSchema(path: string, text: string, core: readonly Declaration[] = []): Schema {
  const file = parseSource(path, text.replaceAll("\r\n", "\n"));
  const imports = readImports(path, file, core);
  const constants = file.statements.filter(ts.isVariableStatement).map((statement) => readConstant(path, statement));
  const context: ShapeContext = {
    path,
    constants: new Map(constants.map((constant) => [constant.name, constant])),
    readMembers,
    depth: 0,
  };
  const written: Declaration[] = [];
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement) || (core.length > 0 && ts.isImportDeclaration(statement))) continue;
    if (declaresNothing(statement)) continue;
    written.push(readDeclaration(context, statement));
  }
  const declarations = mergeInterfaces(path, written);
  if (declarations.length === 0) {
    throw new SpecError({ file: path, text: "no exported declarations; is this a protocol schema.ts?" });
  }
  rejectDuplicates(path, [...constants, ...declarations]);
  rejectDangling(path, declarations, imports);
  const own = withCoreNames(path, declarations, { imports, core });
  const scope = [...core, ...own];
  rejectCircles(path, scope);
  const complete = own.map((declaration) => spreadUnions(path, declaration, { declarations: scope }));
  rejectNonObjects(path, complete, { declarations: [...core, ...complete] });
  return { constants, declarations: complete, warnings: findUnknownTags(path, file) };
}

/** True for a stray semicolon, a directive such as `"use strict"`, and `export {}`. */
function declaresNothing(statement: ts.Statement): boolean {
  if (ts.isExpressionStatement(statement)) return ts.isStringLiteral(statement.expression);
  if (!ts.isExportDeclaration(statement)) return ts.isEmptyStatement(statement);
  const { exportClause: names, moduleSpecifier } = statement;
  return !moduleSpecifier && names !== undefined && ts.isNamedExports(names) && names.elements.length === 0;
}

function readConstant(path: string, statement: ts.VariableStatement): Constant {
  const [declaration, ...rest] = statement.declarationList.declarations;
  const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
  if (!isExported(statement) || !isConst || declaration === undefined || rest.length > 0) {
    throw reject(path, statement, "expected `export const NAME = literal`");
  }
  if (!ts.isIdentifier(declaration.name) || !/^[A-Z]\w*$/.test(declaration.name.text))
    throw reject(path, declaration, "expected a plain name in capitals");
  if (declaration.type) throw reject(path, declaration, "expected a constant without a type annotation");
  const { doc } = readComment(path, statement);
  const value = readConstantValue(path, declaration);
  return { name: declaration.name.text, value, ...(doc && { doc }), location: locationOf(statement) };
}

function readConstantValue(path: string, declaration: ts.VariableDeclaration): string | number {
  const value = declaration.initializer;
  if (value && ts.isStringLiteral(value)) return value.text;
  const number = value && readFiniteNumber(value);
  if (number !== undefined) return number;
  throw reject(path, declaration, "expected a string or number literal");
}

function readDeclaration(context: ShapeContext, statement: ts.Statement): Declaration {
  const { path } = context;
  const isKnown = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  if (!isKnown) throw reject(path, statement, "expected an interface, a type alias or a constant");
  // A helper without `export` is a type like any other.
  if (statement.modifiers && !isExported(statement)) throw reject(path, statement, "expected no modifier but `export`");
  if (!isTypeName(statement.name.text))
    throw reject(path, statement, "expected a plain name that starts with a capital letter");
  if (statement.typeParameters) throw reject(path, statement, "generic declarations are not supported");
  const { doc, tags } = readComment(path, statement);
  const common = { name: statement.name.text, ...(doc && { doc }), location: locationOf(statement) };
  if (ts.isTypeAliasDeclaration(statement)) {
    return { ...common, kind: "alias", extends: [], shape: readShape(context, statement.type, tags) };
  }
  if (Object.keys(tags).length > 0) throw reject(path, statement, "type tags are not supported on an interface");
  return {
    ...common,
    kind: "interface",
    extends: readBases(context, statement),
    shape: readMembers(context, statement.members),
  };
}

function readBases(context: ShapeContext, declaration: ts.InterfaceDeclaration): (ReferenceShape | OmitShape)[] {
  const clauses = declaration.heritageClauses ?? [];
  const stranger = clauses.find((clause, at) => at > 0 || clause.token !== ts.SyntaxKind.ExtendsKeyword);
  if (stranger) throw reject(context.path, stranger, "an interface has one `extends` and nothing else");
  const types = clauses.flatMap((clause) => [...clause.types]);
  return types.map((type) => {
    const shape = readShape(context, type);
    if (shape.kind === "reference" || shape.kind === "omit") return shape;
    throw reject(context.path, type, "expected the name of a base type, or Omit<Base, keys>");
  });
}

/** Reads the members of an interface or of an inline object type. */
function readMembers(context: ShapeContext, members: ts.NodeArray<ts.TypeElement>): ObjectShape {
  const properties: Property[] = [];
  let index: Shape | undefined;
  for (const member of members) {
    if (ts.isPropertySignature(member)) {
      properties.push(readProperty(context, member));
      continue;
    }
    if (index !== undefined || !ts.isIndexSignatureDeclaration(member))
      throw reject(context.path, member, "unexpected member");
    index = readIndex(context, member);
  }
  rejectDuplicates(context.path, properties);
  return { kind: "object", properties, ...(index && { index }) };
}

function readProperty(context: ShapeContext, member: ts.PropertySignature): Property {
  const { path } = context;
  rejectModifiers(path, member);
  if (!ts.isIdentifier(member.name) && !ts.isStringLiteral(member.name))
    throw reject(path, member, "expected a plain property name");
  // Reading a property of this name yields the prototype even if the property is absent.
  if (member.name.text === "__proto__") throw reject(path, member, "a property of this name cannot be checked");
  // The parser accepts a value here, although it is not valid TypeScript.
  if ("initializer" in member && member.initializer) throw reject(path, member, "a property of a type has no value");
  if (!member.type) throw reject(path, member, "expected a type after the property name");
  const { doc, tags } = readComment(path, member);
  // No message has a value of this type, even if the property is not marked as optional.
  const mustBeAbsent = member.type.kind === ts.SyntaxKind.NeverKeyword;
  return {
    name: member.name.text,
    optional: mustBeAbsent || member.questionToken !== undefined,
    shape: mustBeAbsent ? { kind: "never" } : readShape(context, member.type, tags),
    ...(doc && { doc }),
    location: locationOf(member),
  };
}

function readIndex(context: ShapeContext, member: ts.IndexSignatureDeclaration): Shape {
  const [key, ...others] = member.parameters;
  const type: ts.TypeNode | undefined = member.type;
  if (key?.type?.kind !== ts.SyntaxKind.StringKeyword || others.length > 0 || !type)
    throw reject(context.path, member, "expected an index signature with string keys and a type");
  rejectModifiers(context.path, member);
  return readShape(context, type);
}

/** `readonly` says nothing about a message. */
function rejectModifiers(path: string, member: ts.PropertySignature | ts.IndexSignatureDeclaration): void {
  const other = member.modifiers?.find(({ kind }) => kind !== ts.SyntaxKind.ReadonlyKeyword);
  if (other) throw reject(path, member, "expected no modifier but `readonly`");
}

/** Declared names must not change the meaning of the built-in types that schemas use. */
function isTypeName(name: string): boolean {
  return /^[A-Z]\w*$/.test(name) && !["Array", "Record", "Omit"].includes(name);
}

function isExported(node: ts.Statement & { readonly modifiers?: ts.NodeArray<ts.ModifierLike> }): boolean {
  const modifiers = node.modifiers ?? [];
  return modifiers.length === 1 && modifiers[0]?.kind === ts.SyntaxKind.ExportKeyword;
}

function rejectDuplicates(
  path: string,
  named: readonly { readonly name: string; readonly location: Constant["location"] }[],
): void {
  const seen = new Set<string>();
  for (const { name, location } of named) {
    if (seen.has(name)) throw new SpecError({ file: path, ...location, text: `\`${name}\` is declared twice` });
    seen.add(name);
  }
}

/** Every name that a type uses must be declared in the same file or imported by it. */
function rejectDangling(path: string, declarations: readonly Declaration[], imports: Imports): void {
  const names = new Set([...declarations.map((declaration) => declaration.name), ...imports.keys()]);
  for (const { name, location, shape, extends: bases } of declarations) {
    const missing = [shape, ...bases].flatMap(referencesIn).find((reference) => !names.has(reference));
    if (missing !== undefined) {
      throw new SpecError({
        file: path,
        ...location,
        text: `\`${name}\` refers to \`${missing}\`, which this file does not declare`,
      });
    }
  }
}
