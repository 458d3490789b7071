import { expect, test } from "vitest";
import { checkFinite, checkNumbers, checkPositive } from "../../../runtime/jsonrpc/check-numbers.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";

/* What the checks of numbers accept. `check-numbers.program.test.ts` shows which options are checked. */

const negative = (value: number): string => `limit is ${value}; use a number of 0 or more, or omit it for the default`;
const infinite = "limit is Infinity; use a finite number, or omit it for the default";
const tooLow = (value: number): string => `limit is ${value}; use a number above 0, or omit it for the default`;

test.each([
  { value: -1, options: negative(-1), finite: undefined, positive: tooLow(-1) },
  { value: NaN, options: negative(NaN), finite: undefined, positive: tooLow(NaN) },
  { value: 0, options: undefined, finite: undefined, positive: tooLow(0) },
  { value: 0.5, options: undefined, finite: undefined, positive: undefined },
  { value: Infinity, options: undefined, finite: infinite, positive: undefined },
])("a number of $value is accepted, or rejected with what to use instead", ({ value, options, finite, positive }) => {
  expect(problemOf(() => checkNumbers({ limit: value }))).toBe(options);
  expect(problemOf(() => checkFinite({ limit: value }))).toBe(finite);
  expect(problemOf(() => checkPositive("limit", value))).toBe(positive);
});

test("options that are no numbers, and groups that are off, are not checked", () => {
  expect(() => checkNumbers({ name: "-1", list: [-1], missing: undefined }, false, undefined)).not.toThrow();
  expect(() => checkFinite({ limit: undefined })).not.toThrow();
  expect(problemOf(() => checkNumbers(undefined, { limit: -1 }))).toBe(negative(-1));
});

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof SetupError ? error.message : String(error);
  }
}
