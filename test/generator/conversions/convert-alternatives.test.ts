import { describe, expect, test } from "vitest";
import { compareRevisions } from "../../../generator/conversions/compare-revisions.ts";
import { changesIn, readConversions } from "../../../generator/conversions/conversions.ts";
import { writeConversions } from "../../../generator/emit/written-conversions.ts";
import type { ConversionRule } from "../../../generator/model.ts";
import { readToy } from "./toy-revisions.ts";

/** Lines of the conversions of `Params` that test or reject values, with the rule `error` for every change that it can handle. */
function linesOf(older: string, ...newer: readonly string[]): string[] {
  const later = newer.map((text, at) => readToy(`200${at + 2}-01-01`, text));
  const changes = compareRevisions(readToy("2001-01-01", older), later).flatMap(({ params }) => changesIn(params));
  const rules = changes.map(({ kind, names }): ConversionRule => ({
    rule: kind === "open" ? "keep" : "error",
    at: names.slice(0, 1),
    reason: "Not here.",
  }));
  const model = readToy("2001-01-01", older, rules);
  const { functions } = writeConversions(readConversions([model, ...later], model));
  return functions
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => line.includes("throw") || (line.startsWith("if (") && !line.startsWith("if (!isObject(v))")))
    .map((line) => line.replace(/throw new ConversionError\(\{ type: "(.*?)", (?:member|reason): .*/, "reject $1"));
}

const part = "export interface Params { part: Part } export interface Part";
const either = "export interface Params { either: A | B }";

describe("values of an older revision are distinguished from others", () => {
  test.each([
    [
      "an interface that becomes a union of inline types is still compared with them",
      [
        `${part} { a: string; b: string }`,
        "export interface Params { part: Part } export type Part = { a: string } | number;",
      ],
      ['if (typeof v === "number") reject Part:number', "if (v.b === undefined) reject Part"],
    ],
    [
      "values of the same kind are compared when another revision has values of another kind",
      [`${part} { a: 1 }`, `${part} { a?: 1 }`, "export interface Params { part: string }"],
      ["if (v !== undefined && !isObject(v)) reject Part", "if (v.a === undefined) reject Part"],
    ],
    [
      "one of a few values is told from any value",
      ['export interface Params { a?: "x" | "y" }', "export interface Params { [key: string]: unknown }"],
      ['if (v !== undefined && v !== "x" && v !== "y") reject Params.a'],
    ],
    [
      "a type of the same name and of another kind is not an alternative that is known",
      [
        `${either} export interface A { a: 1 } export interface B { b: 1 }`,
        `${either} export type A = "r"; export interface B { b: 1 }`,
      ],
      ['if (v === "r") reject Params.either:A'],
    ],
    [
      "each of several lists has its own alternative",
      [
        "export interface Params { list: string[] | number[]; x: 1 }",
        "export interface Params { list: string[] | number[]; x: 1 | 2 }",
      ],
      ["if (v === 2) reject Params.x:2"],
    ],
    [
      "a property that newer revisions may omit distinguishes nothing",
      [
        "export interface Params { x: { kind: 1; c: 1 } | { d: 1 } }",
        "export interface Params { x: { kind?: 1; c: 1 } | { d: 1 } }",
      ],
      ["if (v.c !== undefined) return toParamsX(v, loss);", "if (v.kind === undefined) reject Params.x"],
    ],
    [
      "no object remains where none is known",
      [
        "export interface Params { x: string }",
        "export interface Params { x: string | A | B } export interface A { a?: 1 } export interface B { b: 1 }",
      ],
      ["if (v.b !== undefined) reject Params.x:B", "reject Params.x:A"],
    ],
  ])("%s", (_what, [older = "", ...newer], expected) => {
    expect(linesOf(older, ...newer)).toEqual(expected);
  });

  test("alternatives that nothing distinguishes are rejected, instead of converting the values of one like those of the other", () => {
    const types = (a: number, b: number): string =>
      `${either} export interface A { x: 1; y?: ${a} } export interface B { x: 1; y?: ${b} }`;
    expect(() => linesOf(types(1, 2), types(3, 4))).toThrow("alternatives of Params.either cannot be distinguished");
  });
});
