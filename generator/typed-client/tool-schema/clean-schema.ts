import { isPattern } from "../../../runtime/adapters/pattern-syntax.ts";
import { removePatterns } from "../../../runtime/adapters/schema-patterns.ts";
import { isJsonType } from "./read-types.ts";
import { isRecord } from "../../internal/json-text.ts";
import { SchemaRejection } from "./safe-schema.ts";
import { safeText } from "../../internal/text.ts";

/** Options of copying an untrusted schema. */
export interface CleanOptions {
  /** Returns the replacement of a reference in the schema `from`. Default: references within the schema stay, all others are rejected. */
  readonly reference?: (target: string, path: string, from: object) => string;
  /** Direction of the values. Requests omit read-only properties, responses omit write-only ones. Default: both are kept. */
  readonly side?: "request" | "response";
  /**
   * Changes a schema before it is copied, except in places where accepting more values means rejecting more, as under `not`. Default: it stays as it
   * is.
   */
  readonly prepare?: (schema: Record<string, unknown>) => Record<string, unknown>;
  /** Returns the target of a reference, and other schemas as they are. Default: references are not followed. */
  readonly resolve?: (schema: unknown) => unknown;
}

/** Options within a schema. */
interface NodeOptions extends CleanOptions {
  /** Properties of the other side in the schemas combined with this one by `allOf`. */
  readonly hidden?: ReadonlySet<string>;
}

/**
 * Copies a JSON Schema for use in code: known keywords only, no invalid regular expressions, no invisible characters. The validator must limit the
 * time of patterns. Keywords of older and neighbouring dialects (`nullable`, exclusive limits as flags) are converted to current ones. The caller has
 * limited the depth of the schema.
 *
 * @throws {SchemaRejection} when the schema could do harm.
 */
export function cleanSchema(schema: unknown, options: CleanOptions = {}): unknown {
  if (!isRecord(schema) && typeof schema !== "boolean") throw new SchemaRejection(" is not a JSON Schema object");
  const valid = isRecord(schema) ? removePatterns(schema, isPattern).schema : schema;
  return cleanNode(valid, "", options);
}

const singles = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;

const lists = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;

const maps = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"] as const;

const texts = ["$anchor", "contentEncoding", "contentMediaType", "description", "title"] as const;

/** Formats of JSON Schema and OpenAPI. Validators print warnings for unknown formats. */
const formats: ReadonlySet<string> = new Set([
  ...["date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri"],
  ...[
    "uri-reference",
    "uri-template",
    "iri",
    "iri-reference",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
  ],
  ...["int32", "int64", "float", "double", "password", "byte", "binary"],
]);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isAny = (): boolean => true;

/** Keywords with data, and what is a value of each: a validator rejects a schema with another. */
const data: Readonly<Record<string, (value: unknown) => boolean>> = {
  const: isAny,
  default: isAny,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isNameList),
  deprecated: isFlag,
  enum: (value) => Array.isArray(value) && value.length > 0,
  examples: Array.isArray,
  maxContains: isCount,
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  minContains: isCount,
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  multipleOf: (value) => typeof value === "number" && value > 0,
  uniqueItems: isFlag,
};

function isNameList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length
  );
}

const harmful = ["tsType", "tsEnumNames"] as const;

const dialects = /^https?:\/\/json-schema\.org\/(draft-07\/schema#?|draft\/2020-12\/schema)$/;

function cleanNode(given: unknown, path: string, { hidden: outer, ...options }: NodeOptions): unknown {
  if (!isRecord(given)) return typeof given === "boolean" ? given : {};
  const schema = options.prepare?.(given) ?? given;
  rejectHarmful(schema, path);
  const hidden = new Set([...(outer ?? []), ...findHidden(schema, options)]);
  const clean: Record<string, unknown> = {};
  if (typeof schema.$schema === "string" && dialects.test(schema.$schema)) clean.$schema = schema.$schema;
  if (schema.$ref !== undefined) clean.$ref = cleanReference(schema, `${path}/$ref`, options);
  for (const key of texts) if (typeof schema[key] === "string") clean[key] = safeText(schema[key]);
  if (typeof schema.format === "string" && formats.has(schema.format)) clean.format = schema.format;
  for (const [key, isValid] of Object.entries(data))
    if (schema[key] !== undefined && isValid(schema[key])) clean[key] = cleanData(schema[key]);
  if (Array.isArray(clean.enum)) clean.enum = unique(clean.enum);
  Object.assign(clean, cleanType(schema), cleanLimits(schema));
  for (const key of maps) {
    if (isRecord(schema[key])) clean[key] = cleanMap(schema[key], `${path}/${key}`, options);
  }
  for (const key of lists)
    if (Array.isArray(schema[key]) && schema[key].length > 0) {
      clean[key] = cleanList(schema[key], `${path}/${key}`, key === "allOf" ? { ...options, hidden } : options);
    }
  for (const key of singles)
    if (schema[key] !== undefined) clean[key] = cleanNode(schema[key], `${path}/${key}`, optionsOf(key, options));
  if (schema.items !== undefined) clean.items = cleanItems(schema.items, `${path}/items`, options);
  return cleanNullable(withoutHidden(clean, hidden), schema);
}

/** Returns the options within a keyword. */
function optionsOf(key: (typeof singles)[number], { prepare, ...options }: CleanOptions): CleanOptions {
  return key === "not" || key === "if" || prepare === undefined ? options : { ...options, prepare };
}

function rejectHarmful(schema: Record<string, unknown>, path: string): void {
  const key = harmful.find((name) => Object.hasOwn(schema, name));
  if (key !== undefined) throw new SchemaRejection(`${path}/${key} would insert text into the code`);
}

function cleanReference(
  schema: Record<string, unknown>,
  path: string,
  { reference = keepLocal }: CleanOptions,
): string {
  if (typeof schema.$ref !== "string") throw new SchemaRejection(`${path} is not a string`);
  return reference(schema.$ref, path, schema);
}

function keepLocal(target: string, path: string): string {
  if (target.startsWith("#")) return target;
  throw new SchemaRejection(
    `${path} points outside the schema (${JSON.stringify(target).slice(0, 100)}) and is never fetched`,
  );
}

/** Copies data. Keys that would change the prototype of an object are removed. */
function cleanData(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => (key === "__proto__" ? undefined : inner));
}

/** Removes repeated values, which JSON Schema does not permit. */
function unique(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Copies `type` and `required`. An unknown type would reject every value, so it is left out. */
function cleanType({ type, required }: Record<string, unknown>): Record<string, unknown> {
  const isList = Array.isArray(type) && type.length > 0 && type.every(isJsonType);
  const names = Array.isArray(required) ? unique(required.filter((name) => typeof name === "string")) : [];
  return {
    ...(isList ? { type: unique(type) } : isJsonType(type) && { type }),
    ...(names.length > 0 && { required: names }),
  };
}

function cleanLimits(schema: Record<string, unknown>): Record<string, unknown> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern } = schema;
  return {
    ...cleanLimit("minimum", "exclusiveMinimum", minimum, exclusiveMinimum),
    ...cleanLimit("maximum", "exclusiveMaximum", maximum, exclusiveMaximum),
    ...(typeof pattern === "string" && { pattern }),
  };
}

/** Converts a limit. In old dialects, exclusive limits were flags beside the others. */
function cleanLimit(key: string, exclusiveKey: string, limit: unknown, exclusive: unknown): Record<string, unknown> {
  if (exclusive === true && typeof limit === "number") return { [exclusiveKey]: limit };
  return {
    ...(typeof limit === "number" && { [key]: limit }),
    ...(typeof exclusive === "number" && { [exclusiveKey]: exclusive }),
  };
}

function cleanMap(members: Record<string, unknown>, path: string, options: CleanOptions): Record<string, unknown> {
  if (Object.hasOwn(members, "__proto__"))
    throw new SchemaRejection(`${path} has a member "__proto__", which would change what objects inherit`);
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, cleanNode(member, `${path}/${name}`, options)]),
  );
}

function cleanList(list: readonly unknown[], path: string, options: NodeOptions): unknown[] {
  return list.map((item, at) => cleanNode(item, `${path}/${at}`, options));
}

function cleanItems(items: unknown, path: string, options: CleanOptions): unknown {
  return Array.isArray(items) ? cleanList(items, path, options) : cleanNode(items, path, options);
}

/**
 * Returns the names of the properties of the other side, including the ones added by `allOf`: read-only ones of requests, write-only ones of
 * responses.
 */
function findHidden(value: unknown, options: CleanOptions, seen = new Set<unknown>()): readonly string[] {
  const { side, resolve = (schema) => schema } = options;
  const schema = resolve(value);
  if (side === undefined || !isRecord(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const flag = side === "request" ? "readOnly" : "writeOnly";
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const own = properties.flatMap(([name, one]) => (Object(one)[flag] === true ? [name] : []));
  const bases: readonly unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  return [...own, ...bases.flatMap((base) => findHidden(base, options, seen))];
}

/** Removes properties, and their names from `required`. */
function withoutHidden(clean: Record<string, unknown>, hidden: ReadonlySet<string>): Record<string, unknown> {
  if (hidden.size === 0) return clean;
  const { properties, required, ...rest } = clean;
  const wanted = Array.isArray(required) ? required.filter((name) => !hidden.has(name)) : [];
  return {
    ...rest,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.has(name))),
    }),
    ...(wanted.length > 0 && { required: wanted }),
  };
}

function cleanNullable(clean: Record<string, unknown>, { nullable }: Record<string, unknown>): unknown {
  if (nullable !== true) return clean;
  const { type, enum: values } = clean;
  if (typeof type !== "string") return { anyOf: [clean, { type: "null" }] };
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...clean, type: [type, "null"], ...withNull };
}
