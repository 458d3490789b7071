import type { Declaration, ObjectShape, Shape } from "../model.ts";
import { resolveAlias, resolveObject, type Declared, type Names } from "../model/resolve.ts";
import { mapDeclaration, shapeKey } from "../model/shapes.ts";
import { SpecError } from "../internal/spec-error.ts";

/** Maximum length of a chain of types. It is far longer than any chain of bases in a schema. */
const chainLimit = 50;

/** Maximum number of types in the definition of one, each counted as often as it occurs. Schemas have fewer than a hundred. */
const partLimit = 2_000;

/**
 * Creates a check for types defined by themselves, other than through members, for endless chains of bases, and for types that multiply: each of the
 * types `A1 = A0 & A0`, `A2 = A1 & A1` has twice as many parts as the one before. It throws a {@link SpecError} when it finds one behind a name.
 */
export function createCircleCheck(path: string, names: Names): (name: string) => void {
  const measured = new Map<string, { readonly height: number; readonly count: number }>();
  const measure = (name: string, open: readonly string[]): { readonly height: number; readonly count: number } => {
    const known = measured.get(name);
    const declaration = known ? undefined : names.get(name);
    if (!declaration) return known ?? { height: 0, count: 0 };
    const circle = open.indexOf(name);
    if (circle >= 0)
      throw problemOf(path, declaration, `is defined by itself (${[...open.slice(circle), name].join(" -> ")})`);
    const parts = open.length < chainLimit ? partsOf(declaration).map((part) => measure(part, [...open, name])) : [];
    const height = 1 + Math.max(0, ...parts.map((part) => part.height));
    const isTooLong = open.length >= chainLimit || height > chainLimit;
    if (isTooLong) throw problemOf(path, declaration, `is part of a chain of more than ${chainLimit} types`);
    const count = parts.reduce((sum, part) => sum + part.count, 1);
    if (count > partLimit) throw problemOf(path, declaration, `is made of more than ${partLimit} types`);
    measured.set(name, { height, count });
    return { height, count };
  };
  return (name) => measure(name, []);
}

/**
 * Checks that bases, intersections and `Omit` apply to objects only. Otherwise no value would fit, or some valid values would not.
 *
 * @throws {SpecError} when a type is not an object.
 */
export function rejectNonObjects(
  path: string,
  declarations: readonly Declaration[],
  model: Declared = { declarations },
): void {
  for (const declaration of declarations) {
    const rejectTorn = (object: ObjectShape): void => {
      const torn = findTorn(object, model);
      if (torn !== undefined) throw problemOf(path, declaration, `inherits two contradicting types of \`${torn}\``);
    };
    const rejectOthers = (shape: Shape): Shape => {
      if (shape.kind !== "intersection" && shape.kind !== "omit") return shape;
      const object = resolveObject(shape, model);
      if (!object) throw problemOf(path, declaration, `has an ${shape.kind} of something that is not an object`);
      rejectTorn(object);
      return shape;
    };
    mapDeclaration(declaration, rejectOthers);
    for (const base of declaration.extends) {
      if (!resolveObject(base, model)) throw problemOf(path, declaration, "extends something that is not an object");
    }
    const whole = resolveObject({ kind: "reference", name: declaration.name }, model);
    if (whole) rejectTorn(whole);
  }
}

/** Returns the path of a property inherited from two types without a common value. `seen` has the intersections already entered. */
function findTorn({ properties }: ObjectShape, model: Declared, seen = new Set<string>()): string | undefined {
  for (const { name, shape, optional } of properties) {
    if (shape.kind === "never" && !optional) return name;
    if (shape.kind !== "intersection" || seen.has(shapeKey(shape))) continue;
    seen.add(shapeKey(shape));
    const object = resolveObject(shape, model);
    if (!object) return name;
    const torn = findTorn(object, model, seen);
    if (torn !== undefined) return `${name}.${torn}`;
  }
  return undefined;
}

/**
 * Rewrites `A & (B | C)` to `A & B | A & C`. Then every alternative is one object and can be distinguished from the others.
 *
 * @throws {SpecError} when there are too many alternatives.
 */
export function spreadUnions(path: string, declaration: Declaration, model: Declared): Declaration {
  return mapDeclaration(declaration, (shape) => {
    if (shape.kind !== "intersection") return shape;
    const parts = shape.of.map((part) => alternativesOf(part, model));
    if (parts.every((alternatives) => alternatives.length === 1)) return shape;
    const count = parts.reduce((product, alternatives) => product * alternatives.length, 1);
    if (count > partLimit) throw problemOf(path, declaration, `has more than ${partLimit} alternatives`);
    const start: readonly (readonly Shape[])[] = [[]];
    const all = parts.reduce(
      (done, alternatives) => done.flatMap((left) => alternatives.map((right) => [...left, right])),
      start,
    );
    return { kind: "union", of: all.map((of) => ({ kind: "intersection", of })) };
  });
}

function alternativesOf(part: Shape, model: Declared): readonly Shape[] {
  const found = resolveAlias(part, model);
  if (found.kind !== "union" || found.open) return [part];
  return found.of.flatMap((member) => alternativesOf(member, model));
}

/** Returns the types in the definition of a type, without members of objects and arrays: members may refer back. */
function partsOf(declaration: Declaration): string[] {
  return [...declaration.extends, declaration.shape].flatMap(namesIn);
}

/** Returns the names of the types in a shape. */
export function namesIn(shape: Shape): string[] {
  switch (shape.kind) {
    case "reference":
      return [shape.name];
    case "omit":
      return [shape.base.name];
    case "union":
    case "intersection":
      return shape.of.flatMap(namesIn);
    default:
      return [];
  }
}

function problemOf(path: string, { name, location }: Declaration, text: string): SpecError {
  return new SpecError({ file: path, ...location, text: `\`${name}\` ${text}` });
}
