import { RE2JS } from "re2js";
import { toRe2 } from "./re2-syntax.ts";

/** Test of texts against one pattern. */
export interface Re2Pattern {
  /** The pattern as it was given. */
  readonly source: string;
  /** Characters of the longest text that is matched. A longer one counts as one that does not match. */
  readonly maxLength: number;
  test(text: string): boolean;
}

/**
 * Compiles a pattern of a JSON Schema (a regular expression with the flag `u`) for `re2js`, which needs linear time for any pattern. Nothing for what it
 * cannot express: look-arounds, back references, Unicode properties other than general categories, and counts that make it very large.
 *
 * @see https://github.com/le0pard/re2js
 */
export function compileRe2(pattern: string): Re2Pattern | undefined {
  const program = toRe2(pattern);
  if (!program) return undefined;
  const compiled = RE2JS.compile(program.source);
  // Time grows with the size of a program as well as with the length of a text.
  const maxLength = Math.floor(maxSteps / (perCharacter + compiled.programSize()));
  return { source: pattern, maxLength, test: (text) => text.length <= maxLength && compiled.test(text) };
}

/** Steps of one test, and what a character costs whatever the program. */
const maxSteps = 200_000;
const perCharacter = 30;
