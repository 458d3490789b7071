/*
 * Values that differ from run to run: times, ids, cursors and tokens.
 */

/** Members of the protocol whose texts differ in each run. */
const volatileNames: ReadonlySet<string> = new Set([
  "nextCursor",
  "cursor",
  "requestState",
  "taskId",
  "createdAt",
  "lastUpdatedAt",
  "progressToken",
  "subscriptionId",
]);

/** Name of a member, or index of an item. */
type Name = string | number | undefined;

/** True if a member may differ in each run, whatever its form. */
export function isVolatileName(name: Name): boolean {
  return typeof name === "string" && volatileNames.has(name);
}

/**
 * True for milliseconds or seconds since 1970 between 2001 and 2286, if the member has the name of a time, or the time is within a day of its
 * message.
 */
export function isTime(value: number, name: Name, sent: number): boolean {
  const milliseconds = value >= 1e9 && value < 1e10 ? value * 1000 : value;
  if (milliseconds < 1e12 || milliseconds >= 1e13) return false;
  return isTimeName(name) || Math.abs(milliseconds - sent) < day;
}

/** True for names such as `createdAt`, `start_time`, `mtimeMs` and `timestamp`. */
function isTimeName(name: Name): boolean {
  const words = typeof name === "string" ? name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ").split(/[^A-Za-z]/) : [];
  return words.some((word) => /^(?:at|date|\w*time(?:stamp)?)$/i.test(word));
}

const day = 24 * 60 * 60 * 1000;

/** Replaces times and random ids in a text by the names of their forms. */
export function mask(text: string): string {
  return forms.reduce((masked, [pattern, name]) => masked.replace(pattern, name), text);
}

const forms: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<uuid>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  // As `Date` and RFC 9110 write them.
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \d{1,2}|\d{1,2} [A-Z][a-z]{2}) \d{4} \d{2}:\d{2}:\d{2}(?: GMT)?(?:[+-]\d{4})?(?: \([^)]{1,60}\))?/g,
    "<time>",
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: [AP]M)?/g, "<time>"],
  [/\b1\d{12}\b/g, "<time>"],
  [/\beyJ[\w-]{10,65536}\.[\w-]{1,65536}(?:\.[\w-]{1,65536})?/g, "<token>"],
  [/\b(?=[a-f]{0,65536}\d)(?=\d{0,65536}[a-f])[\da-f]{16,65536}\b/gi, "<hex>"],
];
