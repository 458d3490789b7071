import type { ObjectShape, Property, Shape } from "../model.ts";
import { resolveAliasIn, resolveObjectIn } from "../model/resolve.ts";
import { findOpenMember, isOpen } from "./open-members.ts";
import { locationOf, reject, ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { alternativesOf, includesUndefined, undefinedShape, unionOf, valuesOf, withoutUndefined } from "./unions.ts";

/** Keys of an object type: listed ones, and perhaps any other string. */
export interface Keys {
  readonly names: readonly string[];
  readonly anyOther: boolean;
}

/** Reads `keyof T`. */
export function readKeyof(context: TypeContext, node: ts.TypeNode): Shape {
  const { properties, index } = toObject(context, node, context.read(context, node));
  if (index) return { kind: "string" };
  return unionOf(properties.map(({ name }) => ({ kind: "literal", value: name })));
}

/** Returns the object behind a type, with all inherited properties. @throws {SpecError} when it is not one object. */
export function toObject(context: TypeContext, node: ts.Node, shape: Shape): ObjectShape {
  context.file.check(shape);
  const object = resolveObjectIn(shape, context.file.declarations);
  if (!object) throw reject(context.path, node, "expected the type of an object");
  return object;
}

/** Returns the keys in a type: `"a" | "b"`, `string`, or `keyof T`. @throws {SpecError} when it has other members. */
export function toKeys(context: TypeContext, node: ts.Node, shape: Shape): Keys {
  const members = valuesOf(context, shape).filter(({ kind }) => kind !== "never");
  const names = members.flatMap((member) => (member.kind === "literal" ? [String(member.value)] : []));
  const anyOther = members.some(({ kind }) => kind === "string");
  const isKnown = members.every(({ kind }) => kind === "literal" || kind === "string");
  if (!isKnown) throw reject(context.path, node, "expected string literals");
  if (names.includes("__proto__")) throw reject(context.path, node, "a property of this name cannot be checked");
  return { names: [...new Set(names)], anyOther };
}

/** Reads `T["key"]`, and `T[number]` of an array. */
export function readIndexedAccess(context: TypeContext, node: ts.IndexedAccessTypeNode): Shape {
  const object = context.read(context, node.objectType);
  const key = context.read(context, node.indexType);
  if (isOpen(context, object)) {
    const { names, anyOther } = toKeys(context, node.indexType, key);
    const found = names.map((name) => findOpenMember(context, object, name));
    const known = found.filter((member) => member !== undefined);
    if (!anyOther && known.length === found.length) return unionOf(known.map(typeOf));
  }
  const members = alternativesOf(context, object).filter((member) => member !== undefinedShape);
  return unionOf(members.map((member) => memberOf(context, node, { object: member, key })));
}

function memberOf(
  context: TypeContext,
  node: ts.IndexedAccessTypeNode,
  { object, key }: { readonly object: Shape; readonly key: Shape },
): Shape {
  const target = resolveAliasIn(object, context.file.declarations);
  if (target.kind === "array") return itemOf(context, node, { list: target, key });
  const { properties, index } = toObject(context, node.objectType, object);
  const { names, anyOther } = toKeys(context, node.indexType, key);
  const byName = new Map(properties.map((property) => [property.name, property]));
  const found = names.map((name): Shape | undefined => {
    const property = byName.get(name);
    return property ? typeOf(property) : index;
  });
  const known = [...found, ...(anyOther ? [index] : [])].filter((shape) => shape !== undefined);
  if (known.length < found.length + Number(anyOther)) throw reject(context.path, node, "the type has no such member");
  return unionOf(known);
}

function typeOf({ shape, optional }: Property): Shape {
  return optional ? unionOf([shape, undefinedShape]) : shape;
}

function itemOf(
  context: TypeContext,
  node: ts.IndexedAccessTypeNode,
  { list, key }: { readonly list: Shape & { readonly kind: "array" }; readonly key: Shape },
): Shape {
  const { prefix = [], items } = list;
  if (key.kind === "number") return unionOf([...prefix, items]);
  const at = key.kind === "literal" ? Number(key.value) : NaN;
  const item = Number.isInteger(at) && at >= 0 ? (prefix[at] ?? items) : undefined;
  if (!item || item.kind === "never") throw reject(context.path, node, "the list has no such item");
  return item;
}

/**
 * Reads `{ [Key in Keys]: T }`. Over `keyof T`, the properties keep their comments and stay optional, unless `?` or `-?` says otherwise.
 *
 * @throws {SpecError} when the keys get other names with `as`
 */
export function readMappedType(context: TypeContext, node: ts.MappedTypeNode): ObjectShape {
  const { constraint, name } = node.typeParameter;
  const { type } = node;
  if (node.nameType || !constraint || !type) throw reject(context.path, node, "expected `{ [Key in Keys]: Type }`");
  const origin = readOrigin(context, constraint);
  const keys = origin?.keys ?? toKeys(context, constraint, context.read(context, constraint));
  const valueOf = (key: Shape): Shape =>
    context.read({ ...context, parameters: new Map([...context.parameters, [name.text, key]]) }, type);
  const isMade = node.questionToken && node.questionToken.kind !== ts.SyntaxKind.MinusToken;
  const properties = keys.names.map((key): Property => {
    const before = origin?.properties.get(key);
    const shape = valueOf({ kind: "literal", value: key });
    const optional = isMade ?? (before?.optional === true || includesUndefined(shape));
    return { location: locationOf(node), ...before, name: key, optional, shape: withoutUndefined(shape) };
  });
  const index = keys.anyOther ? withoutUndefined(valueOf({ kind: "string" })) : undefined;
  return { kind: "object", properties, ...(index && { index }) };
}

function readOrigin(
  context: TypeContext,
  constraint: ts.TypeNode,
): { readonly keys: Keys; readonly properties: ReadonlyMap<string, Property> } | undefined {
  const isKeyof = ts.isTypeOperatorNode(constraint) && constraint.operator === ts.SyntaxKind.KeyOfKeyword;
  if (!isKeyof) return undefined;
  const { properties, index } = toObject(context, constraint, context.read(context, constraint.type));
  const names = properties.map(({ name }) => name);
  return {
    keys: { names, anyOther: index !== undefined },
    properties: new Map(properties.map((property) => [property.name, property])),
  };
}
