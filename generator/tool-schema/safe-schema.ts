/** The types that JSON Schema tells apart. */
export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/**
 * A JSON Schema after everything was taken out that could harm or mislead: only these members, only own keys, only references to
 * {@link SafeDocument.definitions}, no titles, and prose that cannot end a comment.
 */
export interface SafeSchema extends Bounds {
  readonly description?: string;
  readonly deprecated?: true;
  /** What a type cannot say (`default`, `format`, bounds), for its comment. */
  readonly notes: readonly string[];
  /** Types that are allowed; any when absent. */
  readonly types?: readonly JsonType[];
  /** Values that are allowed: `enum` or `const`. None at all for the schema `false`. */
  readonly values?: readonly unknown[];
  readonly properties: ReadonlyMap<string, SafeSchema>;
  /** Each of them is among `properties`. */
  readonly required: readonly string[];
  /** Values of other keys; `false` when there must be none, absent when nothing is said: they may be anything. */
  readonly additional?: SafeSchema | false;
  /** What keys must fit; absent when nothing is said of them. */
  readonly names?: SafeSchema;
  /** Items of an array by position. */
  readonly prefix: readonly SafeSchema[];
  /** Items after those of `prefix`; `false` when there must be none, absent when they may be anything. */
  readonly items?: SafeSchema | false;
  readonly anyOf: readonly SafeSchema[];
  readonly oneOf: readonly SafeSchema[];
  readonly allOf: readonly SafeSchema[];
  /** Name of a definition. */
  readonly reference?: string;
}

/** Limits of values that only a check can hold. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression (flag `u`) that the reader of the schema matches in bounded time. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** A schema with the definitions that it refers to. */
export interface SafeDocument {
  readonly root: SafeSchema;
  /** By name: letters and digits, beginning with a capital letter, each once. */
  readonly definitions: ReadonlyMap<string, SafeSchema>;
  readonly losses: readonly SchemaLoss[];
}

/** Something of a schema that did not come through as it was written. */
export interface SchemaLoss {
  /**
   * `removed`: it could do harm. `corrected`: it was wrong, and what it must have meant was taken. `widened`: types and checks accept more.
   * `assumed`: it left open what it hardly meant to.
   */
  readonly kind: "removed" | "corrected" | "widened" | "assumed";
  /** JSON Pointer into the schema; empty for the root. */
  readonly path: string;
  readonly message: string;
}

/** A schema that says nothing: everything fits. */
export const anySchema: SafeSchema = {
  notes: [],
  properties: new Map(),
  required: [],
  prefix: [],
  anyOf: [],
  oneOf: [],
  allOf: [],
};

/** A schema is refused as a whole: reading it would cost too much, or it is none. */
export class SchemaRefusal extends Error {
  override readonly name = "SchemaRefusal";
}
