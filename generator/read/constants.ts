import type { Constant, Shape } from "../model.ts";
import { readComment } from "./doc-comment.ts";
import { locationOf, plainName, readFiniteNumber, reject, ts } from "./syntax.ts";

/** Constants of a schema file. */
export interface Constants {
  /** Texts and numbers, which are part of the model. */
  readonly constants: readonly Constant[];
  /** Types of arrays and objects `as const`. Only types use them. */
  readonly structures: ReadonlyMap<string, Shape>;
}

/** Reads constants in source order. @throws {SpecError} for a variable, and for a computed value. */
export function readConstants(path: string, statements: readonly ts.VariableStatement[]): Constants {
  const constants: Constant[] = [];
  const structures = new Map<string, Shape>();
  for (const statement of statements) {
    const { name, value } = readVariable(path, statement);
    const { doc } = readComment(path, statement);
    const literal = readScalar(value);
    if (literal !== undefined && typeof literal !== "boolean") {
      if (!/^[A-Z]\w*$/.test(name)) throw reject(path, statement, "expected a plain name in capitals");
      constants.push({ name, value: literal, ...(doc && { doc }), location: locationOf(statement) });
      continue;
    }
    const fixed = withoutConst(value);
    const shape = fixed && readStructure(fixed);
    if (!shape)
      throw reject(path, value, "expected a string, a number, or an array or object of such values `as const`");
    structures.set(name, shape);
  }
  return { constants, structures };
}

function readVariable(
  path: string,
  statement: ts.VariableStatement,
): { readonly name: string; readonly value: ts.Expression } {
  const [declaration, ...rest] = statement.declarationList.declarations;
  const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
  const isPlain = statement.modifiers?.every(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? true;
  const value = declaration?.initializer;
  if (!isPlain || !isConst || !declaration || rest.length > 0 || !value || !ts.isIdentifier(declaration.name))
    throw reject(path, statement, "expected `export const NAME = literal`");
  if (declaration.type) throw reject(path, declaration, "expected a constant without a type annotation");
  return { name: declaration.name.text, value: withoutSatisfies(value) };
}

function withoutSatisfies(value: ts.Expression): ts.Expression {
  return ts.isSatisfiesExpression(value) ? value.expression : value;
}

/** Returns the value before `as const`; `undefined` without it. */
function withoutConst(value: ts.Expression): ts.Expression | undefined {
  return ts.isAsExpression(value) && value.type.getText() === "const" ? value.expression : undefined;
}

function readScalar(value: ts.Expression): string | number | boolean | undefined {
  const inner = withoutConst(value) ?? value;
  if (ts.isStringLiteralLike(inner)) return inner.text;
  if (inner.kind === ts.SyntaxKind.TrueKeyword || inner.kind === ts.SyntaxKind.FalseKeyword)
    return inner.kind === ts.SyntaxKind.TrueKeyword;
  return readFiniteNumber(inner);
}

/** Returns the type of an array or an object of literals `as const`, or `undefined` for another value. */
function readStructure(value: ts.Expression): Shape | undefined {
  const scalar = readScalar(value);
  if (scalar !== undefined) return { kind: "literal", value: scalar };
  if (value.kind === ts.SyntaxKind.NullKeyword) return { kind: "null" };
  if (ts.isArrayLiteralExpression(value)) {
    const prefix = value.elements.map(readStructure).filter((shape) => shape !== undefined);
    const count = value.elements.length;
    return prefix.length === count
      ? { kind: "array", items: { kind: "never" }, prefix, minItems: count, maxItems: count }
      : undefined;
  }
  if (!ts.isObjectLiteralExpression(value)) return undefined;
  const properties = value.properties.map((property) => {
    const shape = ts.isPropertyAssignment(property) ? readStructure(property.initializer) : undefined;
    const name = plainName(property.name);
    return shape && name !== undefined ? { name, optional: false, shape, location: locationOf(property) } : undefined;
  });
  const known = properties.filter((property) => property !== undefined);
  const isSafe = known.length === properties.length && known.every(({ name }) => name !== "__proto__");
  return isSafe ? { kind: "object", properties: known } : undefined;
}
