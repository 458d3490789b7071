import { describe, expect, test } from "vitest";
import { readConversions, type RevisionConversions } from "../../../generator/conversions/conversions.ts";
import { innerDifferences, type Difference } from "../../../generator/conversions/difference.ts";
import { kept } from "../../../generator/conversions/found-rule.ts";
import { createDecision } from "../../../generator/conversions/needs-conversion.ts";
import type { ConversionRule, RuleName } from "../../../generator/model.ts";
import { readToy } from "./toy-revisions.ts";

function readToys(older: string, newer: string, rules: readonly (readonly [RuleName, string])[]): RevisionConversions {
  const conversions = rules.map(([rule, at]): ConversionRule => ({ rule, at: [at], reason: "No." }));
  const model = readToy("2001-01-01", older, conversions);
  return readConversions([model, readToy("2002-01-01", newer)], model);
}

/** Returns the kinds and decisions of the params and of all differences inside, in the order in which they are decided. */
function decide({ methods, ruleOf }: RevisionConversions, order: "first" | "last"): Map<Difference, boolean> {
  const all = new Set(methods.flatMap(({ params }) => params ?? []));
  for (const each of all) for (const inner of innerDifferences(each)) all.add(inner);
  const needs = createDecision({ ruleOf });
  const sorted = order === "first" ? [...all] : [...all].reverse();
  return new Map(sorted.map((difference) => [difference, needs(difference)]));
}

const params = (members: string): string => `export interface Params { ${members} }`;

const around = "export interface B { of: Params[] } export interface Params { b: B; x: { y: 1";

describe("values need a conversion", () => {
  test.each<[what: string, rule: RuleName, needs: boolean]>([
    ["with a change in a type around theirs", "drop", true],
    ["but not if every change stays", "keep", false],
  ])("%s, whichever is decided first", (_what, rule, needs) => {
    const toys = readToys(`${around} } }`, `${around}; z?: 1 } }`, [[rule, "Params.x.z"]]);
    expect(new Set(decide(toys, "first").values())).toEqual(new Set([needs]));
    expect(decide(toys, "last")).toEqual(decide(toys, "first"));
  });

  test.each<[what: string, older: string, newer: string, rule: readonly [RuleName, string], decided: boolean[]]>([
    ["for a new member", "a: 1", "a: 1; b?: 1", ["omit", "Params.b"], [true]],
    ["for a kept member", "a: 1", "a: 1; b?: 1", ["keep", "Params.b"], [false]],
    ["for an absent member", "a: 1", "a?: 1", ["object-schema", "Params.a"], [true]],
    ["of another kind", "a: 1", "a: unknown", ["error", "Params.a"], [true, true]],
    [
      "of another kind with a rule of their own",
      "a: object",
      "a: unknown",
      ["schema-objects", "Params.a"],
      [true, true],
    ],
    [
      "of another kind with a rule for the object",
      "a: object",
      "a: unknown",
      ["structured-object", "Params.a"],
      [true, false],
    ],
    [
      "of another kind with a guard of the object",
      "a: object",
      "a: unknown",
      ["object-schema", "Params.a"],
      [true, false],
    ],
    ["of a new alternative", "a: 1", "a: 1 | 2", ["error", "Params.a"], [true, true]],
    ["of items of a list", "a: { b: 1 }[]", "a: { b: 1; c?: 1 }[]", ["drop", "Params.a.c"], [true, true, true]],
  ])("%s", (_what, older, newer, rule, decided) => {
    expect([...decide(readToys(params(older), params(newer), [rule]), "first").values()]).toEqual(decided);
  });

  test("a value needs none if the rules of another direction keep every change", () => {
    const newer = params("a: 1 | 2; b?: { x: 1; y?: 1 }; c: unknown");
    const toys = readToys(params("a: 1; b: { x: 1 }; c: 1"), newer, [
      ["error", "Params.a"],
      ["error", "Params.b"],
      ["drop", "Params.b.y"],
      ["error", "Params.c"],
    ]);
    expect(new Set(decide(toys, "first").values())).toEqual(new Set([true]));
    expect(new Set(decide({ ...toys, ruleOf: () => kept }, "first").values())).toEqual(new Set([false]));
  });
});
