import { isObject } from "../../generated/support.ts";
import { parseUrl } from "../internal/parse-url.ts";

/** Check of one value. Returns its first problem, with its place, or `undefined`. */
export type Check = (value: unknown, place: string) => string | undefined;

/** Length and form required by a check. */
export interface TextRule {
  readonly min?: number;
  /** Maximum length in UTF-16 code units. Default 2,048. */
  readonly max?: number;
  readonly pattern?: RegExp;
  /** Description of the pattern in messages. */
  readonly form?: string;
}

/** Checks a text. Control characters are rejected, and so are characters which reorder text: hosts display these texts. */
export function text({ min = 0, max = 2_048, pattern, form = "" }: TextRule = {}): Check {
  return (value, place) => {
    if (typeof value !== "string") return `${place} is not a text`;
    if (value.length < min) return `${place} is shorter than ${min} characters`;
    if (value.length > max) return `${place} has ${value.length} characters, more than ${max}`;
    if (hidden.test(value)) return `${place} has control characters`;
    return pattern && !pattern.test(value) ? `${place} is not ${form}` : undefined;
  };
}

/** Control characters, without tab and line breaks, and characters which change the direction of text. */
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

/** Checks a text for display to users: markup is rejected. */
export function prose(rule: TextRule): Check {
  return both(text(rule), (value, place) =>
    typeof value === "string" && /<[a-z!/?]/i.test(value) ? `${place} contains markup` : undefined,
  );
}

/** Combines two checks. */
export function both(first: Check, second: Check): Check {
  return (value, place) => first(value, place) ?? second(value, place);
}

/** Checks that a value is one of several texts. */
export function oneOf(...choices: readonly string[]): Check {
  return (value, place) =>
    typeof value === "string" && choices.includes(value) ? undefined : `${place} is not one of ${choices.join(", ")}`;
}

/** Checks a truth value. */
export const flag: Check = (value, place) => (typeof value === "boolean" ? undefined : `${place} is not true or false`);

/** Checks a list with at most `max` items. */
export function listOf(item: Check, max: number): Check {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place} is not a list`;
    if (value.length > max) return `${place} has ${value.length} items, more than ${max}`;
    return firstProblem(value.entries(), (index, one) => item(one, `${place}[${index}]`));
  };
}

/** Checks an object with at most `max` members of the same kind. */
export function tableOf(item: Check, max: number): Check {
  return (value, place) => {
    if (!isObject(value)) return `${place} is not an object`;
    const rows = Object.entries(value);
    if (rows.length > max) return `${place} has ${rows.length} members, more than ${max}`;
    return firstProblem(rows, (name, one) => item(one, `${place}.${quoteName(name)}`));
  };
}

/** Checks the members of an object. Unknown members are allowed: the format may grow. */
export function objectOf(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>>): Check {
  return (value, place) => {
    if (!isObject(value)) return `${place} is not an object`;
    const missing = Object.keys(required).find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `${place} has no ${missing}`;
    const rows = Object.entries({ ...required, ...optional }).filter(([name]) => Object.hasOwn(value, name));
    return firstProblem(rows, (name, check) => check(value[name], place === root ? name : `${place}.${name}`));
  };
}

/** Place of the whole document in messages. */
export const root = "the document";

/** Checks an absolute HTTP URL without credentials. */
export const httpUrl: Check = both(text(), (value, place) => {
  const url = typeof value === "string" ? parseUrl(value) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return `${place} is not an HTTP URL`;
  return url.username === "" && url.password === "" ? undefined : `${place} contains credentials`;
});

/** Returns the name of a member for a message. */
function quoteName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
}

function firstProblem<Key, Value>(
  entries: Iterable<readonly [Key, Value]>,
  check: (key: Key, value: Value) => string | undefined,
): string | undefined {
  for (const [key, value] of entries) {
    const problem = check(key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
