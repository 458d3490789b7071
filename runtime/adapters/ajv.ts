import { Ajv, type CodeOptions, type ErrorObject, type Format, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchemaValidator, SchemaIssue } from "../protocol/schema-issue.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";
import { compilePattern, enforceable, withTextLimit, type PatternOptions } from "./schema-patterns.ts";

/** How schemas are enforced. */
export interface AjvOptions extends SchemaBounds, PatternOptions {
  /** The formats that are enforced, by name. Default: none, `format` is only a remark. */
  readonly formats?: { readonly [name: string]: Format };
  /** Tell everything that is wrong, not only the first thing. A hostile value can then make a very long list. Default: `false`. */
  readonly allErrors?: boolean;
}

/**
 * Makes a validator for draft-07 and 2020-12 with ajv, which turns schemas into code: it does not run where code cannot be made
 * of text, as in most workers. A schema is compiled when it is first used, and kept as long as it lives; references reach
 * nothing outside of it.
 *
 * @see https://ajv.js.org
 */
export function createAjvValidator(options: AjvOptions = {}): JsonSchemaValidator {
  const compiled = new WeakMap<object, ValidateFunction>();
  const judges = new Map<Dialect, Ajv>();
  const compile = (schema: object): ValidateFunction => {
    checkBounds(schema, options);
    const dialect = readDialect(schema);
    const judge = judges.get(dialect) ?? createAjv(dialect, {});
    judges.set(dialect, judge);
    judge.validateSchema(schema, true);
    // An instance of its own: ajv never forgets what it compiled, and a schema must not be within reach of another.
    const own = { ...toSettings(options), meta: false, validateSchema: false };
    return createAjv(dialect, own).compile(enforceable(schema, options));
  };
  return (value, schema) => {
    const check = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, check);
    return withTextLimit(() => (check(value) === true ? [] : (check.errors ?? []).map(toIssue)));
  };
}

function toSettings({ formats, allErrors = false, ...options }: AjvOptions): Options {
  const code = { regExp: toEngine(options) };
  return formats ? { allErrors, code, formats: { ...formats } } : { allErrors, code, validateFormats: false };
}

/** The engine for patterns. The library keeps what it compiles by the text of the pattern. */
function toEngine(options: PatternOptions): NonNullable<CodeOptions["regExp"]> {
  const engine = (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
    const compiled = compilePattern(pattern, options);
    return { test: (text) => compiled?.test(text) ?? true, toString: () => pattern };
  };
  // The name that standalone code, which nothing here asks for, would call the engine by.
  return Object.assign(engine, { code: "compilePattern" });
}

/** Unknown keywords are remarks, as the specification has it. */
function createAjv(dialect: Dialect, settings: Options): Ajv {
  const lenient: Options = { ...settings, strict: false, logger: false };
  return dialect === "draft-07" ? new Ajv(lenient) : new Ajv2020(lenient);
}

function toIssue({ instancePath, keyword, params, message = "is not valid" }: ErrorObject): SchemaIssue {
  const path = readPointer(instancePath);
  const missing: unknown = keyword === "required" ? params.missingProperty : undefined;
  const unknown: unknown = keyword === "additionalProperties" ? params.additionalProperty : undefined;
  if (typeof missing === "string") return { path: [...path, missing], message: "is required" };
  if (typeof unknown === "string") return { path: [...path, unknown], message: "is not a known property" };
  return { path, message };
}
