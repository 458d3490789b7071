import { describe, expect, test } from "vitest";
import {
  decodeField,
  encodeField,
  isSameField,
  readParamValue,
  readParamHeaders,
} from "../../../runtime/framing/param-headers.ts";

const text = (mark: unknown): object => ({ type: "string", "x-mcp-header": mark });

describe("param headers of a schema", () => {
  test("param headers are found in properties, and nowhere else (TH-20, TH-21)", () => {
    const schema = {
      type: "object",
      default: text("No"),
      properties: {
        region: text("Region"),
        "x-mcp-header": { type: "string" },
        deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
        flag: { type: "boolean", "x-mcp-header": "Flag", const: { "x-mcp-header": 1 }, examples: [text("No")] },
      },
    };
    expect(readParamHeaders(schema)).toEqual([
      { header: "Mcp-Param-Region", path: ["region"] },
      { header: "Mcp-Param-Count", path: ["deep", "count"] },
      { header: "Mcp-Param-Flag", path: ["flag"] },
    ]);
  });

  test.each([
    ["an empty name", { properties: { a: text("") } }],
    ["a name that is no text", { properties: { a: text(1) } }],
    ["a name with a space", { properties: { a: text("a b") } }],
    ["a name with a line break", { properties: { a: text("a\r\nb") } }],
    ["the same name twice, whatever the case", { properties: { a: text("A"), b: text("a") } }],
    ["a number", { properties: { a: { type: "number", "x-mcp-header": "A" } } }],
    ["a union", { properties: { a: { type: ["string", "null"], "x-mcp-header": "A" } } }],
    ["an object", { properties: { a: { type: "object", "x-mcp-header": "A" } } }],
    ["the root", { type: "string", "x-mcp-header": "A" }],
    ["items", { properties: { a: { type: "array", items: text("A") } } }],
    ["a branch", { properties: { a: { oneOf: [text("A")] } } }],
    ["below a branch", { allOf: [{ properties: { a: text("A") } }] }],
    ["a condition", { if: { properties: { a: text("A") } } }],
    ["a definition", { $defs: { a: text("A") }, properties: { a: { $ref: "#/$defs/a" } } }],
    ["other properties", { additionalProperties: text("A") }],
  ])("param headers on %s are rejected (TH-21, TH-22)", (_what, schema) => {
    expect(() => readParamHeaders({ type: "object", ...schema })).toThrow(/header/i);
  });
});

describe("values of param headers", () => {
  test.each([
    ["Hello", "Hello"],
    ["with space", "with space"],
    ["", ""],
    [" lead", "=?base64?IGxlYWQ=?="],
    ["a,b", "a,b"],
    ["Paris, France", "=?base64?UGFyaXMsIEZyYW5jZQ==?="],
    ["tab\tin", "=?base64?dGFiCWlu?="],
    ["Grüße", "=?base64?R3LDvMOfZQ==?="],
    ["=?base64?SGVsbG8=?=", "=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?="],
    ["=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="],
    ["=?base64?SGVsbG8=", "=?base64?SGVsbG8="],
    ["SGVsbG8=", "SGVsbG8="],
    ["\ufeffmark", "=?base64?77u/bWFyaw==?="],
  ])("the value %j is sent as %j and decoded (TH-23)", (value, field) => {
    expect(encodeField(value)).toBe(field);
    expect(decodeField(field)).toBe(value);
  });

  test.each([
    "=?base64?SGVsbG8?=",
    "=?base64?SGVs!!!bG8=?=",
    "=?base64?/w==?=",
    "=?base64?SGVsbG8?==?=",
    "a\u0001b",
    "Grüße",
  ])("the header value %j is rejected (TH-25)", (field) => {
    expect(decodeField(field)).toBeUndefined();
  });

  test("white space around header values is ignored", () => {
    expect(decodeField("  a b\t")).toBe("a b");
  });

  test.each([
    ["42", 42, true],
    ["42.0", 42, true],
    ["042", 42, true],
    ["43", 42, false],
    ["0x2a", 42, false],
    ["", 0, false],
    ["true", true, true],
    ["True", true, false],
    ["a", "a", true],
    ["A", "a", false],
    ["42.0", "42", false],
    ["[object Object]", {}, false],
  ])("the values %j and %j are compared by type (TH-27)", (field, value, isSame) => {
    expect(isSameField(field, value)).toBe(isSame);
  });

  test("absent values and null have no param header (TH-24, TH-26)", () => {
    expect(readParamValue({ a: null }, ["a"])).toBeUndefined();
    expect(readParamValue({ a: 1 }, ["a", "b"])).toBeUndefined();
    expect(readParamValue({}, ["constructor"])).toBeUndefined();
    expect(readParamValue({ a: { b: false } }, ["a", "b"])).toBe(false);
  });
});
