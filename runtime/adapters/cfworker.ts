import { format, Validator, type OutputUnit } from "@cfworker/json-schema";
import { isObject } from "../../generated/support.ts";
import type { JsonSchemaValidator, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { EvaluationLimit, weightOf, weightOfText, type EvaluationOptions } from "./evaluation-limit.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";
import { compilePattern, enforceable, type PatternOptions, type PatternTest } from "./schema-patterns.ts";
import { listSchemas, mapSubschemas, sortProperties } from "./schema-walk.ts";
import { ComparedLists, shortestCompared } from "./unique-items.ts";

/** Options of the cfworker validator. */
export interface CfworkerOptions extends SchemaBounds, EvaluationOptions, PatternOptions {
  /** True if `format` is enforced. Default: `false`, it is only an annotation. */
  readonly formats?: boolean;
}

/**
 * Creates a validator for draft-07 and 2020-12. It interprets schemas, so it runs in workers and on other platforms where code generation is
 * disabled. A schema is prepared on first use, and the result is kept as long as the schema lives. References cannot point outside of the schema.
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
  const limit = new EvaluationLimit(options, mostEvaluations);
  const texts = new TextTests();
  const prepare = (schema: object): Prepared => {
    checkBounds(schema, options);
    const dialect = readDialect(schema);
    const enforced = enforceable(schema, { ...options, nativeKeys: true });
    const lists = new ComparedLists(limit);
    const copy = copySchema(enforced, {
      limit,
      lists,
      texts,
      unknown: dialect === "draft-07" ? newer : [],
      keepsFormats: options.formats === true,
      compile: (pattern) => compilePattern(pattern, options),
    });
    const comparesItems = listSchemas(enforced).some(({ uniqueItems }) => uniqueItems === true);
    return { validator: new Validator(copy, drafts[dialect]), lists: comparesItems ? lists : undefined };
  };
  return (value, schema) => {
    const found = prepared.get(schema) ?? prepare(schema);
    prepared.set(schema, found);
    const { validator, lists } = found;
    const run = (): readonly SchemaIssue[] => check(lists ? lists.copy(value) : value, validator);
    return texts.run(() => limit.run(value, run));
  };
}

/** Evaluations of the largest value: each takes one or two microseconds. */
const mostEvaluations = 250_000;

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

/** A schema ready for validation. */
interface Prepared {
  readonly validator: Validator;
  /** Absent unless the items of a list must differ. */
  readonly lists: ComparedLists | undefined;
}

const drafts: { readonly [Name in Dialect]: "7" | "2020-12" } = { "draft-07": "7", "2020-12": "2020-12" };

/** Keywords missing in draft-07. The library evaluates them all the same. */
const newer: readonly string[] = [
  ...["prefixItems", "minContains", "maxContains", "unevaluatedItems"],
  ...["dependentRequired", "dependentSchemas", "unevaluatedProperties"],
];

/**
 * Copies a schema, because the library modifies its input. The library also enforces every `format`, so the copy has none unless formats are enabled.
 * Patterns become formats, because those are functions. The library reads the type of a schema whenever it evaluates it, so reading it counts.
 */
function copySchema(schema: Record<string, unknown>, preparing: Preparing): Record<string, unknown> {
  const { format: named, pattern, type, ...rest } = mapSubschemas(schema, (inner) => copySchema(inner, preparing));
  for (const keyword of preparing.unknown) delete rest[keyword];
  // The library takes `id` of older drafts for `$id`.
  if (typeof rest.id === "string") delete rest.id;
  if (isObject(rest.properties)) rest.properties = sortProperties(rest.properties);
  const keyPatterns = Object.keys(Object(rest.patternProperties)).length;
  const weight = weightOf(schema) + keyPatterns + (rest.multipleOf === undefined ? 0 : multipleWeight);
  const get = (): unknown => preparing.limit.count(weight) && type;
  Object.defineProperty(rest, "type", { get, enumerable: type !== undefined });
  // Inherited members of objects are not formats.
  if (preparing.keepsFormats && typeof named === "string" && Object.hasOwn(format, named)) rest.format = named;
  const added: object[] = [];
  const test = toFormat({ ...rest, pattern }, preparing);
  if (test && rest.format === undefined) rest.format = test;
  else if (test) added.push({ format: test });
  const countKey = (key: string): true => preparing.limit.count(keyPatterns * weightOfText(key));
  if (keyPatterns > 0) added.push({ propertyNames: { format: preparing.texts.add(countKey) } });
  if (rest.uniqueItems === true) added.push(compareItems(preparing.lists));
  delete rest.uniqueItems;
  if (added.length > 0) rest.allOf = [...(Array.isArray(rest.allOf) ? rest.allOf : []), ...added];
  return rest;
}

/** Weight of a check of `multipleOf`: the library calculates with the digits of both numbers. */
const multipleWeight = 4;

interface Preparing {
  readonly limit: EvaluationLimit;
  readonly lists: ComparedLists;
  readonly texts: TextTests;
  /** Keywords missing in the dialect. */
  readonly unknown: readonly string[];
  readonly keepsFormats: boolean;
  readonly compile: (pattern: string) => PatternTest | undefined;
}

/** Returns a format for the pattern of a schema, which also counts the length of texts. */
function toFormat(
  { pattern, minLength, maxLength }: Record<string, unknown>,
  { limit, texts, compile }: Preparing,
): object | undefined {
  if (typeof pattern !== "string" && minLength === undefined && maxLength === undefined) return undefined;
  const compiled = typeof pattern === "string" ? compile(pattern) : undefined;
  return texts.add((text) => limit.count(weightOfText(text)) && (compiled?.test(text) ?? true));
}

/** Returns a schema for the comparison of the items of a list. */
function compareItems(lists: ComparedLists): object {
  const then = Object.defineProperty({}, "uniqueItems", { get: () => lists.begin(), enumerable: true });
  return { if: { type: "array", minItems: shortestCompared }, then, else: { uniqueItems: true } };
}

/**
 * Tests of texts, as formats. The library calls own functions for formats only, and finds them in a global registry. So one function is registered
 * while a value is validated. Which test it runs is decided when the library reads the name of a format.
 */
class TextTests {
  #test: (text: string) => boolean = () => true;

  /** Returns a format for a test. */
  add(test: (text: string) => boolean): object {
    return {
      toString: () => {
        this.#test = test;
        return ownFormat;
      },
    };
  }

  run<T>(validate: () => T): T {
    format[ownFormat] = (text) => this.#test(text);
    try {
      return validate();
    } finally {
      delete format[ownFormat];
    }
  }
}

const ownFormat = "create-mcp-server pattern";

/**
 * Returns the innermost issue, which is the cause: the library also reports it at every enclosing level. All missing and unknown members of one
 * object are returned together, because the caller may have used a wrong name, and has to know both then.
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
  if (keyword === "uniqueItems") return { path, message: "must not have equal items" };
  return { path, message: error.includes(`"${ownFormat}"`) ? "String does not match pattern." : error };
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf("/"));
}

function depthOf(location: string): number {
  return location.split("/").length;
}
