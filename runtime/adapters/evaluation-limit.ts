import { isObject } from "../../generated/support.ts";
import type { SchemaIssue } from "../protocol/methods/schema-issue.ts";

/** Limit of the work that one value may cause. */
export interface EvaluationOptions {
  /**
   * Maximum number of evaluations of schemas for one value. Alternatives that refer to themselves multiply at every level of a value, so that a small
   * value may need years. Default: 100,000, or ten for each object, list and scalar of the value if that is more.
   */
  readonly maxEvaluations?: number;
}

/** Error for a value that takes too long to check. The message is that of its issue. */
export class EvaluationLimitError extends Error {
  override readonly name = "EvaluationLimitError";
}

/** Counts the evaluations of schemas while a value is checked, and ends the check when there are too many. Checks are synchronous. */
export class EvaluationLimit {
  readonly #given: number | undefined;
  #left = Infinity;
  /** Returns the further evaluations that the value may have, once. */
  #extend = (): number => 0;

  constructor({ maxEvaluations }: EvaluationOptions) {
    this.#given = maxEvaluations;
  }

  /** Counts an evaluation, with a weight for one that does much by itself. */
  count(weight = 1): void {
    this.#left -= weight;
    if (this.#left >= 0) return;
    this.#left += this.#extend();
    this.#extend = () => 0;
    if (this.#left < 0) throw new EvaluationLimitError(excess);
  }

  /** Runs the check of a value. A value that needs too many evaluations has an issue, regardless of the part of the schema that needs them. */
  run(value: unknown, check: () => readonly SchemaIssue[]): readonly SchemaIssue[] {
    this.#left = this.#given ?? baseLimit;
    this.#extend = () => (this.#given === undefined ? Math.max(0, 10 * countValues(value) - baseLimit) : 0);
    try {
      return check();
    } catch (error) {
      // The libraries recurse for references, and collect the errors of all alternatives.
      if (error instanceof RangeError) return [{ path: [], message: excess }];
      if (error instanceof EvaluationLimitError) return [{ path: [], message: error.message }];
      throw error;
    } finally {
      this.#left = Infinity;
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
