import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import { isObject } from "../../generated/support.ts";
import type { JsonSchemaValidator, SchemaIssue } from "../common/schema-issue.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";

/** How schemas are enforced. */
export interface CfworkerOptions extends SchemaBounds {
  /** Enforce `format`. Default: `false`, it is only a remark. */
  readonly formats?: boolean;
}

/**
 * Makes a validator for draft-07 and 2020-12 that interprets schemas: it runs in workers and wherever else no code may be made
 * of text. A schema is prepared when it is first used, and kept as long as it lives; references reach nothing outside of it.
 *
 * @see https://github.com/cfworker/cfworker/tree/main/packages/json-schema
 */
export function createCfworkerValidator(options: CfworkerOptions = {}): JsonSchemaValidator {
  const prepared = new WeakMap<object, Validator>();
  const prepare = (schema: object): Validator => {
    checkBounds(schema, options);
    const draft = drafts[readDialect(schema)];
    return new Validator(copySchema(schema, options.formats === true), draft);
  };
  return (value, schema) => {
    const validator = prepared.get(schema) ?? prepare(schema);
    prepared.set(schema, validator);
    const { valid, errors } = validator.validate(value);
    return valid ? [] : toIssues(errors);
  };
}

const drafts: { readonly [Name in Dialect]: "7" | "2020-12" } = { "draft-07": "7", "2020-12": "2020-12" };

/** Members whose keys are names of the user, and members that are data. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
]);
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** The library writes into what it is given, and enforces every `format` that it finds: it gets a copy, and none if it must not. */
function copySchema(schema: object, keepFormats: boolean): Schema {
  const entries = Object.entries(schema).filter(([keyword]) => keepFormats || keyword !== "format");
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, data.has(keyword) ? value : copyMember(keyword, value, keepFormats)]),
  );
}

function copyMember(keyword: string, value: unknown, keepFormats: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown) => (isObject(item) ? copySchema(item, keepFormats) : item));
  if (!isObject(value)) return value;
  if (!maps.has(keyword)) return copySchema(value, keepFormats);
  const named = Object.entries(value);
  return Object.fromEntries(
    named.map(([name, inner]) => [name, isObject(inner) ? copySchema(inner, keepFormats) : inner]),
  );
}

/** The library tells of a mistake at every level around it: the innermost says what it is. */
function toIssues(errors: readonly OutputUnit[]): readonly SchemaIssue[] {
  const deepest = Math.max(...errors.map(({ instanceLocation }) => depthOf(instanceLocation)));
  const innermost = errors.filter(({ instanceLocation }) => depthOf(instanceLocation) === deepest);
  const [last] = innermost.slice(-1);
  return last
    ? [{ path: readPointer(decodeURI(last.instanceLocation.slice(1).replaceAll("%23", "#"))), message: last.error }]
    : [];
}

function depthOf(location: string): number {
  return location.split("/").length;
}
