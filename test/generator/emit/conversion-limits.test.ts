import { describe, expect, test } from "vitest";
import { SpecError } from "../../../generator/internal/spec-error.ts";
import { convertToys, type ConversionCase } from "./conversion-functions.ts";

describe("rules that the generator cannot follow", () => {
  const drop = (...at: string[]): ConversionCase[3] => [{ rule: "drop", at }];
  const reject = (...at: string[]): ConversionCase[3] => [{ rule: "error", at }];

  test.each<[what: string, older: string, newer: string, rules: ConversionCase[3], text: string]>([
    [
      "error for values beside any others",
      "x: string | unknown",
      "x: unknown",
      reject("Params.x"),
      "other values of Params.x cannot be distinguished; use another rule than error",
    ],
    [
      "rules for named and for further members",
      "a: { b: 1 }; [key: string]: { b: 1 }",
      "a: { b: 1; c?: 1 }; [key: string]: { b: 1; c?: 1 }",
      drop("Params.a.c", "Params.c"),
      "further members of Params cannot be converted beside named ones; use the rule keep",
    ],
    [
      "another rule than error for a plain value",
      'x: "a"',
      'x: "a" | "b"',
      [{ rule: "audio-to-text", at: ["Params.x"] }],
      "new plain values of Params.x cannot be converted; use the rule as or error",
    ],
    [
      "error for an alternative with any values",
      'x: "a"',
      'x: "a" | unknown',
      reject("Params.x"),
      "new values of Params.x cannot be distinguished; list them instead of allowing any",
    ],
    [
      "rules for one list of several",
      "x: { a: string }[] | { b: string }[]",
      "x: { a: string; c?: 1 }[] | { b: string }[]",
      drop("Params.x.c"),
      "lists of Params.x cannot be distinguished; use rules that treat their items alike",
    ],
    [
      "error for alternatives with equal members beside a known one",
      "export interface A { a: string } export interface Params { x: A }",
      "export interface A { a: string } export interface B { c: 1 } export interface C { c: 1 } export interface Params { x: A | B | C }",
      reject("Params.x"),
      "alternatives of Params.x cannot be distinguished; give each a required or literal member",
    ],
  ])("the overlay must not have %s", (_what, older, newer, rules, text) => {
    const write = (): unknown => convertToys(older, newer, rules);
    expect(write).toThrow(SpecError);
    expect(write).toThrow(`spec/2001-01-01/overlay.json: ${text}`);
  });
});
