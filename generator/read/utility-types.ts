import type { ObjectShape, Property, Shape } from "../model.ts";
import { isAssignableToAny, splitBooleans } from "./assignable.ts";
import { toKeys, toObject } from "./keyed-types.ts";
import { locationOf, reject, type ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { alternativesOf, includesUndefined, undefinedShape, unionOf, withoutUndefined } from "./unions.ts";

/** Applies a utility type of TypeScript to its type arguments. Returns `undefined` for another name or another number of arguments. */
export function readUtility(
  context: TypeContext,
  node: ts.Node,
  { name, types }: { readonly name: string; readonly types: readonly Shape[] },
): Shape | undefined {
  const [first, second, ...others] = types;
  if (!first) return wrapped.get(name);
  if (others.length > 0) return undefined;
  return second ? applyToTwo(context, node, { name, first, second }) : applyToOne(context, node, { name, type: first });
}

/** Wrappers of values, which accept the values. */
const wrapped: ReadonlyMap<string, Shape> = new Map([
  ["String", { kind: "string" }],
  ["Number", { kind: "number" }],
  ["Boolean", { kind: "boolean" }],
]);

function applyToOne(
  context: TypeContext,
  node: ts.Node,
  { name, type }: { readonly name: string; readonly type: Shape },
): Shape | undefined {
  switch (name) {
    case "Array":
    case "ReadonlyArray":
      return { kind: "array", items: type };
    case "Readonly":
      return type;
    case "Partial":
      return withEach(context, node, { type, optional: true });
    case "Required":
      return withEach(context, node, { type, optional: false });
    case "NonNullable":
      return nonNullable(context, type);
    default:
      return undefined;
  }
}

function applyToTwo(
  context: TypeContext,
  node: ts.Node,
  { name, first, second }: { readonly name: string; readonly first: Shape; readonly second: Shape },
): Shape | undefined {
  switch (name) {
    case "Record":
      return toRecord(context, node, { keys: first, value: second });
    case "Pick":
      return pick(context, node, { base: first, keys: second });
    case "Omit":
      return omit(context, node, { base: first, keys: second });
    case "Exclude":
      return select(context, node, { type: first, other: second, isKept: false });
    case "Extract":
      return select(context, node, { type: first, other: second, isKept: true });
    default:
      return undefined;
  }
}

/** `Partial` and `Required` apply to each member of a union. */
function withEach(
  context: TypeContext,
  node: ts.Node,
  { type, optional }: { readonly type: Shape; readonly optional: boolean },
): Shape {
  const change = (property: Property): Property => ({
    ...property,
    optional: optional || property.shape.kind === "never",
  });
  return unionOf(
    alternativesOf(context, type).map((member) => {
      if (member === undefinedShape) return member;
      const object = toObject(context, node, member);
      return { ...object, properties: object.properties.map(change) };
    }),
  );
}

function nonNullable(context: TypeContext, type: Shape): Shape {
  const members = alternativesOf(context, type);
  const kept = members.filter((member) => member.kind !== "null" && member !== undefinedShape);
  return kept.length === members.length ? type : unionOf(kept);
}

/** Literal keys are properties; any other key leads to the index. */
function toRecord(
  context: TypeContext,
  node: ts.Node,
  { keys: keyTypes, value }: { readonly keys: Shape; readonly value: Shape },
): Shape {
  const keys = toKeys(context, node, keyTypes);
  const shape = withoutUndefined(value);
  if (keys.anyOther) return { kind: "object", properties: [], index: shape };
  const optional = includesUndefined(value);
  const location = locationOf(node);
  return { kind: "object", properties: keys.names.map((name) => ({ name, optional, shape, location })) };
}

interface BaseAndKeys {
  readonly base: Shape;
  readonly keys: Shape;
}

function pick(context: TypeContext, node: ts.Node, { base, keys }: BaseAndKeys): ObjectShape {
  const { properties, index } = toObject(context, node, base);
  const { names, anyOther } = toKeys(context, node, keys);
  const missing = names.find((name) => !properties.some((property) => property.name === name));
  if (missing !== undefined && !index) throw reject(context.path, node, `the type has no member \`${missing}\``);
  const picked = properties.filter(({ name }) => anyOther || names.includes(name));
  return { kind: "object", properties: picked, ...(anyOther && index && { index }) };
}

/** A base with a name stays a base, also in the generated type. */
function omit(context: TypeContext, node: ts.Node, { base, keys }: BaseAndKeys): Shape {
  const { names, anyOther } = toKeys(context, node, keys);
  if (anyOther) throw reject(context.path, node, "expected Omit<Base, string literals>");
  if (base.kind === "reference") return { kind: "omit", base, keys: names };
  const object = toObject(context, node, base);
  return { ...object, properties: object.properties.filter(({ name }) => !names.includes(name)) };
}

/** `Extract` keeps the members of a union within another type, and `Exclude` the others. */
function select(
  context: TypeContext,
  node: ts.Node,
  { type, other, isKept }: { readonly type: Shape; readonly other: Shape; readonly isKept: boolean },
): Shape {
  const wide = alternativesOf(context, other);
  const members = splitBooleans(alternativesOf(context, type));
  const kept = members.filter((member) => isAssignableToAny(context, node, { narrow: member, wide }) === isKept);
  return kept.length === members.length ? type : unionOf(kept);
}
