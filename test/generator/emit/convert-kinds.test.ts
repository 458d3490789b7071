import { describe, expect, test } from "vitest";
import { conversionFunctions, type ConversionCase } from "./conversion-functions.ts";

const values: readonly ConversionCase[] = [
  [
    "another value than an object is rejected, and objects are converted",
    "a: { b: 1 }",
    "a: unknown",
    [{ rule: "error", at: ["Params.a"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(v.a, loss));',
      "function toParamsA(v: unknown, _loss?: OnLoss): unknown {",
      'if (v !== undefined && !isObject(v)) throw new ConversionError({ type: "Params.a", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "another value than a list is rejected",
    "a: string[]",
    "a: unknown",
    [{ rule: "error", at: ["Params.a"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(v.a, loss));',
      "function toParamsA(v: unknown, _loss?: OnLoss): unknown {",
      'if (v !== undefined && !Array.isArray(v)) throw new ConversionError({ type: "Params.a", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "another value than a literal is rejected",
    "a: 'b'",
    "a: unknown",
    [{ rule: "error", at: ["Params.a"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(v.a, loss));',
      "function toParamsA(v: unknown, _loss?: OnLoss): unknown {",
      'if (v !== undefined && v !== "b") throw new ConversionError({ type: "Params.a", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "another value than one of several is rejected",
    "a: 'b' | number | null",
    "a: unknown",
    [{ rule: "error", at: ["Params.a"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(v.a, loss));',
      "function toParamsA(v: unknown, _loss?: OnLoss): unknown {",
      'if (v !== undefined && v !== "b" && typeof v !== "number" && v !== null) throw new ConversionError({ type: "Params.a", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "a value of the params as a whole is rejected",
    "export interface A { a: 1 } export type Params = A",
    "export interface A { a: 1 } export type Params = A | string",
    [{ rule: "error", at: ["Params:string"] }],
    [
      "function toParams(v: unknown, _loss?: OnLoss): unknown {",
      'if (typeof v === "string") throw new ConversionError({ type: "Params:string", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "a kept value of another kind is converted as far as it is of the same kind",
    "a: { b: 1 }",
    ["a: { b: 1; c?: 1 }", "a: unknown"],
    [
      { rule: "keep", at: ["Params.a"] },
      { rule: "drop", at: ["Params.a.c"] },
    ],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(v.a, loss));',
      'const paramsAKeys: KnownKeys = { type: "Params.a", known: new Set(["b"]) };',
      "function toParamsA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsAKeys, loss);",
    ],
  ],
  [
    "a rule on a value precedes its conversion",
    "a: { b: 1 }",
    ["a: { b: 1; c?: 1 }", "a: unknown"],
    [
      { rule: "schema-objects", at: ["Params.a"] },
      { rule: "drop", at: ["Params.a.c"] },
    ],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsA(schemaObjects(v.a), loss));',
      'const paramsAKeys: KnownKeys = { type: "Params.a", known: new Set(["b"]) };',
      "function toParamsA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsAKeys, loss);",
    ],
  ],
  [
    "a value of the same kind is converted where others are rejected",
    "a: { b: 1 }",
    ["a: { b: 1; c?: 1 }", "a: unknown"],
    [
      { rule: "error", at: ["Params.a"] },
      { rule: "drop", at: ["Params.a.c"] },
    ],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toParamsAValue(v.a, loss));',
      "function toParamsAValue(v: unknown, loss?: OnLoss): unknown {",
      'if (v !== undefined && !isObject(v)) throw new ConversionError({ type: "Params.a", reason: "No.", revision });',
      "return toParamsA(v, loss);",
      'const paramsAKeys: KnownKeys = { type: "Params.a", known: new Set(["b"]) };',
      "function toParamsA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsAKeys, loss);",
    ],
  ],
  [
    "any text is rejected beside a known one, and known numbers need no test",
    "export type Params = 5 | 'a'",
    "export type Params = 5 | 'a' | string",
    [{ rule: "error", at: ["Params"] }],
    [
      "function toParams(v: unknown, _loss?: OnLoss): unknown {",
      'if (typeof v === "string" && v !== "a") throw new ConversionError({ type: "Params", reason: "No.", revision });',
      "return v;",
    ],
  ],
];

describe("conversions of values of another kind", () => {
  test.each(values)("%s", (_what, older, newer, rules, functions) => {
    expect(conversionFunctions(older, newer, rules)).toEqual(functions);
  });
});
