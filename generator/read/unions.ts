import type { Shape } from "../model.ts";
import { resolveAliasIn } from "../model/resolve.ts";
import { shapeKey } from "../model/shapes.ts";
import type { TypeContext } from "./type-context.ts";

/**
 * The type `undefined`, which no message has. A property of this type, or of a union with it, may be absent. It never leaves the reader: members of
 * a union are compared with this one object.
 */
export const undefinedShape: Shape = { kind: "never" };

/** True for `undefined` and for a union with it. */
export function includesUndefined(shape: Shape): boolean {
  return shape === undefinedShape || (shape.kind === "union" && shape.of.includes(undefinedShape));
}

/** Returns a type without `undefined`: `never` if there is nothing else. */
export function withoutUndefined(shape: Shape): Shape {
  if (shape === undefinedShape) return { kind: "never" };
  if (!includesUndefined(shape) || shape.kind !== "union") return shape;
  const of = shape.of.filter((member) => member !== undefinedShape);
  const [first, ...others] = of;
  return first && others.length === 0 ? first : { ...shape, of };
}

/** Returns a union of types, each once, or the only one. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const isOfUndefined = shapes.some(includesUndefined);
  const known = shapes
    .map(withoutUndefined)
    .flatMap(membersOf)
    .filter(({ kind }) => kind !== "never");
  const unique = [...new Map(known.map((shape) => [shapeKey(shape), shape])).values()];
  const of = [...unique, ...(isOfUndefined ? [undefinedShape] : [])];
  const [first, ...others] = of;
  if (!first) return { kind: "never" };
  return others.length === 0 ? first : { kind: "union", of };
}

/** Members of unions in a union are members of the outer one. */
function membersOf(shape: Shape): readonly Shape[] {
  return shape.kind === "union" && !shape.open && !shape.nullable ? shape.of : [shape];
}

/** Returns the alternatives of a type of texts or numbers, without names. */
export function valuesOf(context: TypeContext, shape: Shape): readonly Shape[] {
  return alternativesOf(context, shape).map((member) => resolveAliasIn(member, context.file.declarations));
}

/** Returns the alternatives of a type: the members of a union, also of one with a name, or the type itself. */
export function alternativesOf(context: TypeContext, shape: Shape): readonly Shape[] {
  context.file.check(shape);
  const found = resolveAliasIn(shape, context.file.declarations);
  if (found.kind !== "union") return [shape];
  const members = found.of.flatMap((member) =>
    member === undefinedShape ? [member] : alternativesOf(context, member),
  );
  return found.open ? [...members, { kind: "string" }] : members;
}
