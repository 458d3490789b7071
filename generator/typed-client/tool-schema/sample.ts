import { isOfType } from "./read-types.ts";
import { isRecord } from "../../internal/json-text.ts";
import { restrictsNothing, type JsonType, type SafeDocument, type SafeSchema } from "./safe-schema.ts";

/** A value that a schema accepts. */
export interface Sample {
  readonly value: unknown;
}

/**
 * Creates a value that a schema accepts, with only the required members. Returns `undefined` for patterns, compositions, and schemas with parts that
 * are not modelled.
 */
export function sampleOf({ root, definitions, losses }: SafeDocument): Sample | undefined {
  return losses.some(({ kind }) => kind !== "assumed") ? undefined : sample(root, definitions, 16);
}

type Definitions = SafeDocument["definitions"];

function sample(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { reference, values, types, anyOf, oneOf, allOf, pattern, multipleOf, uniqueItems } = schema;
  const isMatched = pattern !== undefined && (types?.[0] ?? "string") === "string";
  if (depth === 0 || allOf.length > 0 || isMatched || multipleOf !== undefined || uniqueItems) return undefined;
  if (reference !== undefined || anyOf.length + oneOf.length > 0) return ofPart(schema, definitions, depth);
  if (values) return ofValues(values, types);
  return ofType(types?.[0] ?? "string", schema, definitions, depth);
}

/** Creates a value of the definition or of an alternative, if the schema around it has no rules but the type of objects. */
function ofPart(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { reference, types = ["object"], anyOf, oneOf, additional, ...rest } = schema;
  const isOpen = additional === undefined || (additional !== false && restrictsNothing(additional));
  const isPlain = types.join() === "object" && isOpen && restrictsNothing({ ...rest, anyOf: [], oneOf: [] });
  const target = reference === undefined ? [] : [definitions.get(reference)];
  // If alternatives exclude each other, a sample of one might fit another as well.
  const [first, ...others] = [target, anyOf.slice(0, 1), oneOf].flat();
  if (!isPlain || !first || others.length > 0) return undefined;
  const found = sample(first, definitions, depth - 1);
  return schema.types === undefined || isRecord(found?.value) ? found : undefined;
}

function ofValues(values: readonly unknown[], types: SafeSchema["types"]): Sample | undefined {
  const fitting = values.filter((value) => types?.some((type) => isOfType(value, type)) ?? true);
  return fitting.length > 0 ? { value: fitting[0] } : undefined;
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
  return value >= low && value <= high ? { value } : undefined;
}

function ofList(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { minItems = 0, maxItems = 16, items, prefix } = schema;
  if (minItems === 0) return { value: [] };
  if (minItems > Math.min(maxItems, 16) || prefix.length > 0 || items === false) return undefined;
  const item = items ? sample(items, definitions, depth - 1) : { value: "sample" };
  return item && { value: Array.from({ length: minItems }, () => item.value) };
}

function ofObject(schema: SafeSchema, definitions: Definitions, depth: number): Sample | undefined {
  const { required, properties, names, minProperties = 0, maxProperties = Infinity } = schema;
  if (minProperties > required.length || required.length > maxProperties) return undefined;
  if (names && required.length > 0) return undefined;
  const members = required.map((name): [string, Sample | undefined] => {
    const member = properties.get(name);
    return [name, member && sample(member, definitions, depth - 1)];
  });
  const known = members.flatMap(([name, found]): [string, unknown][] => (found ? [[name, found.value]] : []));
  return known.length === members.length ? { value: Object.fromEntries(known) } : undefined;
}
