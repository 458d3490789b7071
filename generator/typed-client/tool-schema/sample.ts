import type { JsonType, SafeDocument, SafeSchema } from "./safe-schema.ts";

/** A value accepted by a schema. */
export interface Sample {
  readonly value: unknown;
}

/**
 * Creates a value accepted by a schema, with only the required members. Returns `undefined` for patterns, compositions, and schemas with parts
 * outside the model.
 */
export function sampleOf({ root, definitions, losses }: SafeDocument): Sample | undefined {
  return losses.some(({ kind }) => kind !== "assumed") ? undefined : sample(root, definitions, 16);
}

type Definitions = SafeDocument["definitions"];

function sample(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { reference, values, types, anyOf, oneOf, allOf, pattern, multipleOf, uniqueItems } = schema;
  const isMatched = pattern !== undefined && (types?.[0] ?? "string") === "string";
  if (depth === 0 || allOf.length > 0 || isMatched || multipleOf !== undefined || uniqueItems) return undefined;
  if (values) return values.length > 0 ? { value: values[0] } : undefined;
  const options = [...anyOf, ...oneOf];
  if (reference !== undefined) {
    const target = options.length === 0 && types === undefined ? definitions.get(reference) : undefined;
    return target && sample(target, definitions, depth - 1);
  }
  // If alternatives exclude each other, a sample of one might fit another as well.
  const [option] = options;
  if (oneOf.length > 1 || (option && types !== undefined && !isPlainObject(schema))) return undefined;
  if (option) return sample(option, definitions, depth - 1);
  return ofType(types?.[0] ?? (schema.properties.size > 0 ? "object" : "string"), schema, definitions, depth);
}

/** True if a schema requires an object, and says nothing about its members. */
function isPlainObject({ types, properties, required, minProperties }: SafeSchema): boolean {
  const isObject = types?.length === 1 && types[0] === "object";
  return isObject && properties.size + required.length === 0 && minProperties === undefined;
}

function ofType(type: JsonType, schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  switch (type) {
    case "string":
      return ofText(schema);
    case "number":
    case "integer":
      return ofNumber(schema);
    case "boolean":
      return { value: true };
    case "null":
      return { value: null };
    case "array":
      return ofList(schema, definitions, depth);
    case "object":
      return ofObject(schema, definitions, depth);
    default:
      return type satisfies never;
  }
}

function ofText({ minLength = 0, maxLength = 1_000 }: SafeSchema): Sample | undefined {
  if (minLength > Math.min(maxLength, 1_000)) return undefined;
  return { value: "sample".padEnd(minLength, "s").slice(0, maxLength) };
}

function ofNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SafeSchema): Sample | undefined {
  const low = Math.max(minimum ?? -Infinity, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1);
  const high = Math.min(maximum ?? Infinity, exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1);
  const value = Math.ceil(Math.min(Math.max(1, low), high));
  return value <= high ? { value } : undefined;
}

function ofList(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { minItems = 0, items, prefix } = schema;
  if (minItems === 0) return { value: [] };
  if (minItems > 16 || prefix.length > 0 || items === false) return undefined;
  const item = items ? sample(items, definitions, depth - 1) : { value: "sample" };
  return item && { value: Array.from({ length: minItems }, () => item.value) };
}

function ofObject(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { required, properties, minProperties = 0 } = schema;
  if (minProperties > required.length) return undefined;
  const members = required.map((name): [string, Sample | undefined] => {
    const member = properties.get(name);
    return [name, member && sample(member, definitions, depth - 1)];
  });
  const known = members.flatMap(([name, found]): [string, unknown][] => (found ? [[name, found.value]] : []));
  return known.length === members.length ? { value: Object.fromEntries(known) } : undefined;
}
