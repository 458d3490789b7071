import type { Constant, LiteralShape, ObjectShape, Shape, UnionShape } from "../model.ts";
import type { TypeTags } from "./doc-comment.ts";
import { reject, ts } from "./syntax.ts";

/** File context for reading a type expression. */
export interface ShapeContext {
  readonly path: string;
  readonly constants: ReadonlyMap<string, Constant>;
  readonly readMembers: (context: ShapeContext, members: ts.NodeArray<ts.TypeElement>) => ObjectShape;
  /** Nesting depth of the current type. */
  readonly depth: number;
}

/** Far more than a schema needs, far less than the call stack allows. */
const depthLimit = 50;

/** Reads a type expression and applies the type tags of its declaration or property. @throws {SpecError} when the type or a tag is not supported. */
export function readShape(context: ShapeContext, node: ts.TypeNode, tags: TypeTags = {}): Shape {
  if (context.depth > depthLimit) throw reject(context.path, node, `types are nested more than ${depthLimit} deep`);
  return constrain(context, node, readType({ ...context, depth: context.depth + 1 }, node), tags);
}

function readType(context: ShapeContext, node: ts.TypeNode): Shape {
  const keyword = readKeyword(node.kind);
  if (keyword) return keyword;
  if (ts.isParenthesizedTypeNode(node)) return readShape(context, node.type);
  if (ts.isLiteralTypeNode(node)) return readLiteral(context, node);
  if (ts.isTypeLiteralNode(node)) return context.readMembers(context, node.members);
  if (ts.isArrayTypeNode(node)) return { kind: "array", items: readShape(context, node.elementType) };
  if (ts.isUnionTypeNode(node)) return readUnion(context, node);
  if (ts.isIntersectionTypeNode(node))
    return { kind: "intersection", of: node.types.map((type) => readShape(context, type)) };
  if (ts.isTypeQueryNode(node)) return readConstantType(context, node);
  if (ts.isTypeReferenceNode(node)) return readReference(context, node, node.typeName, node.typeArguments);
  if (ts.isExpressionWithTypeArguments(node)) return readReference(context, node, node.expression, node.typeArguments);
  throw reject(context.path, node, "this kind of type is not supported");
}

function readKeyword(kind: ts.SyntaxKind): Shape | undefined {
  switch (kind) {
    case ts.SyntaxKind.StringKeyword:
      return { kind: "string" };
    case ts.SyntaxKind.NumberKeyword:
      return { kind: "number" };
    case ts.SyntaxKind.BooleanKeyword:
      return { kind: "boolean" };
    case ts.SyntaxKind.ObjectKeyword:
      return { kind: "anyObject" };
    case ts.SyntaxKind.UnknownKeyword:
      return { kind: "unknown" };
    case ts.SyntaxKind.AnyKeyword:
      return { kind: "unknown", any: true };
    default:
      return undefined;
  }
}

function readLiteral(context: ShapeContext, node: ts.LiteralTypeNode): Shape {
  const { literal } = node;
  if (ts.isStringLiteral(literal)) return { kind: "literal", value: literal.text };
  const number = readFiniteNumber(literal);
  if (number !== undefined) return { kind: "literal", value: number };
  if (literal.kind === ts.SyntaxKind.TrueKeyword) return { kind: "literal", value: true };
  if (literal.kind === ts.SyntaxKind.FalseKeyword) return { kind: "literal", value: false };
  if (literal.kind === ts.SyntaxKind.NullKeyword) return { kind: "null" };
  throw reject(context.path, node, "this kind of literal is not supported");
}

/** Returns the value of a number literal that JSON can represent. `1e999` is valid TypeScript, but infinite. */
export function readFiniteNumber(node: ts.Node): number | undefined {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = readFiniteNumber(node.operand);
    return value === undefined ? undefined : -value;
  }
  return ts.isNumericLiteral(node) && Number.isFinite(Number(node.text)) ? Number(node.text) : undefined;
}

/** Literals combined with plain `string` are suggestions: the union is open and omits the keyword itself. */
function readUnion(context: ShapeContext, node: ts.UnionTypeNode): UnionShape {
  const of = node.types.map((type) => readShape(context, type));
  const isText = (shape: Shape): boolean => shape.kind === "literal" && typeof shape.value === "string";
  const literals = of.filter(isText);
  const others = of.filter((shape) => !isText(shape));
  const isOpen = literals.length > 0 && others.length === 1 && others[0]?.kind === "string";
  return isOpen ? { kind: "union", of: literals, open: true } : { kind: "union", of };
}

function readConstantType(context: ShapeContext, node: ts.TypeQueryNode): LiteralShape {
  const name = node.exprName.getText();
  const constant = context.constants.get(name);
  if (!constant) throw reject(context.path, node, `\`${name}\` is not an exported constant of this file`);
  return { kind: "literal", value: constant.value, constant: name };
}

function readReference(
  context: ShapeContext,
  node: ts.TypeNode,
  nameNode: ts.Node,
  typeArguments: ts.NodeArray<ts.TypeNode> | undefined,
): Shape {
  if (!ts.isIdentifier(nameNode)) throw reject(context.path, node, "expected a plain type name");
  const name = nameNode.text;
  if (!typeArguments) return { kind: "reference", name };
  const [first, second, third] = typeArguments;
  if (name === "Array" && first && !second) return { kind: "array", items: readShape(context, first) };
  if (name === "Record" && first && second && !third && hasAnyString(readShape(context, first)))
    return { kind: "object", properties: [], index: readShape(context, second) };
  if (name === "Omit" && first && second && !third) return readOmit(context, node, first, second);
  throw reject(context.path, node, "the only generics are Array<T>, Record<string, T> and Omit<Base, keys>");
}

/** True for keys that may be any string. In `"a" | string`, TypeScript does not tell the literal apart. */
function hasAnyString(keys: Shape): boolean {
  return keys.kind === "string" || (keys.kind === "union" && keys.open === true);
}

function readOmit(context: ShapeContext, node: ts.TypeNode, baseNode: ts.TypeNode, keysNode: ts.TypeNode): Shape {
  const base = readShape(context, baseNode);
  const keys = readShape(context, keysNode);
  const literals = keys.kind === "union" ? keys.of : [keys];
  const names = literals.flatMap((shape) =>
    shape.kind === "literal" && typeof shape.value === "string" ? [shape.value] : [],
  );
  if (base.kind !== "reference" || names.length !== literals.length) {
    throw reject(context.path, node, "expected Omit<Base, string literals>");
  }
  return { kind: "omit", base, keys: names };
}

/** A tag must fit its shape. A tag that would have no effect is rejected. */
function constrain(context: ShapeContext, node: ts.TypeNode, shape: Shape, tags: TypeTags): Shape {
  const { format, minLength, maxLength, minimum, maximum, fractional, minItems, maxItems, nullable } = tags;
  let result = shape;
  const add = (kind: Shape["kind"], given: object, problem: string): void => {
    const members = Object.entries(given).filter(([, value]) => value !== undefined);
    if (members.length === 0) return;
    if (shape.kind !== kind) throw reject(context.path, node, problem);
    result = { ...result, ...Object.fromEntries(members) };
  };
  add("string", { format, minLength, maxLength }, "@format, @minLength and @maxLength belong on a string");
  add("number", { minimum, maximum, fractional }, "@minimum, @maximum and @TJS-type belong on a number");
  add("array", { minItems, maxItems }, "@minItems and @maxItems belong on an array");
  add("union", { nullable }, "@nullable belongs on a union with null");
  return result;
}
