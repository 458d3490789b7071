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

/** Filters as in many APIs, told apart by a member after the inner filter. */
function createFilters(toKind: (kind: string) => object): ObjectSchema {
  return {
    type: "object",
    properties: { filter: { $ref: "#/$defs/filter" } },
    $defs: {
      filter: {
        oneOf: ["and", "or", "not"].map((kind) => ({
          type: "object",
          properties: { filter: { $ref: "#/$defs/filter" }, kind: toKind(kind) },
          required: ["kind"],
        })),
      },
    },
  };
}

/** Each kind checks the inner filter, because a pattern is not checked first. */
const filters = createFilters((kind) => ({ pattern: `^${kind}$` }));

function nest(depth: number, kind: string): object {
  let value: object = { kind };
  for (let level = 0; level < depth; level++) value = { kind, filter: value };
  return { filter: value };
}

/** Definitions that refer to the next one twice: 2^40 evaluations of any value, unless there are fewer definitions. */
const doubling = double({}, 40);

/** Schema that evaluates another one 2^times times for the member `a`. */
function double(last: object, times: number): ObjectSchema {
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    required: ["a"],
    $defs: Object.fromEntries(
      Array.from({ length: times + 1 }, (_value, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, index === times ? last : { allOf: [next, next] }];
      }),
    ),
  };
}

function listOf<T>(length: number, toItem: (index: number) => T): T[] {
  return Array.from({ length }, (_value, index) => toItem(index));
}

function objectOf(length: number, toName: (index: number) => string): object {
  return Object.fromEntries(listOf(length, (index) => [toName(index), index]));
}

const some = objectOf(20_000, (index) => `k${index}`);
const numbers = listOf(199_000, (index) => index);

/** Lists that have to differ from each other at every level. */
const unlikeTree: ObjectSchema = {
  type: "object",
  properties: { a: { $ref: "#/$defs/list" } },
  $defs: { list: { uniqueItems: true, items: { $ref: "#/$defs/list" } } },
};

function nestLists(depth: number, inner: unknown): unknown {
  return depth === 0 ? inner : [nestLists(depth - 1, inner), 0, 1, 2, 3, 4, 5, 6];
}

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
    ["definitions that refer to others twice", { a: 1 }, doubling],
    [
      "many patterns for many names",
      some,
      { type: "object", patternProperties: Object.fromEntries(listOf(20, (n) => [`^k${n}[a-z]*$`, {}])) },
    ],
    ["a long text again and again", { a: "a".repeat(1_000_000) }, double({ maxLength: 9_000_000 }, 9)],
    ["a long text with a pattern again and again", { a: "a".repeat(1_000_000) }, double({ pattern: "^a*$" }, 9)],
    ["many items again and again", { a: numbers }, double({ items: { type: "number" } }, 9)],
    ["many members again and again", { a: some }, double({ additionalProperties: { type: "number" } }, 6)],
    ["a large constant again and again", { a: listOf(4_000, String) }, double({ const: listOf(4_000, String) }, 12)],
    [
      "items in items that have to differ",
      {
        a: nestLists(
          60,
          listOf(20_000, (index) => [index]),
        ),
      },
      unlikeTree,
    ],
    ["a schema that refers to itself", {}, { type: "object", $ref: "#" }],
  ])("a validator ends the check of %s", (_case, value, schema) => {
    expect(validate(value, schema)).toEqual(excess);
    // The next value is checked as usual.
    expect(validate(nest(2, "and"), filters)).toEqual([]);
    expect(validate(nest(2, "xor"), filters)).not.toEqual([]);
  });

  test("a validator checks the member first that tells alternatives apart", () => {
    const told = createFilters((kind) => ({ const: kind }));
    expect(validate(nest(60, "not"), told)).toEqual([]);
    const [first, ...others] = validate(nest(60, "xor"), told);
    expect([first?.path, others.map(({ message }) => message)]).toEqual([
      ["filter", "kind"],
      expect.not.arrayContaining([excess[0]?.message]),
    ]);
  });

  test.each<readonly [string, object, ObjectSchema]>([
    [
      "199,000 members",
      objectOf(199_000, (index) => `k${index}`),
      { type: "object", additionalProperties: { type: "number" } },
    ],
    ["199,000 items", { list: numbers }, { type: "object", properties: { list: { items: { type: "number" } } } }],
    [
      "60,000 objects",
      { list: listOf(60_000, (x) => ({ x, y: "a" })) },
      {
        type: "object",
        properties: {
          list: { items: { properties: { x: { type: "number" }, y: { type: "string" } }, required: ["x"] } },
        },
      },
    ],
    ["a text of 16 MiB", { a: "a".repeat(16 * 1024 * 1024) }, double({ maxLength: 2e7, pattern: "^a*$" }, 0)],
  ])("a validator checks %s", (_case, value, schema) => {
    expect(validate(value, schema)).toEqual([]);
  });

  test("a validator compares the items of a list of any length, wherever it is", () => {
    const unique = { uniqueItems: true };
    const schema: ObjectSchema = { type: "object", properties: { list: { anyOf: [{ const: 1 }, unique] }, other: {} } };
    expect(validate({ list: numbers }, schema)).toEqual([]);
    expect(validate({ list: [...numbers, 0] }, schema)).toContainEqual({
      path: ["list"],
      message: "must not have equal items",
    });
    expect(validate({ other: [...numbers, 0] }, schema)).toEqual([]);
  });

  test.each<readonly [string, object, unknown, readonly unknown[] | undefined]>([
    ["items that are no lists", { items: { uniqueItems: true }, maxItems: 9 }, listOf(9, () => 1), undefined],
    [
      "a list in a list",
      { items: { uniqueItems: true }, maxItems: 8 },
      listOf(8, (one) => (one === 7 ? [...listOf(9, String), "8"] : one)),
      ["list", 7],
    ],
    ["equal lists", { uniqueItems: true, items: { uniqueItems: true } }, listOf(9, () => listOf(9, String)), ["list"]],
    ["a constant", { uniqueItems: true, const: listOf(9, String) }, listOf(9, String), undefined],
    [
      "a list with more rules",
      { uniqueItems: true, contains: { const: 8 }, minItems: 9 },
      listOf(9, Number),
      undefined,
    ],
  ])("a validator compares the items of %s", (_case, list, value, path) => {
    const expected = path ? [{ path, message: "must not have equal items" }] : [];
    expect(validate({ list: value }, { type: "object", properties: { list } })).toEqual(expected);
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

test("cfworker evaluates no more than it can in about half a second", () => {
  const kinds = listOf(5, (x) => ({ properties: { x: { const: x }, y: { type: "number" } }, required: ["x"] }));
  const schema: ObjectSchema = { type: "object", properties: { list: { items: { anyOf: kinds } } } };
  const list = listOf(30_000, () => ({ x: 1, y: 2 }));
  expect(createCfworkerValidator()({ list }, schema)).toEqual(excess);
  expect(createCfworkerValidator({ maxEvaluations: 400_000 })({ list }, schema)).toEqual([]);
});
