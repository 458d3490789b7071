import { Ajv, str, type CodeOptions, type ErrorObject, type Format, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject } from "../../generated/support.ts";
import type { JsonSchemaValidator, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { EvaluationLimit, weightOf, weightOfText, type EvaluationOptions } from "./evaluation-limit.ts";
import { isMultiple } from "./is-multiple.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";
import { compilePattern, enforceable, type PatternOptions } from "./schema-patterns.ts";
import { mapSubschemas, sortProperties } from "./schema-walk.ts";
import { areUnique, isEqual, isNested } from "./unique-items.ts";

/** Options of the ajv validator. */
export interface AjvOptions extends SchemaBounds, EvaluationOptions, PatternOptions {
  /** Formats to enforce, by name. Default: none, `format` is only an annotation. */
  readonly formats?: { readonly [name: string]: Format };
  /** True if all issues are reported instead of the first one. A hostile value can then cause a very long list. Default: `false`. */
  readonly allErrors?: boolean;
}

/**
 * Creates a validator for draft-07 and 2020-12 with ajv. Because ajv generates code from schemas, the validator does not run where code generation is
 * disabled, as in most workers. A schema is compiled on first use, and the result is kept as long as the schema lives. References cannot point
 * outside of the schema.
 *
 * @see https://ajv.js.org
 * @example
 * ```ts
 * import { fromJsonSchema } from "mcp-server-runtime";
 * import { createAjvValidator } from "mcp-server-runtime/adapters/ajv";
 *
 * const validate = createAjvValidator();
 * const city = fromJsonSchema({ type: "object", properties: { city: { type: "string" } } }, { validate });
 * ```
 */
export function createAjvValidator(options: AjvOptions = {}): JsonSchemaValidator {
  const compiled = new WeakMap<object, ValidateFunction>();
  const judges = new Map<Dialect, Ajv>();
  const limit = new EvaluationLimit(options, mostEvaluations);
  const compile = (schema: object): ValidateFunction => {
    checkBounds(schema, options);
    const dialect = readDialect(schema);
    const judge = judges.get(dialect) ?? createAjv(dialect, {});
    judges.set(dialect, judge);
    // Throws if the schema is invalid. Only asynchronous metaschemas return a promise, and none is known here.
    void judge.validateSchema(schema, true);
    // A separate instance for each schema: ajv never forgets what it compiled, and schemas must not be able to reference each other.
    const own = { ...toSettings(options, limit), meta: false, validateSchema: false };
    return addKeywords(createAjv(dialect, own), limit).compile(addCounters(enforceable(schema, options)));
  };
  return (value, schema) => {
    const check = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, check);
    return limit.run(value, () => (check(value) === true ? [] : (check.errors ?? []).map(toIssue)));
  };
}

/** Evaluations of the largest value: each takes less than a microsecond. */
const mostEvaluations = 1_000_000;

function toSettings({ formats, allErrors = false, ...options }: AjvOptions, limit: EvaluationLimit): Options {
  // Members that a value inherits, such as `constructor`, are not members in JSON.
  const common: Options = { allErrors, code: { regExp: toEngine(options, limit) }, ownProperties: true };
  return formats ? { ...common, formats: { ...formats } } : { ...common, validateFormats: false };
}

/** Returns the regular expression engine for patterns. The library caches compiled patterns by their text. */
function toEngine(options: PatternOptions, limit: EvaluationLimit): NonNullable<CodeOptions["regExp"]> {
  const engine = (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
    const compiled = compilePattern(pattern, options);
    const test = (text: string): boolean => limit.count(weightOfText(text)) && (compiled?.test(text) ?? true);
    return { test, toString: () => pattern };
  };
  // Name of the engine in standalone code, which is not used here.
  return Object.assign(engine, { code: "compilePattern" });
}

/** Creates an ajv instance that treats unknown keywords as annotations, as the specification requires. */
function createAjv(dialect: Dialect, settings: Options): Ajv {
  const lenient: Options = { ...settings, strict: false, logger: false };
  return dialect === "draft-07" ? new Ajv(lenient) : new Ajv2020(lenient);
}

const counterKeyword = "$evaluations";

/** Keywords in place of `const` and `enum` with nested values. Their own values are JSON texts, so no reference can lead into them. */
const dataKeywords = [
  { keyword: "$const", replaced: "const", message: "must be equal to constant" },
  { keyword: "$enum", replaced: "enum", message: "must be equal to one of the allowed values" },
] as const;

/**
 * Keywords to leave out: annotations with data, this adapter's own, and extensions of the library. With `$async` its checks would return promises,
 * and `nullable` would accept `null`.
 */
const ignored: readonly string[] = [
  ...["default", "examples", counterKeyword, "$const", "$enum"],
  ...["$async", "nullable"],
];

/**
 * Adds a keyword for counting evaluations. Replaces the keyword which compares all pairs of items, and the one for which 4.35 is no multiple of 0.01.
 */
function addKeywords(ajv: Ajv, limit: EvaluationLimit): Ajv {
  ajv.addKeyword({
    keyword: counterKeyword,
    before: "$ref",
    errors: false,
    compile: (counter: Counter) => (value: unknown) => limit.count(counter.weight + sizeOf(value, counter)),
  });
  // The library rejects `id` of older drafts, which is only an annotation.
  for (const keyword of ["id", "multipleOf", "uniqueItems"]) ajv.removeKeyword(keyword);
  for (const { keyword, message } of dataKeywords) {
    ajv.addKeyword({
      keyword,
      error: { message },
      compile: (texts: readonly string[]) => {
        const values = texts.map((text): unknown => JSON.parse(text));
        return (value) => values.some((one) => isEqual(one, value));
      },
    });
  }
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
    validate: (of: number, value: number) => isMultiple(value, of),
  });
  return ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    error: { message: "must not have equal items" },
    validate: (isRequired: boolean, list: readonly unknown[]) => !isRequired || areUnique(list, limit),
  });
}

/** What an evaluation of a schema counts as. */
interface Counter {
  readonly weight: number;
  /** Number of keywords with a loop over all members or items. */
  readonly loops: number;
  /** True if the length of a text is found out. */
  readonly measuresText: boolean;
}

function toCounter(schema: Readonly<Record<string, unknown>>): Counter {
  return {
    weight: weightOf(schema),
    loops: loopKeywords.filter((keyword) => schema[keyword] !== undefined).length,
    measuresText: schema.minLength !== undefined || schema.maxLength !== undefined,
  };
}

const loopKeywords: readonly string[] = [
  ...["items", "additionalItems", "unevaluatedItems", "contains", "patternProperties", "additionalProperties"],
  ...["unevaluatedProperties", "propertyNames", "minProperties", "maxProperties"],
];

/**
 * Returns the weight of the parts of a value that a schema reads. An item of a list counts less than a member of an object, because reading it is
 * much faster.
 */
function sizeOf(value: unknown, { loops, measuresText }: Counter): number {
  if (typeof value === "string") return measuresText ? weightOfText(value) : 0;
  if (loops === 0 || typeof value !== "object" || value === null) return 0;
  return loops * (Array.isArray(value) ? Math.floor(value.length / 8) : Object.keys(value).length);
}

/**
 * Adds counters to a schema and the schemas inside of it. A schema without inner schemas needs no counter, because the schema around it counts. Data
 * has no counters, and no reference can lead there.
 */
function addCounters(schema: Record<string, unknown>): Record<string, unknown> {
  let isLeaf = true;
  const copy = mapSubschemas(schema, (inner) => {
    isLeaf = false;
    return addCounters(inner);
  });
  for (const keyword of ignored) delete copy[keyword];
  for (const { keyword, replaced } of dataKeywords) {
    const values = toValues(copy[replaced], replaced);
    if (!values.some(isNested)) continue;
    copy[keyword] = values.map((value) => JSON.stringify(value));
    delete copy[replaced];
  }
  if (isObject(copy.properties)) copy.properties = sortProperties(copy.properties);
  const counter = toCounter(schema);
  const isCountedOutside = isLeaf && counter.weight === 1 && counter.loops === 0 && !counter.measuresText;
  return isCountedOutside ? copy : { ...copy, [counterKeyword]: counter };
}

/** Returns the values permitted by a keyword with data. */
function toValues(value: unknown, keyword: "const" | "enum"): readonly unknown[] {
  if (keyword === "const") return [value];
  return Array.isArray(value) ? value : [];
}

function toIssue({ instancePath, keyword, params, message = "is not valid" }: ErrorObject): SchemaIssue {
  const path = readPointer(instancePath);
  const missing: unknown = keyword === "required" ? params.missingProperty : undefined;
  const unknown: unknown = keyword === "additionalProperties" ? params.additionalProperty : undefined;
  if (typeof missing === "string") return { path: [...path, missing], message: "is required" };
  if (typeof unknown === "string") return { path: [...path, unknown], message: "is not a known property" };
  return { path, message };
}
