import type { ArrayShape, NumberShape, ObjectShape, Property, Shape } from "../../generator/model.ts";
import { resolveAlias, resolveObject, type Declared } from "../../generator/model/resolve.ts";
import { isHit, pick, type Random } from "../kit/random.ts";

/** Makes values that are valid for a declaration. */
export type ValueMaker = (declaration: string) => unknown;

/** Creates a maker of values for the declarations of a model; the random source decides everything about them. */
export function createValueMaker(model: Declared, random: Random): ValueMaker {
  const resolved = new Map<string, Shape>();
  const resolve = (name: string): Shape => {
    const known = resolved.get(name) ?? resolveAlias({ kind: "reference", name }, model);
    resolved.set(name, known);
    return known;
  };
  return (declaration) =>
    makeValue(resolve(declaration), { model, random, resolve, depth: 0, richness: pick([0.1, 0.4, 0.7, 1], random) });
}

interface Making {
  readonly model: Declared;
  readonly random: Random;
  readonly resolve: (name: string) => Shape;
  readonly depth: number;
  /** Share of optional properties that are present. */
  readonly richness: number;
}

/** Below this depth, values stop growing: no optional properties, no items. */
const deepest = 6;

const texts = [
  "",
  "a",
  "text",
  "2.0",
  "file:///a/b",
  "text/plain",
  "aGVsbG8=",
  "2025-01-01T00:00:00Z",
  "ünïcødé \u0000",
];

function makeValue(shape: Shape, making: Making): unknown {
  const { random } = making;
  switch (shape.kind) {
    case "string":
      return shape.template ? shape.template.join(pick(texts, random)) : pick(texts, random);
    case "number":
      return makeNumber(shape, random);
    case "boolean":
      return isHit(0.5, random);
    case "null":
      return null;
    case "unknown":
      return makeAnything(random);
    case "anyObject":
      return isHit(0.3, random) ? {} : { any: makeAnything(random) };
    case "literal":
      return shape.value;
    case "reference":
      return makeValue(making.resolve(shape.name), making);
    case "array":
      return makeArray(shape, making);
    case "union":
      return makeAlternative(shape.of, shape.open === true, making);
    default:
      return makeObject(resolveObject(shape, making.model) ?? { kind: "object", properties: [] }, making);
  }
}

function makeArray({ items, prefix = [], minItems = 0, maxItems }: ArrayShape, making: Making): unknown[] {
  const listed = isHit(0.5, making.random) ? prefix : prefix.slice(0, minItems);
  const isClosed = items.kind === "never" || listed.length < prefix.length;
  const rest = Array.from({ length: isClosed ? 0 : countItems(making, maxItems) }, () => items);
  return [...listed, ...rest].map((item) => makeValue(item, deeper(making)));
}

function deeper(making: Making): Making {
  return { ...making, depth: making.depth + 1 };
}

function makeNumber({ minimum, maximum, integer }: NumberShape, random: Random): number {
  const low = minimum ?? -3;
  const value = low + random() * ((maximum ?? low + 50) - low);
  return integer || isHit(0.85, random) ? Math.min(Math.ceil(value), maximum ?? Infinity) : value;
}

function makeAnything(random: Random): unknown {
  return pick([null, true, 0, 1.5, "text", [], [1, "a"], {}, { nested: { deep: null } }], random);
}

function countItems({ random, depth }: Making, most = 3): number {
  return depth >= deepest ? 0 : Math.min(Math.floor(random() * 4), most);
}

function makeAlternative(of: readonly Shape[], open: boolean, making: Making): unknown {
  if (open && isHit(0.3, making.random)) return pick(texts, making.random);
  const small = of.filter(({ kind }) => !["reference", "array", "object"].includes(kind));
  return makeValue(pick(making.depth >= deepest && small.length > 0 ? small : of, making.random), making);
}

function makeObject(shape: ObjectShape, making: Making): unknown {
  const present = shape.properties.filter(
    (property) => property.shape.kind !== "never" && (!property.optional || isPresent(making)),
  );
  const entries = present.map(({ name, shape: own }: Property): [string, unknown] => [
    name,
    makeValue(own, deeper(making)),
  ]);
  const { index } = shape;
  const keys =
    index && making.depth < deepest ? ["extra", "vendor.example/key"].filter(() => isHit(0.5, making.random)) : [];
  const others = keys.map((key): [string, unknown] => [key, index && makeValue(index, deeper(making))]);
  return Object.fromEntries([...others, ...entries]);
}

function isPresent({ depth, random, richness }: Making): boolean {
  return depth < deepest && isHit(depth < 2 ? richness : richness * 0.8, random);
}
