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
    ["a member toJSON that is no function", { a: { toJSON: 5 }, b: Object.assign(new Point(), { toJSON: 5 }) }],
    ["an instance of a class", new Point()],
    ["a map", { map: new Map([[1, 2]]) }],
    ["boxed values", [Object("s"), Object(1), Object(true)]],
    ["an object without prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a sparse list", Object.assign(new Array<unknown>(2), { 1: 1 })],
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

test.each([
  [1, 0],
  [[1, 2, [3]], 4],
  [{ a: 1, b: undefined, c: { d: null } }, 3],
  [{ a: [undefined, {}] }, 3],
  [{ at: new Date(0) }, 1],
  [{ map: new Map([[1, 2]]) }, 1],
])("the copy of %j has %i values", (value, values) => {
  expect(copyJson(value).values).toBe(values);
});

test("a value may be nested in 1,000 others", () => {
  const nest = (depth: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
    return value;
  };
  expect(copyJson(nest(1_000))).toEqual({ value: nest(1_000), depth: 1_000, values: 1_000 });
  expect(() => copyJson(nest(1_001))).toThrow(new TypeError("A circular structure cannot be serialized as JSON"));
  expect(() => copyJson(1n)).toThrow(new TypeError("A BigInt cannot be serialized as JSON"));
});

test("toJSON gets the key of its value, also of the whole value and in lists", () => {
  const spy = { toJSON: (key: string): unknown => ({ key }) };
  expect(copyJson(spy).value).toEqual({ key: "" });
  expect(copyJson(spy, "result").value).toEqual({ key: "result" });
  expect(copyJson([spy, { a: spy }]).value).toEqual([{ key: "0" }, { a: { key: "a" } }]);
});

test("a copied member named __proto__ can be changed like any other", () => {
  const { value } = copyJson(JSON.parse('{"__proto__":1}'));
  expect(Object.getOwnPropertyDescriptor(value, "__proto__")).toEqual({
    value: 1,
    enumerable: true,
    configurable: true,
    writable: true,
  });
});

test("the depth of a copy is counted while copying", () => {
  const values = [1, "a", null, {}, [[]], { a: { b: [] }, c: 1 }, { a: { b: [] }, c: {} }, [[[]], []]];
  expect(values.map((value) => copyJson(value).depth)).toEqual([0, 0, 0, 1, 2, 3, 3, 3]);
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  value.a = [value, value];
  return value;
}
