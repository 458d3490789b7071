import { expect, test } from "vitest";
import { readAccess } from "../../../generator/live/access.ts";

test.each([
  [30, 30_000],
  [0.5, 500],
  [3_000_000, 2_147_483_647],
  [Infinity, 2_147_483_647],
])("the timeout %d s fits into a timer", (timeout, milliseconds) => {
  expect(readAccess({ timeout }).timeout).toBe(milliseconds);
});

test.each([0, -1, NaN])("the timeout %d is rejected", (timeout) => {
  expect(() => readAccess({ timeout })).toThrow("--timeout is not a number of seconds above 0");
});
