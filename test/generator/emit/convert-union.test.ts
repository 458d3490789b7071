import { describe, expect, test } from "vitest";
import { conversionFunctions, type ConversionCase } from "./conversion-functions.ts";

const unions: readonly ConversionCase[] = [
  [
    "literals of the same alternative share a case",
    "export type Params = { type: 'a' | 'c'; y: 1 } | { type: 'b' }",
    "export type Params = { type: 'a' | 'c'; y: 1; z?: 1 } | { type: 'b' }",
    [{ rule: "drop", at: ["Params.z"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "a":',
      'case "c":',
      "return toParams(v, loss);",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["type","y"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
  [
    "a new alternative is rejected by its literal",
    "export interface A { type: 'a' } export type Params = A",
    "export interface A { type: 'a' } export interface B { type: 'b'; x: 1 } export type Params = A | B",
    [{ rule: "error", at: ["B"] }],
    [
      "function toParams(v: unknown, _loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "b":',
      'throw new ConversionError({ type: "B", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "a new alternative is converted to a known one",
    "export interface A { type: 'a' } export type Params = A",
    "export interface A { type: 'a' } export interface B { type: 'b'; x: 1 } export type Params = A | B",
    [{ rule: "link-to-text", at: ["B"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "b":',
      'return toParams(linkToText(v, "Params", loss), loss);',
      "return v;",
    ],
  ],
  [
    "a new alternative without loss is converted to a known one",
    "export interface A { type: 'a' } export type Params = A",
    "export interface A { type: 'a' } export interface B { type: 'b'; x: 1 } export type Params = A | B",
    [{ rule: "titles-to-names", at: ["B"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "b":',
      "return toParams(titlesToNames(v), loss);",
      "return v;",
    ],
  ],
  [
    "a list becomes its only item",
    "export interface A { type: 'a' } export type Params = A",
    "export interface A { type: 'a' } export type Params = A | A[]",
    [{ rule: "single-item", at: ["Params:A[]"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (Array.isArray(v)) {",
      "if (v.length === 1) return toParams(v[0], loss);",
      'throw new ConversionError({ type: "Params:A[]", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "lists beside objects are rejected",
    "export interface A { type: 'a' } export type Params = A",
    "export interface A { type: 'a' } export type Params = A | A[]",
    [{ rule: "error", at: ["Params:A[]"] }],
    [
      "function toParams(v: unknown, _loss?: OnLoss): unknown {",
      'if (Array.isArray(v)) throw new ConversionError({ type: "Params:A[]", reason: "No.", revision });',
      "return v;",
    ],
  ],
  [
    "objects beside lists are converted",
    "export interface A { type: 'a' } export type Params = A | string[]",
    "export interface A { type: 'a'; b?: 1 } export type Params = A | string[]",
    [{ rule: "drop", at: ["A.b"] }],
    [
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return toA(v, loss);",
      'const aKeys: KnownKeys = { type: "A", known: new Set(["type"]) };',
      "function toA(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, aKeys, loss);",
    ],
  ],
  [
    "lists are converted where objects may stay",
    "export interface A { type: 'a' } export type Params = A | { b: 1 }[]",
    "export interface A { type: 'a' } export type Params = A | { b: 1; c?: 1 }[]",
    [{ rule: "drop", at: ["Params.c"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (Array.isArray(v)) return mapItems(v, toParams, loss);",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["b"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
  [
    "an absent literal is a case of its own",
    "export type Params = { type?: 'a'; x: 1 } | { type: 'b' }",
    "export type Params = { type?: 'a'; x: 1; y?: 1 } | { type: 'b' }",
    [{ rule: "drop", at: ["Params.y"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "a":',
      "case undefined:",
      "return toParams(v, loss);",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["type","x"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
  [
    "alternatives with the same literal are found by their required members",
    "export type Params = { type: 'a'; x: 1; y: 1 } | { type: 'a'; z: 1 }",
    "export type Params = { type: 'a'; x: 1; y: 1; w?: 1 } | { type: 'a'; z: 1 }",
    [{ rule: "drop", at: ["Params.w"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "a":',
      "if (v.x !== undefined && v.y !== undefined) return toParams(v, loss);",
      "return v;",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["type","x","y"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
  [
    "members whose names are no identifiers are quoted",
    "export type Params = { 'a-type': 'a'; x: 1 } | { 'a-type': 'b' }",
    "export type Params = { 'a-type': 'a'; x: 1; y?: 1 } | { 'a-type': 'b' }",
    [{ rule: "drop", at: ["Params.y"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      'switch (v["a-type"]) {',
      'case "a":',
      "return toParams(v, loss);",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["a-type","x"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
  [
    "an alternative that may stay precedes a converted one",
    "export type Params = { a: 1 } | { b: 1; c: 1 }",
    "export type Params = { a: 1; x?: 1 } | { b: 1; c: 1 }",
    [{ rule: "drop", at: ["Params.x"] }],
    [
      "function toParamsValue(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "if (v.a !== undefined) return toParams(v, loss);",
      "return v;",
      'const paramsKeys: KnownKeys = { type: "Params", known: new Set(["a"]) };',
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "return keepKnown(v, paramsKeys, loss);",
    ],
  ],
];

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
];

describe("conversions of unions", () => {
  test.each(unions)("%s", (_what, older, newer, rules, functions) => {
    expect(conversionFunctions(older, newer, rules)).toEqual(functions);
  });
});

describe("conversions of values of another kind", () => {
  test.each(values)("%s", (_what, older, newer, rules, functions) => {
    expect(conversionFunctions(older, newer, rules)).toEqual(functions);
  });
});
