import { breakCommandsInJson } from "./text.ts";

/**
 * Returns the JSON of a report for programs and terminals. Control characters, bidirectional controls and invisible characters are escaped, because
 * text from a server could control a terminal with them. Commands to the CI pipeline around the command are escaped as well.
 */
export function toJsonText(value: unknown): string {
  return breakCommandsInJson(JSON.stringify(value, undefined, 2).replace(unseen, escape));
}

/** Line breaks are excluded: they belong to the layout, and strings contain only escaped ones. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Formats JSON for human readers: two spaces, and lists of strings on one line. */
export function jsonText(value: object): string {
  return JSON.stringify(value, undefined, 2).replaceAll(listOfTexts, (_list, items: string) => {
    return `[${items.replaceAll(/\n\s+/g, " ")}]`;
  });
}

/** Replaces characters by escapes if they are invisible, or change the order of others. The value of the JSON stays the same. */
export function escapeJson(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]|\p{Surrogate}/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Matches lists of strings. Line breaks never occur inside a JSON string, so whole lines can be matched. */
const listOfTexts = /\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]/g;

/** Parses JSON; returns `undefined` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Callers report it like any other value that they do not expect.
    return undefined;
  }
}

/** True for any JSON object, but not for arrays and `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
