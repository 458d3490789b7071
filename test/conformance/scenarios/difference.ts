import { isObject } from "../../../generated/support.ts";

/**
 * Returns the first difference from what is expected, or nothing. Objects may have further members, lists have no further items, a pattern
 * is matched with text, a function is a condition, and `undefined` is expected to be absent.
 */
export function findDifference(found: unknown, expected: unknown, path = "it"): string | undefined {
  if (typeof expected === "function") return expected(found) === true ? undefined : describe(found, expected, path);
  if (expected instanceof RegExp)
    return (typeof found === "string" || typeof found === "number") && expected.test(String(found))
      ? undefined
      : describe(found, expected, path);
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return describe(found, expected, path);
    const items: readonly unknown[] = found;
    return findFirst(expected.entries(), (index) => items[index], path);
  }
  if (isObject(expected)) {
    if (!isObject(found)) return describe(found, expected, path);
    return findFirst(Object.entries(expected), (name) => found[name], path);
  }
  return Object.is(found, expected) ? undefined : describe(found, expected, path);
}

function findFirst<Key extends string | number>(
  expected: Iterable<readonly [Key, unknown]>,
  read: (key: Key) => unknown,
  path: string,
): string | undefined {
  for (const [key, value] of expected) {
    const difference = findDifference(read(key), value, `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function describe(found: unknown, expected: unknown, path: string): string {
  const isNamed = expected instanceof RegExp || typeof expected === "function";
  const wanted = isNamed ? String(expected) : JSON.stringify(expected);
  return `${path} is ${JSON.stringify(found)}, not ${wanted}`;
}
