import { isObject } from "../../generated/support.ts";
import { countValues, type EvaluationLimit } from "./evaluation-limit.ts";

/** True if no two items are equal. Takes time in proportion to the size of the list; comparing all pairs would take minutes for a long one. */
export function areUnique(list: readonly unknown[], limit: EvaluationLimit): boolean {
  limit.count(Math.floor(countValues(list) / 2));
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

/** Returns equal texts for equal values in JSON Schema: the order of members does not count. */
function toComparable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toComparable).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toComparable(value[name])}`).join()}}`;
}

/**
 * Lists of a value, for a library that compares all pairs of items. While it compares a long list, the list shows it two equal items, or none:
 * whether there are any is found out here.
 */
export class ComparedLists {
  readonly #limit: EvaluationLimit;
  #isNext = false;
  /** List with two equal items. */
  #equal: unknown;

  constructor(limit: EvaluationLimit) {
    this.#limit = limit;
  }

  /** Copies a value with comparable lists. */
  copy(value: unknown): unknown {
    this.#isNext = false;
    this.#equal = undefined;
    return this.#copyAny(value);
  }

  /** Begins a comparison: the library reads the length of the list next. */
  begin(): true {
    this.#isNext = true;
    return true;
  }

  #copyAny(value: unknown): unknown {
    if (Array.isArray(value)) return this.#copyList(value);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#copyAny(item)]));
  }

  #copyList(value: readonly unknown[]): readonly unknown[] {
    const items = value.map((item) => this.#copyAny(item));
    if (items.length < shortestCompared) return items;
    let isUnique: boolean | undefined;
    return new Proxy<readonly unknown[]>(items, {
      get: (list, key) => {
        if (key !== "length") return this.#equal === list ? 0 : Reflect.get(list, key);
        this.#equal = undefined;
        if (!this.#isNext) return list.length;
        this.#isNext = false;
        isUnique ??= areUnique(value, this.#limit);
        if (isUnique) return 0;
        this.#equal = list;
        return 2;
      },
    });
  }
}

/** Shortest list to compare here. Shorter ones have few pairs. */
export const shortestCompared = 8;
