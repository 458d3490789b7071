import { isLinearPattern } from "../../../runtime/adapters/linear-pattern.ts";
import { toRe2 } from "../../../runtime/adapters/re2-syntax.ts";
import { removePatterns } from "../../../runtime/adapters/schema-patterns.ts";
import { isRecord } from "../../internal/json-text.ts";

/** True if a pattern can be matched in linear time, by the engine of the platform or by `re2js`. */
export function isEnforceable(pattern: string): boolean {
  return isLinearPattern(pattern) || toRe2(pattern) !== undefined;
}

/** True if a JSON Schema has a `pattern` that only `re2js` matches in linear time. */
export function needsRe2(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { removed } = removePatterns(
    schema,
    (pattern, keyword) => keyword !== "pattern" || isLinearPattern(pattern) || toRe2(pattern) === undefined,
  );
  return removed.size > 0;
}
