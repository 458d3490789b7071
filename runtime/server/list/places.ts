/**
 * Returns the text of a place in a list, for a cursor. It names the neighbours of the place, and not its index: other processes have the same list with
 * other changes, and lists change between two pages.
 *
 * @param next - key of the entry at which the next page starts
 * @param before - keys of the entries before it, the nearest one first
 */
export function encodePlace(next: string, before: readonly string[]): string {
  return JSON.stringify([next, ...before.slice(0, mostBefore)].map(toMark));
}

/** Result of the search for a place in a list. */
export interface FoundPlace {
  readonly index: number;
  /** True if the entry at the index is the one at which the page was to start. */
  readonly isNext: boolean;
}

/**
 * Finds a place in a list with these keys. When an entry has moved, it is the earlier one: no entry may be skipped. Returns `undefined` when no
 * neighbour of the place is left.
 */
export function findPlace(place: string, keys: readonly string[]): FoundPlace | undefined {
  const indexes = new Map(keys.map((key, index) => [toMark(key), index]));
  const [next, ...before] = readMarks(place).map((mark) => indexes.get(mark));
  const [last] = before;
  if (next !== undefined && (last === undefined || next <= last + 1)) return { index: next, isNext: true };
  const nearest = before.find((index) => index !== undefined);
  return nearest === undefined ? undefined : { index: nearest + 1, isNext: false };
}

/** Maximum number of earlier entries named in the text of a place. */
const mostBefore = 4;

/** Reads the text of a place. This server has signed it, so the checks only satisfy the compiler. */
function readMarks(place: string): readonly string[] {
  const marks: unknown = JSON.parse(place);
  return Array.isArray(marks) ? marks.map(String) : [];
}

/** Returns a short text for a key: a cursor has a bound, and URIs may be long. */
function toMark(key: string): string {
  if (key.length <= longestMark) return key;
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `${key.slice(0, longestMark)} ${key.length} ${hash}`;
}

const longestMark = 100;
