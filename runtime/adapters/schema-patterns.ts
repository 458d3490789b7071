import { isObject } from "../../generated/support.ts";
import { CheckLimitError } from "./evaluation-limit.ts";
import { isLinearPattern } from "./linear-pattern.ts";
import { isPattern } from "./pattern-syntax.ts";
import { listSchemas, mapSubschemas } from "./schema-walk.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

/** Test of texts against a pattern. Its time grows with the length of the text only. */
export interface PatternTest {
  /** Maximum length of a text in UTF-16 code units. Default: unlimited. */
  readonly maxLength?: number;
  readonly test: (text: string) => boolean;
}

/** Function for compiling a pattern (a regular expression with the flag `u`). Returns undefined if the engine cannot express it. */
export type CompilePattern = (pattern: string) => PatternTest | undefined;

/** Options for the enforcement of `pattern` and `patternProperties`. */
export interface PatternOptions {
  /**
   * Engine for patterns that may take very long on the platform's engine: `compileRe2` of the adapter `re2`. Without it, such patterns are reported
   * and not enforced. `"native"` runs every pattern on the platform's engine: use it only for your own schemas.
   */
  readonly patterns?: CompilePattern | "native";
  /** Receives each unenforced pattern when its schema is first used. Default: a warning on the console. */
  readonly onUnenforced?: (pattern: string) => void;
}

/**
 * Compiles a pattern with the configured engine. Patterns valid only without the flag `u` are rewritten if their meaning is clear.
 *
 * @throws {Error} when the pattern is not a regular expression.
 */
export function compilePattern(pattern: string, { patterns }: PatternOptions): PatternTest | undefined {
  const unicode = readPattern(pattern);
  if (unicode === undefined) return undefined;
  const compiled = chooseEngine(unicode, patterns)?.(unicode);
  if (!compiled) return undefined;
  const { maxLength = Infinity } = compiled;
  const excess = (text: string): Error =>
    new CheckLimitError(`a string of ${text.length} characters is too long for the pattern ${show(pattern)}`);
  return {
    test: (text) => {
      if (text.length > maxLength) throw excess(text);
      try {
        return compiled.test(text);
      } catch (error) {
        // The platform's engine has a stack of its own, which a text of some megabytes can fill.
        throw error instanceof RangeError ? excess(text) : error;
      }
    },
  };
}

/** Chooses the compiler of a pattern. */
function chooseEngine(unicode: string, patterns: PatternOptions["patterns"]): CompilePattern | undefined {
  return patterns === "native" || isLinearPattern(unicode) ? compileNative : patterns;
}

function compileNative(unicode: string): PatternTest {
  return new RegExp(unicode, "u");
}

function readPattern(pattern: string): string | undefined {
  try {
    return toUnicodePattern(pattern);
  } catch {
    throw new Error(`The JSON Schema has an invalid pattern: ${show(pattern)}`);
  }
}

/**
 * Returns the enforceable part of a schema, and reports the other patterns. Set `nativeKeys` for libraries that test the patterns of
 * `patternProperties` on the platform's engine, with the flag `u`.
 *
 * @throws {Error} when a pattern is not a regular expression.
 */
export function enforceable(
  schema: object,
  { nativeKeys = false, ...options }: PatternOptions & { readonly nativeKeys?: boolean },
): Record<string, unknown> {
  const { onUnenforced = warn } = options;
  const isKept = (pattern: string, keyword: PatternKeyword): boolean => {
    if (!nativeKeys || keyword === "pattern") return compilePattern(pattern, options) !== undefined;
    const unicode = readPattern(pattern);
    return unicode !== undefined && chooseEngine(unicode, options.patterns) === compileNative;
  };
  const { schema: loose, removed } = removePatterns({ ...schema }, isKept);
  for (const pattern of removed) onUnenforced(pattern);
  const isRewritten =
    nativeKeys &&
    listSchemas(loose)
      .flatMap(patternsOf)
      .some(([pattern]) => !isPattern(pattern));
  return isRewritten ? rewritePatterns(loose) : loose;
}

/** Replaces the patterns of a schema by their forms with the flag `u`. */
function rewritePatterns(schema: Record<string, unknown>): Record<string, unknown> {
  const { pattern, patternProperties, ...rest } = mapSubschemas(schema, rewritePatterns);
  if (pattern !== undefined) rest.pattern = typeof pattern === "string" ? readPattern(pattern) : pattern;
  if (!isObject(patternProperties)) return rest;
  const keys = new Map<string, readonly unknown[]>();
  for (const [key, inner] of Object.entries(patternProperties)) {
    const unicode = readPattern(key) ?? key;
    keys.set(unicode, [...(keys.get(unicode) ?? []), inner]);
  }
  const merged = [...keys].map(([key, [first, ...more]]) => [
    key,
    more.length === 0 ? first : { allOf: [first, ...more] },
  ]);
  return { ...rest, patternProperties: Object.fromEntries(merged) };
}

/** Schema keyword with regular expressions. */
export type PatternKeyword = "pattern" | "patternProperties";

function warn(pattern: string): void {
  const advice =
    readPattern(pattern) === undefined
      ? "write it as a regular expression with the flag u"
      : "pass `patterns: compileRe2` to the validator";
  console.warn(`The pattern ${show(pattern)} of the JSON Schema is not enforced; ${advice}`);
}

/** Formats an untrusted pattern for messages: shortened, and without control characters of terminals. */
function show(pattern: string): string {
  return JSON.stringify(pattern.slice(0, 80)).replaceAll(/[^\x20-\x7e]/g, "?");
}

/**
 * Removes patterns from a schema. The result accepts every value accepted by the schema, and possibly more. Some keywords accept less when an inner
 * schema accepts more (`not`, `if`, `oneOf`, `maxContains`): they are removed or relaxed.
 */
export function removePatterns(
  schema: Record<string, unknown>,
  isKept: (pattern: string, keyword: PatternKeyword) => boolean,
): { readonly schema: Record<string, unknown>; readonly removed: ReadonlySet<string> } {
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
  // Each branch may be the one that evaluated the members of a value.
  if (isLoose("if")) added.push({ anyOf: [condition, then, otherwise, true] });
  else if (condition !== undefined) Object.assign(rest, { if: condition, then, else: otherwise });
  if (added.length > 0) rest.allOf = [...(Array.isArray(rest.allOf) ? rest.allOf : []), ...added];
  return rest;
}

/** Relaxes `patternProperties`: any key may match a removed pattern, and is then not an additional property. */
function loosenKeys(keys: Record<string, unknown>, removed: ReadonlySet<string>): Record<string, unknown> {
  const kept = Object.entries(keys).filter(([pattern]) => !removed.has(pattern));
  return { ...(kept.length < Object.keys(keys).length && { "": true }), ...Object.fromEntries(kept) };
}

/** True if a part of a schema may accept more than before; references are treated as such. */
function mayAcceptMore(value: unknown, removed: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item) => mayAcceptMore(item, removed));
  if (!isObject(value)) return false;
  return listSchemas(value).some(
    (schema) =>
      ["$ref", "$dynamicRef", "$recursiveRef"].some((key) => Object.hasOwn(schema, key)) ||
      patternsOf(schema).some(([pattern]) => removed.has(pattern)),
  );
}
