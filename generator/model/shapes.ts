import type { Declaration, Property, Shape } from "../model.ts";

/** Rebuilds a shape from the inside out. `change` receives every part after its own parts. */
export function mapShape(shape: Shape, change: (shape: Shape) => Shape): Shape {
  switch (shape.kind) {
    case "array":
      return change({
        ...shape,
        items: mapShape(shape.items, change),
        ...(shape.prefix && { prefix: shape.prefix.map((item) => mapShape(item, change)) }),
      });
    case "object":
      return change({
        ...shape,
        properties: shape.properties.map((property) => ({ ...property, shape: mapShape(property.shape, change) })),
        ...(shape.index && { index: mapShape(shape.index, change) }),
      });
    case "union":
    case "intersection":
      return change({ ...shape, of: shape.of.map((member) => mapShape(member, change)) });
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "never":
    case "unknown":
    case "anyObject":
    case "literal":
    case "reference":
    case "omit":
      return change(shape);
    default:
      return unreachable(shape);
  }
}

/** Applies {@link mapShape} to the declaration's own shape, without its bases. */
export function mapDeclaration(declaration: Declaration, change: (shape: Shape) => Shape): Declaration {
  return { ...declaration, shape: mapShape(declaration.shape, change) };
}

/** Returns the parts of a shape, without the types behind names. */
export function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case "array":
      return [...(shape.prefix ?? []), shape.items];
    case "object": {
      const parts = shape.properties.map((property) => property.shape);
      return shape.index ? [...parts, shape.index] : parts;
    }
    case "union":
    case "intersection":
      return shape.of;
    default:
      return [];
  }
}

/** Returns the names in a shape, in order and with repetitions. */
export function referencesIn(shape: Shape): string[] {
  if (shape.kind === "reference") return [shape.name];
  return shape.kind === "omit" ? [shape.base.name] : partsOf(shape).flatMap(referencesIn);
}

/** Returns a text that is the same for equal shapes, wherever they are written and whatever their comments say. */
export function shapeKey(shape: Shape): string {
  return JSON.stringify(shape, (name, value: unknown) => (name === "doc" || name === "location" ? undefined : value));
}

/** True for any text: a string without rules. */
export function isAnyString({ kind, ...rules }: Shape): boolean {
  return kind === "string" && Object.keys(rules).length === 0;
}

/** Ends an exhaustive switch. A missing case is a compile error. */
export function unreachable(value: never): never {
  throw new Error(`Unknown case ${JSON.stringify(value)}; this is a bug in the generator.`);
}

/** Returns the minimum of a number property, if it has one. */
export function minimumOf({ shape }: Property): number | undefined {
  return shape.kind === "number" ? shape.minimum : undefined;
}
