import type { NumberShape, Shape } from "../../generator/model.ts";
import { typeImpacts, type SideImpacts } from "./side-impacts.ts";

/** Change of the permitted values of a number, or of the permitted length of a string or an array. */
export interface BoundsChange {
  readonly detail: string;
  readonly impacts: SideImpacts;
}

/** Compares the bounds of two numbers, strings or arrays, which their types do not show. */
export function compareBounds(older: Shape, newer: Shape): BoundsChange | undefined {
  if (older.kind === "number" && newer.kind === "number") {
    const [before, after] = [toRange(older), toRange(newer)];
    return compareRanges(before, after, `values changed from ${rangeText(before)} to ${rangeText(after)}`);
  }
  if (older.kind === "string" && newer.kind === "string") {
    const before = toLengths(older.minLength, older.maxLength);
    const lengths = compareLengths("characters", before, toLengths(newer.minLength, newer.maxLength));
    return lengths ?? comparePatterns(older.pattern, newer.pattern);
  }
  if (older.kind === "array" && newer.kind === "array") {
    const before = toLengths(older.minItems, older.maxItems);
    return compareLengths("items", before, toLengths(newer.minItems, newer.maxItems));
  }
  return undefined;
}

/** Two patterns are not compared by their texts: each may accept what the other one rejects. */
function comparePatterns(older: string | undefined, newer: string | undefined): BoundsChange | undefined {
  if (older === newer) return undefined;
  const describePattern = (pattern: string | undefined): string => pattern ?? "any";
  const detail = `pattern changed from ${describePattern(older)} to ${describePattern(newer)}`;
  return { detail, impacts: typeImpacts(newer !== undefined, older !== undefined) };
}

interface Range {
  readonly minimum: number;
  readonly maximum: number;
  readonly isInteger: boolean;
}

function toRange({ minimum = -Infinity, maximum = Infinity, integer }: NumberShape): Range {
  return { minimum, maximum, isInteger: integer === true };
}

function toLengths(minimum = 0, maximum = Infinity): Range {
  return { minimum, maximum, isInteger: true };
}

function compareLengths(unit: string, before: Range, after: Range): BoundsChange | undefined {
  const detail = `number of ${unit} changed from ${describe(before)} to ${describe(after)}`;
  return compareRanges(before, after, detail);
}

function compareRanges(before: Range, after: Range, detail: string): BoundsChange | undefined {
  const hasLost = isNarrower(after, before);
  const hasGained = isNarrower(before, after);
  return hasLost || hasGained ? { detail, impacts: typeImpacts(hasLost, hasGained) } : undefined;
}

/** True if a range lacks some value of another one. */
function isNarrower(range: Range, other: Range): boolean {
  return range.minimum > other.minimum || range.maximum < other.maximum || (range.isInteger && !other.isInteger);
}

function rangeText({ minimum, maximum, isInteger }: Range): string {
  const kind = isInteger ? "integers" : "numbers";
  const hasMinimum = minimum !== -Infinity;
  if (hasMinimum && maximum !== Infinity) return `${kind} from ${minimum} to ${maximum}`;
  if (hasMinimum) return `${kind} from ${minimum}`;
  return maximum === Infinity ? kind : `${kind} up to ${maximum}`;
}

function describe({ minimum, maximum }: Range): string {
  if (maximum === Infinity) return minimum === 0 ? "any" : `at least ${minimum}`;
  return minimum === 0 ? `at most ${maximum}` : `${minimum} to ${maximum}`;
}
