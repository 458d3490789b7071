import { format, Validator, type OutputUnit } from "@cfworker/json-schema";
import type { JsonSchemaValidator, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { checkBounds, readDialect, readPointer, type Dialect, type SchemaBounds } from "./schema-bounds.ts";
import { compilePattern, enforceable, withTextLimit, type PatternOptions } from "./schema-patterns.ts";
import { mapSubschemas } from "./schema-walk.ts";

/** Options of the cfworker validator. */
export interface CfworkerOptions extends SchemaBounds, PatternOptions {
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
  const prepare = (schema: object): Prepared => {
    checkBounds(schema, options);
    const draft = drafts[readDialect(schema)];
    const formats: Record<string, (text: string) => boolean> = {};
    const copy = copySchema(enforceable(schema, { ...options, nativeKeys: true }), {
      keepsFormats: options.formats === true,
      patternFormat: (pattern) => {
        const compiled = compilePattern(pattern, options);
        if (!compiled || compiled instanceof RegExp) return undefined;
        formats[patternPrefix + pattern] = compiled.test;
        return patternPrefix + pattern;
      },
    });
    return { validator: new Validator(copy, draft), formats };
  };
  return (value, schema) => {
    const { validator, formats } = prepared.get(schema) ?? prepare(schema);
    prepared.set(schema, { validator, formats });
    return withFormats(formats, () => withTextLimit(() => check(value, validator)));
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
}

const patternPrefix = "create-mcp-server pattern ";

const drafts: { readonly [Name in Dialect]: "7" | "2020-12" } = { "draft-07": "7", "2020-12": "2020-12" };

/**
 * Copies a schema, because the library modifies its input. The library also enforces every `format`, so the copy has none unless formats are enabled.
 * Patterns that must not run on the platform's engine become formats, because those are functions.
 */
function copySchema(schema: Record<string, unknown>, preparing: Preparing): Record<string, unknown> {
  const { format: named, pattern, ...rest } = mapSubschemas(schema, (inner) => copySchema(inner, preparing));
  // Inherited members of objects are not formats.
  if (preparing.keepsFormats && typeof named === "string" && Object.hasOwn(format, named)) rest.format = named;
  if (typeof pattern !== "string") return rest;
  const name = preparing.patternFormat(pattern);
  if (name === undefined) return { ...rest, pattern };
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { format: name }] };
}

interface Preparing {
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

/** Returns the innermost issue, which is the cause: the library also reports it at every enclosing level. */
function toIssues(errors: readonly OutputUnit[]): readonly SchemaIssue[] {
  const deepest = Math.max(...errors.map(({ instanceLocation }) => depthOf(instanceLocation)));
  const innermost = errors.filter(({ instanceLocation }) => depthOf(instanceLocation) === deepest);
  const [last] = innermost.slice(-1);
  if (!last) return [];
  const location = decodeURI(last.instanceLocation.slice(1).replaceAll("%23", "#"));
  const isPattern = last.error.includes(`"${patternPrefix}`);
  return [{ path: readPointer(location), message: isPattern ? "String does not match pattern." : last.error }];
}

function depthOf(location: string): number {
  return location.split("/").length;
}
