import { isDeepStrictEqual } from "node:util";

/** The types of JSON Schema. */
export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/**
 * A JSON Schema without any harmful or misleading parts: only these members, only own keys, only references to {@link SafeDocument.definitions}, no
 * titles, and prose that cannot end a comment.
 */
export interface SafeSchema extends Bounds {
  readonly description?: string;
  readonly deprecated?: true;
  /** Format of a text or a number. Neither types nor checks enforce it. */
  readonly format?: string;
  /** Keywords without an equivalent in types (`default`, `format`, bounds), for the comment of the type. */
  readonly notes: readonly string[];
  /** Allowed types; any when absent. */
  readonly types?: readonly JsonType[];
  /** Allowed values: `enum` or `const`. Empty for the schema `false`. */
  readonly values?: readonly unknown[];
  readonly properties: ReadonlyMap<string, SafeSchema>;
  /** Names of required members. Each is among `properties`. */
  readonly required: readonly string[];
  /** Values of other keys; `false` when there must be none, absent when they may be anything. */
  readonly additional?: SafeSchema | false;
  /** Schema of the keys; absent when they may be anything. */
  readonly names?: SafeSchema;
  /** Items of an array by position. */
  readonly prefix: readonly SafeSchema[];
  /** Items after `prefix`; `false` when there must be none, absent when they may be anything. */
  readonly items?: SafeSchema | false;
  readonly anyOf: readonly SafeSchema[];
  readonly oneOf: readonly SafeSchema[];
  readonly allOf: readonly SafeSchema[];
  /** Name of a definition in {@link SafeDocument.definitions}. */
  readonly reference?: string;
}

/** Limits of values that only a check can enforce. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression (flag `u`) the reader of the schema matches in bounded time. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A schema with the definitions it refers to. */
export interface SafeDocument {
  readonly root: SafeSchema;
  /** Definitions by unique name: letters and digits, beginning with a capital letter. */
  readonly definitions: ReadonlyMap<string, SafeSchema>;
  readonly losses: readonly SchemaLoss[];
}

/** A changed or omitted part of a schema. */
export interface SchemaLoss {
  /**
   * `removed`: it could do harm. `corrected`: it was wrong, and the evident meaning was used. `widened`: types and checks accept more. `assumed`: it
   * was missing, and the likely meaning was used.
   */
  readonly kind: "removed" | "corrected" | "widened" | "assumed";
  /** JSON Pointer into the schema; empty for the root. */
  readonly path: string;
  readonly message: string;
}

/** A schema without restrictions: it accepts every value. */
export const anySchema: SafeSchema = {
  notes: [],
  properties: new Map(),
  required: [],
  prefix: [],
  anyOf: [],
  oneOf: [],
  allOf: [],
};

/** True if a schema accepts every value. */
export function restrictsNothing({
  description: _description,
  deprecated: _deprecated,
  ...rules
}: SafeSchema): boolean {
  return isDeepStrictEqual({ ...rules, notes: [] }, anySchema);
}

/** Error about a whole schema: reading it would cost too much, or the value is no schema. */
export class SchemaRejection extends Error {
  override readonly name = "SchemaRejection";
}
