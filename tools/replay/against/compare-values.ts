import { isObject } from "../../../generated/support.ts";
import { isRedacted } from "../redact-message.ts";
import { isTime, isVolatileName, mask } from "./volatile.ts";
import { parseJson } from "../../../generator/internal/json-text.ts";

/** Difference between a recorded value and a live one. */
export interface ValueDifference {
  readonly kind: "added" | "removed" | "changed";
  /** Names and indexes of the members, from the outermost. */
  readonly path: Path;
  readonly recorded?: unknown;
  readonly live?: unknown;
}

/** Names and indexes of members, from the outermost. */
export type Path = readonly (string | number)[];

/** Options of a comparison. */
export interface CompareOptions {
  /** True for an ignored member. */
  isIgnored(path: Path): boolean;
  /** Times of the two messages, in milliseconds since 1970. Without them, a number is recognized as a time only by its name. */
  readonly sent?: { readonly recorded: number; readonly live: number };
}

/** Lists the differences between a recorded value and a live one. Values that differ in each run are equal if they have the same form. */
export function compareValues(
  recorded: unknown,
  live: unknown,
  options: CompareOptions,
  path: Path = [],
): readonly ValueDifference[] {
  if (options.isIgnored(path)) return [];
  if (Array.isArray(recorded) && Array.isArray(live)) {
    const key = findKey([...recorded, ...live]);
    return compareEntries(toEntries(recorded, key), toEntries(live, key), { options, path });
  }
  if (isObject(recorded) && isObject(live))
    return compareEntries(membersOf(recorded), membersOf(live), { options, path });
  if (recorded === live) return [];
  if (isReplaced(recorded, live, path) || isOtherTime(recorded, live, { options, path })) return [];
  const [before, after] = [readJson(recorded), readJson(live)];
  if (before && after) return compareValues(before, after, options, path);
  return [{ kind: "changed", path, recorded, live }];
}

/** Returns the value of a text with JSON, as many tools return it. The order of members does not count in it. */
export function readJson(text: unknown): object | undefined {
  const value = typeof text === "string" && /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}

/** True if a live value takes the place of a recorded one that differs in each run. */
function isReplaced(recorded: unknown, live: unknown, path: Path): boolean {
  if (isVolatileName(path.at(-1)) && typeof recorded === typeof live) return true;
  if (typeof recorded !== "string" || typeof live !== "string") return false;
  return isRedacted(recorded) || mask(recorded) === mask(live);
}

/** True if both numbers are times, each of its run. */
function isOtherTime(recorded: unknown, live: unknown, { options, path }: Position): boolean {
  if (typeof recorded !== "number" || typeof live !== "number") return false;
  const { sent = { recorded: NaN, live: NaN } } = options;
  return isTime(recorded, path.at(-1), sent.recorded) && isTime(live, path.at(-1), sent.live);
}

interface Position {
  readonly options: CompareOptions;
  readonly path: Path;
}

/** Members of an object by name, or items of a list by key or index. */
type Entries = ReadonlyMap<string | number, unknown>;

function compareEntries(recorded: Entries, live: Entries, { options, path }: Position): readonly ValueDifference[] {
  const names = [...new Set([...recorded.keys(), ...live.keys()])];
  return names.flatMap((name): readonly ValueDifference[] => {
    const at = [...path, name];
    if (options.isIgnored(at)) return [];
    if (!live.has(name)) return [{ kind: "removed", path: at, recorded: recorded.get(name) }];
    if (!recorded.has(name)) return [{ kind: "added", path: at, live: live.get(name) }];
    return compareValues(recorded.get(name), live.get(name), options, at);
  });
}

/** Finds the member that identifies the items of a list, such as the name of a tool. The order of such items does not count. */
export function findKey(items: readonly unknown[]): string | undefined {
  return keys.find((key) => items.length > 0 && items.every((item) => isObject(item) && typeof item[key] === "string"));
}

const keys = ["uriTemplate", "name"];

/** Returns the items of a list by their keys, or by their indexes if there are none. Items with the same key are counted. */
function toEntries(items: readonly unknown[], key: string | undefined): Entries {
  const counts = new Map<string, number>();
  return new Map(
    items.map((item, index): [string | number, unknown] => {
      if (key === undefined || !isObject(item)) return [index, item];
      const name = String(item[key]);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [count === 1 ? name : `${name} ${count}`, item];
    }),
  );
}

function membersOf(value: Record<string, unknown>): Entries {
  return new Map(Object.entries(value));
}

/** Finds texts of a live value that take the place of recorded ones: random ids, times, cursors and redacted secrets. */
export function findReplacements(
  recorded: unknown,
  live: unknown,
  onReplaced: (recorded: string, live: string) => void,
  path: Path = [],
): void {
  if (typeof recorded === "string" && typeof live === "string") {
    if (recorded !== live && isReplaced(recorded, live, path)) onReplaced(recorded, live);
  } else if (Array.isArray(recorded) && Array.isArray(live)) {
    const items: readonly unknown[] = live;
    recorded.forEach((item, index) => findReplacements(item, items[index], onReplaced, [...path, index]));
  } else if (isObject(recorded) && isObject(live)) {
    for (const [name, member] of Object.entries(recorded))
      if (Object.hasOwn(live, name)) findReplacements(member, live[name], onReplaced, [...path, name]);
  }
}

/** Replaces texts in a value by their counterparts. */
export function replaceTexts(value: unknown, replacements: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return replacements.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replacements));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceTexts(member, replacements)]));
}
