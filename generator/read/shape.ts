import type { LiteralShape, Shape } from "../model.ts";
import { isWithin, resolveAliasIn } from "../model/resolve.ts";
import { isAnyString, partsOf } from "../model/shapes.ts";
import { readConditional } from "./conditional.ts";
import { readEnumMember } from "./enum.ts";
import { readKeyof, readIndexedAccess, readMappedType } from "./keyed-types.ts";
import { readFiniteNumber, reject, ts } from "./syntax.ts";
import { readTemplate } from "./template.ts";
import type { TypeContext } from "./type-context.ts";
import { nameParts, readReference } from "./type-reference.ts";
import { includesUndefined, undefinedShape, unionOf, withoutUndefined } from "./unions.ts";

/** Far more than a schema needs, far less than the call stack allows. */
const depthLimit = 50;

/** Maximum number of parts of one type, after type parameters and members of other types are filled in. */
const partLimit = 20_000;

/** Maximum number of parts inside each other. */
const heightLimit = 200;

/** Reads a type expression. @throws {SpecError} when no message can have the type, or the model cannot represent it. */
export function readShape(context: TypeContext, node: ts.TypeNode): Shape {
  if (context.depth > depthLimit) throw reject(context.path, node, `types are nested more than ${depthLimit} deep`);
  const shape = readType({ ...context, depth: context.depth + 1 }, node);
  if (shape.kind === "array" && partsOf(shape).some(includesUndefined))
    throw reject(context.path, node, "a list in a message has no `undefined`; write `null` or leave it out");
  const { count, height } = sizeOf(shape);
  if (count > partLimit) throw reject(context.path, node, `the type has more than ${partLimit} parts`);
  if (height > heightLimit)
    throw reject(context.path, node, `the type has more than ${heightLimit} types inside each other`);
  return shape;
}

function readType(context: TypeContext, node: ts.TypeNode): Shape {
  const keyword = readKeyword(node.kind);
  if (keyword) return keyword;
  const read = (inner: ts.TypeNode): Shape => readShape(context, inner);
  if (ts.isParenthesizedTypeNode(node)) return read(node.type);
  if (ts.isLiteralTypeNode(node)) return readLiteral(context, node);
  if (ts.isTypeLiteralNode(node)) return context.readMembers(context, node.members);
  if (ts.isArrayTypeNode(node)) return { kind: "array", items: read(node.elementType) };
  if (ts.isTupleTypeNode(node)) return readTuple(context, node);
  if (ts.isUnionTypeNode(node)) return readUnion(node.types.map(read));
  if (ts.isIntersectionTypeNode(node)) return readIntersection(context, node);
  if (ts.isTypeQueryNode(node)) return readConstantType(context, node);
  if (ts.isTypeReferenceNode(node)) return readReference(context, node, node.typeName);
  if (ts.isExpressionWithTypeArguments(node)) return readReference(context, node, node.expression);
  if (ts.isTemplateLiteralTypeNode(node)) return readTemplate(context, node);
  if (ts.isIndexedAccessTypeNode(node)) return readIndexedAccess(context, node);
  if (ts.isMappedTypeNode(node)) return readMappedType(context, node);
  if (ts.isConditionalTypeNode(node)) return readConditional(context, node);
  if (!ts.isTypeOperatorNode(node) || node.operator === ts.SyntaxKind.UniqueKeyword)
    throw reject(context.path, node, `this kind of type is not supported; ${adviceFor(node.kind)}`);
  // What is left of the operators: `readonly` says nothing about a message.
  return node.operator === ts.SyntaxKind.KeyOfKeyword ? readKeyof(context, node.type) : read(node.type);
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
    case ts.SyntaxKind.NeverKeyword:
      return { kind: "never" };
    case ts.SyntaxKind.UndefinedKeyword:
      return undefinedShape;
    default:
      return undefined;
  }
}

function adviceFor(kind: ts.SyntaxKind): string {
  switch (kind) {
    case ts.SyntaxKind.FunctionType:
    case ts.SyntaxKind.ConstructorType:
      return "a message has no functions: remove it";
    case ts.SyntaxKind.BigIntKeyword:
      return "JSON has `number`";
    case ts.SyntaxKind.SymbolKeyword:
    case ts.SyntaxKind.TypeOperator:
      return "JSON has `string`";
    case ts.SyntaxKind.VoidKeyword:
      return "write `?` after the name of the property";
    case ts.SyntaxKind.ThisType:
      return "write the name of the type";
    case ts.SyntaxKind.ImportType:
      return "declare the type in this file";
    default:
      return "write the resulting type";
  }
}

function readLiteral(context: TypeContext, node: ts.LiteralTypeNode): Shape {
  const { literal } = node;
  if (ts.isStringLiteralLike(literal)) return { kind: "literal", value: literal.text };
  const number = readFiniteNumber(literal);
  if (number !== undefined) return { kind: "literal", value: number };
  if (literal.kind === ts.SyntaxKind.TrueKeyword) return { kind: "literal", value: true };
  if (literal.kind === ts.SyntaxKind.FalseKeyword) return { kind: "literal", value: false };
  if (literal.kind === ts.SyntaxKind.NullKeyword) return { kind: "null" };
  throw reject(context.path, node, "this kind of literal is not supported");
}

/** Reads a tuple. Items after the listed ones belong to a rest, which must come last. */
function readTuple(context: TypeContext, node: ts.TupleTypeNode): Shape {
  const members = node.elements.map((element) => readTupleMember(context, element));
  const rest = members.findIndex(({ isRest }) => isRest);
  const isLast = rest === -1 || rest === members.length - 1;
  if (!isLast) throw reject(context.path, node, "the rest of a tuple must come last");
  const listed = members.filter(({ isRest }) => !isRest);
  const required = listed.filter(({ isOptional }) => !isOptional).length;
  const items: Shape = members[rest]?.shape ?? { kind: "never" };
  if (listed.length === 0 && rest >= 0) return { kind: "array", items };
  return {
    kind: "array",
    items,
    prefix: listed.map(({ shape }) => shape),
    ...(required > 0 && { minItems: required }),
    ...(rest === -1 && { maxItems: listed.length }),
  };
}

function readTupleMember(
  context: TypeContext,
  node: ts.TypeNode | ts.NamedTupleMember,
): { readonly shape: Shape; readonly isOptional: boolean; readonly isRest: boolean } {
  const isNamed = ts.isNamedTupleMember(node);
  const isRest = isNamed ? node.dotDotDotToken !== undefined : ts.isRestTypeNode(node);
  const isOptional = isNamed ? node.questionToken !== undefined : ts.isOptionalTypeNode(node);
  const type = isNamed || ts.isRestTypeNode(node) || ts.isOptionalTypeNode(node) ? node.type : node;
  const shape = readShape(context, type);
  if (!isRest) return { shape, isOptional, isRest };
  const list = resolveAliasIn(shape, context.file.declarations);
  if (list.kind !== "array" || list.prefix) throw reject(context.path, node, "the rest of a tuple must be a list");
  return { shape: list.items, isOptional, isRest };
}

/** Literals combined with plain `string` are suggestions: the union is open and omits the keyword itself. */
function readUnion(all: readonly Shape[]): Shape {
  const isOfUndefined = all.some(includesUndefined);
  const of = all.map(withoutUndefined).filter(({ kind }) => kind !== "never");
  const isText = (shape: Shape): boolean => shape.kind === "literal" && typeof shape.value === "string";
  const literals = of.filter(isText);
  const isOpen =
    of.some(isAnyString) && literals.length > 0 && of.every((shape) => isText(shape) || isAnyString(shape));
  const [first, ...others] = of;
  const union: Shape = isOpen ? { kind: "union", of: literals, open: true } : { kind: "union", of };
  const whole = first && others.length === 0 ? first : union;
  if (!isOfUndefined) return first ? whole : { kind: "never" };
  return first ? unionOf([whole, undefinedShape]) : undefinedShape;
}

function readIntersection(context: TypeContext, node: ts.IntersectionTypeNode): Shape {
  const all = node.types.map((type) => readShape(context, type));
  const of = all.map(withoutUndefined);
  if (all.every(includesUndefined)) return unionOf([meetAll(context, node, of), undefinedShape]);
  return meetAll(context, node, of);
}

/** `string & {}` is a string: the object type only keeps editors from merging the literals of a union with it. */
function meetAll(context: TypeContext, node: ts.TypeNode, of: readonly Shape[]): Shape {
  const [first, ...others] = of.filter((shape) => !acceptsEverything(shape));
  if (!first || ![first, ...others].every(isScalar)) return { kind: "intersection", of };
  return others.reduce((met, next) => {
    if (isWithin(met, next, context.file.declarations)) return met;
    if (isWithin(next, met, context.file.declarations)) return next;
    throw reject(context.path, node, "no value has all of these types");
  }, first);
}

/** True for `{}` and `unknown`, which say nothing about a text or a number. */
function acceptsEverything(shape: Shape): boolean {
  return shape.kind === "unknown" || (shape.kind === "object" && shape.properties.length === 0 && !shape.index);
}

function isScalar({ kind }: Shape): boolean {
  return kind === "string" || kind === "number" || kind === "boolean" || kind === "literal";
}

function readConstantType(context: TypeContext, node: ts.TypeQueryNode): Shape {
  const parts = nameParts(node.exprName);
  const { constants, structures } = context.file;
  const name = parts?.join(".") ?? "";
  const constant = constants.get(name);
  if (constant) return { kind: "literal", value: constant.value, constant: name } satisfies LiteralShape;
  const shape = structures.get(name) ?? (parts && readEnumMember(context, parts));
  if (shape) return shape;
  throw reject(context.path, node, `\`${node.exprName.getText()}\` is not a constant of this file`);
}

/** Size of a type with all parts, and the number of parts inside each other. */
interface Size {
  readonly count: number;
  readonly height: number;
}

/** Sizes of known types: the same ones are used in many places. */
const sizes = new WeakMap<Shape, Size>();

function sizeOf(shape: Shape): Size {
  const known = sizes.get(shape);
  if (known) return known;
  const parts = partsOf(shape).map(sizeOf);
  const size = {
    count: parts.reduce((sum, { count }) => sum + count, 1),
    height: 1 + Math.max(0, ...parts.map(({ height }) => height)),
  };
  sizes.set(shape, size);
  return size;
}
