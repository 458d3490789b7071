import { isObject } from "../../generated/support.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Limit of the work for one value. */
export interface EvaluationOptions {
  /**
   * Maximum number of evaluations of schemas for one value. Alternatives with references to themselves multiply at every level of a value: a small
   * value may take years. Long texts, many members and `uniqueItems` count as several evaluations. Default: 100,000, or ten for each object, list and
   * scalar of the value if that is more; at most 1,000,000 with ajv and 250,000 with cfworker, which both take less than a second.
   */
  readonly maxEvaluations?: number;
}

/** Error at which the check of a value ends. Its message is the issue's. */
export class CheckLimitError extends Error {
  override readonly name = "CheckLimitError";
}

/** Counts the evaluations of schemas while a value is checked, and ends the check when there are too many. Checks are synchronous. */
export class EvaluationLimit {
  readonly #given: number | undefined;
  readonly #most: number;
  #value: unknown;
  #count = 0;
  #limit = Infinity;

  /** @param most - evaluations of the largest value, if the options have no number */
  constructor({ maxEvaluations }: EvaluationOptions, most: number) {
    checkNumbers({ maxEvaluations });
    this.#given = maxEvaluations;
    this.#most = most;
  }

  /** Counts an evaluation, with a weight for expensive ones. Returns true, or throws. */
  count(weight: number): true {
    this.#count += weight;
    if (this.#count <= this.#limit) return true;
    // Counting the parts of a value takes time, and most values need few evaluations.
    this.#limit = this.#given ?? Math.min(this.#most, Math.max(baseLimit, 10 * countValues(this.#value)));
    if (this.#count > this.#limit) throw new CheckLimitError(excess);
    return true;
  }

  /** Runs the check of a value. A check ended by a limit has an issue, whatever part of the schema has reached the limit. */
  run(value: unknown, check: () => readonly SchemaIssue[]): readonly SchemaIssue[] {
    this.#value = value;
    this.#count = 0;
    this.#limit = this.#given ?? baseLimit;
    try {
      return check();
    } catch (error) {
      // The libraries recurse for references, and collect the errors of all alternatives.
      if (error instanceof RangeError) return [{ path: [], message: excess }];
      if (error instanceof CheckLimitError) return [{ path: [], message: error.message }];
      throw error;
    } finally {
      this.#value = undefined;
      this.#limit = Infinity;
    }
  }
}

const excess = "needs too many evaluations of its schema";

const baseLimit = 100_000;

/** Returns the weight of a schema by itself: long lists and many names take long as well. */
export function weightOf(schema: Readonly<Record<string, unknown>>): number {
  const sizes = Object.entries(schema).map(([keyword, value]) =>
    isData(keyword) ? countValues(value) : sizeOf(value),
  );
  return 1 + Math.floor(sizes.reduce((sum, size) => sum + size, 0) / 32);
}

/** Returns the weight of reading a text. */
export function weightOfText(text: string): number {
  return 1 + Math.floor(text.length / 1_024);
}

/** Counts the objects, lists and scalars of a value. A long text counts as several. */
export function countValues(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    count += typeof next === "string" ? weightOfText(next) : 1;
    if (Array.isArray(next)) for (const inner of next) rest.push(inner);
    // Listing the members of a large object takes longer than reading them one after the other.
    else if (isObject(next)) for (const name in next) rest.push(next[name]);
  }
  return count;
}

/** True for a keyword whose value is compared with values. */
function isData(keyword: string): boolean {
  return keyword === "const" || keyword === "enum";
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
