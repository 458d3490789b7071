import { isObject } from "../../generated/support.ts";
import { CheckLimitError } from "./evaluation-limit.ts";

/** True if no two items are equal. Takes time in proportion to the size of the list; comparing all pairs would take minutes for a long one. */
export function areUnique(list: readonly unknown[]): boolean {
  const nested = list.filter(isNested);
  const scalars = nested.length === 0 ? list : list.filter((item) => !isNested(item));
  return new Set(scalars).size + new Set(nested.map(toComparable)).size === list.length;
}

/** True if two values are equal in JSON Schema: the order of members does not count. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

/** True for a list or an object. */
export function isNested(item: unknown): boolean {
  return typeof item === "object" && item !== null;
}

/** Returns equal texts for values that are equal in JSON Schema: the order of members does not count. */
function toComparable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toComparable).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toComparable(value[name])}`).join()}}`;
}

/**
 * Copies a value so that the check of a list ends when it takes too long. For a library that compares all pairs of items: about 1,400 items are the
 * most that it can compare.
 */
export function limitAccesses(value: unknown): unknown {
  let left = maxAccesses;
  return copy(value, {
    get(list, key) {
      left -= 1;
      if (left < 0) throw new CheckLimitError("has too many items for uniqueItems");
      return Reflect.get(list, key);
    },
  });
}

const maxAccesses = 2_000_000;

/** Length of the lists whose pairs are too few to count. */
const shortest = 64;

function copy(value: unknown, counting: ProxyHandler<readonly unknown[]>): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.map((item) => copy(item, counting));
    return items.length < shortest ? items : new Proxy(items, counting);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item, counting)]));
}
