/** Checks of values against schemas. Plain functions, generated ahead of time; imports nothing. */

/** The first problem found in a value. */
export interface Issue {
  /** JSON Pointer without the leading slash: `filters/0/name`; empty for the value itself. */
  readonly path: string;
  /** Description of a valid value, in words. */
  readonly expected: string;
}

/**
 * Checks any value and returns the first problem, or `undefined` when the value is valid. Never throws. `known` has the results of checks that others
 * refer to, by check and value: alternatives would multiply these checks at every level of a value.
 */
export type Check = (value: unknown, known?: Known) => Issue | undefined;

type Known = Map<Check, Map<unknown, Issue | undefined>>;

/** Check that accepts every value. */
export const anything: Check = () => undefined;

/** Check that accepts no value. */
export const nothing: Check = () => fail("no value");

/** Accepts values of these types, by their names in JSON Schema. All other checks ignore values that are not of their own type. */
export function types(...names: readonly string[]): Check {
  return (value) => (names.some((name) => isOfType(value, name)) ? undefined : fail(names.join(" or ")));
}

/** Accepts one of these values. */
export function values(...allowed: readonly unknown[]): Check {
  return (value) =>
    allowed.includes(value) ? undefined : fail(`one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`);
}

/** A regular expression of any engine. */
export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
}

/** Checks text against its pattern and its bounds, in characters. */
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
    return pattern === undefined || matches(value, pattern) ? undefined : fail(`text that matches ${pattern.source}`);
  };
}

/** True if a text matches. A text of several megabytes may be too long for the engine, which throws then. */
function matches(value: string, pattern: Pattern): boolean {
  try {
    return pattern.test(value);
  } catch {
    return false;
  }
}

/** Checks numbers against their bounds. */
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

/** Checks the keys and members of objects. */
export function members(rule: {
  readonly required?: readonly string[];
  readonly properties?: readonly (readonly [name: string, check: Check])[];
  /** Check of members that are not among `properties`; `false` when there must be none. */
  readonly rest?: Check | false;
  /** Check of the keys themselves. */
  readonly names?: Check;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}): Check {
  const { required = [], rest, names, minProperties = 0, maxProperties = Infinity } = rule;
  const properties = new Map(rule.properties);
  return (value, known) => {
    if (!isObject(value)) return undefined;
    // Undefined members are not sent.
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const missing = required.find((name) => !Object.hasOwn(value, name) || value[name] === undefined);
    if (missing !== undefined) return under(missing, fail("present"));
    if (entries.length < minProperties) return fail(`at least ${minProperties} members`);
    if (entries.length > maxProperties) return fail(`at most ${maxProperties} members`);
    for (const [name, member] of entries) {
      const check = properties.get(name) ?? rest;
      const misnamed = names?.(name, known);
      if (misnamed) return under(name, fail(`a name that is ${misnamed.expected}`));
      const issue = check === false ? fail("absent: the member is not allowed") : check?.(member, known);
      if (issue) return under(name, issue);
    }
    return undefined;
  };
}

/** Checks the items of lists. */
export function items(rule: {
  readonly prefix?: readonly Check[];
  /** Check of items after those of `prefix`; `false` when there must be none. */
  readonly rest?: Check | false;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
}): Check {
  const { prefix = [], rest, minItems = 0, maxItems = Infinity, uniqueItems } = rule;
  return (value, known) => {
    if (!Array.isArray(value)) return undefined;
    const list: readonly unknown[] = value;
    if (list.length < minItems) return fail(`at least ${minItems} items`);
    if (list.length > maxItems) return fail(`at most ${maxItems} items`);
    for (const [index, item] of list.entries()) {
      const check = prefix.at(index) ?? rest;
      const issue = check === false ? fail("absent: the list is too long") : check?.(item, known);
      if (issue) return under(String(index), issue);
    }
    const isRepeated = uniqueItems && new Set(list.map((item) => JSON.stringify(item))).size < list.length;
    return isRepeated ? fail("items that differ from each other") : undefined;
  };
}

/** Requires all of these checks. Returns the first problem. */
export function all(...checks: readonly Check[]): Check {
  return (value, known) => {
    for (const check of checks) {
      const issue = check(value, known);
      if (issue) return issue;
    }
    return undefined;
  };
}

/** Requires at least one of these checks. If all fail, returns the problem with the longest path. */
export function any(...checks: readonly Check[]): Check {
  return (value, known) => {
    const issues: Issue[] = [];
    for (const check of checks) {
      const issue = check(value, known);
      if (!issue) return undefined;
      issues.push(issue);
    }
    return findFurthest(issues);
  };
}

/** Requires exactly one of these checks. If all fail, returns the problem with the longest path. */
export function one(...checks: readonly Check[]): Check {
  return (value, known) => {
    const issues = checks.flatMap((check) => check(value, known) ?? []);
    if (issues.length < checks.length - 1) return fail("a value that fits only one of the alternatives");
    return issues.length < checks.length ? undefined : findFurthest(issues);
  };
}

/** Refers to a check that is defined later, or to the surrounding check itself. */
export function later(find: () => Check): Check {
  return (value, known = new Map()) => {
    const check = find();
    const results = known.get(check) ?? new Map<unknown, Issue | undefined>();
    if (results.has(value)) return results.get(value);
    // A check that refers to itself for the same value adds nothing.
    known.set(check, results.set(value, undefined));
    const issue = check(value, known);
    results.set(value, issue);
    return issue;
  };
}

function findFurthest(issues: readonly Issue[]): Issue | undefined {
  const depths = issues.map(({ path }) => path.split("/").length);
  return issues[depths.indexOf(Math.max(...depths))];
}

/** True for any JSON object, but not for arrays and `null`. */
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
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  // Decimal fractions are rounded to binary ones, so the last digits of their quotient are not exact.
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= 2 * Number.EPSILON * Math.abs(quotient);
}

function fail(expected: string): Issue {
  return { path: "", expected };
}

function under(key: string, { path, expected }: Issue): Issue {
  const segment = key.replaceAll("~", "~0").replaceAll("/", "~1");
  return { path: path === "" ? segment : `${segment}/${path}`, expected };
}
