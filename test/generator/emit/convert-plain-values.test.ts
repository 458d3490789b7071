import { describe, expect, test } from "vitest";
import { readConversions } from "../../../generator/conversions/conversions.ts";
import { writeConversions, type WrittenConversions } from "../../../generator/emit/written-conversions.ts";
import type { RevisionModel } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";
import { conversionFunctions, receivedFunctions, type ConversionCase } from "./conversion-functions.ts";

const level = (values: string): string => `export interface Params { x: Level } export type Level = ${values}`;
const as = (value: unknown, ...at: string[]): ConversionCase[3][number] => ({ rule: "as", value, at });
const fallback = (value: unknown, ...at: string[]): ConversionCase[3][number] => ({ rule: "default", value, at });

/** Lines of two functions: one passes the member on, the other converts the value. */
const passing = (name: string, loss = "loss"): string[] => [
  `function ${name}Params(v: unknown, loss?: OnLoss): unknown {`,
  "if (!isObject(v)) return v;",
  `return withMember(v, "x", ${name}Level(v.x, loss));`,
  `function ${name}Level(v: unknown, ${loss}?: OnLoss): unknown {`,
];

describe("values that become older ones", () => {
  test("a new name becomes the old one without a loss", () => {
    expect(conversionFunctions(level("'a' | 'b'"), level("'a' | 'c'"), [as("b", "Level:c")])).toEqual([
      ...passing("to", "_loss"),
      'if (v === "c") return "b";',
      "return v;",
    ]);
  });

  test("a value that the older revision does not have becomes another one with a loss", () => {
    expect(conversionFunctions(level("'a' | 'b'"), level("'a' | 'b' | 'c'"), [as("b", "Level:c")])).toEqual(
      [
        ...passing("to"),
        'if (v === "c") {',
        'loss?.({"type":"Level","member":"c","rule":"as"});',
        'return "b";',
        "}",
        "return v;",
      ].filter((line) => line !== "}"),
    );
  });

  test("the first of several values that become one is its new name", () => {
    const lines = conversionFunctions(level("'a' | 'b'"), level("'a' | 'c' | 'd'"), [as("b", "Level:d", "Level:c")]);
    expect(lines.slice(4)).toEqual([
      'if (v === "c") return "b";',
      'if (v === "d") {',
      'loss?.({"type":"Level","member":"d","rule":"as"});',
      'return "b";',
      "return v;",
    ]);
  });

  test("a value becomes an older one through the name that it had in between", () => {
    const lines = conversionFunctions(
      level("'a' | 'b'"),
      [level("'a' | 'c'"), level("'a' | 'd'")],
      [as("b", "Level:c"), as("c", "Level:d")],
    );
    expect(lines.slice(4)).toEqual(['if (v === "c") return "b";', 'if (v === "d") return "b";', "return v;"]);
  });

  test("a constant with another value is a renamed one", () => {
    expect(conversionFunctions("x: 'a'", "x: 'b'", [as("a", "Params.x:b")])).toEqual([
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "x", toParamsX(v.x, loss));',
      "function toParamsX(v: unknown, _loss?: OnLoss): unknown {",
      'if (v === "b") return "a";',
      "return v;",
    ]);
  });

  test("a constant that distinguishes alternatives is renamed in its alternative only", () => {
    const declarations = (type: string): string =>
      `export interface A { type: '${type}'; x: 1 } export interface B { type: 'b' } export type Params = A | B`;
    expect(conversionFunctions(declarations("a"), declarations("c"), [as("a", "A.type:c")])).toEqual([
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "a":',
      'case "c":',
      "return toA(v, loss);",
      "return v;",
      "function toA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "type", toAType(v.type, loss));',
      "function toAType(v: unknown, _loss?: OnLoss): unknown {",
      'if (v === "c") return "a";',
      "return v;",
    ]);
  });

  test.each<[problem: string, older: string, newer: string, rules: ConversionCase[3], message: string]>([
    [
      "of no value",
      level("'a' | 'b'"),
      level("'a' | 'c'"),
      [as("d", "Level:c")],
      '"d" is not a value for Level:c at 2001-01-01; use one of "a", "b"',
    ],
    [
      "of itself",
      level("'a' | 'b'"),
      level("'a' | 'c'"),
      [as("c", "Level:c")],
      '"c" is not a value for Level:c at 2001-01-01; use one of "a", "b"',
    ],
    [
      "of a whole type",
      "x: 'a' | 1",
      "x: 'a' | 1 | boolean",
      [as("a", "Params.x")],
      '"a" is not a value for Params.x at 2001-01-01; use one of "a", 1',
    ],
    [
      "of a member",
      "a: 1",
      "a: 1; b?: 1",
      [as(1, "Params.b")],
      "the rule as does not apply to the property Params.b since 2002-01-01",
    ],
  ])("a rule %s is rejected", (_problem, older, newer, rules, message) => {
    expect(() => conversionFunctions(older, newer, rules)).toThrow(message);
  });
});

describe("values of older peers", () => {
  test("the old name becomes the new one, from the revision that has it", () => {
    expect(receivedFunctions(level("'a' | 'b'"), level("'a' | 'c'"), [as("b", "Level:c")])).toEqual({
      "2002-01-01": [...passing("from", "_loss"), 'if (v === "b") return "c";', "return v;"],
    });
  });

  test("a value becomes the name that the revision of the code has for it", () => {
    const rules = [as("b", "Level:c"), as("c", "Level:d")];
    const newer = [level("'a' | 'b'"), level("'a' | 'c'"), level("'a' | 'c' | 'e'"), level("'a' | 'd' | 'e'")];
    const received = receivedFunctions(level("'a' | 'b'"), newer, [...rules, as("a", "Level:e")]);
    expect(
      Object.entries(received).map(([since, lines]) => [since, lines.filter((line) => line.startsWith("if (v ="))]),
    ).toEqual([
      ["2003-01-01", ['if (v === "b") return "c";']],
      ["2005-01-01", ['if (v === "b") return "d";']],
    ]);
  });

  test("a value that the newer revision has as well stays", () => {
    expect(receivedFunctions(level("'a' | 'b'"), level("'a' | 'b' | 'c'"), [as("b", "Level:c")])).toEqual({});
  });

  test("a value that the newer revision removed without a rule stays", () => {
    expect(receivedFunctions(level("'a' | 'b' | 'z'"), level("'a' | 'c'"), [as("b", "Level:c")])).toEqual({
      "2002-01-01": [...passing("from", "_loss"), 'if (v === "b") return "c";', "return v;"],
    });
  });

  test("a renamed value is found inside of lists", () => {
    const older = "x: 'a' | 'b'; y?: { z: 'a' | 'b' }[]";
    const lines = receivedFunctions(older, "x: 'a' | 'c'; y?: { z: 'a' | 'c' }[]", [
      as("b", "Params.x:c", "Params.y.z:c"),
    ])["2002-01-01"];
    expect(lines).toContain('return withMember(v, "z", fromParamsYZ(v.z, loss));');
    expect(lines).toContain('if (v === "b") return "c";');
  });

  test("values of a removed member are converted where their type still exists", () => {
    const older = "export interface Params { x?: Level; old?: Level } export type Level = 'a' | 'b'";
    const newer = "export interface Params { x?: Level } export type Level = 'a' | 'c'";
    expect(receivedFunctions(older, newer, [as("b", "Level:c")])["2002-01-01"]).toContain(
      'return withMember(v, "x", fromLevel(v.x, loss));',
    );
  });
});

describe("members that older peers omit", () => {
  test.each<[what: string, older: string]>([
    ["optional", "a: 1; b?: string"],
    ["unknown", "a: 1"],
  ])("a required member that is %s for older peers gets its default", (what, older) => {
    const rules = [
      fallback("x", "Params.b"),
      ...(what === "unknown" ? [{ rule: "drop", at: ["Params.b"] } as const] : []),
    ];
    expect(receivedFunctions(older, "a: 1; b: string", rules)).toEqual({
      "2002-01-01": [
        "function fromParams(v: unknown, _loss?: OnLoss): unknown {",
        "if (!isObject(v)) return v;",
        'return withDefault(v, "b", "x");',
      ],
    });
  });

  test("a default is found by the base that requires the member", () => {
    const newer = "export interface Base { b: number } export interface Params extends Base { a: 1 }";
    const rules = [fallback(1, "Base.b"), { rule: "drop", at: ["Base.b"] } as const];
    expect(receivedFunctions("a: 1", newer, rules)["2002-01-01"]).toContain('return withDefault(v, "b", 1);');
  });

  test("a member that newer peers may omit gets its default on the way to older ones", () => {
    expect(conversionFunctions("a: 1; b: string[]", "a: 1; b?: string[]", [fallback([], "Params.b")])).toEqual([
      "function toParams(v: unknown, _loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withDefault(v, "b", []);',
    ]);
  });

  test.each<[type: string, value: unknown]>([
    ["string", 1],
    ["'a' | 'b'", "c"],
    ["{ x: number }", {}],
    ["{ x: number }", { x: "1" }],
    ["string[]", ["a", 1]],
    ["boolean", null],
    ["`a:${string}:b`", "a:b"],
    ["never[]", ["a"]],
  ])("the default of a member of the type %s cannot be %j", (type, value) => {
    const convert = (): unknown =>
      receivedFunctions("a: 1; b?: unknown", `a: 1; b: ${type}`, [fallback(value, "Params.b")]);
    expect(convert).toThrow(/^spec\/2001-01-01\/overlay\.json: the default .* is not valid for Params\.b/);
  });

  test.each<[type: string, value: unknown]>([
    ["string | null", null],
    ["{ x?: number; [key: string]: unknown }", { y: "z" }],
    ["`a:${string}:b`", "a::b"],
    ["object", {}],
    ["unknown", null],
    ["[number, ...string[]]", [1, "a"]],
  ])("the default of a member of the type %s can be %j", (type, value) => {
    const rules = [fallback(value, "Params.b")];
    expect(receivedFunctions("a: 1; b?: unknown", `a: 1; b: ${type}`, rules)["2002-01-01"]).toContain(
      `return withDefault(v, "b", ${JSON.stringify(value)});`,
    );
  });

  test("a default of a member that no revision requires is rejected", () => {
    expect(() =>
      receivedFunctions("a: 1", "a: 1; b?: 1", [fallback(1, "Params.b"), { rule: "drop", at: ["Params.b"] }]),
    ).toThrow(
      "conversions has the rule default for `Params.b`, which does not differ in any newer revision; remove it",
    );
  });
});

describe("values of reserved metadata", () => {
  const declarations = (value: string): string =>
    `export interface Params { _meta?: { [key: string]: unknown } } export interface Level { level: 'a' | '${value}' }`;
  const reserve = (model: RevisionModel): RevisionModel => ({
    ...model,
    rules: { ...model.rules, reservedMeta: [{ key: "org/level", on: "request", type: "Level", required: false }] },
  });

  test("the values of a reserved key are converted in both directions, though no type declares the key", () => {
    const rules = [{ rule: "as", value: "b", at: ["Level.level:c"], reason: "No." }] as const;
    const older = reserve(readToy("2001-01-01", declarations("b"), rules));
    const { functions, received } = writeConversions(
      readConversions([older, readToy("2002-01-01", declarations("c"))], older),
    );
    const texts = (all: WrittenConversions["functions"]): string => all.map(({ text }) => text).join("\n");
    expect(texts(functions)).toContain('return withMember(v, "org/level", toLevel(v["org/level"], loss));');
    expect(texts(functions)).toContain('if (v === "c") return "b";');
    expect(texts(received.flatMap((each) => each.functions))).toContain('if (v === "b") return "c";');
  });

  test("a reserved key whose values are the same needs no conversion", () => {
    const older = reserve(readToy("2001-01-01", declarations("b")));
    const newer = reserve(readToy("2002-01-01", declarations("b")));
    expect(writeConversions(readConversions([older, newer], older)).functions).toEqual([]);
  });
});
