import type { Shape } from "../model.ts";
import { declarationsByName, resolveAlias, resolveObject, type Declared } from "./resolve.ts";

/** Returns the shape at a place: a declaration, and below it a path of members, such as `Tool.execution`. */
export function shapeAt(place: string, model: Declared): Shape | undefined {
  const [name = "", ...path] = place.split(".");
  let shape: Shape | undefined = declarationsByName(model).has(name) ? { kind: "reference", name } : undefined;
  for (const key of path) {
    shape = shape && resolveObject(shape, model)?.properties.find((property) => property.name === key)?.shape;
  }
  return shape;
}

/** Returns the texts allowed at a place, in the order of the schema; empty where the type is another one. */
export function valuesAt(place: string, model: Declared): readonly string[] {
  const shape = shapeAt(place, model);
  return shape ? literalsIn(shape, model) : [];
}

function literalsIn(shape: Shape, model: Declared): readonly string[] {
  const found = resolveAlias(shape, model);
  if (found.kind === "union") return found.of.flatMap((option) => literalsIn(option, model));
  return found.kind === "literal" && typeof found.value === "string" ? [found.value] : [];
}
