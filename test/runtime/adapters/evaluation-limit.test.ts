import { describe, expect, test } from "vitest";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import type { EvaluationOptions } from "../../../runtime/adapters/evaluation-limit.ts";
import type { JsonSchemaValidator, ObjectSchema } from "../../../runtime/protocol/methods/schema-issue.ts";

const makers: readonly (readonly [string, (options?: EvaluationOptions) => JsonSchemaValidator])[] = [
  ["ajv", createAjvValidator],
  ["cfworker", createCfworkerValidator],
];

const excess = [{ path: [], message: "needs too many evaluations of its schema" }];

/** Filters as in many APIs. The inner filter comes before the member that tells the kinds apart, so each kind checks it. */
const filters: ObjectSchema = {
  type: "object",
  properties: { filter: { $ref: "#/$defs/filter" } },
  $defs: {
    filter: {
      oneOf: ["and", "or", "not"].map((kind) => ({
        type: "object",
        properties: { filter: { $ref: "#/$defs/filter" }, kind: { const: kind } },
        required: ["kind"],
      })),
    },
  },
};

function nest(depth: number, kind: string): object {
  let value: object = { kind };
  for (let level = 0; level < depth; level++) value = { kind, filter: value };
  return { filter: value };
}

/** Definitions that refer to the next one twice: 2^40 evaluations of any value. */
const doubling: ObjectSchema = {
  type: "object",
  allOf: [{ $ref: "#/$defs/d0" }],
  $defs: Object.fromEntries(
    Array.from({ length: 41 }, (_value, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 40 ? {} : { allOf: [next, next] }];
    }),
  ),
};

/** Alternatives that refer to themselves, at a place of a schema. */
function alternatives(place: string, first: object = { type: "string" }): object {
  return { anyOf: [first, ...[0, 1, 2].map(() => ({ type: "array", items: { $ref: place } }))] };
}

/** List in lists; it fits none of the alternatives, so that each is checked at every level. */
const lists: unknown = JSON.parse("[[[[[[[1]]]]]]]");

describe.each(makers)("%s", (_name, make) => {
  const validate = make();

  test.each<readonly [string, unknown, ObjectSchema]>([
    ["alternatives that refer to themselves, with a value that fits", nest(60, "not"), filters],
    ["alternatives that refer to themselves, with a value that fits none", nest(60, "xor"), filters],
    ["definitions that refer to others twice", {}, doubling],
    ["a schema that refers to itself", {}, { type: "object", $ref: "#" }],
  ])("a validator ends the check of %s", (_case, value, schema) => {
    expect(validate(value, schema)).toEqual(excess);
    // The next value is checked as usual.
    expect(validate(nest(2, "and"), filters)).toEqual([]);
    expect(validate(nest(2, "xor"), filters)).not.toEqual([]);
  });

  test.each([
    ["a keyword for data", "default", alternatives("#/properties/b/default")],
    ["examples", "examples/0", [alternatives("#/properties/b/examples/0")]],
    ["a constant", "const", alternatives("#/properties/b/const")],
    ["choices", "enum/0", [alternatives("#/properties/b/enum/0")]],
    ["an encoded keyword", "%64efault", alternatives("#/properties/b/%64efault")],
  ])("a validator takes no schema from %s, where nothing would count it", (_case, place, content) => {
    const keyword = decodeURIComponent(place).split("/")[0] ?? "";
    const properties = { a: { $ref: `#/properties/b/${place}` }, b: { [keyword]: content } };
    expect(() => validate({ a: lists }, { type: "object", properties })).toThrow();
  });

  test.each([-1e9, "a"])("a validator counts evaluations regardless of a keyword $evaluations of %j", (weight) => {
    const x = alternatives("#/$defs/x", { type: "string", $evaluations: weight });
    const schema: ObjectSchema = { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x } };
    expect(make({ maxEvaluations: 200 })({ a: lists }, schema)).toEqual(excess);
  });

  test.each([
    ["an object", { const: { a: [1], b: 2 } }, { b: 2, a: [1] }, { a: [1] }],
    ["a list", { const: [1, 2] }, [1, 2], [2, 1]],
    ["several values", { enum: [{ a: 1 }, "x", 0] }, "x", { a: 2 }],
    [
      "members that every object inherits",
      { const: { constructor: { a: 1 } } },
      { constructor: { a: 1 } },
      { valueOf: 1 },
    ],
  ])("a validator compares %s", (_case, a, good, bad) => {
    const schema: ObjectSchema = { type: "object", properties: { a } };
    expect(validate({ a: good }, schema)).toEqual([]);
    expect(validate({ a: bad }, schema)).toMatchObject([{ path: ["a"] }]);
  });

  test("a validator allows as many evaluations as a large value needs, or as an option says", () => {
    const schema: ObjectSchema = {
      type: "object",
      properties: { list: { items: { anyOf: [{ type: "string" }, { properties: { a: { type: "number" } } }] } } },
    };
    const large = { list: Array.from({ length: 40_000 }, (_value, a) => ({ a })) };
    expect(validate(large, schema)).toEqual([]);
    expect(make({ maxEvaluations: 1_000 })(large, schema)).toEqual(excess);
    expect(make({ maxEvaluations: 1_000_000 })(nest(9, "not"), filters)).toEqual([]);
  });

  test.each<readonly [string, unknown]>([
    ["numbers", [1, 2, 1]],
    [
      "objects with members in another order",
      [
        { a: 1, b: [{ c: 1, d: 2 }] },
        { b: [{ d: 2, c: 1 }], a: 1 },
      ],
    ],
    ["objects with a member __proto__", [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')]],
    ["many items", [...Array.from({ length: 1_000 }, (_value, index) => index), 999]],
  ])("a validator finds equal items: %s", (_case, list) => {
    const schema: ObjectSchema = { type: "object", properties: { list: { uniqueItems: true } } };
    expect(validate({ list }, schema)).toMatchObject([{ path: ["list"] }]);
  });

  test("a validator tells items apart: numbers and texts, lists and their texts, members and lists", () => {
    const schema: ObjectSchema = { type: "object", properties: { list: { uniqueItems: true } } };
    const list = [1, "1", true, "true", null, "null", [1, 2], "[1,2]", { a: 1 }, [["a", 1]], {}, [], [[]], "", "0", 0];
    expect(validate({ list }, schema)).toEqual([]);
    const long = Array.from({ length: 1_200 }, (_value, index) => ({ index }));
    expect(validate({ list: long }, schema)).toEqual([]);
    expect(validate({ list: [1, 1] }, { type: "object", properties: { list: { uniqueItems: false } } })).toEqual([]);
  });
});

test("ajv counts evaluations of alternatives in lists of an unknown keyword", () => {
  const schema: ObjectSchema = {
    type: "object",
    properties: { a: { $ref: "#/x/0/0" } },
    x: [[alternatives("#/x/0/0")]],
  };
  expect(createAjvValidator({ maxEvaluations: 200 })({ a: lists }, schema)).toEqual(excess);
});

test("ajv compares the items of a list of any length", () => {
  const schema: ObjectSchema = { type: "object", properties: { list: { uniqueItems: true } } };
  const list = Array.from({ length: 199_000 }, (_value, index) => index);
  expect(createAjvValidator()({ list }, schema)).toEqual([]);
  expect(createAjvValidator()({ list: [...list, 0] }, schema)).toMatchObject([
    { message: "must not have equal items" },
  ]);
});

test("cfworker rejects a list that is too long to compare all pairs, wherever it is", () => {
  const unique = { uniqueItems: true };
  const schema: ObjectSchema = { type: "object", properties: { list: { anyOf: [unique, {}] }, other: {} } };
  const list = Array.from({ length: 199_000 }, (_value, index) => index);
  const validate = createCfworkerValidator();
  expect(validate({ list }, schema)).toEqual([{ path: [], message: "has too many items for uniqueItems" }]);
  expect(validate({ other: list }, schema)).toEqual([]);
});
