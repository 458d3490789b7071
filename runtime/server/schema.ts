import type { SchemaIssue } from "../protocol/schema-issue.ts";
import { checkSchema, type Side } from "./tools/check-schema.ts";

/**
 * The part of the Standard Schema and Standard JSON Schema interfaces that tools need: whatever library implements both
 * can describe arguments and results. Declared here, so no schema library is in any type.
 * @see https://standardschema.dev
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
    readonly jsonSchema: SchemaConverter;
    /** Exists for the compiler only. */
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** Writes a schema as JSON Schema in the dialect asked for, or throws when it cannot. */
export interface SchemaConverter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}

/** The validated value, or what is wrong with it. */
export type SchemaResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** Who stands behind schemas that are written as JSON Schema. */
export const ownVendor = "create-mcp-server";

/** What a tool without arguments takes: the empty object. */
export type NoArguments = { readonly [name in never]: never };

/** The schema of a tool without arguments. Anything that is sent nevertheless is refused. */
export const noArguments: Schema<NoArguments> = {
  "~standard": {
    version: 1,
    vendor: ownVendor,
    validate: (value) => {
      const [name] = Object.keys(Object(value));
      return name === undefined
        ? { value: {} }
        : { issues: [{ message: "this tool takes no arguments", path: [name] }] };
    },
    jsonSchema: { input: emptyObjectSchema, output: emptyObjectSchema },
  },
};

/**
 * Nothing that the function of a tool could return. The compiler first reads a function without parameters when it does not know the output yet, and then
 * keeps a literal, instead of calling it a text, only where it may be wanted: here any is.
 */
export type KeepsLiterals = { readonly [name: string]: Literal; readonly [nothing]: never };
type Literal = "" | 0 | true | readonly Literal[] | { readonly [name: string]: Literal };
declare const nothing: unique symbol;

const draft7 = "http://json-schema.org/draft-07/schema#";

/**
 * The JSON Schema that a revision's peers get to see, which is also what is enforced.
 * Dialect: the one that the revision fixes, otherwise draft-07, which every known peer reads.
 * A `$schema` that a library adds is left out where it names what the reader assumes anyway; one that an author wrote stays.
 */
export function toJsonSchema(
  schema: Schema<unknown>,
  side: Side,
  options: { readonly dialect?: string },
): Readonly<Record<string, unknown>> {
  checkSchema(schema, side);
  const dialect = options.dialect ?? draft7;
  const target = dialect.includes("draft/2020-12") ? "draft-2020-12" : "draft-07";
  const { vendor, jsonSchema } = schema["~standard"];
  const { $schema, ...rest } = jsonSchema[side]({ target });
  if (side === "input" && rest.type !== "object") {
    throw new Error(`its input schema has the root type ${JSON.stringify(rest.type)}: wrap it in an object schema`);
  }
  const isSaid = $schema !== undefined && ($schema !== dialect || vendor === ownVendor);
  return isSaid ? { $schema, ...rest } : rest;
}

function emptyObjectSchema(): Record<string, unknown> {
  return { type: "object", additionalProperties: false };
}
