import { RE2JS } from "re2js";
import { toRe2 } from "./re2-syntax.ts";

/** Pattern compiled by `re2js`, with a limit on the length of texts. */
export interface Re2Pattern {
  /** The pattern in its original form. */
  readonly source: string;
  /** Maximum length of a text in UTF-16 code units. Longer texts do not match. */
  readonly maxLength: number;
  test(text: string): boolean;
}

/**
 * Compiles a pattern of a JSON Schema (a regular expression with the flag `u`) for `re2js`, which needs linear time for any pattern. Returns
 * undefined for patterns it cannot express: look-arounds, back references, Unicode properties other than general categories, and counts for which the
 * program is very large.
 *
 * @see https://github.com/le0pard/re2js
 * @example
 * ```ts
 * import { createCfworkerValidator } from "mcp-server-runtime/adapters/cfworker";
 * import { compileRe2 } from "mcp-server-runtime/adapters/re2";
 *
 * const validate = createCfworkerValidator({ patterns: compileRe2 });
 * ```
 */
export function compileRe2(pattern: string): Re2Pattern | undefined {
  const program = toRe2(pattern);
  if (!program) return undefined;
  const compiled = RE2JS.compile(program.source);
  // Time grows with the size of a program and with the length of a text.
  const maxLength = Math.floor(maxSteps / (perCharacter + compiled.programSize()));
  return { source: pattern, maxLength, test: (text) => text.length <= maxLength && compiled.test(text) };
}

/** Maximum steps of one test, and the base cost of a character, independent of the program. */
const maxSteps = 200_000;
const perCharacter = 30;
