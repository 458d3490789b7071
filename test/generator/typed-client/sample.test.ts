import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readSchema } from "../../../generator/typed-client/tool-schema/read-schema.ts";
import { sampleOf } from "../../../generator/typed-client/tool-schema/sample.ts";

/* Values that schemas accept, for tests of tools. */

const ajv = new Ajv2020({ strict: false, validateFormats: false });

test.each<[what: string, schema: object | boolean, sample: object | undefined]>([
  ["any value", {}, { value: "sample" }],
  ["a text", { type: "string" }, { value: "sample" }],
  ["a text with a least length", { type: "string", minLength: 8 }, { value: "sampless" }],
  ["a text with a greatest length", { type: "string", maxLength: 3 }, { value: "sam" }],
  ["an empty text", { type: "string", maxLength: 0 }, { value: "" }],
  [
    "a text of 1,000 characters",
    { type: "string", minLength: 1000, maxLength: 1000 },
    { value: "sample".padEnd(1000, "s") },
  ],
  ["a text of more characters", { type: "string", minLength: 1001 }, undefined],
  ["a text that no length fits", { type: "string", minLength: 3, maxLength: 2 }, undefined],
  ["a text with a pattern", { type: "string", pattern: "^a$" }, undefined],
  ["any value with a pattern", { pattern: "^a$" }, undefined],
  ["a number with a pattern", { type: "number", pattern: "^a$" }, { value: 1 }],
  ["a text or number with a pattern", { type: ["string", "number"], pattern: "^a$" }, undefined],
  ["a number", { type: "number" }, { value: 1 }],
  ["an integer", { type: "integer" }, { value: 1 }],
  ["a number of at least 5", { type: "number", minimum: 5 }, { value: 5 }],
  ["a number of at least 0", { type: "number", minimum: 0 }, { value: 1 }],
  ["a number above 5", { type: "number", exclusiveMinimum: 5 }, { value: 6 }],
  ["a number of at most -5", { type: "number", maximum: -5 }, { value: -5 }],
  ["a number below 1", { type: "number", exclusiveMaximum: 1 }, { value: 0 }],
  ["a number below 5", { type: "number", exclusiveMaximum: 5 }, { value: 1 }],
  ["an integer above a fraction", { type: "integer", minimum: 2.5 }, { value: 3 }],
  ["an integer below a fraction", { type: "integer", maximum: 0.5 }, undefined],
  ["a number between fractions", { type: "number", minimum: 2.2, maximum: 2.8 }, undefined],
  [
    "a number between two limits",
    { type: "number", minimum: 3, exclusiveMinimum: 1, maximum: 9, exclusiveMaximum: 8 },
    { value: 3 },
  ],
  ["a number that no limit permits", { type: "number", minimum: 3, maximum: 2 }, undefined],
  ["a multiple", { type: "number", multipleOf: 7 }, undefined],
  ["a flag", { type: "boolean" }, { value: true }],
  ["null", { type: "null" }, { value: null }],
  ["the first type of several", { type: ["null", "string"] }, { value: null }],
  ["the first value", { enum: ["b", "a"] }, { value: "b" }],
  ["a constant", { const: null }, { value: null }],
  ["no value", false, undefined],
  ["a value with a type", { type: "integer", enum: [3] }, { value: 3 }],
  ["a list", { type: "array", items: { type: "number" } }, { value: [] }],
  ["a list of two numbers", { type: "array", items: { type: "number" }, minItems: 2 }, { value: [1, 1] }],
  ["a list of any items", { type: "array", minItems: 1 }, { value: ["sample"] }],
  ["a list of 16 items", { type: "array", minItems: 16 }, { value: Array.from({ length: 16 }, () => "sample") }],
  ["a list of 17 items", { type: "array", minItems: 17 }, undefined],
  ["a list without items", { type: "array", items: false, minItems: 1 }, undefined],
  ["an empty tuple", { type: "array", prefixItems: [{ type: "null" }] }, { value: [] }],
  ["a tuple with an item", { type: "array", prefixItems: [{ type: "null" }], minItems: 1 }, undefined],
  ["a list of items that have none", { type: "array", items: { pattern: "a" }, minItems: 1 }, undefined],
  ["items that differ", { type: "array", uniqueItems: true }, undefined],
  [
    "an object",
    { type: "object", properties: { a: { type: "null" }, b: { type: "string" } }, required: ["a"] },
    { value: { a: null } },
  ],
  ["an object without a type", { properties: { a: { type: "null" } }, required: ["a"] }, { value: { a: null } }],
  [
    "an object of two members of which one has no sample",
    { type: "object", properties: { a: { type: "null" }, b: { pattern: "a" } }, required: ["a", "b"] },
    undefined,
  ],
  [
    "an object of two members",
    { type: "object", properties: { a: { type: "null" }, b: {} }, required: ["a", "b"], minProperties: 2 },
    { value: { a: null, b: "sample" } },
  ],
  [
    "an object of more members than are required",
    { type: "object", properties: { a: { type: "null" } }, required: ["a"], minProperties: 2 },
    undefined,
  ],
  ["a required member that is not declared", { type: "object", required: ["a"] }, { value: { a: "sample" } }],
  ["an alternative", { anyOf: [{ type: "null" }, { type: "string" }] }, { value: null }],
  ["an exclusive alternative", { oneOf: [{ type: "null" }] }, { value: null }],
  ["exclusive alternatives", { oneOf: [{ type: "null" }, { type: "string" }] }, undefined],
  ["both kinds of alternatives", { anyOf: [{ type: "null" }], oneOf: [{ type: "null" }] }, undefined],
  [
    "an alternative that excludes the other kind",
    { anyOf: [{ type: "null" }], oneOf: [{ type: "string" }] },
    undefined,
  ],
  [
    "alternatives of an object",
    { type: "object", anyOf: [{ type: "object", properties: { a: { type: "null" } }, required: ["a"] }] },
    { value: { a: null } },
  ],
  [
    "alternatives of an object with members",
    { type: "object", properties: { a: {} }, anyOf: [{ type: "object" }] },
    undefined,
  ],
  [
    "alternatives of an object with a required member",
    { type: "object", required: ["a"], anyOf: [{ type: "object" }] },
    undefined,
  ],
  [
    "alternatives of an object with a least number of members",
    { type: "object", minProperties: 1, anyOf: [{ type: "object" }] },
    undefined,
  ],
  ["alternatives of a text", { type: "string", anyOf: [{ minLength: 1 }] }, undefined],
  ["alternatives of two types", { type: ["object", "string"], anyOf: [{ type: "object" }] }, undefined],
  [
    "alternatives of any values with members",
    { properties: { a: { type: "string" } }, required: ["a"], anyOf: [{ required: ["b"] }] },
    undefined,
  ],
  ["alternatives of any values with a limit", { minLength: 3, anyOf: [{ type: "string", maxLength: 4 }] }, undefined],
  [
    "alternatives of objects without other members",
    {
      type: "object",
      additionalProperties: false,
      anyOf: [{ type: "object", properties: { a: {} }, required: ["a"] }],
    },
    undefined,
  ],
  ["parts", { allOf: [{ type: "null" }] }, undefined],
  ["a definition", { $ref: "#/$defs/a", $defs: { a: { type: "null" } } }, { value: null }],
  ["a definition beside a type", { type: "null", $ref: "#/$defs/a", $defs: { a: { type: "null" } } }, undefined],
  [
    "a definition beside alternatives",
    { anyOf: [{ type: "null" }], $ref: "#/$defs/a", $defs: { a: { type: "null" } } },
    undefined,
  ],
  ["a definition beside a limit", { maxLength: 2, $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, undefined],
  ["a definition beside members", { required: ["b"], $ref: "#/$defs/a", $defs: { a: { type: "object" } } }, undefined],
  [
    "a definition without an end",
    { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { b: { $ref: "#/$defs/a" } }, required: ["b"] } } },
    undefined,
  ],
  [
    "a definition with an end",
    { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { b: { $ref: "#/$defs/a" } } } } },
    { value: {} },
  ],
  ["a corrected type", { type: "str" }, undefined],
  ["a keyword that is not checked", { not: {} }, undefined],
  [
    "a member without a type",
    { type: "object", properties: { a: { properties: {} } }, required: ["a"] },
    { value: { a: {} } },
  ],
  ["no members for a name", { type: "object", propertyNames: { maxLength: 1 }, required: ["ab"] }, undefined],
  ["an object whose names are short", { type: "object", propertyNames: { maxLength: 1 } }, { value: {} }],
  ["too many required members", { type: "object", required: ["a", "b"], maxProperties: 1 }, undefined],
  ["more items than permitted", { type: "array", minItems: 2, maxItems: 1 }, undefined],
  ["a format", { type: "string", format: "date-time" }, { value: "sample" }],
  ["a value that the type excludes", { type: "string", enum: [null, "a"] }, { value: "a" }],
  ["a value of one of two types", { type: ["string", "null"], enum: [1, null] }, { value: null }],
  ["values that the type excludes", { type: "string", enum: [null] }, undefined],
  ["a definition beside values", { enum: ["b"], $ref: "#/$defs/a", $defs: { a: { enum: ["a"] } } }, undefined],
  ["alternatives beside values", { enum: ["b"], anyOf: [{ type: "null" }] }, undefined],
  ["an alternative that is no object", { type: "object", anyOf: [{ type: "string" }] }, undefined],
  [
    "a definition of an object beside its type",
    { type: "object", $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
    { value: {} },
  ],
  [
    "alternatives of an object with any other members",
    {
      type: "object",
      additionalProperties: true,
      anyOf: [{ type: "object", properties: { a: { type: "null" } }, required: ["a"] }],
    },
    { value: { a: null } },
  ],
  [
    "an alternative beside prose",
    { description: "x", default: null, deprecated: true, anyOf: [{ type: "null" }] },
    { value: null },
  ],
  ["a definition that is no sample", { $ref: "#/$defs/a", $defs: { a: false } }, undefined],
])("a sample fits its schema: %s", (_what, schema, sample) => {
  const found = sampleOf(readSchema(schema));
  expect(found).toEqual(sample);
  if (found) expect(ajv.validate(schema, found.value)).toBe(true);
});

test("a sample has at most 15 levels", () => {
  const nest = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>(
      (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] }),
      { type: "null" },
    );
  expect(sampleOf(readSchema(nest(15)))).toBeDefined();
  expect(sampleOf(readSchema(nest(16)))).toBeUndefined();
  const items = Array.from({ length: 16 }).reduce<object>(
    (inner) => ({ type: "array", items: inner, minItems: 1 }),
    {},
  );
  expect(sampleOf(readSchema(items))).toBeUndefined();
});
