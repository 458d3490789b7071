import { expect, test } from "vitest";
import { readSchema } from "../../../generator/typed-client/tool-schema/read-schema.ts";
import { emitType } from "../../../generator/typed-client/tool-schema/type-text.ts";

/* Types of the values that schemas accept. */

const text = { type: "string" };
const list = { type: "array" };
const object = { type: "object" };
const $defs = { d: { ...object, properties: { e: text } } };

async function typeOf(schema: unknown): Promise<string> {
  const emitted = await emitType(readSchema(schema), { name: "Arguments", prefix: "Go" });
  return emitted.replaceAll(/\s+/g, " ").trim();
}

test.each<[what: string, schema: unknown, type: string]>([
  ["nothing", {}, "a?: unknown"],
  ["prose", { description: "Any." }, "/** * Any. */ a?: unknown"],
  [
    "a text",
    { ...text, description: "A\ntext */.", default: "x", deprecated: true },
    '/** * A * text *\\/. * * @default "x" * * @deprecated */ a?: string',
  ],
  ["two types", { type: ["string", "integer"] }, "a?: (string | number)"],
  [
    "three types of which two have parts",
    { type: ["null", "array", "object"], items: text, properties: { c: text } },
    "a?: (null | string[] | { c?: string })",
  ],
  ["values", { enum: ["x", 1, true, null] }, 'a?: ("x" | 1 | true | null)'],
  ["values of a type", { ...text, enum: ["x", 1, null] }, 'a?: "x"'],
  ["values of integers", { type: "integer", enum: [1, 1.5, "x"] }, "a?: 1"],
  ["values of flags or null", { type: ["boolean", "null"], enum: [true, null, "null"] }, "a?: (true | null)"],
  ["values that the type excludes", { ...text, enum: [1] }, "a?: never"],
  ["no value", false, "a?: never"],
  ["no value or a text", { anyOf: [false, text] }, "a?: (never | string)"],
  ["a list of values that the type excludes", { ...list, items: { ...text, enum: [1] } }, "a?: never[]"],
  [
    "a tuple without a value",
    { ...list, prefixItems: [false], items: false, minItems: 1 },
    "/** * @minItems 1 * * @minItems 1 */ a?: [never]",
  ],
  [
    "members",
    { ...object, properties: { c: text, "d e": { type: "null" } }, required: ["c"] },
    'a?: { c: string "d e"?: null }',
  ],
  ["members without a type", { properties: { c: text } }, "a?: { c?: string }"],
  ["no other members", { ...object, properties: { c: text }, additionalProperties: false }, "a?: { c?: string }"],
  ["no members", { ...object, additionalProperties: false }, "a?: { }"],
  [
    "other members",
    { ...object, properties: { c: text }, additionalProperties: { type: ["string", "number"] } },
    "a?: { c?: string [k: string]: string | number | undefined }",
  ],
  [
    "any other members",
    { ...object, properties: { c: text }, additionalProperties: true },
    "a?: { c?: string [k: string]: unknown }",
  ],
  [
    "other members with prose",
    { ...object, properties: { c: text }, additionalProperties: { description: "x" } },
    "a?: { c?: string [k: string]: unknown }",
  ],
  ["only other members", { ...object, additionalProperties: { type: "number" } }, "a?: { [k: string]: number }"],
  [
    "enumerated names",
    { ...object, propertyNames: { enum: ["c", "d", 1] }, additionalProperties: { type: "number" }, required: ["c"] },
    "a?: { c: number d?: number }",
  ],
  [
    "enumerated names of any members",
    { ...object, propertyNames: { enum: ["c", "__proto__"] } },
    "a?: { c?: unknown }",
  ],
  [
    "enumerated names of declared members",
    {
      ...object,
      propertyNames: { enum: ["c", "d"] },
      properties: { c: text },
      additionalProperties: { type: "number" },
    },
    "a?: { c?: string d?: number }",
  ],
  [
    "enumerated names beside which none may be",
    { ...object, propertyNames: { enum: ["c", "d"] }, properties: { c: text }, additionalProperties: false },
    "a?: { c?: string }",
  ],
  [
    "a member that every object has",
    { ...object, properties: { hasOwnProperty: text }, required: ["hasOwnProperty"] },
    "a?: { hasOwnProperty: string }",
  ],
  ["a list", { ...list, items: text }, "a?: string[]"],
  ["a list of anything", { ...list }, "a?: unknown[]"],
  ["a list of nothing", { ...list, items: false }, "a?: never[]"],
  ["a list of two types", { ...list, items: { type: ["string", "null"] } }, "a?: (string | null)[]"],
  [
    "a tuple",
    { ...list, prefixItems: [text, { type: "null" }] },
    "a?: ([] | [string] | [string, null, ...(unknown)[]])",
  ],
  [
    "a closed tuple",
    { ...list, prefixItems: [text, { type: "null" }], items: false },
    "a?: ([] | [string] | [string, null])",
  ],
  [
    "a closed tuple of a least length",
    { ...list, prefixItems: [text, { type: "null" }], items: false, minItems: 1 },
    "/** * @minItems 1 */ a?: ([string] | [string, null])",
  ],
  [
    "a tuple with other items",
    { ...list, prefixItems: [text], items: { type: "number" }, minItems: 1 },
    "/** * @minItems 1 * * @minItems 1 */ a?: [string, ...(number)[]]",
  ],
  [
    "a tuple of a greater least length",
    { ...list, prefixItems: [text], items: false, minItems: 2 },
    "/** * @minItems 2 * * @minItems 1 */ a?: [string]",
  ],
  ["alternatives", { anyOf: [text, { type: "null" }] }, "a?: (string | null)"],
  [
    "alternatives with prose",
    { anyOf: [text, { type: "null" }], description: "Some." },
    "/** * Some. */ a?: (string | null)",
  ],
  ["alternatives of which one says nothing", { anyOf: [text, { minLength: 1 }] }, "a?: unknown"],
  ["alternatives that say nothing", { anyOf: [{ required: ["c"] }, {}] }, "a?: unknown"],
  ["exclusive alternatives", { oneOf: [text, { type: "null" }] }, "a?: (string | null)"],
  [
    "both kinds of alternatives",
    { anyOf: [text, { type: "null" }], oneOf: [text, { type: "number" }] },
    "a?: ((string | null) & (string | number))",
  ],
  ["alternatives of an object", { ...object, anyOf: [{ ...object, properties: { c: text } }] }, "a?: { c?: string }"],
  [
    "alternatives of an object with members",
    { ...object, properties: { d: text }, anyOf: [{ ...object, properties: { c: text } }] },
    "a?: ({ d?: string } & { c?: string })",
  ],
  [
    "alternatives of an object with a required member",
    { ...object, required: ["c"], anyOf: [{ ...object, properties: { c: text } }] },
    "a?: ({ c: unknown } & { c?: string })",
  ],
  [
    "alternatives of an object without other members",
    { ...object, additionalProperties: false, anyOf: [{ ...object, properties: { c: text } }] },
    "a?: ({ } & { c?: string })",
  ],
  [
    "alternatives of an object with names",
    { ...object, propertyNames: { enum: ["c"] }, anyOf: [{ ...object, properties: { c: text } }] },
    "a?: ({ c?: unknown } & { c?: string })",
  ],
  ["alternatives of a text", { ...text, anyOf: [{ enum: ["x"] }, { enum: ["y"] }] }, 'a?: (string & ("x" | "y"))'],
  [
    "alternatives of members with prose",
    { anyOf: [{ properties: { c: { description: "C." } } }, text] },
    "a?: ({ /** * C. */ c?: unknown } | string)",
  ],
  [
    "alternatives of members without prose",
    { anyOf: [{ properties: { c: {} } }, text] },
    "a?: ({ c?: unknown } | string)",
  ],
  [
    "alternatives that are tuples or lists",
    { anyOf: [{ prefixItems: [{}] }, { items: {} }, { additionalProperties: text }] },
    "a?: (([] | [unknown, ...(unknown)[]]) | unknown[] | { [k: string]: string })",
  ],
  [
    "alternatives of alternatives",
    { anyOf: [{ anyOf: [text] }, { oneOf: [{ type: "null" }] }, { allOf: [{ type: "number" }] }] },
    "a?: (string | null | number)",
  ],
  ["parts", { allOf: [{ ...object, properties: { c: text } }, { minProperties: 1 }] }, "a?: { c?: string }"],
  [
    "parts of an object",
    { ...object, properties: { d: text }, allOf: [{ ...object, properties: { c: text } }] },
    "a?: ({ d?: string } & { c?: string })",
  ],
  ["a definition", { $ref: "#/$defs/d" }, "a?: GoD"],
  ["a definition with prose", { $ref: "#/$defs/d", description: "D." }, "a?: GoD"],
  [
    "a definition beside members",
    { ...object, properties: { c: text }, $ref: "#/$defs/d" },
    "a?: ({ c?: string } & GoD)",
  ],
  ["a list of a definition", { ...list, items: { $ref: "#/$defs/d" } }, "a?: GoD[]"],
  ["an alternative that is a definition", { anyOf: [{ $ref: "#/$defs/d" }, { type: "null" }] }, "a?: (GoD | null)"],
  ["alternatives of which one accepts anything", { anyOf: [text, {}] }, "a?: unknown"],
  [
    "exclusive alternatives of which one says nothing",
    { ...object, properties: { c: text }, oneOf: [{ required: ["c"] }, { ...object, properties: { d: text } }] },
    "a?: { c?: string }",
  ],
  [
    "an alternative whose own alternatives say nothing",
    { anyOf: [text, { anyOf: [{ type: "null" }, {}] }] },
    "a?: unknown",
  ],
  ["an alternative whose parts say nothing", { anyOf: [text, { allOf: [{ minLength: 1 }] }] }, "a?: unknown"],
])("`emitType` declares the values that a schema accepts: %s", async (_what, schema, type) => {
  const found = await typeOf({ ...object, properties: { a: schema }, $defs });
  expect(found.replace(" export interface GoD { e?: string }", "")).toBe(`export interface Arguments { ${type} }`);
  expect(found.includes("export interface GoD")).toBe(type.includes("GoD"));
});

test.each<[what: string, schema: unknown, declaration: string]>([
  [
    "an object",
    { ...object, description: "D.", properties: { c: text } },
    "/** * D. */ export interface Arguments { c?: string }",
  ],
  ["an object of anything", object, "export interface Arguments { [k: string]: unknown }"],
  ["a text", text, "export type Arguments = string"],
  ["no value", false, "export type Arguments = never"],
  [
    "a definition of no value",
    { ...object, properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: { ...text, const: 1 } } },
    "export type GoD = never export interface Arguments { a?: GoD }",
  ],
  ["alternatives", { anyOf: [text, { type: "null" }] }, "export type Arguments = (string | null)"],
  ["a definition", { $ref: "#/$defs/d", $defs }, "export interface Arguments { e?: string }"],
  [
    "a tree",
    { ...object, properties: { c: { $ref: "#" } } },
    "export interface Arguments { c?: GoRoot } export interface GoRoot { c?: GoRoot }",
  ],
])("`emitType` declares a type by its name: %s", async (_what, schema, declaration) => {
  expect(await typeOf(schema)).toBe(declaration);
});
