import { describe, expect, test } from "vitest";
import { conversionFunctions, type ConversionCase } from "./conversion-functions.ts";

const recursive: readonly ConversionCase[] = [
  [
    "a type that contains itself calls its own conversion",
    "a: 1; list: Params[]; map?: { [key: string]: Params }",
    "a: 1; b?: 1; list: Params[]; map?: { [key: string]: Params }",
    [{ rule: "drop", at: ["Params.b"] }],
    [
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["a","list","map"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "let out = keepKnown(v, paramsKeys, loss);",
      'out = withMember(out, "list", mapItems(out.list, toParams, loss));',
      'return withMember(out, "map", toParamsMap(out.map, loss));',
      "function toParamsMap(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return mapValues(v, toParams, loss);",
    ],
  ],
  [
    "a difference beside the type itself is converted at every depth",
    "of: Params[]; x: { y: 1 }",
    "of: Params[]; x: { y: 1; z?: 1 }",
    [{ rule: "drop", at: ["Params.x.z"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'const out = withMember(v, "of", mapItems(v.of, toParams, loss));',
      'return withMember(out, "x", toParamsX(out.x, loss));',
      'const paramsXKeys: KnownKeys = { type: "Params.x", known: new Set(["y"]) };',
      "function toParamsX(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsXKeys, loss);",
    ],
  ],
  [
    "a type that contains itself needs no conversion if everything is kept",
    "of: Params[]; x: { y: 1 }",
    "of: Params[]; x: { y: 1; z?: 1 }",
    [{ rule: "keep", at: ["Params.x.z"] }],
    [],
  ],
  [
    "two types that contain each other call each other's conversion",
    "export interface A { type: 'a'; of: Node[] } export interface B { type: 'b' } export type Node = A | B; export interface Params { a: Node }",
    "export interface A { type: 'a'; of: Node[]; c?: 1 } export interface B { type: 'b' } export type Node = A | B; export interface Params { a: Node }",
    [{ rule: "drop", at: ["A.c"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'return withMember(v, "a", toNode(v.a, loss));',
      "function toNode(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "a":',
      "return toA(v, loss);",
      "return v;",
      'const aKeys: KnownKeys = { type: "A", known: new Set(["type","of"]) };',
      "function toA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "const out = keepKnown(v, aKeys, loss);",
      'return withMember(out, "of", mapItems(out.of, toNode, loss));',
    ],
  ],
  [
    "lists of lists of the type itself are converted",
    "a: 1; of: Params[][]",
    "a: 1; b?: 1; of: Params[][]",
    [{ rule: "drop", at: ["Params.b"] }],
    [
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["a","of"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "const out = keepKnown(v, paramsKeys, loss);",
      'return withMember(out, "of", mapItems(out.of, toParamsArray, loss));',
      "function toParamsArray(v: unknown, loss?: OnLoss): unknown {",
      "return mapItems(v, toParams, loss);",
    ],
  ],
];

describe("conversions of types that contain themselves", () => {
  test.each(recursive)("%s", (_what, older, newer, rules, functions) => {
    expect(conversionFunctions(older, newer, rules)).toEqual(functions);
  });
});
