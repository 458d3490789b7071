import { SpecError } from "../internal/spec-error.ts";
import type { Declaration, Property } from "../model.ts";
import { shapeKey } from "../model/shapes.ts";

/**
 * Merges two interfaces of the same name, as TypeScript does.
 *
 * @throws {SpecError} when they declare a property with two types
 */
export function mergeInterfaces(path: string, first: Declaration, second: Declaration): Declaration {
  if (first.shape.kind !== "object" || second.shape.kind !== "object") return first;
  const properties = new Map(first.shape.properties.map((property) => [property.name, property]));
  for (const property of second.shape.properties) {
    const known = properties.get(property.name);
    if (known && !isSame(known, property))
      throw new SpecError({ file: path, ...property.location, text: `\`${property.name}\` has two types` });
    if (!known) properties.set(property.name, property);
  }
  const index = first.shape.index ?? second.shape.index;
  const bases = new Map([...first.extends, ...second.extends].map((base) => [shapeKey(base), base]));
  const doc = first.doc ?? second.doc;
  return {
    ...first,
    extends: [...bases.values()],
    shape: { kind: "object", properties: [...properties.values()], ...(index && { index }) },
    ...(doc && { doc }),
  };
}

function isSame(first: Property, second: Property): boolean {
  return first.optional === second.optional && shapeKey(first.shape) === shapeKey(second.shape);
}
