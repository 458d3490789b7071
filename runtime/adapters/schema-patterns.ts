import { isObject } from "../../generated/support.ts";
import type { SchemaIssue } from "../protocol/schema-issue.ts";
import { isLinearPattern } from "./linear-pattern.ts";
import { isPattern } from "./pattern-syntax.ts";
import { listSchemas, mapSubschemas } from "./schema-walk.ts";

/** Test of texts against one pattern, in time that grows with the length of the text only. */
export interface PatternTest {
  /** Characters of the longest text that can be tested. Default: any. */
  readonly maxLength?: number;
  readonly test: (text: string) => boolean;
}

/** Compiles a pattern (a regular expression with the flag `u`); nothing when the engine cannot express it. */
export type CompilePattern = (pattern: string) => PatternTest | undefined;

/** Options for the enforcement of `pattern` and `patternProperties`. */
export interface PatternOptions {
  /**
   * The engine for patterns that the one of the platform might need very long for: `compileRe2` of the adapter `re2`. Without it these are reported and
   * not enforced. `"native"` runs every pattern on the platform: only for schemas that are your own.
   */
  readonly patterns?: CompilePattern | "native";
  /** Receives each pattern that is not enforced, when its schema is first used. Default: a warning on the console. */
  readonly onUnenforced?: (pattern: string) => void;
}

/** A text that is too long for its pattern. */
class LongTextError extends Error {
  override readonly name = "LongTextError";

  constructor(text: string, pattern: string) {
    super(`a text of ${text.length} characters is too long to be matched against the pattern ${show(pattern)}`);
  }
}

/** Compiles a pattern as the options say. Throws for one that is no regular expression. */
export function compilePattern(pattern: string, { patterns }: PatternOptions): PatternTest | undefined {
  if (!isPattern(pattern)) throw new Error(`A JSON Schema has an invalid pattern: ${show(pattern)}.`);
  if (patterns === "native" || isLinearPattern(pattern)) return new RegExp(pattern, "u");
  const compiled = patterns?.(pattern);
  if (!compiled) return undefined;
  const { maxLength = Infinity } = compiled;
  return {
    test: (text) => {
      if (text.length > maxLength) throw new LongTextError(text, pattern);
      return compiled.test(text);
    },
  };
}

/**
 * Returns the part of a schema that is enforced, and reports the patterns that are not. `nativeKeys` is for a library that tests the patterns of
 * `patternProperties` on the platform.
 */
export function enforceable(
  schema: object,
  { nativeKeys = false, ...options }: PatternOptions & { readonly nativeKeys?: boolean },
): Record<string, unknown> {
  const { onUnenforced = warn } = options;
  const isKept = (pattern: string, keyword: PatternKeyword): boolean => {
    const compiled = compilePattern(pattern, options);
    return nativeKeys && keyword === "patternProperties" ? compiled instanceof RegExp : compiled !== undefined;
  };
  const { schema: loose, removed } = removePatterns({ ...schema }, isKept);
  for (const pattern of removed) onUnenforced(pattern);
  return loose;
}

/** A keyword that has patterns. */
export type PatternKeyword = "pattern" | "patternProperties";

/** Runs a check; a text that is too long for its pattern is an issue, wherever in the schema the pattern stands. */
export function withTextLimit(check: () => readonly SchemaIssue[]): readonly SchemaIssue[] {
  try {
    return check();
  } catch (error) {
    if (error instanceof LongTextError) return [{ path: [], message: error.message }];
    throw error;
  }
}

function warn(pattern: string): void {
  console.warn(
    `The pattern ${show(pattern)} of a JSON Schema is not enforced; pass \`patterns: compileRe2\` to the validator.`,
  );
}

/** A pattern of a stranger for people: without characters that act on a terminal. */
function show(pattern: string): string {
  return JSON.stringify(pattern.slice(0, 80)).replaceAll(/[^\x20-\x7e]/g, "?");
}

/** A schema without some of its patterns, and those. */
export interface LooseSchema {
  readonly schema: Record<string, unknown>;
  readonly removed: ReadonlySet<string>;
}

/**
 * Takes patterns out of a schema so that it accepts whatever it accepted before, and more. Where accepting more in one place would mean accepting
 * less as a whole (`not`, `if`, `oneOf`, `maxContains`), that keyword gives way.
 */
export function removePatterns(
  schema: Record<string, unknown>,
  isKept: (pattern: string, keyword: PatternKeyword) => boolean,
): LooseSchema {
  const patterns = listSchemas(schema).flatMap(patternsOf);
  const gone = patterns.filter(([pattern, keyword]) => !isKept(pattern, keyword));
  const removed = new Set(gone.map(([pattern]) => pattern));
  return { schema: removed.size === 0 ? schema : loosen(schema, removed), removed };
}

function patternsOf({ pattern, patternProperties }: Record<string, unknown>): (readonly [string, PatternKeyword])[] {
  const keys = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...(typeof pattern === "string" ? [[pattern, "pattern"] as const] : []),
    ...keys.map((key) => [key, "patternProperties"] as const),
  ];
}

function loosen(schema: Record<string, unknown>, removed: ReadonlySet<string>): Record<string, unknown> {
  const isLoose = (key: string): boolean => mayAcceptMore(schema[key], removed);
  const inner = mapSubschemas(schema, (one) => loosen(one, removed));
  const { pattern, patternProperties, oneOf, if: condition, then = true, else: otherwise = true, ...rest } = inner;
  const added: unknown[] = [];
  if (pattern !== undefined && !removed.has(String(pattern))) rest.pattern = pattern;
  if (isObject(patternProperties)) rest.patternProperties = loosenKeys(patternProperties, removed);
  if (isLoose("not")) delete rest.not;
  if (isLoose("contains")) delete rest.maxContains;
  if (isLoose("oneOf")) added.push({ anyOf: oneOf });
  else if (oneOf !== undefined) rest.oneOf = oneOf;
  // Each of them may be what evaluated the members of a value.
  if (isLoose("if")) added.push({ anyOf: [condition, then, otherwise, true] });
  else if (condition !== undefined) Object.assign(rest, { if: condition, then, else: otherwise });
  if (added.length > 0) rest.allOf = [...(Array.isArray(rest.allOf) ? rest.allOf : []), ...added];
  return rest;
}

/** Any key may fit a pattern that is not tested, and then it is no additional one. */
function loosenKeys(keys: Record<string, unknown>, removed: ReadonlySet<string>): Record<string, unknown> {
  const kept = Object.entries(keys).filter(([pattern]) => !removed.has(pattern));
  return { ...(kept.length < Object.keys(keys).length && { "": true }), ...Object.fromEntries(kept) };
}

/** True if something in a schema may accept more than before; references count as such. */
function mayAcceptMore(value: unknown, removed: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item) => mayAcceptMore(item, removed));
  if (!isObject(value)) return false;
  return listSchemas(value).some(
    (schema) =>
      ["$ref", "$dynamicRef", "$recursiveRef"].some((key) => Object.hasOwn(schema, key)) ||
      patternsOf(schema).some(([pattern]) => removed.has(pattern)),
  );
}
