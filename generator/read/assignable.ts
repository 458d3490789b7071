import type { Shape } from "../model.ts";
import { isWithin, resolveAliasIn, resolveObjectIn } from "../model/resolve.ts";
import { reject, type ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { undefinedShape } from "./unions.ts";

/** Objects and lists are compared down to this depth. */
const comparedDepth = 5;

/**
 * True if every value of a type is one of another type, which has these alternatives.
 *
 * @throws {SpecError} when only a compiler can tell
 */
export function isAssignableToAny(
  context: TypeContext,
  node: ts.Node,
  { narrow, wide }: { readonly narrow: Shape; readonly wide: readonly Shape[] },
): boolean {
  const found = wide.map((one) => isAssignable(context, narrow, one, 0));
  if (found.includes(true)) return true;
  if (found.includes(undefined))
    throw reject(context.path, node, "the types cannot be compared here; write the resulting type");
  return false;
}

/** Returns `undefined` where neither answer is certain. */
function isAssignable(context: TypeContext, narrow: Shape, wide: Shape, depth: number): boolean | undefined {
  const { declarations } = context.file;
  if (narrow === undefinedShape || wide === undefinedShape) return narrow === wide;
  if (isWithin(narrow, wide, declarations)) return true;
  if (depth > comparedDepth) return undefined;
  const [inner, outer] = [resolveAliasIn(narrow, declarations), resolveAliasIn(wide, declarations)];
  if (inner.kind === "union" && !inner.open)
    return everyOf(inner.of.map((member) => isAssignable(context, member, wide, depth + 1)));
  if (outer.kind === "union" && !outer.open)
    return someOf(outer.of.map((member) => isAssignable(context, narrow, member, depth + 1)));
  const [own, other] = [resolveObjectIn(narrow, declarations), resolveObjectIn(wide, declarations)];
  if (own && other)
    return everyOf(
      other.properties.map((property) => {
        const given = own.properties.find(({ name }) => name === property.name);
        // An optional property without a counterpart is no problem, unless the index of the other object has another type.
        if (!given) return own.index || other.index ? undefined : property.optional;
        if (given.optional && !property.optional) return false;
        return isAssignable(context, given.shape, property.shape, depth + 1);
      }),
    );
  if (inner.kind === "array" && outer.kind === "array")
    return inner.prefix || outer.prefix ? undefined : isAssignable(context, inner.items, outer.items, depth + 1);
  // Bounds of a text or a number are tags, which are no part of its type.
  if (inner.kind === "number" && outer.kind === "number") return true;
  if (inner.kind === "string" && outer.kind === "string") return outer.template ? undefined : true;
  if (!other) return (own !== undefined || hasOneKind(inner)) && hasOneKind(outer) ? false : undefined;
  const isForeign = other.properties.some(({ name, optional }) => !optional && !isBuiltIn(name));
  return isForeign && hasOneKind(inner) ? false : undefined;
}

/** True for members of texts, numbers and lists, which have the members of their prototypes. */
function isBuiltIn(name: string): boolean {
  return [String.prototype, Number.prototype, Boolean.prototype, Array.prototype].some((one) => name in one);
}

/** True if the values of a type are texts, numbers, lists or such: no objects. A union of suggestions is a text. */
function hasOneKind({ kind }: Shape): boolean {
  return ["string", "number", "boolean", "literal", "null", "array", "union"].includes(kind);
}

/** Returns alternatives with `true` and `false` instead of `boolean`, as TypeScript has them. */
export function splitBooleans(alternatives: readonly Shape[]): readonly Shape[] {
  return alternatives.flatMap((shape): readonly Shape[] =>
    shape.kind === "boolean" ? [true, false].map((value) => ({ kind: "literal", value })) : [shape],
  );
}

function everyOf(found: readonly (boolean | undefined)[]): boolean | undefined {
  if (found.includes(false)) return false;
  return found.includes(undefined) ? undefined : true;
}

function someOf(found: readonly (boolean | undefined)[]): boolean | undefined {
  if (found.includes(true)) return true;
  return found.includes(undefined) ? undefined : false;
}
