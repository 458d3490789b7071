import type { NumberShape, Shape } from "../model.ts";
import { typeImpacts, type SideImpacts } from "./side-impacts.ts";

/** Change of the values that a number or the length of an array may have. */
export interface BoundsChange {
  readonly detail: string;
  readonly impacts: SideImpacts;
}

/** Compares the bounds of two numbers or of two arrays, which their types do not show. */
export function compareBounds(older: Shape, newer: Shape): BoundsChange | undefined {
  if (older.kind === "number" && newer.kind === "number") {
    const [before, after] = [toRange(older), toRange(newer)];
    return compareRanges(before, after, `values changed from ${rangeText(before)} to ${rangeText(after)}`);
  }
  if (older.kind === "array" && newer.kind === "array") {
    const [before, after] = [older.maxItems, newer.maxItems];
    const detail = `number of items changed from ${lengthText(before)} to ${lengthText(after)}`;
    return compareRanges(toLengths(before), toLengths(after), detail);
  }
  return undefined;
}

interface Range {
  readonly minimum: number;
  readonly maximum: number;
  readonly isInteger: boolean;
}

function toRange({ minimum = -Infinity, maximum = Infinity, integer }: NumberShape): Range {
  return { minimum, maximum, isInteger: integer === true };
}

function toLengths(maximum = Infinity): Range {
  return { minimum: 0, maximum, isInteger: true };
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

function lengthText(maxItems: number | undefined): string {
  return maxItems === undefined ? "any" : `at most ${maxItems}`;
}
