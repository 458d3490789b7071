import { describe, expect, it } from "vitest";
import { changesIn } from "../../../generator/conversions/conversions.ts";
import { compareRevisions } from "../../../generator/conversions/compare-revisions.ts";
import type { Change } from "../../../generator/conversions/difference.ts";
import type { RevisionModel } from "../../../generator/model.ts";
import { readToy } from "./toy-revisions.ts";

/** Returns the changes in the params of the only method, as text. */
function changes(older: string, newer: string, more: readonly RevisionModel[] = []): string[] {
  const compared = compareRevisions(readToy("1", older), [readToy("2", newer), ...more]);
  return compared.flatMap(({ params }) => changesIn(params)).map(changeText);
}

function changeText({ kind, type, member, names, since }: Change): string {
  return `${kind} ${type}${member === undefined ? "" : ` ${member}`} (${names.join(", ")}) ${since}`;
}

const params = (members: string): string => `export interface Params { ${members} }`;

describe("compareRevisions", () => {
  it.each([
    ["nothing between equal shapes", params("a: string"), params("a: string"), []],
    ["nothing when a property goes", params("a: string; b?: number"), params("a: string"), []],
    ["a new property", params(""), params("a?: string"), ["member Params a (Params.a) 2"]],
    [
      "the end of a type that contains itself under two names",
      `export interface A { m?: A } ${params("a: A")}`,
      `export interface A { m?: B } export interface B { m?: B; n?: 1 } ${params("a: A")}`,
      ["member A n (B.n) 2"],
    ],
    [
      "an inherited property under the name of its base as well",
      params(""),
      "export interface Base { a?: string } export interface Params extends Base {}",
      ["member Params a (Params.a, Base.a) 2"],
    ],
    [
      "a property that is required here only",
      params("a: string"),
      params("a?: string"),
      ["missing Params a (Params.a) 2"],
    ],
    [
      "further keys where only listed ones are known",
      params("a?: string"),
      params("a?: string; [key: string]: unknown"),
      ["open Params (Params.*) 2"],
    ],
    [
      "a new alternative, under the name of its place as well",
      `export interface A { type: "a" } ${params("x: A")}`,
      `export interface A { type: "a" } export interface B { type: "b" } ${params("x: A | B")}`,
      ["option Params.x B (Params.x:B, B, Params.x) 2"],
    ],
    [
      "a new literal",
      params(`x: "a" | "b"`),
      params(`x: "a" | "b" | "c"`),
      [`option Params.x c (Params.x:c, Params.x) 2`],
    ],
    ["nothing when an open union grows", params(`x: "a" | string`), params(`x: "a" | "b" | string`), []],
    [
      "an array where there was one of its items",
      params("x: string"),
      params("x: string | string[]"),
      ["option Params.x string[] (Params.x:string[], string[], Params.x) 2"],
    ],
    ["nothing between equal tuples", params("x: [string, 1?]"), params("x: [string, 1?]"), []],
    ["a tuple with another item", params("x: [string]"), params("x: [number]"), ["shape Params.x (Params.x) 2"]],
    ["a tuple where there was a list", params("x: string[]"), params("x: [string]"), ["shape Params.x (Params.x) 2"]],
    [
      "a tuple that has more items",
      params("x: [string]"),
      params("x: [string, ...1[]]"),
      ["shape Params.x (Params.x) 2"],
    ],
    [
      "a tuple with an item whose type has changed",
      "export interface A { a: 1 } export interface Params { x: [1, A] }",
      "export interface A { a: 2 } export interface Params { x: [1, A] }",
      ["shape Params.x (Params.x) 2"],
    ],
    [
      "a change in the items after those of a tuple",
      "export interface A { a?: 1 } export interface Params { x: [1, ...A[]] }",
      "export interface A { a?: 1; b?: 2 } export interface Params { x: [1, ...A[]] }",
      ["member A b (A.b) 2"],
    ],
    [
      "a template where there was any text",
      params("x: `a${string}`"),
      params("x: string"),
      ["shape Params.x (Params.x) 2"],
    ],
    ["nothing where any text was a template", params("x: string"), params("x: `a${string}`"), []],
    ["anything where there was an object", params("x: object"), params("x: unknown"), ["shape Params.x (Params.x) 2"]],
    ["nothing where anything was allowed", params("x: unknown"), params("x: { a: string }"), []],
    [
      "what is inside of arrays, maps and objects written inline",
      params("list: { a: string }[]; map: { [key: string]: { a: string } }; one: { two: { a: string } }"),
      params(
        "list: { a: string; b?: 1 }[]; map: { [key: string]: { a: string; b?: 2 } }; one: { two: { a: string; b?: 3 } }",
      ),
      [
        "member Params.list b (Params.list.b) 2",
        "member Params.one.two b (Params.one.two.b) 2",
        "member Params.map b (Params.map.b) 2",
      ],
    ],
    [
      "an alternative that has another name by what it requires",
      `export interface Old { type: "a"; x: string } ${params("x: Old | number")}`,
      `export interface New { type: "a"; x: string; y?: string } ${params("x: New | number")}`,
      ["member Old y (New.y) 2"],
    ],
  ])("`compareRevisions` finds %s", (_, older, newer, expected) => {
    const found = changes(older, newer);
    expect(found.sort()).toEqual([...expected].sort());
  });

  it("`compareRevisions` merges the same change of several newer revisions and dates it by the oldest of them", () => {
    const newest = readToy("3", params("a?: string; b?: string"));
    expect(changes(params(""), params("a?: string"), [newest])).toEqual([
      "member Params a (Params.a) 2",
      "member Params b (Params.b) 3",
    ]);
  });

  it("`compareRevisions` compares declarations of the same name even if the method was removed", () => {
    const gone = { ...readToy("2", params("a?: string")), methods: [] };
    const [compared] = compareRevisions(readToy("1", params("")), [gone]);
    expect(changesIn(compared?.params).map(changeText)).toEqual(["member Params a (Params.a) 2"]);
  });

  it("`compareRevisions` ends for a type that contains itself", () => {
    const tree = (more: string): string => `export interface Params { children: Params[]${more} }`;
    expect(changes(tree(""), tree("; a?: string"))).toEqual(["member Params a (Params.a) 2"]);
  });
});
