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

/** True if a member may differ in each run, whatever its form. */
export function isVolatileName(name: string | number | undefined): boolean {
  return typeof name === "string" && volatileNames.has(name);
}

/** True if two values of the same form differ only in what changes from run to run. */
export function isSameForm(recorded: unknown, live: unknown): boolean {
  if (typeof recorded === "number" && typeof live === "number") return isTime(recorded) && isTime(live);
  return typeof recorded === "string" && typeof live === "string" && mask(recorded) === mask(live);
}

/** True for milliseconds or seconds since 1970, between 2001 and 2286. */
function isTime(value: number): boolean {
  return (value >= 1e9 && value < 1e10) || (value >= 1e12 && value < 1e13);
}

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
  [/\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?: [AP]M)?/g, "<time>"],
  [/\b1\d{12}\b/g, "<time>"],
  [/\beyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]+)?/g, "<token>"],
  [/\b(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{16,}\b/gi, "<hex>"],
];
