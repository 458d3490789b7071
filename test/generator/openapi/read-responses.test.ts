import { expect, test } from "vitest";
import { acceptText, acceptTextOfParameter } from "../../../generator/openapi/large-integers.ts";
import { readOutput, readResponses } from "../../../generator/openapi/read-responses.ts";

/* Successful responses of an operation, and integers of 64 bits in them. */

const object = { type: "object", properties: { a: { type: "boolean" } } };
const json = (schema?: unknown): object => ({
  content: { "application/json": { ...(schema !== undefined && { schema }) } },
});
const text = { content: { "text/plain": { schema: { type: "string" } } } };
const value = (schema: object): object => ({
  type: "object",
  required: ["value"],
  properties: { value: schema },
  additionalProperties: false,
});
const empty = { type: "object", maxProperties: 0 };
const any = (...anyOf: object[]): object => ({ type: "object", anyOf });

test.each<[what: string, responses: object | undefined, schema: object | undefined, others: string[] | undefined]>([
  ["no responses", undefined, undefined, undefined],
  ["an object", { 200: json(object) }, object, undefined],
  ["the same object twice", { 200: json(object), 201: json(object) }, object, undefined],
  [
    "an object of another media type",
    { 200: { content: { "Application/HAL+JSON": { schema: object } } } },
    object,
    undefined,
  ],
  ["a text only", { 200: text }, undefined, undefined],
  ["a value only", { 200: json({ type: "array" }) }, undefined, undefined],
  [
    "an error",
    { 400: json(object), default: json(object), 2000: json(object), x2XX: json(object) },
    undefined,
    undefined,
  ],
  ["all successes", { "2xx": json(object) }, object, undefined],
  ["an object or nothing", { 200: json(object), 204: {} }, any(object, empty), ["empty"]],
  ["an object or a text", { 200: json(object), 202: text }, any(object, value({ type: "string" })), ["text"]],
  [
    "an object or a value",
    { 200: json(object), 202: json({ type: "null" }) },
    any(object, value({ type: "null" })),
    ["value"],
  ],
  ["an object or anything", { 200: json(object), 202: json() }, any(object, {}, value({})), ["value"]],
  [
    "all of them",
    { 200: json(object), 201: json({ type: "null" }), 202: text, 204: {} },
    any(object, value({ type: "null" }), value({ type: "string" }), empty),
    ["empty", "text", "value"],
  ],
])("the output schema of a tool is read from %s", (_what, responses, schema, others) => {
  const found = readOutput(responses, {});
  expect(found).toEqual(schema && { schema, isOpen: false, ...(others && { others }) });
});

test("responses are found by references, with their media types in lower case", () => {
  const document = { a: { content: { "Image/PNG": { schema: {} }, "text/plain": {} } } };
  expect(readResponses({ 200: { $ref: "#/a" }, 204: {}, 404: {} }, document)).toEqual([
    [
      ["image/png", { schema: {} }],
      ["text/plain", {}],
    ],
    [],
  ]);
});

const long = { type: "integer", format: "int64" };
const accepting = { ...long, type: ["integer", "string"], pattern: String.raw`^-?\d{1,20}$` };

test.each<[schema: Record<string, unknown>, accepted: object]>([
  [long, accepting],
  [
    { ...long, type: ["null", "integer"] },
    { ...accepting, type: ["null", "integer", "string"] },
  ],
  [
    { ...long, format: "int32" },
    { ...long, format: "int32" },
  ],
  [
    { ...long, type: "string" },
    { ...long, type: "string" },
  ],
  [
    { ...long, enum: [1] },
    { ...long, enum: [1] },
  ],
  [
    { ...long, const: 1 },
    { ...long, const: 1 },
  ],
  [{ format: "int64" }, { format: "int64" }],
])("the schema %j accepts text only for an integer of 64 bits", (schema, accepted) => {
  expect(acceptText(schema)).toEqual(accepted);
});

test.each<[schema: unknown, accepted: unknown]>([
  [{ $ref: "#/long" }, accepting],
  [
    { type: "array", items: { $ref: "#/long" }, maxItems: 2 },
    { type: "array", items: accepting, maxItems: 2 },
  ],
  [
    { type: "array", items: { type: "integer" } },
    { type: "array", items: { type: "integer" } },
  ],
  [{ type: "array" }, { type: "array" }],
  [{ items: long }, { items: long }],
  [true, true],
])("the parameter %j accepts text for its value and its items", (schema, accepted) => {
  expect(acceptTextOfParameter(schema, { long })).toEqual(accepted);
});
