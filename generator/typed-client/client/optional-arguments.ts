import type { SafeDocument, SafeSchema } from "../tool-schema/safe-schema.ts";

/** True if the type of a schema accepts the empty object, so that a call may omit its arguments. */
export function acceptsNothing({ root, definitions }: SafeDocument): boolean {
  const accepts = (schema: SafeSchema, seen: ReadonlySet<string>): boolean => {
    const { required, properties, reference, allOf, anyOf, oneOf } = schema;
    if (required.length > 0 || [...properties.keys()].some(isInherited)) return false;
    const inner = (one: SafeSchema): boolean => accepts(one, seen);
    const isUnion = [anyOf, oneOf].every((list) => list.length === 0 || list.some(inner));
    return isUnion && allOf.every(inner) && (reference === undefined || follows(reference, seen));
  };
  const follows = (reference: string, seen: ReadonlySet<string>): boolean => {
    const target = definitions.get(reference);
    return target !== undefined && !seen.has(reference) && accepts(target, new Set([...seen, reference]));
  };
  return accepts(root, new Set());
}

/** True if every object has a member of this name. The empty object does not fit a type in which this member is something else. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}
