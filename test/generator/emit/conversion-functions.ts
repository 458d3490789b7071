import { readConversions } from "../../../generator/conversions/conversions.ts";
import { writeConversions, type WrittenConversions } from "../../../generator/emit/written-conversions.ts";
import type { ConversionRule } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";

/** Change of `Params` between two revisions, and the functions that convert to the older one. */
export type ConversionCase = readonly [
  what: string,
  /** Members of `Params`, or all declarations. */
  older: string,
  newer: string | readonly string[],
  rules: readonly Pick<ConversionRule, "rule" | "at" | "value">[],
  functions: readonly string[],
];

type Revisions = [older: ConversionCase[1], newer: ConversionCase[2], rules: ConversionCase[3]];

/** Writes the conversions to the older of some revisions. */
export function convertToys(
  older: string,
  newer: string | readonly string[],
  rules: ConversionCase[3],
): WrittenConversions {
  const conversions = rules.map((rule) => ({ ...rule, reason: "No." }));
  const model = readToy("2001-01-01", declarations(older), conversions);
  const later = [newer].flat().map((text, at) => readToy(`200${at + 2}-01-01`, declarations(text)));
  return writeConversions(readConversions([model, ...later], model));
}

/** Returns the constants and functions of a conversion line by line, without indentation and closing braces of functions. */
export function conversionFunctions(...revisions: Revisions): string[] {
  return toLines(convertToys(...revisions).functions);
}

/** Returns the functions for what peers of the older revision send, by the revision from which they apply. */
export function receivedFunctions(...revisions: Revisions): Record<string, string[]> {
  const { received } = convertToys(...revisions);
  return Object.fromEntries(received.map(({ since, functions }) => [since, toLines(functions)]));
}

function toLines(functions: WrittenConversions["functions"]): string[] {
  const lines = functions.flatMap(({ name, constants, text }) => `${constants}\nfunction ${name}${text}`.split("\n"));
  return lines.filter((line) => line !== "" && line !== "}");
}

function declarations(text: string): string {
  return text.startsWith("export ") ? text : `export interface Params { ${text} }`;
}
