import { isObject } from "../../../generated/support.ts";
import { isRedacted } from "../redact-message.ts";
import { findKey, readJson, type CompareOptions, type Path } from "./compare-values.ts";
import { isTime, isVolatileName, mask } from "./volatile.ts";

/** Options of the normal form of a value. */
export interface NormalizeOptions extends Pick<CompareOptions, "isIgnored"> {
  /** Time of the message, in milliseconds since 1970. */
  readonly sent: number;
}

/** Returns a form of a value for comparisons: two values have the same form if they are considered equal. */
export function normalize(value: unknown, options: NormalizeOptions, path: Path = []): unknown {
  const name = path.at(-1);
  if (isVolatileName(name)) return `<${typeof value}>`;
  if (typeof value === "number") return isTime(value, name, options.sent) ? "<time>" : value;
  if (typeof value === "string") return normalizeText(value, options, path);
  if (Array.isArray(value)) return normalizeList(value, options, path);
  return isObject(value) ? normalizeObject(value, options, path) : value;
}

function normalizeText(text: string, options: NormalizeOptions, path: Path): unknown {
  if (isRedacted(text)) return "[redacted]";
  const value = readJson(text);
  return value ? { json: normalize(value, options, path) } : mask(text);
}

/** Puts items with names in the order of these. */
function normalizeList(items: readonly unknown[], options: NormalizeOptions, path: Path): readonly unknown[] {
  const key = findKey(items);
  const entries = items.map((item, index): readonly [string | number, unknown] => [
    key !== undefined && isObject(item) ? String(item[key]) : index,
    item,
  ]);
  const ordered = key === undefined ? entries : entries.toSorted(([one], [other]) => compareNames(one, other));
  return ordered
    .filter(([name]) => !options.isIgnored([...path, name]))
    .map(([name, item]) => normalize(item, options, [...path, name]));
}

function normalizeObject(value: Record<string, unknown>, options: NormalizeOptions, path: Path): object {
  const entries = Object.entries(value)
    .filter(([name]) => !options.isIgnored([...path, name]))
    .map(([name, member]): [string, unknown] => [name, normalize(member, options, [...path, name])]);
  return Object.fromEntries(entries.toSorted(([one], [other]) => compareNames(one, other)));
}

function compareNames(one: string | number, other: string | number): number {
  return one < other ? -1 : Number(one > other);
}
