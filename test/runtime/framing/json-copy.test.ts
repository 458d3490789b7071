import { describe, expect, test } from "vitest";
import { copyJson } from "../../../runtime/framing/json-copy.ts";

class Point {
  readonly x = 1;
  get y(): number {
    return 2;
  }
}

describe("copies of JSON values", () => {
  test.each([
    ["an object", { a: 1, b: "x", c: true, d: null, e: [1, [2]] }],
    ["members that are undefined", { a: undefined, b: { c: undefined } }],
    ["functions and symbols", { a: () => 1, [Symbol("s")]: 1, b: Symbol("t"), c: [() => 1, undefined, Symbol("u")] }],
    ["numbers that JSON lacks", [Number.NaN, Infinity, -Infinity, -0.5]],
    ["a date", { at: new Date(0), list: [new Date(1)] }],
    ["an own toJSON", { a: { toJSON: (key: string) => `was ${key}` } }],
    ["an instance of a class", new Point()],
    ["a map", { map: new Map([[1, 2]]) }],
    ["boxed values", [Object("s"), Object(1), Object(true)]],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a sparse list", [, 1]],
    ["a URL", { url: new URL("https://example.com/") }],
  ])("a copy is equal to the value that its JSON text encodes: %s", (_, value) => {
    expect(copyJson(value).value).toEqual(JSON.parse(JSON.stringify(value)));
  });
});

test("a copy shares nothing with the original", () => {
  const original = { list: [{ a: 1 }] };
  const copy = copyJson(original).value;
  original.list.push({ a: 2 });
  expect(copy).toEqual({ list: [{ a: 1 }] });
});

test("inherited members are not copied (R9)", () => {
  Object.defineProperty(Object.prototype, "polluted", { value: 1, enumerable: true, configurable: true });
  const { value } = copyJson({ a: 1 });
  Reflect.deleteProperty(Object.prototype, "polluted");
  expect(value).toEqual({ a: 1 });
});

test("a member named __proto__ is copied as a member (R9)", () => {
  const { value } = copyJson(JSON.parse('{"__proto__":{"polluted":true}}'));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(Object(value))).toEqual(["__proto__"]);
});

test.each([
  ["a cycle", cycle()],
  ["a big integer", { a: 1n }],
])("%s cannot be copied", (_, value) => {
  expect(() => copyJson(value)).toThrow(TypeError);
});

test("the depth of a copy is counted while copying", () => {
  const depths = [1, "a", null, {}, [[]], { a: { b: [] }, c: 1 }].map((value) => copyJson(value).depth);
  expect(depths).toEqual([0, 0, 0, 1, 2, 3]);
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  value.a = [value, value];
  return value;
}
