import type { JsonSchemaValidator, ObjectSchema, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { ownVendor, type Schema } from "./standard-schema.ts";

/** Options of `fromJsonSchema`: the validator of the schema. */
export interface JsonSchemaOptions {
  readonly validate: JsonSchemaValidator;
}

/**
 * Makes a plain JSON Schema usable as the input or output of a tool. Clients receive it unchanged, in any dialect, so
 * `validate` must enforce exactly this schema. The type is inferred from a literal. Name the type where the inferred one is too simple:
 * `fromJsonSchema<Query>(schema, { validate })`.
 *
 * @example
 * ```ts
 * import { fromJsonSchema } from "mcp-server-runtime";
 * import { createAjvValidator } from "mcp-server-runtime/adapters/ajv";
 *
 * const properties = { city: { type: "string" } } as const;
 * const forecast = defineTool({
 *   name: "forecast",
 *   inputSchema: fromJsonSchema({ type: "object", properties, required: ["city"] }, { validate: createAjvValidator() }),
 *   execute: ({ city }) => `It rains in ${city}.`,
 * });
 * ```
 */
export function fromJsonSchema<const S extends ObjectSchema>(
  schema: S,
  options: JsonSchemaOptions,
): Schema<FromJsonSchema<S>>;
export function fromJsonSchema<T>(schema: ObjectSchema, options: JsonSchemaOptions): Schema<T>;
export function fromJsonSchema<T>(schema: ObjectSchema, options: JsonSchemaOptions): Schema<T> {
  // The author of `validate` guarantees that each value that it accepts is a `T`.
  const accepts = (_value: unknown, issues: readonly SchemaIssue[]): _value is T => issues.length === 0;
  return {
    "~standard": {
      version: 1,
      vendor: ownVendor,
      validate: (value) => {
        const issues = options.validate(value, schema);
        return accepts(value, issues) ? { value } : { issues };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

/** Type of the values of a literal JSON Schema; `unknown` where it uses more than the common keywords. */
export type FromJsonSchema<S> = S extends { readonly const: infer V }
  ? V
  : S extends { readonly enum: readonly (infer V)[] }
    ? V
    : S extends { readonly type: "object"; readonly properties: infer Properties }
      ? Flat<RequiredOf<Properties, RequiredNames<S>> & OptionalOf<Properties, RequiredNames<S>>>
      : S extends { readonly type: "array"; readonly items: infer Items }
        ? FromJsonSchema<Items>[]
        : S extends { readonly type: keyof Primitives }
          ? Primitives[S["type"]]
          : S extends { readonly type: readonly (infer Names extends keyof Primitives)[] }
            ? Primitives[Names]
            : unknown;

interface Primitives {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
  object: { [key: string]: unknown };
  array: unknown[];
}

type RequiredNames<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;
type RequiredOf<Properties, Names> = {
  -readonly [K in keyof Properties as Extract<K, Names>]: FromJsonSchema<Properties[K]>;
};
type OptionalOf<Properties, Names> = {
  -readonly [K in keyof Properties as Exclude<K, Names>]?: FromJsonSchema<Properties[K]>;
};
type Flat<T> = { [K in keyof T]: T[K] } & {};
