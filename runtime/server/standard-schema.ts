import { isObject } from "../../generated/support.ts";
import { toError } from "../jsonrpc/errors.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { checkSchema, type Side } from "./tools/check-schema.ts";

/**
 * The part of the Standard Schema and Standard JSON Schema interfaces needed by tools. Any library with both can describe arguments and results.
 * Declared here, so that no type depends on a schema library.
 * @see https://standardschema.dev
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
    readonly jsonSchema: SchemaConverter;
    /** Type information for the compiler; has no value at run time. */
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** Writes a schema as JSON Schema in the requested dialect. Throws when it cannot. */
export interface SchemaConverter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}

/** The validated value, or the issues found in it. */
export type SchemaResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** Vendor of schemas written as JSON Schema. */
export const ownVendor = "create-mcp-server";

/** Arguments of a tool without any: the empty object. */
export type NoArguments = { readonly [name in never]: never };

/** Schema of a tool without arguments. Rejects any argument sent nevertheless. */
export const noArguments: Schema<NoArguments> = {
  "~standard": {
    version: 1,
    vendor: ownVendor,
    validate: (value) => {
      const [name] = Object.keys(Object(value));
      return name === undefined ? { value: {} } : { issues: [{ message: "the tool has no arguments", path: [name] }] };
    },
    jsonSchema: { input: emptyObjectSchema, output: emptyObjectSchema },
  },
};

/**
 * Type without values, whose members may be any literal. The compiler first reads a function without parameters while it does not know the output
 * type yet. At this stage it keeps a literal type, instead of widening it to `string`, only where a literal may be expected.
 */
// Compilers sort a union by name, and explain errors with the last type that fits: the name precedes that of `ContentResult`.
export type AnyMembers = { readonly [noValue]: never; readonly [name: string]: AnyValue };
declare const noValue: unique symbol;

/** Any value; the literals stand for all literals of their kind, and the tuple for all tuples. */
type AnyValue =
  | ""
  | 0
  | true
  | readonly AnyValue[]
  | readonly [AnyValue]
  | { readonly [name: string]: AnyValue }
  | {}
  | null
  | undefined;

const draft7 = "http://json-schema.org/draft-07/schema#";

/**
 * Returns the JSON Schema sent to peers of a revision. The same schema is enforced. Dialect: the one fixed by the revision, otherwise draft-07, which
 * every known peer reads. A `$schema` added by a library is omitted where it names the dialect assumed by the reader; one written by an author stays.
 *
 * @throws {Error} when the schema is not a Standard JSON Schema, when a member cannot be written as one, or when an input schema does not have the root
 * type `object`
 */
export function toJsonSchema(
  schema: Schema<unknown>,
  side: Side,
  options: { readonly dialect?: string },
): Readonly<Record<string, unknown>> {
  checkSchema(schema, side);
  const dialect = options.dialect ?? draft7;
  const target = dialect.includes("draft/2020-12") ? "draft-2020-12" : "draft-07";
  const { vendor } = schema["~standard"];
  const { $schema, ...rest } = convert(schema, side, target);
  if (side === "input" && rest.type !== "object") {
    throw new Error(`its input schema has the root type ${JSON.stringify(rest.type)}; wrap it in an object schema`);
  }
  const isSaid = $schema !== undefined && ($schema !== dialect || vendor === ownVendor);
  return isSaid ? { $schema, ...rest } : rest;
}

function convert(schema: Schema<unknown>, side: Side, target: string): Readonly<Record<string, unknown>> {
  const write = (one: Schema<unknown>): Record<string, unknown> => one["~standard"].jsonSchema[side]({ target });
  try {
    return write(schema);
  } catch (cause) {
    const { message } = toError(cause);
    const path = findMember(schema, (member) => isWritten(() => isSchema(member) && write(member)));
    const place = path.length === 0 ? "" : `its ${side} member "${path.join(".")}": `;
    const remedy = /\bDate\b/.test(message) ? "a text, as z.iso.datetime() describes" : "a type that JSON has";
    throw new Error(`${place}${message}; use ${remedy}`, { cause });
  }
}

/** Returns the path of the first member without a JSON Schema; empty for libraries without `shape`. */
function findMember(
  schema: unknown,
  isConvertible: (member: unknown) => boolean,
  path: readonly string[] = [],
): readonly string[] {
  const shape = isObject(schema) ? schema.shape : undefined;
  if (!isObject(shape) || path.length >= deepestMember) return path;
  const name = Object.keys(shape).find((key) => !isConvertible(shape[key]));
  return name === undefined ? path : findMember(shape[name], isConvertible, [...path, name]);
}

/** Maximum length of the path of a member. Schemas may contain themselves. */
const deepestMember = 16;

function isWritten(write: () => unknown): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}

function isSchema(value: unknown): value is Schema<unknown> {
  return isObject(value) && "~standard" in value;
}

function emptyObjectSchema(): Record<string, unknown> {
  return { type: "object", additionalProperties: false };
}
