import { runInNewContext } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { checkFunctions, emitCheck, type CheckText } from "../../../generator/typed-client/client/check-text.ts";
import { readSchema } from "../../../generator/typed-client/tool-schema/read-schema.ts";
import * as functions from "../../../templates/client/check.ts";

/* Code of the checks of a typed client. */

const text = { type: "string" };

const values = [
  ...[null, true, 0, 1, 2, 4.5, 5, 6, "", "a", "x", "xy", "zzz", '5"'],
  ...[[], ["a"], [1], ["a", "a"], ["a", 1], ["a", 1, 2], [null], [{}]],
  ...[{}, { a: "x" }, { a: 1 }, { a: {} }, { a: { b: 1 } }, { b: 1 }, { c: "x" }, { a: "x", 'b"': 1 }, { ab: 1 }],
];

const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });

/** Runs the code of a check with the functions that it says it calls. */
function run({ expression, declarations, uses }: CheckText): functions.Check {
  const scope = Object.fromEntries(Object.entries(functions).filter(([name]) => uses.has(name)));
  const code = [...declarations.map((line) => line.replace(": Check", "")), expression].join("\n");
  const check: functions.Check = runInNewContext(code, scope);
  return check;
}

test.each<[what: string, schema: object | boolean, code: string[], uses: string]>([
  ["any value", {}, ["anything"], "anything"],
  ["true", true, ["anything"], "anything"],
  ["false", false, ["nothing"], "nothing"],
  ["a type", text, ['types("string")'], "types"],
  ["two types", { type: ["string", "null"] }, ['types("string", "null")'], "types"],
  ["values", { enum: ["a", 1, null, true] }, ['values("a", 1, null, true)'], "values"],
  ["a type and values", { ...text, enum: ["a"] }, ['all(types("string"), values("a"))'], "all types values"],
  ["limits of texts", { minLength: 1, maxLength: 2 }, ["text({ minLength: 1, maxLength: 2 })"], "text"],
  ["a pattern", { pattern: '^\\d"$' }, ['text({ pattern: new RegExp("^\\\\d\\"$", "u") })'], "text"],
  [
    "a pattern and a limit",
    { minLength: 1, pattern: "a" },
    ['text({ minLength: 1, pattern: new RegExp("a", "u") })'],
    "text",
  ],
  ["limits of numbers", { minimum: 1, maximum: 5 }, ["numeric({ minimum: 1, maximum: 5 })"], "numeric"],
  [
    "exclusive limits of numbers",
    { exclusiveMinimum: 1, exclusiveMaximum: 5, multipleOf: 0.5 },
    ["numeric({ exclusiveMinimum: 1, exclusiveMaximum: 5, multipleOf: 0.5 })"],
    "numeric",
  ],
  [
    "required members",
    { type: "object", required: ["a", 'b"'] },
    ['all(types("object"), members({ required: ["a","b\\""] }))'],
    "all members types",
  ],
  [
    "members",
    { type: "object", properties: { a: text, b: {} } },
    ['all(types("object"), members({ properties: [["a", types("string")]] }))'],
    "all members types",
  ],
  ["members that accept anything", { type: "object", properties: { a: {}, b: true } }, ['types("object")'], "types"],
  [
    "a member that must not be there",
    { type: "object", properties: { a: false } },
    ['all(types("object"), members({ properties: [["a", nothing]] }))'],
    "all members nothing types",
  ],
  [
    "no other members",
    { type: "object", properties: { a: text, b: {} }, additionalProperties: false },
    ['all(types("object"), members({ properties: [["a", types("string")], ["b", anything]], rest: false }))'],
    "all anything members types",
  ],
  [
    "other members",
    { type: "object", properties: { a: {} }, additionalProperties: text },
    ['all(types("object"), members({ properties: [["a", anything]], rest: types("string") }))'],
    "all anything members types",
  ],
  [
    "any other members",
    { type: "object", properties: { a: {} }, additionalProperties: true },
    ['types("object")'],
    "types",
  ],
  [
    "names",
    { type: "object", propertyNames: { maxLength: 1 } },
    ['all(types("object"), members({ names: text({ maxLength: 1 }) }))'],
    "all members text types",
  ],
  ["names that accept anything", { type: "object", propertyNames: { description: "x" } }, ['types("object")'], "types"],
  [
    "numbers of members",
    { type: "object", minProperties: 1, maxProperties: 2 },
    ['all(types("object"), members({ minProperties: 1, maxProperties: 2 }))'],
    "all members types",
  ],
  [
    "items",
    { type: "array", items: text },
    ['all(types("array"), items({ rest: types("string") }))'],
    "all items types",
  ],
  ["items that accept anything", { type: "array", items: {} }, ['types("array")'], "types"],
  ["no items", { type: "array", items: false }, ['all(types("array"), items({ rest: false }))'], "all items types"],
  [
    "a tuple",
    { type: "array", prefixItems: [text, {}], items: false },
    ['all(types("array"), items({ prefix: [types("string"), anything], rest: false }))'],
    "all anything items types",
  ],
  [
    "a tuple with other items",
    { type: "array", prefixItems: [text], items: { type: "number" } },
    ['all(types("array"), items({ prefix: [types("string")], rest: types("number") }))'],
    "all items types",
  ],
  [
    "numbers of items",
    { type: "array", minItems: 1, maxItems: 2 },
    ['all(types("array"), items({ minItems: 1, maxItems: 2 }))'],
    "all items types",
  ],
  [
    "items that differ",
    { type: "array", uniqueItems: true },
    ['all(types("array"), items({ uniqueItems: true }))'],
    "all items types",
  ],
  [
    "parts",
    { allOf: [text, {}, { minLength: 1 }] },
    ['all(types("string"), text({ minLength: 1 }))'],
    "all text types",
  ],
  ["a part", { allOf: [text] }, ['types("string")'], "types"],
  ["alternatives", { anyOf: [text, { type: "null" }] }, ['any(types("string"), types("null"))'], "any types"],
  ["an alternative", { anyOf: [text] }, ['types("string")'], "types"],
  ["alternatives of which one accepts anything", { anyOf: [{ minLength: 1 }, {}] }, ["anything"], "anything"],
  [
    "exclusive alternatives",
    { oneOf: [text, { minLength: 2 }] },
    ['one(types("string"), text({ minLength: 2 }))'],
    "one text types",
  ],
  ["an exclusive alternative", { oneOf: [text] }, ['types("string")'], "types"],
  ["exclusive alternatives of which one accepts anything", { oneOf: [text, {}] }, ["anything"], "anything"],
  [
    "exclusive alternatives with a part that is not checked",
    { oneOf: [text, { ...text, not: text }] },
    ['any(types("string"), types("string"))'],
    "any types",
  ],
  [
    "exclusive alternatives with a type that is assumed",
    { oneOf: [text, { type: "array", items: { properties: {} } }] },
    ['one(types("string"), all(types("array"), items({ rest: types("object") })))'],
    "all items one types",
  ],
  [
    "both kinds of alternatives",
    { anyOf: [text, { type: "null" }], oneOf: [{ minLength: 1 }, { ...text, maxLength: 0 }] },
    [
      'all(any(types("string"), types("null")), one(text({ minLength: 1 }), all(types("string"), text({ maxLength: 0 }))))',
    ],
    "all any one text types",
  ],
  [
    "a definition",
    { $ref: "#/$defs/a", $defs: { a: text } },
    ['const checkGoA: Check = types("string");', "later(() => checkGoA)"],
    "later types",
  ],
  [
    "a definition that accepts anything",
    { $ref: "#/$defs/a", $defs: { a: {} } },
    ["const checkGoA: Check = anything;", "later(() => checkGoA)"],
    "anything later",
  ],
  [
    "a tree",
    {
      $ref: "#/$defs/a",
      $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, additionalProperties: false } },
    },
    [
      'const checkGoA: Check = all(types("object"), members({ properties: [["a", later(() => checkGoA)]], rest: false }));',
      "later(() => checkGoA)",
    ],
    "all later members types",
  ],
  [
    "everything at once",
    { ...text, minLength: 1, allOf: [{ maxLength: 2 }], anyOf: [{ pattern: "x" }, { pattern: "y" }] },
    [
      'all(types("string"), text({ minLength: 1 }), text({ maxLength: 2 }), any(text({ pattern: new RegExp("x", "u") }), text({ pattern: new RegExp("y", "u") })))',
    ],
    "all any text types",
  ],
])("the code of a check has what its schema restricts: %s", (_what, schema, code, uses) => {
  const written = emitCheck(readSchema(schema), "Go");
  expect([...written.declarations, written.expression]).toEqual(code);
  expect([...written.uses].toSorted().join(" ")).toBe(uses);
});

test("the code of a check accepts what the schema accepts", () => {
  const schemas: readonly (object | boolean)[] = [
    ...[true, false, {}, text, { type: ["integer", "null"] }, { enum: ["a", 1, null, true] }, { const: "x" }],
    ...[{ minLength: 1, maxLength: 2 }, { pattern: '^\\d"$' }, { minimum: 1, maximum: 5 }, { multipleOf: 1.5 }],
    ...[{ exclusiveMinimum: 1 }, { exclusiveMaximum: 5 }, { minItems: 1, maxItems: 2 }, { uniqueItems: true }],
    ...[{ required: ["a", 'b"'] }, { minProperties: 1, maxProperties: 1 }, { propertyNames: { maxLength: 1 } }],
    ...[
      { properties: { a: text, b: {} } },
      { properties: { a: {} }, additionalProperties: false },
      { properties: { a: false } },
      { properties: { a: text, b: {} }, additionalProperties: { type: "null" } },
      { additionalProperties: { anyOf: [text, { type: "object", required: ["b"] }] } },
    ].map((rules) => ({ type: "object", ...rules })),
    ...[{ items: text }, { items: false }, { prefixItems: [text, {}], items: false }, { prefixItems: [text] }].map(
      (rules) => ({ type: "array", ...rules }),
    ),
    { type: "array", prefixItems: [text], items: { type: "number" } },
    ...[{ allOf: [text, { minLength: 2 }] }, { anyOf: [text, { type: "null" }] }, { anyOf: [text, {}] }],
    ...[{ oneOf: [text, { minLength: 2 }] }, { oneOf: [{ minLength: 2 }, { maxLength: 1 }, { type: "null" }] }],
    { anyOf: [text, { type: "array" }], oneOf: [{ maxLength: 1 }, { type: "array", minItems: 1 }] },
    {
      $ref: "#/$defs/n",
      maxProperties: 1,
      $defs: { n: { type: "object", properties: { a: { $ref: "#/$defs/n" }, c: text }, additionalProperties: false } },
    },
  ];
  for (const schema of schemas) {
    const check = run(emitCheck(readSchema(schema), "Go"));
    const validate = ajv.compile(schema);
    expect([schema, values.filter((value) => check(value) === undefined)]).toEqual([
      schema,
      values.filter((value) => validate(value)),
    ]);
  }
});

test("the code of a check uses another engine for patterns that may be slow, if its caller accepts them", () => {
  const document = readSchema({ type: "string", pattern: "^(a+)+$" }, { acceptPattern: () => true });
  const { expression, uses } = emitCheck(document, "Go");
  expect(expression).toBe('all(types("string"), text({ pattern: compileRe2("^(a+)+$") }))');
  expect(uses).toEqual(new Set(["all", "types", "text", "compileRe2"]));
});

test("the functions that the code of a check may call are those of `check.ts`", () => {
  const exported = Object.keys(functions).filter((name) => name !== "isObject");
  expect(exported.toSorted()).toEqual([...checkFunctions].toSorted());
});
