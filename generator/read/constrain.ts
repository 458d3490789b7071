import type { Shape } from "../model.ts";
import { resolveAliasIn } from "../model/resolve.ts";
import type { TypeTags } from "./doc-comment.ts";
import { reject, type ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";

/**
 * Adds the rules of tags to a type. As in JSON Schema, a rule for strings applies to the strings of a union.
 *
 * @throws {SpecError} when a tag has no effect on the type
 */
export function constrain(
  context: TypeContext,
  node: ts.Node,
  { shape, tags, isItem = false }: { readonly shape: Shape; readonly tags: TypeTags; readonly isItem?: boolean },
): Shape {
  const { format, minLength, maxLength, pattern, minimum, maximum, type, minItems, maxItems, items, nullable } = tags;
  const add = (before: Shape, kind: Shape["kind"], rules: object, names: string): Shape => {
    const given = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length === 0) return before;
    const after = change(context, before, kind, (one) => ({ ...one, ...given }));
    // Upstream has written a minimum for items that are texts: as in JSON Schema, it says nothing about them.
    if (after ?? isItem) return after ?? before;
    throw reject(context.path, node, `${names} on ${kind === "array" ? "an" : "a"} ${kind}`);
  };
  const strings = "@format, @minLength, @maxLength and @pattern belong";
  let result = add(shape, "string", { format, minLength, maxLength, pattern }, strings);
  result = add(result, "number", { minimum, maximum }, "@minimum and @maximum belong");
  result = add(result, "array", { minItems, maxItems }, "@minItems and @maxItems belong");
  if (items) result = constrainItems(context, node, { shape: result, items });
  if (type !== undefined) result = withType(context, node, { shape: result, type });
  if (!nullable) return result;
  if (result.kind !== "union") throw reject(context.path, node, "@nullable belongs on a union with null");
  return { ...result, nullable };
}

function constrainItems(
  context: TypeContext,
  node: ts.Node,
  { shape, items }: { readonly shape: Shape; readonly items: TypeTags },
): Shape {
  const changed = change(context, shape, "array", (list) =>
    list.kind === "array"
      ? { ...list, items: constrain(context, node, { shape: list.items, tags: items, isItem: true }) }
      : list,
  );
  if (changed) return changed;
  throw reject(context.path, node, "@items belongs on an array");
}

/** The type in a tag must fit the type of the property. The tag makes a difference for numbers, which may be integers. */
function withType(
  context: TypeContext,
  node: ts.Node,
  { shape, type }: { readonly shape: Shape; readonly type: string },
): Shape {
  const isNumber = type === "number" || type === "integer";
  const toNumber = (one: Shape): Shape => {
    if (one.kind !== "number") return one;
    return type === "integer" ? { ...one, integer: true } : { ...one, fractional: true };
  };
  const after = isNumber ? change(context, shape, "number", toNumber) : undefined;
  if (after) return after;
  const { kind } = resolveAliasIn(shape, context.file.declarations);
  if (kind === type || (kind === "anyObject" && type === "object")) return shape;
  throw reject(context.path, node, "the tag names another type");
}

/** Changes a type of a kind, or such members of a union. Returns `undefined` if there are none. */
function change(
  context: TypeContext,
  shape: Shape,
  kind: Shape["kind"],
  apply: (shape: Shape) => Shape,
): Shape | undefined {
  if (shape.kind === "reference") context.file.check(shape);
  const target = resolveAliasIn(shape, context.file.declarations);
  if (target.kind === kind) return apply(target);
  if (shape.kind !== "union" || shape.open) return undefined;
  const members = shape.of.map((member) => change(context, member, kind, apply));
  if (members.every((member) => member === undefined)) return undefined;
  return { ...shape, of: shape.of.map((member, at) => members[at] ?? member) };
}
