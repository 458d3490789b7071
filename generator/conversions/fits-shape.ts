import { escapePattern } from "../internal/text.ts";
import type { ArrayShape, NumberShape, ObjectShape, Shape, StringShape } from "../model.ts";
import { resolveAlias, resolveObject, type Declared } from "../model/resolve.ts";
import { unreachable } from "../model/shapes.ts";
import { isRecord } from "../internal/json-text.ts";

/** True if a JSON value is valid for a shape of a model. */
export function fitsShape(value: unknown, shape: Shape, model: Declared): boolean {
  const target = resolveAlias(shape, model);
  switch (target.kind) {
    case "unknown":
      return true;
    case "never":
      return false;
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "literal":
      return value === target.value;
    case "string":
      return typeof value === "string" && fitsText(value, target);
    case "number":
      return typeof value === "number" && fitsNumber(value, target);
    case "array":
      return Array.isArray(value) && fitsItems(value, target, model);
    case "union":
      return (target.open && typeof value === "string") || target.of.some((one) => fitsShape(value, one, model));
    case "reference":
    case "anyObject":
    case "object":
    case "intersection":
    case "omit": {
      const object = resolveObject(target, model);
      return object !== undefined && isRecord(value) && fitsMembers(value, object, model);
    }
    default:
      return unreachable(target);
  }
}

function fitsText(value: string, { minLength = 0, maxLength = Infinity, pattern, template }: StringShape): boolean {
  const isMatch = pattern === undefined || new RegExp(pattern, "u").test(value);
  const { length } = [...value];
  return isMatch && length >= minLength && length <= maxLength && (!template || fitsTemplate(value, template));
}

/** True for a text with these texts in this order and anything between them: the first is its start, and the last its end. */
function fitsTemplate(value: string, texts: readonly string[]): boolean {
  return new RegExp(`^${texts.map(escapePattern).join("[^]*")}$`).test(value);
}

function fitsNumber(value: number, { minimum = -Infinity, maximum = Infinity, integer }: NumberShape): boolean {
  return value >= minimum && value <= maximum && (!integer || Number.isInteger(value));
}

function fitsItems(
  value: readonly unknown[],
  { items, prefix = [], minItems = 0, maxItems = Infinity }: ArrayShape,
  model: Declared,
): boolean {
  const isSize = value.length >= minItems && value.length <= maxItems;
  return isSize && value.every((item, at) => fitsShape(item, prefix[at] ?? items, model));
}

function fitsMembers(value: Readonly<Record<string, unknown>>, object: ObjectShape, model: Declared): boolean {
  const { properties, index } = object;
  const known = new Set(properties.map(({ name }) => name));
  const fits = properties.every(({ name, optional, shape }) =>
    Object.hasOwn(value, name) ? fitsShape(value[name], shape, model) : optional,
  );
  return fits && Object.keys(value).every((key) => known.has(key) || !index || fitsShape(value[key], index, model));
}
