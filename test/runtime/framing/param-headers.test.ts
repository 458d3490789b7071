import { describe, expect, test } from "vitest";
import {
  decodeField,
  encodeField,
  isSameField,
  readParamValue,
  readParamHeaders,
  toFieldText,
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

describe("keywords that lead to no parameter (TH-21)", () => {
  const marked = text("A");
  const keywords: readonly (readonly [string, unknown])[] = [
    ...["items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "propertyNames"].map(
      (keyword) => [keyword, marked] as const,
    ),
    ...["unevaluatedProperties", "not", "if", "then", "else", "contentSchema"].map(
      (keyword) => [keyword, marked] as const,
    ),
    ...["allOf", "anyOf", "oneOf", "prefixItems", "items"].map((keyword) => [keyword, [{}, marked]] as const),
    ...["patternProperties", "$defs", "definitions", "dependentSchemas"].map(
      (keyword) => [keyword, { other: {}, a: marked }] as const,
    ),
  ];

  test.each(keywords)("a param header below %s is rejected: %j", (keyword, value) => {
    const message = 'x-mcp-header "A" is not on a property that only nested properties lead to';
    expect(() => readParamHeaders({ type: "object", [keyword]: value })).toThrow(message);
    expect(() => readParamHeaders({ type: "object", properties: { a: { [keyword]: value } } })).toThrow(message);
  });

  test("schemas that are no objects have no param headers", () => {
    expect([true, null, undefined, "text", []].map((schema) => readParamHeaders(schema))).toEqual([[], [], [], [], []]);
    expect(readParamHeaders({ properties: [marked], allOf: { a: marked }, $defs: [marked], not: true })).toEqual([]);
  });
});

describe("errors of param headers", () => {
  test.each([
    [{ properties: { a: text("") } }, 'x-mcp-header of a is ""; use the characters of header names'],
    [
      { properties: { a: { properties: { b: text("é") } } } },
      'x-mcp-header of a.b is "é"; use the characters of header names',
    ],
    [text(1), "x-mcp-header of its schema is 1; use the characters of header names"],
    [{ not: text(1) }, "x-mcp-header of its schema is 1; use the characters of header names"],
    [text("A"), 'x-mcp-header "A" is not on a property that only nested properties lead to'],
    [
      { properties: { a: { properties: { b: { "x-mcp-header": "A" } } } } },
      "x-mcp-header is on a.b, which is not a string, integer or boolean",
    ],
    [
      { properties: { a: text("A"), b: text("B"), c: text("b") } },
      "two parameters use the header Mcp-Param-b; rename one of them",
    ],
  ])("the schema %j is rejected with %j", (schema, message) => {
    expect(() => readParamHeaders(schema)).toThrow(message);
  });

  test.each(["!#$%&'*+-.^_`|~", "azAZ09"])("the header name %j is accepted", (name) => {
    expect(readParamHeaders({ properties: { a: text(name) } })).toEqual([{ header: `Mcp-Param-${name}`, path: ["a"] }]);
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
    ["a", "a"],
    ["!~", "!~"],
    ["trail ", "=?base64?dHJhaWwg?="],
    [" ", "=?base64?IA==?="],
    ["\u007f", "=?base64?fw==?="],
    ["two\nlines", "=?base64?dHdvCmxpbmVz?="],
    ["=?base64?a\nb?=", "=?base64?PT9iYXNlNjQ/YQpiPz0=?="],
    ["x=?base64?SGVsbG8=?=", "x=?base64?SGVsbG8=?="],
    ["=?base64?SGVsbG8=?=x", "=?base64?SGVsbG8=?=x"],
    ["\ufeffmark", "=?base64?77u/bWFyaw==?="],
  ])("the value %j is sent as %j and decoded (TH-23)", (value, field) => {
    expect(encodeField(value)).toBe(field);
    expect(decodeField(field)).toBe(value);
  });

  test.each([
    ["text", "text"],
    ["", ""],
    [true, "true"],
    [false, "false"],
    [-7, "-7"],
    [1.5, undefined],
    [2 ** 53, undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
  ])("the text of the value %j is %j", (value, field) => {
    expect(toFieldText(value)).toBe(field);
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
    expect(decodeField("\t =?base64?SGVsbG8=?= \t")).toBe("Hello");
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
    ["-42.00", -42, true],
    ["42.", 42, true],
    ["42.5", 42.5, false],
    ["42.0x", 42, false],
    ["x42", 42, false],
    ["42 ", 42, false],
    ["+42", 42, false],
    ["4.2e1", 42, false],
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
