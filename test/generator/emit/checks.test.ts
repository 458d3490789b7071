import { describe, expect, test } from "vitest";
import { compileChecks } from "../../oracle/compiled-checks.ts";
import { readToy } from "../conversions/toy-revisions.ts";

describe("checks of unions", () => {
  const list = "export type Entry = string | number[]; export interface Params { x: Entry | boolean[] }";
  const nested = "export interface Params { x: (string | number[]) | { a: 1 }[] }";

  test.each([
    ["a list of a union within the union", list, [1], true],
    ["a list of the union itself", list, [true], true],
    ["a list of neither", list, ["text"], false],
    ["a list of an inline union", nested, [1], true],
    ["a list of objects", nested, [{ a: 1 }], true],
    ["any list beside any value", "export interface Params { x: unknown | number[] }", ["text"], true],
  ])("%s", async (_what, declarations, x, isValid) => {
    const { checks } = await compileChecks(readToy("2001-01-01", declarations));
    expect(checks.get("Params")?.({ x }) === undefined).toBe(isValid);
  });
});
