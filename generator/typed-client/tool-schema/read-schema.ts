import { rejectOversize } from "./bounds.ts";
import { readBounds, readNotes } from "./read-bounds.ts";
import { resolveReference } from "./read-reference.ts";
import { breakCircles } from "./break-circles.ts";
import { readTypes } from "./read-types.ts";
import { createReading, note, type AcceptPattern, type Reading } from "./reading.ts";
import { isRecord } from "../../internal/json-text.ts";
import { anySchema, SchemaRejection, type SafeDocument, type SafeSchema } from "./safe-schema.ts";
import { escapeKey } from "../../../runtime/internal/json-pointer.ts";
import { safeText } from "../../internal/text.ts";

/** Options of reading a schema. */
export interface ReadSchemaOptions {
  /** Accepts the patterns to enforce. Default: the patterns a backtracking engine matches in linear time. */
  readonly acceptPattern?: AcceptPattern;
}

/**
 * Reads an untrusted JSON Schema into one from which it is safe to generate code. Reads no file and no address. `losses` lists the removed, corrected
 * or widened parts.
 *
 * @throws {SchemaRejection} when the value is no schema, or is too deep or too large.
 */
export function readSchema(schema: unknown, { acceptPattern }: ReadSchemaOptions = {}): SafeDocument {
  rejectOversize(schema);
  if (!isRecord(schema) && typeof schema !== "boolean") throw new SchemaRejection("it is not a JSON Schema object");
  const reading = createReading(schema, readNode, acceptPattern);
  const root = readNode(schema, "", reading);
  return { root, definitions: breakCircles(reading), losses: reading.losses };
}

function readNode(schema: unknown, path: string, reading: Reading): SafeSchema {
  if (schema === true) return anySchema;
  if (schema === false) return { ...anySchema, values: [] };
  if (!isRecord(schema)) {
    note(reading, "corrected", path, "a schema is an object or a boolean; any value is accepted");
    return anySchema;
  }
  reportUnmodelled(schema, path, reading);
  return {
    ...readProse(schema),
    ...readTypes(schema, path, reading),
    ...readValues(schema, path, reading),
    ...readBounds(schema, path, reading),
    ...readMembers(schema, path, reading),
    ...readItems(schema, path, reading),
    anyOf: readList(schema, "anyOf", path, reading),
    oneOf: readList(schema, "oneOf", path, reading),
    allOf: readList(schema, "allOf", path, reading),
    ...resolveReference(schema, path, reading),
  };
}

function readProse(
  schema: Record<string, unknown>,
): Pick<SafeSchema, "description" | "deprecated" | "format" | "notes"> {
  const { description, deprecated, format } = schema;
  return {
    ...(typeof description === "string" && description.trim() !== "" && { description: safeText(description).trim() }),
    ...(deprecated === true && { deprecated }),
    ...(typeof format === "string" && { format }),
    notes: readNotes(schema),
  };
}

function readValues(schema: Record<string, unknown>, path: string, reading: Reading): Pick<SafeSchema, "values"> {
  if (Object.hasOwn(schema, "const")) return toValues([schema.const], `${path}/const`, reading);
  if (!Object.hasOwn(schema, "enum")) return {};
  if (Array.isArray(schema.enum)) return toValues(schema.enum, `${path}/enum`, reading);
  note(reading, "corrected", `${path}/enum`, "enum is not a list; it is ignored");
  return {};
}

/** Returns the allowed values. Objects and lists are not modelled: their keys would need care in code, and they are rare. */
function toValues(values: readonly unknown[], path: string, reading: Reading): Pick<SafeSchema, "values"> {
  if (values.every((value) => value === null || ["string", "number", "boolean"].includes(typeof value)))
    return { values };
  note(reading, "widened", path, "values that are objects or lists are not checked");
  return {};
}

function readMembers(
  schema: Record<string, unknown>,
  path: string,
  reading: Reading,
): Pick<SafeSchema, "properties" | "required" | "additional" | "names"> {
  const properties = new Map<string, SafeSchema>();
  const required = new Set(readRequired(schema, path, reading));
  for (const [name, member] of entriesOf(schema, "properties", path, reading)) {
    const place = `${path}/properties/${escapeKey(name)}`;
    if (isRecord(member) && member.required === true) {
      note(reading, "corrected", place, "`required: true` belongs in the list of the enclosing object");
      required.add(name);
    }
    properties.set(name, readNode(member, place, reading));
  }
  const additional = readAdditional(schema, path, reading);
  for (const name of required) if (!properties.has(name)) properties.set(name, additional || anySchema);
  return {
    properties,
    required: [...required],
    ...(additional !== undefined && { additional }),
    ...readNames(schema, path, reading),
  };
}

/** Reads the schema of keys. Keys are always strings: the type `string` alone restricts nothing, though zod declares it for every record. */
function readNames(schema: Record<string, unknown>, path: string, reading: Reading): Pick<SafeSchema, "names"> {
  const { propertyNames: names } = schema;
  if (names === undefined || names === true) return {};
  const isText = isRecord(names) && Object.entries(names).every(([key, word]) => key === "type" && word === "string");
  return isText ? {} : { names: readNode(names, `${path}/propertyNames`, reading) };
}

function readRequired(schema: Record<string, unknown>, path: string, reading: Reading): string[] {
  const { required } = schema;
  if (required === undefined || typeof required === "boolean") return [];
  if (!Array.isArray(required)) {
    note(reading, "corrected", `${path}/required`, "required is not a list of names; it is ignored");
    return [];
  }
  return required.filter((name) => typeof name === "string" && isUsableName(name));
}

function readAdditional(
  schema: Record<string, unknown>,
  path: string,
  reading: Reading,
): SafeSchema | false | undefined {
  const isComposed = ["anyOf", "oneOf", "allOf", "$ref", "if"].some((key) => Object.hasOwn(schema, key));
  const key = Object.hasOwn(schema, "additionalProperties") ? "additionalProperties" : "unevaluatedProperties";
  const value = schema[key];
  if (isRecord(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0) {
    note(reading, "widened", `${path}/patternProperties`, "keys by pattern are not checked: any key is accepted");
    return anySchema;
  }
  if (value === undefined) return undefined;
  if (key === "unevaluatedProperties" && isComposed) {
    note(reading, "widened", `${path}/${key}`, "unevaluatedProperties beside a composition is not checked");
    return undefined;
  }
  return value === false ? false : readNode(value, `${path}/${key}`, reading);
}

/** Reads the items of arrays. Tuples are `prefixItems` and `items` now; they were `items` and `additionalItems`. */
function readItems(
  schema: Record<string, unknown>,
  path: string,
  reading: Reading,
): Pick<SafeSchema, "prefix" | "items"> {
  const isOld = Array.isArray(schema.items);
  const restKey = isOld ? "additionalItems" : "items";
  const rest = schema[restKey];
  return {
    prefix: readList(schema, isOld ? "items" : "prefixItems", path, reading),
    ...(rest !== undefined &&
      rest !== true && { items: rest === false ? false : readNode(rest, `${path}/${restKey}`, reading) }),
  };
}

function readList(schema: Record<string, unknown>, key: string, path: string, reading: Reading): readonly SafeSchema[] {
  const list = schema[key];
  if (list === undefined) return [];
  if (Array.isArray(list)) return list.map((item, at) => readNode(item, `${path}/${key}/${at}`, reading));
  note(reading, "corrected", `${path}/${key}`, `${key} is not a list; it is ignored`);
  return [];
}

function entriesOf(
  schema: Record<string, unknown>,
  key: string,
  path: string,
  reading: Reading,
): readonly (readonly [string, unknown])[] {
  const members = schema[key];
  if (members === undefined) return [];
  if (!isRecord(members)) {
    note(reading, "corrected", `${path}/${key}`, `${key} is not an object; it is ignored`);
    return [];
  }
  if (Object.hasOwn(members, "__proto__")) {
    note(reading, "removed", `${path}/${key}/__proto__`, "a property of this name would change what objects inherit");
  }
  if (Object.keys(members).some((name) => surrogate.test(name)))
    note(reading, "removed", `${path}/${key}`, "a property whose name has a lone surrogate cannot be sent");
  return Object.entries(members).filter(([name]) => isUsableName(name));
}

function isUsableName(name: string): boolean {
  return name !== "__proto__" && !surrogate.test(name);
}

const surrogate = /\p{Surrogate}/u;

/** Reports keywords without support in types and checks, and keywords that only a code generator would follow. */
function reportUnmodelled(schema: Record<string, unknown>, path: string, reading: Reading): void {
  for (const key of harmful) {
    if (Object.hasOwn(schema, key))
      note(reading, "removed", `${path}/${key}`, `${key} would insert text into the code`);
  }
  for (const key of unmodelled) {
    if (Object.hasOwn(schema, key)) note(reading, "widened", `${path}/${key}`, `${key} is not checked`);
  }
}

const harmful = ["tsType", "tsEnumNames"] as const;

const unmodelled = [
  "not",
  "if",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "contains",
  "unevaluatedItems",
  "$dynamicRef",
  "$recursiveRef",
] as const;
