import { readConversions } from "../../../generator/conversions/conversions.ts";
import { writeConversions } from "../../../generator/emit/written-conversions.ts";
import type { ConversionRule } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";

/** Change of `Params` between two revisions, and the functions that convert to the older one. */
export type ConversionCase = readonly [
  what: string,
  /** Members of `Params`, or all declarations. */
  older: string,
  newer: string,
  rules: readonly Pick<ConversionRule, "rule" | "at">[],
  functions: readonly string[],
];

/** Returns the constants and functions of a conversion line by line, without indentation and closing braces of functions. */
export function conversionFunctions(older: string, newer: string, rules: ConversionCase[3]): string[] {
  const conversions = rules.map((rule) => ({ ...rule, reason: "No." }));
  const model = readToy("2001-01-01", declarations(older), conversions);
  const later = readToy("2002-01-01", declarations(newer));
  const { functions } = writeConversions(readConversions([model, later], model));
  const lines = functions.flatMap(({ name, constants, text }) => `${constants}\nfunction ${name}${text}`.split("\n"));
  return lines.filter((line) => line !== "" && line !== "}");
}

function declarations(text: string): string {
  return text.startsWith("export ") ? text : `export interface Params { ${text} }`;
}
