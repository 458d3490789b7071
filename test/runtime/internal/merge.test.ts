import { expect, test } from "vitest";
import { merge } from "../../../runtime/internal/merge.ts";

test("the second object has priority, and neither is changed", () => {
  const first = { a: 1, b: 1 };
  const second = { b: 2, c: 2 };
  expect(merge(first, second)).toEqual({ a: 1, b: 2, c: 2 });
  expect([first, second]).toEqual([
    { a: 1, b: 1 },
    { b: 2, c: 2 },
  ]);
});

test.each([
  ["first", [JSON.parse('{"__proto__":{"isError":true}}'), { a: 1 }]],
  ["second", [{ a: 1 }, JSON.parse('{"__proto__":{"isError":true}}')]],
])("a member named __proto__ of the %s stays a member (R9)", (_which, [first, second]) => {
  const merged = merge(first, second);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(Object.keys(merged).sort()).toEqual(["__proto__", "a"]);
});
