import { format, Validator, type OutputUnit } from "@cfworker/json-schema";
import type { JsonSchemaValidator, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { EvaluationLimit, weightOf, type EvaluationOptions } from "./evaluation-limit.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";
import { compilePattern, enforceable, type PatternOptions } from "./schema-patterns.ts";
import { listSchemas, mapSubschemas } from "./schema-walk.ts";
import { limitAccesses } from "./unique-items.ts";

/** Options of the cfworker validator. */
export interface CfworkerOptions extends SchemaBounds, EvaluationOptions, PatternOptions {
  /** True if `format` is enforced. Default: `false`, it is only an annotation. */
  readonly formats?: boolean;
}

/**
 * Creates a validator for draft-07 and 2020-12 that interprets schemas. It runs in workers and other platforms where code generation is disabled. A
 * schema is prepared on first use, and the result is kept as long as the schema lives. References cannot point outside of the schema.
 *
 * @see https://github.com/cfworker/cfworker/tree/main/packages/json-schema
 * @example
 * ```ts
 * import { fromJsonSchema } from "mcp-server-runtime";
 * import { createCfworkerValidator } from "mcp-server-runtime/adapters/cfworker";
 *
 * const validate = createCfworkerValidator();
 * const city = fromJsonSchema({ type: "object", properties: { city: { type: "string" } } }, { validate });
 * ```
 */
export function createCfworkerValidator(options: CfworkerOptions = {}): JsonSchemaValidator {
  const prepared = new WeakMap<object, Prepared>();
  const limit = new EvaluationLimit(options);
  const prepare = (schema: object): Prepared => {
    checkBounds(schema, options);
    const dialect = readDialect(schema);
    const formats: Record<string, (text: string) => boolean> = {};
    const enforced = enforceable(schema, { ...options, nativeKeys: true });
    const copy = copySchema(enforced, {
      limit,
      unknown: dialect === "draft-07" ? newer : [],
      keepsFormats: options.formats === true,
      patternFormat: (pattern) => {
        const compiled = compilePattern(pattern, options);
        if (!compiled || compiled instanceof RegExp) return undefined;
        formats[patternPrefix + pattern] = compiled.test;
        return patternPrefix + pattern;
      },
    });
    const comparesItems = listSchemas(enforced).some(({ uniqueItems }) => uniqueItems === true);
    return { validator: new Validator(copy, drafts[dialect]), formats, comparesItems };
  };
  return (value, schema) => {
    const found = prepared.get(schema) ?? prepare(schema);
    prepared.set(schema, found);
    const { validator, formats, comparesItems } = found;
    const run = (): readonly SchemaIssue[] => check(comparesItems ? limitAccesses(value) : value, validator);
    return withFormats(formats, () => limit.run(value, run));
  };
}

/** Validates a value. The library encodes pointers as URIs, which fails for a lone surrogate. */
function check(value: unknown, validator: Validator): readonly SchemaIssue[] {
  try {
    const { valid, errors } = validator.validate(value);
    return valid ? [] : toIssues(errors);
  } catch (error) {
    if (error instanceof URIError) return [{ path: [], message: "has a member whose name is not valid Unicode" }];
    throw error;
  }
}

/** A schema that is ready for validation. */
interface Prepared {
  readonly validator: Validator;
  /** Tests of patterns that must not run on the platform's engine. */
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  /** True if the items of a list must differ. The library compares all pairs. */
  readonly comparesItems: boolean;
}

const patternPrefix = "create-mcp-server pattern ";

const drafts: { readonly [Name in Dialect]: "7" | "2020-12" } = { "draft-07": "7", "2020-12": "2020-12" };

/** Keywords that draft-07 does not have. The library evaluates them all the same. */
const newer: readonly string[] = [
  ...["prefixItems", "minContains", "maxContains", "unevaluatedItems"],
  ...["dependentRequired", "dependentSchemas", "unevaluatedProperties"],
];

/**
 * Copies a schema, because the library modifies its input. The library also enforces every `format`, so the copy has none unless formats are enabled.
 * Patterns that must not run on the platform's engine become formats, because those are functions. The library reads the type of a schema whenever it
 * evaluates it, so reading it counts.
 */
function copySchema(schema: Record<string, unknown>, preparing: Preparing): Record<string, unknown> {
  const { format: named, pattern, type, ...rest } = mapSubschemas(schema, (inner) => copySchema(inner, preparing));
  for (const keyword of preparing.unknown) delete rest[keyword];
  // The library takes `id` of older drafts for `$id`.
  if (typeof rest.id === "string") delete rest.id;
  const weight = weightOf(schema);
  const get = (): unknown => (preparing.limit.count(weight), type);
  Object.defineProperty(rest, "type", { get, enumerable: type !== undefined });
  // Inherited members of objects are not formats.
  if (preparing.keepsFormats && typeof named === "string" && Object.hasOwn(format, named)) rest.format = named;
  if (typeof pattern !== "string") return rest;
  const name = preparing.patternFormat(pattern);
  if (name === undefined) rest.pattern = pattern;
  else rest.allOf = [...(Array.isArray(rest.allOf) ? rest.allOf : []), { format: name }];
  return rest;
}

interface Preparing {
  readonly limit: EvaluationLimit;
  /** Keywords that the dialect does not have. */
  readonly unknown: readonly string[];
  readonly keepsFormats: boolean;
  /** Returns the name of the format that replaces a pattern, or undefined if the platform's engine may run it. */
  readonly patternFormat: (pattern: string) => string | undefined;
}

/** Registers formats while one value is validated. The library only has a global registry of formats. */
function withFormats<T>(own: Readonly<Record<string, (text: string) => boolean>>, run: () => T): T {
  Object.assign(format, own);
  try {
    return run();
  } finally {
    for (const name of Object.keys(own)) delete format[name];
  }
}

/**
 * Returns the innermost issue, which is the cause: the library also reports it at every enclosing level. All missing and unknown members of one object
 * are returned together, because a caller that used a wrong name has to know both.
 */
function toIssues(errors: readonly OutputUnit[]): readonly SchemaIssue[] {
  const deepest = Math.max(...errors.map(({ instanceLocation }) => depthOf(instanceLocation)));
  const [last] = errors.filter(({ instanceLocation }) => depthOf(instanceLocation) === deepest).slice(-1);
  if (!last) return [];
  const { keyword, instanceLocation, keywordLocation } = last;
  // Another alternative may require other members of the same object.
  if (keyword === "required")
    return errors
      .filter((one) => one.keywordLocation === keywordLocation && one.instanceLocation === instanceLocation)
      .map(toIssue);
  if (keyword !== "false") return [toIssue(last)];
  const object = parentOf(instanceLocation);
  const isOfObject = (one: OutputUnit): boolean =>
    one.keyword === "required"
      ? one.instanceLocation === object
      : one.keyword === "false" && parentOf(one.instanceLocation) === object;
  return errors.filter(isOfObject).map(toIssue);
}

function toIssue({ instanceLocation, keyword, error }: OutputUnit): SchemaIssue {
  const path = readPointer(decodeURI(instanceLocation.slice(1).replaceAll("%23", "#")));
  if (keyword === "false") return { path, message: "Not allowed; remove it." };
  const [, member] = /^Instance does not have required property "(.*)"\.$/s.exec(error) ?? [];
  if (keyword === "required" && member !== undefined) return { path: [...path, member], message: "Required." };
  return { path, message: error.includes(`"${patternPrefix}`) ? "String does not match pattern." : error };
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf("/"));
}

function depthOf(location: string): number {
  return location.split("/").length;
}
