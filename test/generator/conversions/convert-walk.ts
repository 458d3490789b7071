import type { RevisionModel, Shape } from "../../../generator/model.ts";
import { resolveAlias, resolveObject } from "../../../generator/model/resolve.ts";
import { isObject } from "../../../templates/support.ts";

/** Paths of all keys and values in a value that a shape does not know: where it declares neither the key nor further keys. */
export function findUnknown(value: unknown, shape: Shape, model: RevisionModel, path = ""): string[] {
  const target = resolveAlias(shape, model);
  if (target.kind === "union" && target.open && typeof value === "string") return [];
  if (target.kind === "union") return leastOf(target.of.map((member) => findUnknown(value, member, model, path)));
  if (target.kind === "array" && Array.isArray(value))
    return value.flatMap((item, index) => findUnknown(item, target.items, model, `${path}/${index}`));
  const object = resolveObject(target, model);
  if (!object) return isOfKind(value, target) ? [] : [`${path}: not ${target.kind}`];
  if (!isObject(value)) return [`${path}: not an object`];
  return Object.entries(value).flatMap(([key, member]) => {
    const known = object.properties.find(({ name }) => name === key)?.shape ?? object.index;
    return known ? findUnknown(member, known, model, `${path}/${key}`) : [`${path}/${key}`];
  });
}

/** The alternative that fits best is the one that was meant. */
function leastOf(findings: readonly string[][]): string[] {
  return findings.reduce((least, next) => (next.length < least.length ? next : least));
}

function isOfKind(value: unknown, shape: Shape): boolean {
  if (shape.kind === "literal") return value === shape.value;
  if (shape.kind === "null") return value === null;
  return shape.kind === "unknown" || typeof value === shape.kind;
}
