import { describe, expect, test } from "vitest";
import { readConversions } from "../../../generator/conversions/conversions.ts";
import { writeConversions } from "../../../generator/emit/written-conversions.ts";
import { readToy } from "../conversions/toy-revisions.ts";

/** Statements of the conversions that reject a value, for a member of the params whose type changes. */
function rejectionsOf(older: string, newer: string, ...at: readonly string[]): string[] {
  const params = (type: string): string =>
    `export interface Other { a: 1 } export interface Params { member?: ${type} }`;
  const rules = [{ rule: "error", at, reason: "Not here." }] as const;
  const models = [readToy("2001-01-01", params(older), rules), readToy("2002-01-01", params(newer))];
  const { functions } = writeConversions(readConversions(models, models[0] ?? readToy("2001-01-01", params(older))));
  return functions
    .flatMap(({ text }) => [...text.matchAll(/if \((.*)\) throw new ConversionError/g)])
    .map(([, test = ""]) => test);
}

describe("plain values that an older revision does not know", () => {
  test.each([
    ["a new choice", '"a" | "b"', '"a" | "b" | "c"', "Params.member:c", 'v === "c"'],
    ["a choice instead of the only value", '"a"', '"a" | "b"', "Params.member:b", 'v === "b"'],
    ["null", '"a" | "b"', '"a" | "b" | null', "Params.member:null", "v === null"],
    ["any text", '"a" | "b"', '"a" | "b" | string', "Params.member", 'typeof v === "string" && v !== "a" && v !== "b"'],
    ["numbers beside text", "string", "string | number", "Params.member:number", 'typeof v === "number"'],
    ["a number instead of a text", "string", "number", "Params.member", 'v !== undefined && typeof v !== "string"'],
    ["a text instead of a list", "string[]", "string", "Params.member", "v !== undefined && !Array.isArray(v)"],
    ["any value instead of a text", "string", "unknown", "Params.member", 'v !== undefined && typeof v !== "string"'],
  ])("the rule error rejects %s", (_what, older, newer, at, expected) => {
    expect(rejectionsOf(older, newer, at)).toEqual([expected]);
  });

  test("the rule error rejects plain values and objects of one union", () => {
    expect(rejectionsOf('Other | "a"', 'Other | { b: 1 } | "a" | "c"', "Params.member")).toEqual([
      'v === "c"',
      "v.b !== undefined",
    ]);
  });
});
