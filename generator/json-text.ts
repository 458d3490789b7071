import { breakCommandsInJson } from "./tool-schema/safe-text.ts";

/**
 * JSON of a report, for programs and terminals. Controls, characters that turn the direction of text and characters that are not seen are
 * written as escapes, so that text of a server cannot steer a terminal, and so are commands to the pipeline that the report is printed in.
 */
export function toJsonText(value: unknown): string {
  return breakCommandsInJson(JSON.stringify(value, undefined, 2).replace(unseen, escape));
}

/** Line breaks are those of the layout: in strings they are escapes already. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
