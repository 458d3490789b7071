import type { Constraint, Declaration, NumberShape, ObjectShape, Property, Shape, StringShape } from "../model.ts";
import { referencesIn, shapeKey } from "./shapes.ts";

/** Part of a model in which names are looked up. */
export interface Declared {
  readonly declarations: readonly Declaration[];
}

/** Cache of declarations by name. Resolving looks up names constantly, and lists of declarations never change. */
const known = new WeakMap<readonly Declaration[], ReadonlyMap<string, Declaration>>();

/** Returns the declarations by name. The result is a `Map`, because names from files may equal names of `Object.prototype`. */
export function declarationsByName({ declarations }: Declared): ReadonlyMap<string, Declaration> {
  const found = known.get(declarations);
  if (found) return found;
  const byName = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  known.set(declarations, byName);
  return byName;
}

/**
 * Returns the object of a shape, including everything it inherits. Base properties come first, and redeclared properties replace them in place.
 * Returns `undefined` for shapes other than a single object, such as unions and strings.
 */
export function resolveObject(shape: Shape, model: Declared): ObjectShape | undefined {
  return resolveObjectIn(shape, declarationsByName(model));
}

/** {@link resolveObject} for names looked up one by one, while a schema is read. */
export function resolveObjectIn(shape: Shape, names: Names): ObjectShape | undefined {
  return flatten(shape, { names, open: [] });
}

/** Follows references to the target of an alias, or to an interface with everything it inherits. */
export function resolveAlias(shape: Shape, model: Declared): Shape {
  return resolveAliasIn(shape, declarationsByName(model));
}

/** {@link resolveAlias} for names looked up one by one, while a schema is read. */
export function resolveAliasIn(shape: Shape, names: Names): Shape {
  const open: string[] = [];
  let found = shape;
  while (found.kind === "reference") {
    const declaration = lookUp(found.name, { names, open });
    if (declaration.kind === "interface") return flattenInterface(declaration, { names, open: [...open, found.name] });
    open.push(found.name);
    found = declaration.shape;
  }
  return found;
}

/** Returns the rules across several properties of a declaration: its own, otherwise the rules of its bases. */
export function resolveConstraints(declaration: Declaration, model: Declared): readonly Constraint[] {
  if (declaration.constraints) return declaration.constraints;
  const names = declarationsByName(model);
  const bases = declaration.extends.map((base) => names.get(base.kind === "omit" ? base.base.name : base.name));
  return bases.flatMap((base) => (base ? resolveConstraints(base, model) : []));
}

/** Returns the names of recursive declarations: they contain themselves, directly or through others. Their values may nest without limit. */
export function findRecursive(model: Declared): Set<string> {
  const edges = new Map(model.declarations.map((declaration) => [declaration.name, edgesOf(declaration)]));
  return new Set(model.declarations.map(({ name }) => name).filter((name) => reaches(name, edges)));
}

/** Declarations by name. */
export type Names = Pick<ReadonlyMap<string, Declaration>, "get">;

/** State of resolving: all names, and the names on the current path, to detect cycles. */
interface Scope {
  readonly names: Names;
  readonly open: readonly string[];
}

function flatten(shape: Shape, scope: Scope): ObjectShape | undefined {
  switch (shape.kind) {
    case "object":
      return shape;
    case "anyObject":
      return { kind: "object", properties: [], index: { kind: "unknown" } };
    case "reference":
      return flattenDeclaration(lookUp(shape.name, scope), { ...scope, open: [...scope.open, shape.name] });
    case "omit":
      return withoutKeys(flatten(shape.base, scope), shape.keys);
    case "intersection":
      return meetAll(
        shape.of.map((member) => flatten(member, scope)),
        scope,
      );
    default:
      return undefined;
  }
}

function lookUp(name: string, scope: Scope): Declaration {
  const declaration = scope.names.get(name);
  if (!declaration) throw new Error(`${name} is referenced but not declared; declare and export it in the schema.`);
  if (!scope.open.includes(name)) return declaration;
  throw new Error(
    `${name} is defined by itself (${[...scope.open, name].join(" -> ")}); break the cycle in the schema.`,
  );
}

function flattenDeclaration(declaration: Declaration, scope: Scope): ObjectShape | undefined {
  return declaration.kind === "interface" ? flattenInterface(declaration, scope) : flatten(declaration.shape, scope);
}

function flattenInterface(declaration: Declaration, scope: Scope): ObjectShape {
  const found = flattened.get(declaration);
  if (found?.names === scope.names) return found.object;
  const object = inherit(declaration, scope);
  flattened.set(declaration, { names: scope.names, object });
  return object;
}

/** Cache of interfaces with everything they inherit. Comparing revisions resolves each interface hundreds of times. */
const flattened = new WeakMap<Declaration, { readonly names: Scope["names"]; readonly object: ObjectShape }>();

function inherit(declaration: Declaration, scope: Scope): ObjectShape {
  const own = flatten(declaration.shape, scope);
  const bases = meetAll(
    declaration.extends.map((base) => flatten(base, scope)),
    scope,
  );
  if (own && bases) return override(bases, own);
  throw new Error(`${declaration.name} extends something that is not an object; an interface can only extend objects.`);
}

function withoutKeys(base: ObjectShape | undefined, keys: readonly string[]): ObjectShape | undefined {
  return base && { ...base, properties: base.properties.filter(({ name }) => !keys.includes(name)) };
}

/** A redeclared property replaces the inherited one entirely: its optionality and shape come from the derived type. */
export function override(inherited: ObjectShape, own: ObjectShape): ObjectShape {
  const redeclared = new Map(own.properties.map((property) => [property.name, property]));
  const known = new Set(inherited.properties.map(({ name }) => name));
  return {
    ...inherited,
    ...own,
    properties: [
      ...inherited.properties.map((property) => redeclared.get(property.name) ?? property),
      ...own.properties.filter(({ name }) => !known.has(name)),
    ],
  };
}

function meetAll(objects: readonly (ObjectShape | undefined)[], { names }: Scope): ObjectShape | undefined {
  const none: ObjectShape = { kind: "object", properties: [] };
  return objects.reduce((met, next) => met && next && meetObjects(met, next, names), none);
}

/** Returns an object whose values are valid for both objects. */
function meetObjects(a: ObjectShape, b: ObjectShape, names: Names): ObjectShape {
  const inA = new Map(a.properties.map((property) => [property.name, property]));
  const inB = new Map(b.properties.map((property) => [property.name, property]));
  const index = a.index && b.index ? meet(a.index, b.index, names) : (a.index ?? b.index);
  const meetProperty = createPropertyMeeting(names);
  return {
    kind: "object",
    properties: [
      ...a.properties.map((property) => meetProperty(property, inB.get(property.name), b.index)),
      ...b.properties
        .filter(({ name }) => !inA.has(name))
        .map((property) => meetProperty(property, undefined, a.index)),
    ],
    ...(index && { index }),
  };
}

/** Combines a property with the one of the same name, or with the index of the other object if it has none. */
function createPropertyMeeting(
  names: Names,
): (property: Property, other: Property | undefined, index: Shape | undefined) => Property {
  return (property, other, index) => {
    if (!other) return index ? { ...property, shape: meet(property.shape, index, names) } : property;
    const shape = meet(property.shape, other.shape, names);
    return { ...property, optional: property.optional && other.optional, shape };
  };
}

/** Returns the narrower of two shapes if one is evidently narrower, otherwise the intersection of both. */
function meet(a: Shape, b: Shape, names: Names): Shape {
  if (isWithin(a, b, names)) return a;
  if (isWithin(b, a, names)) return b;
  if (a.kind === "object" && b.kind === "object") return meetObjects(a, b, names);
  return { kind: "intersection", of: [a, b] };
}

/** True if every value of the first shape is evidently a value of the second. */
export function isWithin(narrow: Shape, wide: Shape, names: Names): boolean {
  if (narrow === wide || narrow.kind === "never" || wide.kind === "unknown" || shapeKey(narrow) === shapeKey(wide))
    return true;
  const inner = targetOf(narrow, names);
  const outer = targetOf(wide, names);
  if (inner.kind === "union") return inner.of.every((member) => isWithin(member, outer, names));
  if (outer.kind === "union") return outer.of.some((member) => isWithin(inner, member, names));
  if (inner.kind === "object") return outer.kind === "anyObject";
  if (inner.kind === "reference" || inner.kind === "intersection")
    return isOpenMap(outer) && resolveObjectIn(inner, names) !== undefined;
  if (inner.kind === "number" && outer.kind === "number") return isNumberWithin(inner, outer);
  if (inner.kind === "string" && outer.kind === "string") return isStringWithin(inner, outer);
  if (inner.kind !== "literal")
    return inner.kind === outer.kind && ["boolean", "null", "anyObject"].includes(outer.kind);
  if (outer.kind === "string" && typeof inner.value === "string") {
    const { value } = inner;
    const { length } = [...value];
    const { pattern, template, ...lengths } = outer;
    const fits = [pattern, template && templatePattern(template)].every(
      (one) => one === undefined || new RegExp(one, "u").test(value),
    );
    return fits && isStringWithin({ kind: "string", minLength: length, maxLength: length }, lengths);
  }
  return outer.kind === "literal" ? inner.value === outer.value : outer.kind === typeof inner.value;
}

/** True for `{ [key: string]: unknown }`, which every object is a value of. */
function isOpenMap(shape: Shape): boolean {
  return shape.kind === "object" && shape.properties.length === 0 && shape.index?.kind === "unknown";
}

function templatePattern(texts: readonly string[]): string {
  return `^${texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[^]*")}$`;
}

function isStringWithin(narrow: StringShape, wide: StringShape): boolean {
  // Texts and patterns of both are the same only if the shapes are the same, which is known before.
  if (wide.pattern !== undefined || wide.template) return false;
  const { minLength = 0, maxLength = Infinity } = narrow;
  return minLength >= (wide.minLength ?? 0) && maxLength <= (wide.maxLength ?? Infinity);
}

function isNumberWithin(narrow: NumberShape, wide: NumberShape): boolean {
  const { minimum = -Infinity, maximum = Infinity } = narrow;
  const isInside = minimum >= (wide.minimum ?? -Infinity) && maximum <= (wide.maximum ?? Infinity);
  return isInside && (narrow.integer === true || !wide.integer);
}

/** Returns the target of an alias, but not of an interface. A string with suggested values, `"a" | "b" | string`, is a string. */
function targetOf(shape: Shape, names: Names): Shape {
  const declaration = shape.kind === "reference" ? names.get(shape.name) : undefined;
  if (declaration?.kind === "alias") return targetOf(declaration.shape, names);
  return shape.kind === "union" && shape.open ? { kind: "string" } : shape;
}

function reaches(target: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const next = [...(edges.get(target) ?? [])];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (name === target) return true;
    if (!seen.has(name)) next.push(...(edges.get(name) ?? []));
    seen.add(name);
  }
  return false;
}

function edgesOf(declaration: Declaration): string[] {
  return [...declaration.extends, declaration.shape].flatMap(referencesIn);
}
