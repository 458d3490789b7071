import { describe, expect, test } from "vitest";
import { checkValue, initialValue, readField } from "../../../tools/inspect/page/forms/schema.ts";
import { compareValues, foldLines } from "../../../tools/inspect/page/values/comparison.ts";
import { visibleText } from "../../../tools/inspect/page/values/values.ts";

describe("fields of a form", () => {
  test.each([
    [{ type: "string" }, "text"],
    [{ type: "string", maxLength: { valueOf: 1, toString: 1 } }, "text"],
    [{ type: ["string", "null"] }, "text"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ enum: ["a", 1, null] }, "choice"],
    [{ oneOf: [{ const: "a", title: "A" }] }, "choice"],
    [{ type: "array", items: { enum: ["a"] } }, "choices"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "array" }, "json"],
    [{ type: "array", items: { type: "array", items: { type: "number" } } }, "list"],
    [{ $ref: "#/$defs/endless" }, "json"],
    [{ type: "object" }, "object"],
    [{ type: "object", additionalProperties: { type: "string" } }, "json"],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, "json"],
    [{ $ref: "#/$defs/a~1b" }, "text"],
    [{ $ref: "#/$defs/a%7E1b" }, "text"],
    [{ $ref: "#/$defs/either/anyOf/1" }, "number"],
    [{ $ref: "#/$defs/100%" }, "boolean"],
    [{ $ref: "#/$defs/a~1b", enum: ["x"] }, "choice"],
    [{ $ref: "#anchor" }, "json"],
    [{ $ref: "#/$defs/circle" }, "json"],
    [{ $ref: "https://example.com/" }, "json"],
    [true, "json"],
    [null, "json"],
  ])("the schema %j has a field of the kind %s", (schema, kind) => {
    const endless = { type: "array", items: { $ref: "#/$defs/endless" } };
    const either = { anyOf: [{ type: "null" }, { type: "integer" }] };
    const circle = { $ref: "#/$defs/circle" };
    const root = { $defs: { "a/b": { type: "string" }, "100%": { type: "boolean" }, circle, endless, either } };
    expect(readField(schema, root).kind).toBe(kind);
  });

  test("a form begins with defaults and required members, and ends where a schema contains itself", () => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string" },
        age: { type: "integer", default: 5 },
        nick: { type: "string" },
        kind: { const: "x" },
        self: { $ref: "#" },
      },
      required: ["name", "kind", "self"],
    };
    expect(initialValue(schema, schema)).toMatchObject({ name: "", age: 5, kind: "x", self: { self: { self: {} } } });
  });
});

test("a default beside a reference counts before one that it leads to", () => {
  const color = { enum: ["red", "green"], default: "green" };
  const properties = { own: { $ref: "#/$defs/color", default: "red" }, other: { $ref: "#/$defs/color" } };
  const schema = { type: "object", properties, $defs: { color } };
  expect(initialValue(schema, schema)).toEqual({ own: "red", other: "green" });
});

test.each([3, 20, 900, 5_000])("the value of a schema that contains itself %d times is bounded", (count) => {
  const names = Array.from({ length: count }, (_, at) => `p${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#" }]));
  const schema = { type: "object", properties, required: names };
  expect((JSON.stringify(initialValue(schema, schema)) ?? "").length).toBeLessThan(20_000);
});

test("a value is checked, without patterns that could take long", () => {
  const schema = {
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$" }, count: { type: "integer" } },
    required: ["count"],
  };
  expect(checkValue(schema, { text: `${"a".repeat(40)}!`, count: 1 })).toEqual([]);
  expect(checkValue(schema, { count: "x" })).toEqual([{ path: "count", message: expect.stringContaining("integer") }]);
  expect(checkValue({ $ref: "#/nowhere" }, 5)).toEqual([]);
});

test.each<readonly [string, object, unknown, number]>([
  ["an argument with the name of a keyword", { properties: { pattern: { type: "string" } } }, { pattern: "a" }, 0],
  ["another type of it", { properties: { format: { type: "string" } } }, { format: 5 }, 1],
  ["a member that no schema lists", { properties: { pattern: true } }, { other: 5 }, 1],
  ["a member that a pattern allows", { patternProperties: { "^x-": {} } }, { "x-a": 5 }, 0],
  ["a value with such a member", { properties: { a: { const: { pattern: "b" } } } }, { a: { pattern: "b" } }, 0],
  [
    "a reference to such an argument",
    { properties: { a: { $ref: "#/properties/pattern" }, pattern: true } },
    { a: 1 },
    0,
  ],
])("%s is checked in an object without further members", (_name, schema, value, count) => {
  expect(checkValue({ type: "object", additionalProperties: false, ...schema }, value)).toHaveLength(count);
});

test("a schema whose evaluations double at each level is not checked to its end", () => {
  const levels = Array.from({ length: 40 }, (_, at) => `#/$defs/a${at + 1}`);
  const doubled = levels.map(($ref, at) => [`a${at}`, { allOf: [{ $ref }, { $ref }] }]);
  const $defs = { ...Object.fromEntries(doubled), a40: { type: "object" } };
  expect(checkValue({ $ref: "#/$defs/a0", $defs }, {})).toEqual([]);
  expect(checkValue({ $ref: "#/$defs/a38", $defs }, 5)).toHaveLength(4);
});

test("a pattern in a part that is no schema takes no time", () => {
  const hostile = { pattern: "^(a+)+$" };
  const schema = { properties: { a: { $ref: "#/examples" } }, examples: hostile, default: hostile };
  expect(checkValue(schema, { a: `${"a".repeat(40)}!` })).toEqual([]);
});

test("two values are compared regardless of the order of members", () => {
  expect(compareValues({ a: 1, b: [2] }, { b: [2], a: 1 }).every(({ isSame }) => isSame)).toBe(true);
  expect(compareValues({ a: 1, b: 2 }, { a: 1, c: 2 }).filter(({ isSame }) => !isSame)).toEqual([
    { left: '  "b": 2', right: '  "c": 2', isSame: false },
  ]);
});

test("two long values with many changes are compared line by line, without aligning them", () => {
  const left = Array.from({ length: 9_000 }, (_, at) => at);
  const lines = compareValues(
    left,
    left.map((value) => value + 0.5),
  );
  expect(lines).toHaveLength(9_002);
  expect(lines[1]).toEqual({ left: "  0,", right: "  0.5,", isSame: false });
  // Aligned, all lines of `left` would be equal: aligning takes too long with so many changes.
  const more = compareValues(left, [...Array.from({ length: 1_001 }, (_, at) => -at - 1), ...left]);
  expect(more.filter(({ isSame }) => isSame)).toHaveLength(1);
});

test.each([
  ["a\u202eb\u200b\u0000\n\u001b[31m", "a\\u{202e}b\\u{200b}\\u{0}\n\\u{1b}[31m"],
  ["a\u061cb\u00adc\u3164d\u2028e", "a\\u{61c}b\\u{ad}c\\u{3164}d\\u{2028}e"],
  ["a\ufe00\u{e0101}\u{e0041}", "a\\u{fe00}\\u{e0101}\\u{e0041}"],
  ["Grüße, 世界 ❤\ufe0f 1\ufe0f\u20e3", "Grüße, 世界 ❤\ufe0f 1\ufe0f\u20e3"],
])("invisible characters and those that change directions are escapes in %j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  ["no difference", { list: [1, 2, 3] }, { list: [1, 2, 3] }, ["7 folded"]],
  ["one at the end", [...Array(20).keys()], [...Array(20).keys(), 20], ["17 folded", "6 shown"]],
  ["one at the beginning", { a: 1, list: Array(9).fill(0) }, { a: 2, list: Array(9).fill(0) }, ["5 shown", "9 folded"]],
])("equal lines of a comparison are folded unless they are near a difference: %s", (_where, left, right, expected) => {
  const rows = foldLines(compareValues(left, right));
  const shown = rows.filter((row) => !("folded" in row)).length;
  const runs = rows.map((row) => ("folded" in row ? `${row.folded} folded` : `${shown} shown`));
  expect([...new Set(runs)]).toEqual(expected);
});
