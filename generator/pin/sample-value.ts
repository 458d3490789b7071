import { fitsShape } from "../conversions/fits-shape.ts";
import type { Shape } from "../model.ts";
import { resolveAlias, resolveObject, type Declared } from "../model/resolve.ts";

/** Returns a small value of a shape, as a proposal for a default; `undefined` if there is no simple one. */
export function sampleOf(shape: Shape, model: Declared): unknown {
  const value = simplest(shape, model, 0);
  return value !== undefined && fitsShape(value, shape, model) ? value : undefined;
}

function simplest(shape: Shape, model: Declared, depth: number): unknown {
  if (depth > deepest) return undefined;
  const target = resolveAlias(shape, model);
  switch (target.kind) {
    case "literal":
      return target.value;
    case "string":
      return "";
    case "number":
      return target.minimum ?? 0;
    case "boolean":
      return false;
    case "null":
    case "unknown":
      return null;
    case "array":
      return [];
    case "union":
      return target.of.map((one) => simplest(one, model, depth + 1)).find((value) => value !== undefined);
    default: {
      const required = resolveObject(target, model)?.properties.filter(({ optional }) => !optional);
      const entries = required?.map(({ name, shape: inner }) => [name, simplest(inner, model, depth + 1)]);
      return entries && Object.fromEntries(entries);
    }
  }
}

const deepest = 8;
