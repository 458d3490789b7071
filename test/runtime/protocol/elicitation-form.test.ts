import { describe, expect, test } from "vitest";
import { checkForm, fillForm } from "../../../runtime/protocol/methods/elicitation-form.ts";

function schema(field: object, required: readonly string[] = []): object {
  return { type: "object", properties: { a: field }, required };
}

const titled = [
  { const: "x", title: "X" },
  { const: "y", title: "Y" },
];

describe("the values of a form (E-10)", () => {
  test.each([
    ["text", { type: "string" }, "hello", 5],
    ["text that is too short", { type: "string", minLength: 2 }, "ab", "a"],
    ["text that is too long", { type: "string", maxLength: 2 }, "ab", "abc"],
    ["length in characters, not in code units", { type: "string", maxLength: 1 }, "😀", "😀😀"],
    ["an e-mail address", { type: "string", format: "email" }, "a@b.c", "a b@c"],
    ["a URL", { type: "string", format: "uri" }, "https://x.y/z", "x y"],
    ["a date", { type: "string", format: "date" }, "2024-02-29", "2023-02-29"],
    ["a date in words", { type: "string", format: "date" }, "1999-12-31", "tomorrow"],
    ["a time", { type: "string", format: "date-time" }, "2024-02-29T23:59:59.5+01:00", "2024-02-29"],
    ["an hour", { type: "string", format: "date-time" }, "2024-02-29T23:00:00Z", "2024-02-29T24:00:00Z"],
    ["a format that nobody knows", { type: "string", format: "colour" }, "red", 1],
    ["a number", { type: "number" }, 1.5, "1.5"],
    ["a finite number", { type: "number" }, 0, NaN],
    ["a whole number", { type: "integer" }, 3, 3.5],
    ["a minimum", { type: "number", minimum: 2 }, 2, 1],
    ["a maximum", { type: "number", maximum: 2 }, 2, 3],
    ["a switch", { type: "boolean" }, false, "false"],
    ["one of a list", { type: "string", enum: ["x", "y"] }, "x", "z"],
    ["one of a titled list", { type: "string", oneOf: titled }, "y", "Y"],
    ["one of a list with names", { type: "string", enum: ["x"], enumNames: ["X"] }, "x", "X"],
    ["several of a list", { type: "array", items: { type: "string", enum: ["x", "y"] } }, ["y", "x"], ["z"]],
    ["several of a titled list", { type: "array", items: { anyOf: titled } }, [], "x"],
    ["few choices", { type: "array", minItems: 1, items: { type: "string", enum: ["x"] } }, ["x"], []],
    ["many choices", { type: "array", maxItems: 1, items: { type: "string", enum: ["x", "y"] } }, ["x"], ["x", "y"]],
  ])("a value is checked by the rules of its field: %s", (_, field, good, bad) => {
    expect(checkForm(schema(field), { a: good })).toEqual([]);
    expect(checkForm(schema(field), { a: bad })).toEqual([{ path: ["a"], message: expect.any(String) }]);
  });

  test("required values must be present, and values without a field must not", () => {
    expect(checkForm(schema({ type: "string" }, ["a"]), {})).toEqual([{ path: ["a"], message: "is required" }]);
    expect(checkForm(schema({ type: "string" }), { b: 1 })).toEqual([{ path: ["b"], message: "was not requested" }]);
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
});
