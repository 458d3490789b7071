import { SpecError } from "../internal/spec-error.ts";
import type { Declaration } from "../model.ts";
import type { Names } from "../model/resolve.ts";
import type { NewNames } from "./instances.ts";
import { isImportOrExport } from "./imported-files.ts";
import { locationOf, reject, ts } from "./syntax.ts";
import type { OpenDeclaration } from "./open-members.ts";
import type { DeclarationStatement, FileNames, NamedStatements, TypeContext } from "./type-context.ts";

/** Statements by the qualified name of their type: `ns.Type`. */
export type StatementsByName = ReadonlyMap<string, NamedStatements>;

/**
 * Collects the declarations of a file, also those inside of namespaces.
 *
 * @throws {SpecError} when a statement is neither a declaration nor empty
 */
export function collectStatements(path: string, statements: readonly ts.Statement[]): StatementsByName {
  const found = new Map<string, NamedStatements>();
  const add = (statement: ts.Statement, namespaces: readonly string[]): void => {
    if (declaresNothing(statement)) return;
    if (ts.isModuleDeclaration(statement)) {
      const inside = [...namespaces, statement.name.text];
      for (const inner of statementsOf(path, statement)) add(inner, inside);
      return;
    }
    const known = toDeclaration(path, statement);
    const parts = [...namespaces, known.name.text];
    const before = found.get(parts.join("."));
    if (before && ![...before.statements, known].every(isPlainInterface))
      throw new SpecError({ file: path, ...locationOf(known), text: `\`${parts.join(".")}\` is declared twice` });
    const all: NamedStatements["statements"] = before ? [...before.statements, known] : [known];
    found.set(parts.join("."), { name: parts.join(""), namespaces, statements: all });
  };
  for (const statement of statements) add(statement, []);
  return found;
}

/** Finds a name, which may be qualified, from the innermost namespace outwards. */
export function findStatements(
  statements: StatementsByName,
  parts: readonly string[],
  namespaces: readonly string[],
): NamedStatements | undefined {
  const found = statements.get([...namespaces, ...parts].join("."));
  return found || namespaces.length === 0 ? found : findStatements(statements, parts, namespaces.slice(0, -1));
}

/** Maximum number of declarations waiting for each other while they are read. Each takes a part of the call stack. */
const openLimit = 20;

/**
 * Reads each declaration when it is first looked up: a type with members of another one needs the other one first.
 *
 * @param options - `contextOf`: returns the place of the statements of a name
 * @throws {SpecError} when a declaration needs itself
 */
export function createNames(
  path: string,
  statements: StatementsByName,
  {
    core,
    contextOf,
    read,
  }: {
    readonly core: readonly Declaration[];
    readonly contextOf: (statements: NamedStatements) => TypeContext;
    readonly read: (context: TypeContext, statements: NamedStatements) => Declaration;
  },
): Names & NewNames & Pick<FileNames, "findOpen"> {
  const byName = new Map([...statements.values()].map((named) => [named.name, named]));
  const known = new Map(core.map((declaration) => [declaration.name, declaration]));
  const open: string[] = [];
  const unfinished = new Map<string, OpenDeclaration>();
  const rejectOpen = ([first]: OpenDeclaration["statements"], name: string, problem: string): SpecError =>
    new SpecError({ file: path, ...locationOf(first), text: `\`${name}\` ${problem}` });
  const get = (name: string): Declaration | undefined => {
    const found = known.get(name);
    const generic = unfinished.get(name);
    if (generic) throw rejectOpen(generic.statements, name, "is defined by itself");
    const named = found ? undefined : byName.get(name);
    if (!named) return found;
    const start = open.indexOf(name);
    if (start >= 0 || open.length >= openLimit) {
      const chain = [...open.slice(start), name].join(" -> ");
      const problem = start >= 0 ? `is defined by itself (${chain})` : `needs more than ${openLimit} types`;
      throw rejectOpen(named.statements, name, problem);
    }
    open.push(name);
    const declaration = read(contextOf(named), named);
    open.pop();
    known.set(name, declaration);
    return declaration;
  };
  return {
    get,
    isTaken: (name) => byName.has(name) || known.has(name) || unfinished.has(name),
    findOpen(name) {
      const named = open.includes(name) ? byName.get(name) : undefined;
      return named ? { context: contextOf(named), statements: named.statements } : unfinished.get(name);
    },
    begin: (name, declaration) => void unfinished.set(name, declaration),
    finish(declaration) {
      unfinished.delete(declaration.name);
      known.set(declaration.name, declaration);
    },
  };
}

/** True for a stray semicolon, a directive such as `"use strict"`, and an export of declared names. */
function declaresNothing(statement: ts.Statement): boolean {
  if (ts.isExpressionStatement(statement)) return ts.isStringLiteral(statement.expression);
  if (!ts.isExportDeclaration(statement)) return ts.isEmptyStatement(statement);
  const { exportClause: names, moduleSpecifier } = statement;
  const isOwn = !moduleSpecifier && names !== undefined && ts.isNamedExports(names);
  return isOwn && names.elements.every(({ propertyName }) => propertyName === undefined);
}

function statementsOf(path: string, { body, name }: ts.ModuleDeclaration): readonly ts.Statement[] {
  const isPlain = body && ts.isModuleBlock(body) && ts.isIdentifier(name) && /^[A-Za-z]\w*$/.test(name.text);
  if (!isPlain) throw reject(path, name, "expected `namespace Name { ... }`");
  return [...body.statements];
}

function toDeclaration(path: string, statement: ts.Statement): DeclarationStatement {
  if (isImportOrExport(statement))
    throw reject(path, statement, "expected one file; `create-mcp-server pin` joins the files of a schema");
  const isKnown =
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isEnumDeclaration(statement);
  if (!isKnown) throw reject(path, statement, "expected an interface, a type alias, an enum or a constant");
  // A helper without `export` is a type like any other.
  const other = statement.modifiers?.find(({ kind }) => !harmlessModifiers.has(kind));
  if (other) throw reject(path, statement, "expected no modifier but `export`");
  if (!isTypeName(statement.name.text))
    throw reject(path, statement, "expected a plain name that starts with a capital letter");
  return statement;
}

const harmlessModifiers: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.ExportKeyword,
  ts.SyntaxKind.DeclareKeyword,
  ts.SyntaxKind.ConstKeyword,
]);

/** Declared names must not change the meaning of built-in types in generated code. */
function isTypeName(name: string): boolean {
  return /^[A-Z]\w*$/.test(name) && !["Array", "Record", "Omit"].includes(name);
}

function isPlainInterface(statement: DeclarationStatement): boolean {
  return ts.isInterfaceDeclaration(statement) && !statement.typeParameters;
}
