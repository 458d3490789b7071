import { createRequire } from "node:module";
import { escapeUnseen, harmless } from "../../internal/text.ts";
import { isOfType } from "./read-types.ts";
import { anySchema, type SafeDocument, type SafeSchema } from "./safe-schema.ts";

/**
 * Declares a schema as an exported type of this name, followed by its definitions, whose names begin with `prefix`. The library gets only the
 * contents of the {@link SafeDocument}, so it has no file to read and no text to paste.
 */
export async function emitType(
  { root, definitions }: SafeDocument,
  { name, prefix }: { readonly name: string; readonly prefix: string },
): Promise<string> {
  const $defs = Object.fromEntries(
    [...definitions].map(([key, schema]) => [prefix + key, toLibrarySchema(schema, prefix)]),
  );
  const compile = loadCompiler();
  const text = unmask(escapeUnseen(await compile({ ...toLibrarySchema(root, prefix), $defs }, name, options)));
  if (new RegExp(`^export (interface|type) ${name}\\b`, "m").test(text)) return text;
  throw new Error(`json-schema-to-typescript did not declare ${name}; this is a bug in create-mcp-server.`);
}

/** A schema in the vocabulary of the library. */
type LibrarySchema = Readonly<Record<string, unknown>>;

type Compile = (schema: LibrarySchema, name: string, settings: typeof options) => Promise<string>;

/** Loads the library. Its declarations do not pass the compiler's strictest settings, so it is loaded without them. */
function loadCompiler(): Compile {
  const library: { compile: Compile } = createRequire(import.meta.url)("json-schema-to-typescript");
  return library.compile;
}

const options = {
  bannerComment: "",
  additionalProperties: true,
  enableConstEnums: false,
  format: false,
  unknownAny: true,
  unreachableDefinitions: false,
  $refOptions: { resolve: { external: false, file: false, http: false } },
} as const;

function toLibrarySchema(schema: SafeSchema, prefix: string): LibrarySchema {
  const unions = [schema.anyOf, schema.oneOf]
    .filter(saysUnion)
    .map((list): LibrarySchema => ({ anyOf: list.map((one) => toLibrarySchema(one, prefix)) }));
  const own = unions.length > 0 && isPlainObject(schema) ? undefined : ownPart(schema, prefix);
  const reference = schema.reference === undefined ? [] : [{ $ref: `#/$defs/${prefix}${schema.reference}` }];
  const others = schema.allOf.filter(saysType).map((one) => toLibrarySchema(one, prefix));
  const parts = [...(own ? [own] : []), ...reference, ...unions, ...others];
  const comment = describe(schema);
  const [only] = parts;
  // The library would copy a reference with other keywords into a separate type.
  if (parts.length === 1 && only) return only.$ref === undefined ? { ...only, ...comment } : only;
  if (parts.length > 0) return { allOf: parts, ...comment };
  // The library would treat a schema with only a comment as an object.
  return Object.keys(comment).length === 0 ? {} : { ...unknownPart, ...comment };
}

/** True if a schema requires an object, and says nothing else. */
function isPlainObject({ types, values, properties, required, additional, names }: SafeSchema): boolean {
  const says = values ?? additional ?? names;
  return types?.length === 1 && types[0] === "object" && properties.size + required.length === 0 && says === undefined;
}

/** Masks a property name. The library calls `hasOwnProperty` of every object, so no property may have this name. */
function mask(name: string): string {
  return name === "hasOwnProperty" ? maskedName : name;
}

function unmask(text: string): string {
  return text.replaceAll(`"${maskedName}"`, "hasOwnProperty");
}

const maskedName = "hasOwnProperty of create-mcp-server";

/** True if a schema restricts the type. Members that only require members declared elsewhere do not. */
function saysType(schema: SafeSchema): boolean {
  const says = schema.types ?? schema.values ?? schema.reference ?? schema.additional ?? schema.items;
  return (
    says !== undefined ||
    [...schema.properties.values()].some(isMeaningful) ||
    schema.prefix.length > 0 ||
    schema.allOf.some(saysType) ||
    [schema.anyOf, schema.oneOf].some(saysUnion)
  );
}

/** True if alternatives restrict the type. They do not if one of them does not. */
function saysUnion(list: readonly SafeSchema[]): boolean {
  return list.length > 0 && list.every(saysType);
}

function isMeaningful(schema: SafeSchema): boolean {
  return saysType(schema) || schema.description !== undefined;
}

function ownPart(schema: SafeSchema, prefix: string): LibrarySchema | undefined {
  if (schema.values) return valuesPart(schema.values, schema.types);
  const types = schema.types ?? (schema.properties.size > 0 ? ["object" as const] : []);
  const parts = types.map((type): LibrarySchema => {
    if (type === "object") return objectPart(schema, prefix);
    return type === "array" ? arrayPart(schema, prefix) : { type };
  });
  return parts.length < 2 ? parts[0] : { anyOf: parts };
}

/** Returns the literals of a union. Values whose type the schema does not allow are left out. */
function valuesPart(values: readonly unknown[], types: SafeSchema["types"]): LibrarySchema {
  const fitting = values.filter((value) => types === undefined || types.some((type) => isOfType(value, type)));
  return { enum: fitting.map(toLiteral) };
}

function toLiteral(value: unknown): string | number | boolean | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function objectPart({ properties, required, additional, names }: SafeSchema, prefix: string): LibrarySchema {
  const possible = namesOf(names);
  const named =
    possible && additional !== false
      ? possible.map((name): [string, SafeSchema] => [name, additional ?? anySchema])
      : [];
  const members = new Map([...named, ...properties]);
  return {
    type: "object",
    properties: Object.fromEntries([...members].map(([name, member]) => [mask(name), toLibrarySchema(member, prefix)])),
    required: required.map(mask),
    additionalProperties: possible === undefined && toRest(additional, { isNamed: properties.size > 0, prefix }),
  };
}

/** Returns the possible keys if the schema enumerates them: a record of an enum. */
function namesOf(names: SafeSchema | undefined): readonly string[] | undefined {
  return names?.values?.filter((name): name is string => typeof name === "string" && name !== "__proto__");
}

/**
 * Returns the type of undeclared keys. Checks accept them, but a type with named properties excludes them: such a key is most likely a misspelling.
 */
function toRest(
  additional: SafeSchema["additional"],
  { isNamed, prefix }: { readonly isNamed: boolean; readonly prefix: string },
): boolean | LibrarySchema {
  if (additional === undefined) return !isNamed;
  return additional && saysType(additional) ? toLibrarySchema(additional, prefix) : additional !== false;
}

function arrayPart({ prefix: tuple, items, minItems = 0 }: SafeSchema, prefix: string): LibrarySchema {
  const rest = items === undefined ? true : items && toLibrarySchema(items, prefix);
  if (tuple.length === 0) return { type: "array", ...(rest !== true && { items: rest === false ? neverPart : rest }) };
  const all = tuple.map((item) => toLibrarySchema(item, prefix));
  const lengths = all.map((_item, at) => at).filter((length) => length >= minItems);
  // Items by position may be missing, unless there is a minimum. The library would omit parentheses around its own union.
  const shorter = lengths.map((length): LibrarySchema => {
    return { type: "array", items: all.slice(0, length), additionalItems: false, minItems: length, maxItems: length };
  });
  const whole: LibrarySchema = { type: "array", items: all, additionalItems: rest, minItems: all.length };
  return shorter.length === 0 ? whole : { anyOf: [...shorter, whole] };
}

/** Type for no value. The library has no other keyword for it. */
const neverPart: LibrarySchema = { tsType: "never" };

/** Type for any value. The library has no other keyword for it. */
const unknownPart: LibrarySchema = { tsType: "unknown" };

function describe({ description, deprecated, notes }: SafeSchema): LibrarySchema {
  const lines = [description ?? "", ...notes, ...(deprecated ? ["@deprecated"] : [])].filter((line) => line !== "");
  return lines.length === 0 ? {} : { description: harmless(lines.join("\n\n")) };
}
