import { note, type Reading } from "./reading.ts";
import type { JsonType, SafeSchema } from "./safe-schema.ts";

/** Reads `type` and its equivalents. Misspelt names are corrected, unknown ones ignored. */
export function readTypes(schema: Record<string, unknown>, path: string, reading: Reading): Pick<SafeSchema, "types"> {
  const { type } = schema;
  const nullable = schema.nullable === true;
  if (type === undefined) return implied(schema, path, reading);
  const words: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = words.map((word) => readType(word, `${path}/type`, reading));
  if (known.includes("any") || known.length === 0) return {};
  const types = known.filter((one): one is JsonType => one !== "any");
  return { types: [...new Set(nullable ? [...types, "null" as const] : types)] };
}

/** Assumes a type. Without one, keywords for objects or lists restrict no other values, but they are meant to. */
function implied(schema: Record<string, unknown>, path: string, reading: Reading): Pick<SafeSchema, "types"> {
  const composed = ["anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not", "if"];
  if (composed.some((key) => Object.hasOwn(schema, key))) return {};
  const type = (["object", "array"] as const).find((one) => implying[one].some((key) => Object.hasOwn(schema, key)));
  if (type === undefined) return {};
  // A schema around the composition may declare the type, and arguments are always an object.
  if (type === "object" && path !== "" && !/\/(?:anyOf|oneOf|allOf)\/\d+$/.test(path))
    note(reading, "assumed", path, "the type is missing; object is assumed");
  return { types: [type] };
}

const implying = {
  object: ["properties", "patternProperties", "additionalProperties"],
  array: ["items", "prefixItems"],
} as const;

function readType(word: unknown, path: string, reading: Reading): JsonType | "any" {
  if (isJsonType(word)) return word;
  const meant = typeof word === "string" ? corrections.get(word.toLowerCase()) : undefined;
  const quoted = JSON.stringify(word)?.slice(0, 60) ?? "nothing";
  note(reading, "corrected", path, `${quoted} is not a JSON Schema type; ${meant ?? "any"} is assumed`);
  return meant ?? "any";
}

/** True if a word is a type of JSON Schema. */
export function isJsonType(word: unknown): word is JsonType {
  return typeof word === "string" && jsonTypes.has(word);
}

/** True if `null`, a text, a number or a boolean has a type of JSON Schema. */
export function isOfType(value: unknown, type: JsonType): boolean {
  if (value === null) return type === "null";
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

const jsonTypes: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);

/** Types of other languages in the schemas of servers. */
const corrections: ReadonlyMap<string, JsonType> = new Map([
  ["str", "string"],
  ["text", "string"],
  ["date", "string"],
  ["int", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["tuple", "array"],
  ["dict", "object"],
  ["map", "object"],
  ["record", "object"],
  ["none", "null"],
  ["nil", "null"],
  ["string", "string"],
  ["number", "number"],
  ["integer", "integer"],
  ["boolean", "boolean"],
  ["object", "object"],
  ["array", "array"],
  ["null", "null"],
]);
