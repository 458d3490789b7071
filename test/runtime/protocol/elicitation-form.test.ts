import { describe, expect, test } from "vitest";
import { checkForm, fillForm } from "../../../runtime/protocol/methods/elicitation-form.ts";

function schema(field: object, required: readonly string[] = []): object {
  return { type: "object", properties: { a: field }, required };
}

const titled = [
  { const: "x", title: "X" },
  { const: "y", title: "Y" },
];

const only = { type: "string", enum: ["x"] };

const time = "be a time such as 1999-12-31T23:59:59Z";

describe("the values of a form (E-10)", () => {
  test.each<[string, object, unknown, unknown, string]>([
    ["text", { type: "string" }, "hello", 5, "be a string"],
    ["text that is too short", { type: "string", minLength: 2 }, "ab", "a", "have at least 2 characters"],
    ["text that is too long", { type: "string", maxLength: 2 }, "ab", "abc", "have at most 2 characters"],
    [
      "length in characters, not in code units",
      { type: "string", maxLength: 1 },
      "😀",
      "😀😀",
      "have at most 1 characters",
    ],
    ["an e-mail address", { type: "string", format: "email" }, "a@b.c", "a b@c", "be an e-mail address"],
    ["a URL", { type: "string", format: "uri" }, "https://x.y/z", "x y", "be an absolute URL"],
    ["a date", { type: "string", format: "date" }, "2024-02-29", "2023-02-29", "be a date such as 1999-12-31"],
    ["a date in words", { type: "string", format: "date" }, "1999-12-31", "tomorrow", "be a date such as 1999-12-31"],
    ["a time", { type: "string", format: "date-time" }, "2024-02-29T23:59:59.5+01:00", "2024-02-29", time],
    ["an hour", { type: "string", format: "date-time" }, "2024-02-29T23:00:00Z", "2024-02-29T24:00:00Z", time],
    ["a format that nobody knows", { type: "string", format: "colour" }, "red", 1, "be a string"],
    ["bounds that are no numbers", { type: "string", minLength: "9", maxLength: "0" }, "red", 1, "be a string"],
    ["a number", { type: "number" }, 1.5, "1.5", "be a number"],
    ["a number that is no text", { type: "number" }, 0, "0", "be a number"],
    ["a finite number", { type: "number" }, 0, NaN, "be a number"],
    ["a whole number", { type: "integer" }, 3, 3.5, "be a whole number"],
    [
      "an integer that is not rounded",
      { type: "integer" },
      2 ** 53 - 1,
      2 ** 53,
      "be within 9007199254740991, beyond which integers are rounded",
    ],
    ["a minimum", { type: "number", minimum: 2 }, 2, 1, "be at least 2"],
    ["a maximum", { type: "number", maximum: 2 }, 2, 3, "be at most 2"],
    ["a switch", { type: "boolean" }, false, "false", "be true or false"],
    ["one of a list", { type: "string", enum: ["x", "y"] }, "x", "z", 'be one of "x", "y"'],
    ["one of a titled list", { type: "string", oneOf: titled }, "y", "Y", 'be one of "x", "y"'],
    ["one of a list with names", { type: "string", enum: ["x"], enumNames: ["X"] }, "x", "X", 'be one of "x"'],
    ["several of a list", { type: "array", items: { enum: ["x", "y"] } }, ["y", "x"], ["z"], 'be one of "x", "y"'],
    ["several of a titled list", { type: "array", items: { anyOf: titled } }, [], "x", "be an array of choices"],
    ["few choices", { type: "array", minItems: 1, items: only }, ["x"], [], "have at least 1 choices"],
    ["many choices", { type: "array", maxItems: 1, items: only }, ["x"], ["x", "x"], "have at most 1 choices"],
  ])("a value is checked by the rules of its field: %s", (_, field, good, bad, problem) => {
    expect(checkForm(schema(field), { a: good })).toEqual([]);
    expect(checkForm(schema(field), { a: bad })).toEqual([{ path: ["a"], message: `must ${problem}` }]);
  });

  test.each([{ type: "array" }, { type: "array", items: {} }])("the field %j has nothing to choose", (field) => {
    expect(checkForm(schema(field), { a: [] })).toEqual([]);
    expect(checkForm(schema(field), { a: ["x"] })).toEqual([{ path: ["a"], message: "must be one of " }]);
  });

  test("no value fits a field of another type", () => {
    const message = "has a type that is not supported in forms";
    expect(checkForm(schema({ type: "object" }), { a: {} })).toEqual([{ path: ["a"], message }]);
  });

  test.each([undefined, null, "text", {}, { properties: null }, { properties: "text" }, { properties: { a: 1 } }])(
    "the schema %j has no fields",
    (given) => {
      expect(checkForm(given, { a: 1 })).toEqual([{ path: ["a"], message: "was not requested" }]);
      expect(checkForm(given, {})).toEqual([]);
      expect(fillForm(given, { a: 1 })).toEqual({ a: 1 });
    },
  );

  test("required values must be present, and values without a field must not", () => {
    expect(checkForm(schema({ type: "string" }, ["a"]), {})).toEqual([{ path: ["a"], message: "is required" }]);
    expect(checkForm(schema({ type: "string" }), { b: 1 })).toEqual([{ path: ["b"], message: "was not requested" }]);
    expect(checkForm(schema({ type: "string" }, ["a"]), { a: "x" })).toEqual([]);
    const strange: unknown = JSON.parse('{"properties": {}, "required": [7]}');
    expect(checkForm(strange, {})).toEqual([]);
  });

  test("a field may have any name", () => {
    const hostile: unknown = JSON.parse(
      '{"properties": {"__proto__": {"type": "string", "default": "x"}, "constructor": {"type": "string"}}}',
    );
    const filled = fillForm(hostile, {});
    expect(Object.entries(filled)).toEqual([["__proto__", "x"]]);
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    expect(checkForm(hostile, filled)).toEqual([]);
  });
});

describe("the defaults of a form (E-08)", () => {
  test.each([
    ["text", { type: "string", default: "x" }, "x"],
    ["a number", { type: "integer", default: 0 }, 0],
    ["a switch", { type: "boolean", default: false }, false],
    ["a choice", { type: "string", oneOf: titled, default: "y" }, "y"],
    ["choices", { type: "array", items: { anyOf: titled }, default: ["x"] }, ["x"]],
  ])("a missing value takes its default: %s", (_, field, value) => {
    expect(fillForm(schema(field), {})).toEqual({ a: value });
    expect(fillForm(schema(field), { a: undefined })).toEqual({ a: value });
  });

  test("a given value is kept, and a default that the field does not allow is not used", () => {
    expect(fillForm(schema({ type: "string", default: "x" }), { a: "" })).toEqual({ a: "" });
    expect(fillForm(schema({ type: "string", enum: ["x"], default: "z" }), {})).toEqual({});
  });

  test("a missing value without a default is left out", () => {
    expect(Object.keys(fillForm(schema({ type: "string" }), { a: undefined }))).toEqual([]);
  });
});
