import { isObject } from "../../generated/support.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Limit of the work that one value may cause. */
export interface EvaluationOptions {
  /**
   * Maximum number of evaluations of schemas for one value. Alternatives that refer to themselves multiply at every level of a value, so that a small
   * value may need years. Default: 100,000, or ten for each object, list and scalar of the value if that is more.
   */
  readonly maxEvaluations?: number;
}

/** Error that ends the check of a value. Its message is that of the issue. */
export class CheckLimitError extends Error {
  override readonly name = "CheckLimitError";
}

/** Counts the evaluations of schemas while a value is checked, and ends the check when there are too many. Checks are synchronous. */
export class EvaluationLimit {
  readonly #given: number | undefined;
  #value: unknown;
  #count = 0;
  #limit = Infinity;

  constructor({ maxEvaluations }: EvaluationOptions) {
    checkNumbers({ maxEvaluations });
    this.#given = maxEvaluations;
  }

  /** Counts an evaluation, with a weight for one that does much by itself. */
  count(weight: number): void {
    this.#count += weight;
    if (this.#count <= this.#limit) return;
    // Counting the parts of a value takes time, and most values need few evaluations.
    this.#limit = this.#given ?? Math.max(baseLimit, 10 * countValues(this.#value));
    if (this.#count > this.#limit) throw new CheckLimitError(excess);
  }

  /** Runs the check of a value. A check that a limit ends has an issue, regardless of the part of the schema that reached the limit. */
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
  const sizes = Object.values(schema).map((value) => (isObject(value) ? Object.keys(value).length : lengthOf(value)));
  return 1 + Math.floor(sizes.reduce((sum, size) => sum + size, 0) / 32);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function countValues(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    count += 1;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) rest.push(inner);
  }
  return count;
}
