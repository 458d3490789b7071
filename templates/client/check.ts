/** Checks of values against what a schema says. Plain functions, made ahead of time; imports nothing. */

/** The first problem found in a value. */
export interface Issue {
  /** JSON Pointer without the leading slash: `filters/0/name`; empty for the value itself. */
  readonly path: string;
  /** What would have been valid there, in words. */
  readonly expected: string;
}

/** Looks at any value and returns the first problem, or nothing when the value is valid. Never throws. */
export type Check = (value: unknown) => Issue | undefined;

/** Accepts everything. */
export const anything: Check = () => undefined;

/** Accepts nothing. */
export const nothing: Check = () => fail("no value at all");

/** Values of these types, named as JSON Schema does. Everything else in this file looks only at values of its own type. */
export function types(...names: readonly string[]): Check {
  return (value) => (names.some((name) => isOfType(value, name)) ? undefined : fail(names.join(" or ")));
}

/** One of these values. */
export function values(...allowed: readonly unknown[]): Check {
  return (value) =>
    allowed.includes(value) ? undefined : fail(`one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`);
}

/** A regular expression, whatever engine matches it. */
export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
}

/** Bounds of text, in characters. */
export function text(bounds: {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: Pattern | undefined;
}): Check {
  const { minLength = 0, maxLength = Infinity, pattern } = bounds;
  return (value) => {
    if (typeof value !== "string") return undefined;
    const length = [...value].length;
    if (length < minLength) return fail(`at least ${minLength} characters`);
    if (length > maxLength) return fail(`at most ${maxLength} characters`);
    return pattern === undefined || pattern.test(value) ? undefined : fail(`text that matches ${pattern.source}`);
  };
}

/** Bounds of numbers. */
export function numeric(bounds: {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}): Check {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
  return (value) => {
    if (typeof value !== "number") return undefined;
    if (minimum !== undefined && value < minimum) return fail(`a number of at least ${minimum}`);
    if (maximum !== undefined && value > maximum) return fail(`a number of at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return fail(`a number above ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return fail(`a number below ${exclusiveMaximum}`);
    if (multipleOf === undefined || isMultiple(value, multipleOf)) return undefined;
    return fail(`a multiple of ${multipleOf}`);
  };
}

/** Members of objects. */
export function members(rule: {
  readonly required?: readonly string[];
  readonly properties?: readonly (readonly [name: string, check: Check])[];
  /** Of keys that are not among `properties`; `false` when there must be none. */
  readonly rest?: Check | false;
  /** Of the keys themselves. */
  readonly names?: Check;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}): Check {
  const { required = [], rest, names, minProperties = 0, maxProperties = Infinity } = rule;
  const properties = new Map(rule.properties);
  return (value) => {
    if (!isObject(value)) return undefined;
    // What is undefined is not sent.
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const missing = required.find((name) => !entries.some(([key]) => key === name));
    if (missing !== undefined) return under(missing, fail("present"));
    if (entries.length < minProperties) return fail(`at least ${minProperties} members`);
    if (entries.length > maxProperties) return fail(`at most ${maxProperties} members`);
    for (const [name, member] of entries) {
      const check = properties.get(name) ?? rest;
      const misnamed = names?.(name);
      if (misnamed) return under(name, fail(`a name that is ${misnamed.expected}`));
      const issue = check === false ? fail("absent: there is no such member") : check?.(member);
      if (issue) return under(name, issue);
    }
    return undefined;
  };
}

/** Items of lists. */
export function items(rule: {
  readonly prefix?: readonly Check[];
  /** Of items after those of `prefix`; `false` when there must be none. */
  readonly rest?: Check | false;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
}): Check {
  const { prefix = [], rest, minItems = 0, maxItems = Infinity, uniqueItems } = rule;
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const list: readonly unknown[] = value;
    if (list.length < minItems) return fail(`at least ${minItems} items`);
    if (list.length > maxItems) return fail(`at most ${maxItems} items`);
    for (const [index, item] of list.entries()) {
      const check = prefix[index] ?? rest;
      const issue = check === false ? fail("absent: the list is longer than it may be") : check?.(item);
      if (issue) return under(String(index), issue);
    }
    const isRepeated = uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length;
    return isRepeated ? fail("items that differ from each other") : undefined;
  };
}

/** All of these. */
export function all(...checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) {
      const issue = check(value);
      if (issue) return issue;
    }
    return undefined;
  };
}

/** At least one of these. Says what the one that came furthest wants. */
export function any(...checks: readonly Check[]): Check {
  return (value) => {
    let furthest: Issue | undefined;
    for (const check of checks) {
      const issue = check(value);
      if (!issue) return undefined;
      if (!furthest || issue.path.split("/").length > furthest.path.split("/").length) furthest = issue;
    }
    return furthest;
  };
}

/** Exactly one of these. */
export function one(...checks: readonly Check[]): Check {
  const atLeastOne = any(...checks);
  return (value) => {
    const fitting = checks.filter((check) => !check(value)).length;
    return fitting > 1 ? fail("a value that fits only one of the alternatives") : atLeastOne(value);
  };
}

/** A check that is defined further down, or is this one itself. */
export function later(find: () => Check): Check {
  return (value) => find()(value);
}

/** Any JSON object: not an array, not `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOfType(value: unknown, name: string): boolean {
  switch (name) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === name;
  }
}

function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function fail(expected: string): Issue {
  return { path: "", expected };
}

function under(key: string, { path, expected }: Issue): Issue {
  const segment = key.replaceAll("~", "~0").replaceAll("/", "~1");
  return { path: path === "" ? segment : `${segment}/${path}`, expected };
}
