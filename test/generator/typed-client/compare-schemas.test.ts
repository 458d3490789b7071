import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { compareToolSchemas } from "../../../generator/typed-client/contract/compare-schemas.ts";

/* Changes of the schemas of a tool. A client sends its arguments, and receives its result: the same change has another impact in either direction. */

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const list = { type: "array" };
const object = { type: "object" };
const a = (schema: unknown): object => ({ type: "object", properties: { a: schema } });

/** Lists the changes: impact if a client sends the values, impact if it receives them, kind, place, and detail. */
function changesOf(older: unknown, newer: unknown): string[] {
  const sent = compareToolSchemas({ name: "t", inputSchema: older }, { name: "t", inputSchema: newer }, "t");
  const received = compareToolSchemas(
    { name: "t", inputSchema: {}, outputSchema: older },
    { name: "t", inputSchema: {}, outputSchema: newer },
    "t",
  );
  expect(received.map(({ detail, server }) => ({ detail, server }))).toEqual(
    sent.map(({ detail }) => ({ detail, server: "neutral" })),
  );
  return sent.map(({ kind, subject, detail, client }, at) => {
    const place = subject.slice("t, arguments ".length) || "-";
    expect(received[at]?.subject).toBe(subject.replace("arguments", "result"));
    return `${client}/${received[at]?.client} ${kind} ${place}: ${detail}`;
  });
}

test.each<[what: string, older: unknown, newer: unknown, changes: string[]]>([
  // Types.
  ["a type", {}, text, ['breaking/additive changed a: now restricted to "string"']],
  ["no type any more", text, {}, ["additive/breaking changed a: any type is now allowed"]],
  [
    "another type",
    text,
    number,
    ['breaking/additive changed a: type "string" removed', 'additive/breaking changed a: type "number" added'],
  ],
  ["one type of two", { type: ["string", "null"] }, text, ['breaking/additive changed a: type "null" removed']],
  ["a second type", text, { type: ["string", "null"] }, ['additive/breaking changed a: type "null" added']],
  ["numbers in place of integers", integer, number, ['additive/breaking changed a: type "number" added']],
  ["integers in place of numbers", number, integer, ['breaking/additive changed a: type "number" removed']],
  ["a type that is spelt correctly now", { type: "str" }, text, []],
  // Values.
  ["values", text, { ...text, enum: ["x", "y"] }, ['breaking/additive changed a: now restricted to "x", "y"']],
  ["any value", { ...text, enum: ["x"] }, text, ["additive/risky changed a: any value is now allowed"]],
  ["a removed value", { enum: ["x", "y"] }, { enum: ["y"] }, ['breaking/additive changed a: value "x" removed']],
  ["an added value", { enum: ["x"] }, { enum: ["x", "y"] }, ['additive/risky changed a: value "y" added']],
  ["values in another order", { enum: ["x", "y"] }, { enum: ["y", "x"] }, []],
  [
    "values that are names of types",
    { enum: ["integer"] },
    { enum: ["number"] },
    ['breaking/additive changed a: value "integer" removed', 'additive/risky changed a: value "number" added'],
  ],
  [
    "another constant",
    { const: 1 },
    { const: null },
    ["breaking/additive changed a: value 1 removed", "additive/risky changed a: value null added"],
  ],
  [
    "five added values",
    { enum: [0] },
    { enum: [0, 1, 2, 3, 4, 5] },
    ["additive/risky changed a: value 1, 2, 3, 4, 5 added"],
  ],
  [
    "seven added values",
    { enum: [0] },
    { enum: [0, 1, 2, 3, 4, 5, 6, 7] },
    ["additive/risky changed a: value 1, 2, 3, 4, 5 and 2 more added"],
  ],
  ["values with their type", { enum: ["x", null] }, { type: ["string", "null"], enum: ["x", null] }, []],
  ["values without their type", { ...integer, const: 1 }, { const: 1 }, []],
  [
    "values with a type that only some have",
    { enum: ["x", 1] },
    { ...integer, enum: ["x", 1] },
    ['breaking/additive changed a: now restricted to "integer"'],
  ],
  [
    "any value of a type in place of values",
    { enum: ["x"] },
    text,
    ["additive/risky changed a: any value is now allowed"],
  ],
  ["no value", { enum: ["x"] }, false, ['breaking/additive changed a: value "x" removed']],
  // Limits of numbers.
  ["a minimum", number, { ...number, minimum: 1 }, ["breaking/additive changed a: minimum changed from unset to 1"]],
  [
    "a greater minimum",
    { ...number, minimum: 0 },
    { ...number, minimum: 1 },
    ["breaking/additive changed a: minimum changed from 0 to 1"],
  ],
  [
    "a smaller minimum",
    { ...number, minimum: 1 },
    { ...number, minimum: -1 },
    ["additive/risky changed a: minimum changed from 1 to -1"],
  ],
  ["no minimum", { ...number, minimum: 0 }, number, ["additive/risky changed a: minimum changed from 0 to unset"]],
  [
    "an equal minimum that is exclusive",
    { ...number, minimum: 1 },
    { ...number, exclusiveMinimum: 1 },
    ["breaking/additive changed a: minimum changed from 1 to 1 (exclusive)"],
  ],
  [
    "an equal minimum that is inclusive",
    { ...number, exclusiveMinimum: 1 },
    { ...number, minimum: 1 },
    ["additive/risky changed a: minimum changed from 1 (exclusive) to 1"],
  ],
  [
    "a greater minimum behind an exclusive one",
    { ...number, minimum: 1, exclusiveMinimum: 3 },
    { ...number, minimum: 2, exclusiveMinimum: 3 },
    [],
  ],
  [
    "a maximum of zero",
    number,
    { ...number, maximum: 0 },
    ["breaking/additive changed a: maximum changed from unset to 0"],
  ],
  [
    "a smaller maximum",
    { ...number, maximum: 1 },
    { ...number, maximum: 0 },
    ["breaking/additive changed a: maximum changed from 1 to 0"],
  ],
  [
    "a greater maximum",
    { ...number, maximum: -1 },
    { ...number, maximum: 1 },
    ["additive/risky changed a: maximum changed from -1 to 1"],
  ],
  [
    "an equal maximum that is exclusive",
    { ...number, maximum: 1 },
    { ...number, exclusiveMaximum: 1 },
    ["breaking/additive changed a: maximum changed from 1 to 1 (exclusive)"],
  ],
  ["an equal exclusive maximum of integers", { ...integer, maximum: 4 }, { ...integer, exclusiveMaximum: 5 }, []],
  [
    "a smaller exclusive maximum of integers",
    { ...integer, maximum: 4 },
    { ...integer, exclusiveMaximum: 4 },
    ["breaking/additive changed a: maximum changed from 4 to 3"],
  ],
  [
    "a fractional exclusive maximum of integers",
    { ...integer, maximum: 4 },
    { ...integer, exclusiveMaximum: 4.5 },
    ["additive/risky changed a: maximum changed from 4 to 4.5 (exclusive)"],
  ],
  [
    "a greater exclusive maximum",
    { ...number, maximum: 4 },
    { ...number, exclusiveMaximum: 5 },
    ["additive/risky changed a: maximum changed from 4 to 5 (exclusive)"],
  ],
  ["an equal exclusive minimum of integers", { ...integer, minimum: 1 }, { ...integer, exclusiveMinimum: 0 }, []],
  [
    "an equal exclusive minimum of integers or null",
    { type: ["integer", "null"], minimum: 1 },
    { type: ["integer", "null"], exclusiveMinimum: 0 },
    [],
  ],
  [
    "an exclusive minimum of integers and numbers",
    { type: ["integer", "number"], minimum: 1 },
    { type: ["integer", "number"], exclusiveMinimum: 0 },
    ["additive/risky changed a: minimum changed from 1 to 0 (exclusive)"],
  ],
  [
    "an exclusive minimum of any values",
    { minimum: 1 },
    { exclusiveMinimum: 0 },
    ["additive/risky changed a: minimum changed from 1 to 0 (exclusive)"],
  ],
  [
    "multiples of one of numbers",
    number,
    { ...number, multipleOf: 1 },
    ["breaking/additive changed a: multipleOf changed from unset to 1"],
  ],
  ["multiples of one of integers", { ...integer, multipleOf: 1 }, integer, []],
  [
    "multiples of two of integers",
    { ...integer, multipleOf: 1 },
    { ...integer, multipleOf: 2 },
    ["breaking/additive changed a: multipleOf changed from unset to 2"],
  ],
  [
    "fewer multiples",
    { ...number, multipleOf: 2 },
    { ...number, multipleOf: 4 },
    ["breaking/additive changed a: multipleOf changed from 2 to 4"],
  ],
  [
    "more multiples",
    { ...number, multipleOf: 4 },
    { ...number, multipleOf: 2 },
    ["additive/risky changed a: multipleOf changed from 4 to 2"],
  ],
  [
    "other multiples",
    { ...number, multipleOf: 3 },
    { ...number, multipleOf: 2 },
    ["breaking/risky changed a: multipleOf changed from 3 to 2"],
  ],
  // Limits of texts.
  [
    "a least length",
    text,
    { ...text, minLength: 1 },
    ["breaking/additive changed a: minLength changed from unset to 1"],
  ],
  ["a least length of zero", text, { ...text, minLength: 0 }, []],
  [
    "no least length",
    { ...text, minLength: 2 },
    { ...text, minLength: 0 },
    ["additive/risky changed a: minLength changed from 2 to unset"],
  ],
  [
    "a greatest length of zero",
    { ...text, maxLength: 3 },
    { ...text, maxLength: 0 },
    ["breaking/additive changed a: maxLength changed from 3 to 0"],
  ],
  ["a pattern", text, { ...text, pattern: "a" }, ["breaking/additive changed a: pattern changed from unset to a"]],
  [
    "another pattern",
    { ...text, pattern: "a" },
    { ...text, pattern: "b" },
    ["breaking/risky changed a: pattern changed from a to b"],
  ],
  ["no pattern", { ...text, pattern: "a" }, text, ["additive/risky changed a: pattern changed from a to unset"]],
  [
    "another pattern that may be slow",
    { ...text, pattern: "^(a+)+$" },
    { ...text, pattern: "^(b+)+$" },
    ["breaking/risky changed a: pattern changed from ^(a+)+$ to ^(b+)+$"],
  ],
  ["a format", text, { ...text, format: "date" }, ["breaking/additive changed a: format changed from unset to date"]],
  [
    "another format",
    { ...text, format: "uuid" },
    { ...text, format: "date" },
    ["breaking/risky changed a: format changed from uuid to date"],
  ],
  [
    "an unknown format",
    { ...text, format: "toString" },
    { ...text, format: "constructor" },
    ["breaking/risky changed a: format changed from toString to constructor"],
  ],
  [
    "integers of 64 bits",
    { ...integer, format: "int32" },
    { ...integer, format: "int64" },
    ["additive/risky changed a: format changed from int32 to int64"],
  ],
  [
    "integers of 32 bits",
    { ...integer, format: "int64" },
    { ...integer, format: "int32" },
    ["breaking/additive changed a: format changed from int64 to int32"],
  ],
  [
    "numbers of double precision",
    { ...number, format: "float" },
    { ...number, format: "double" },
    ["additive/risky changed a: format changed from float to double"],
  ],
  [
    "addresses of mail in all scripts",
    { ...text, format: "email" },
    { ...text, format: "idn-email" },
    ["additive/risky changed a: format changed from email to idn-email"],
  ],
  [
    "names of hosts in all scripts",
    { ...text, format: "hostname" },
    { ...text, format: "idn-hostname" },
    ["additive/risky changed a: format changed from hostname to idn-hostname"],
  ],
  [
    "references in place of URIs",
    { ...text, format: "uri" },
    { ...text, format: "uri-reference" },
    ["additive/risky changed a: format changed from uri to uri-reference"],
  ],
  [
    "IRIs in place of URIs",
    { ...text, format: "uri" },
    { ...text, format: "iri" },
    ["additive/risky changed a: format changed from uri to iri"],
  ],
  [
    "references to IRIs in place of URIs",
    { ...text, format: "uri" },
    { ...text, format: "iri-reference" },
    ["additive/risky changed a: format changed from uri to iri-reference"],
  ],
  [
    "references to IRIs in place of references",
    { ...text, format: "uri-reference" },
    { ...text, format: "iri-reference" },
    ["additive/risky changed a: format changed from uri-reference to iri-reference"],
  ],
  [
    "references to IRIs in place of IRIs",
    { ...text, format: "iri" },
    { ...text, format: "iri-reference" },
    ["additive/risky changed a: format changed from iri to iri-reference"],
  ],
  [
    "references in place of IRIs",
    { ...text, format: "iri" },
    { ...text, format: "uri-reference" },
    ["breaking/risky changed a: format changed from iri to uri-reference"],
  ],
  // Lists.
  [
    "a least number of items",
    list,
    { ...list, minItems: 2 },
    ["breaking/additive changed a: minItems changed from unset to 2"],
  ],
  ["a least number of no items", { ...list, minItems: 0 }, list, []],
  [
    "no greatest number of items",
    { ...list, maxItems: 0 },
    list,
    ["additive/risky changed a: maxItems changed from 0 to unset"],
  ],
  [
    "items that differ",
    list,
    { ...list, uniqueItems: true },
    ["breaking/additive changed a: uniqueItems changed from unset to true"],
  ],
  [
    "items that may be equal",
    { ...list, uniqueItems: true },
    { ...list, uniqueItems: false },
    ["additive/risky changed a: uniqueItems changed from true to unset"],
  ],
  [
    "a schema of items",
    list,
    { ...list, items: text },
    ["breaking/additive changed a[]: additional members or items are now restricted"],
  ],
  [
    "another schema of items",
    { ...list, items: text },
    { ...list, items: number },
    ['breaking/additive changed a[]: type "string" removed', 'additive/breaking changed a[]: type "number" added'],
  ],
  ["prose about items", { ...list, items: { description: "x", default: 1, deprecated: true } }, list, []],
  [
    "a schema of items that accepts any",
    { ...list, items: text },
    { ...list, items: {} },
    ["additive/breaking changed a[]: any type is now allowed"],
  ],
  [
    "no schema of items",
    { ...list, items: text },
    list,
    ["additive/risky changed a[]: any additional members or items are now allowed"],
  ],
  [
    "no items",
    { ...list, items: text },
    { ...list, items: false },
    ["breaking/additive changed a[]: additional members or items are now restricted"],
  ],
  [
    "some items",
    { ...list, items: false },
    { ...list, items: text },
    ["additive/risky changed a[]: any additional members or items are now allowed"],
  ],
  [
    "another item of a tuple",
    { ...list, prefixItems: [text] },
    { ...list, prefixItems: [number] },
    ['breaking/additive changed a[]: type "string" removed', 'additive/breaking changed a[]: type "number" added'],
  ],
  [
    "one more item of a tuple",
    { ...list, prefixItems: [text] },
    { ...list, prefixItems: [text, number] },
    ["risky/risky changed a[]: alternatives changed"],
  ],
  // Members.
  [
    "a least number of members",
    object,
    { ...object, minProperties: 1 },
    ["breaking/additive changed a: minProperties changed from unset to 1"],
  ],
  ["a least number of no members", object, { ...object, minProperties: 0 }, []],
  [
    "a greater number of members",
    { ...object, maxProperties: 0 },
    { ...object, maxProperties: 2 },
    ["additive/risky changed a: maxProperties changed from 0 to 2"],
  ],
  [
    "a schema of names",
    object,
    { ...object, propertyNames: { maxLength: 2 } },
    ["breaking/additive changed a/* (the name): additional members or items are now restricted"],
  ],
  [
    "another schema of names",
    { ...object, propertyNames: { maxLength: 2 } },
    { ...object, propertyNames: { maxLength: 1 } },
    ["breaking/additive changed a/* (the name): maxLength changed from 2 to 1"],
  ],
  [
    "no schema of names",
    { ...object, propertyNames: { maxLength: 2 } },
    object,
    ["additive/risky changed a/* (the name): any additional members or items are now allowed"],
  ],
  [
    "a schema of other members",
    object,
    { ...object, additionalProperties: text },
    ["breaking/additive changed a/*: additional members or items are now restricted"],
  ],
  [
    "another schema of other members",
    { ...object, additionalProperties: number },
    { ...object, additionalProperties: text },
    ['breaking/additive changed a/*: type "number" removed', 'additive/breaking changed a/*: type "string" added'],
  ],
  [
    "no other members",
    { ...object, additionalProperties: number },
    { ...object, additionalProperties: false },
    ["breaking/additive changed a/*: additional members or items are now restricted"],
  ],
  [
    "any other members",
    { ...object, additionalProperties: false },
    { ...object, additionalProperties: true },
    ["additive/risky changed a/*: any additional members or items are now allowed"],
  ],
  ["a member", object, { ...object, properties: { b: text } }, ["additive/additive added a/b: added"]],
  [
    "a required member",
    object,
    { ...object, properties: { b: text }, required: ["b"] },
    ["breaking/additive added a/b: added as required"],
  ],
  [
    "a member beside which none may be",
    { ...object, additionalProperties: false },
    { ...object, properties: { b: text }, additionalProperties: false },
    ["additive/risky added a/b: added"],
  ],
  [
    "a required member beside which none may be",
    { ...object, additionalProperties: false },
    { ...object, properties: { b: text }, required: ["b"], additionalProperties: false },
    ["breaking/breaking added a/b: added as required"],
  ],
  ["a removed member", { ...object, properties: { b: text } }, object, ["risky/risky removed a/b: removed"]],
  [
    "a removed member that was required",
    { ...object, properties: { b: text }, required: ["b"] },
    object,
    ["risky/breaking removed a/b: removed"],
  ],
  [
    "a removed member that must not be there",
    { ...object, properties: { b: text }, additionalProperties: false },
    { ...object, additionalProperties: false },
    ["breaking/risky removed a/b: removed"],
  ],
  [
    "a removed member that was required and must not be there",
    { ...object, properties: { b: text }, required: ["b"], additionalProperties: false },
    { ...object, additionalProperties: false },
    ["breaking/breaking removed a/b: removed"],
  ],
  [
    "a member that is required now",
    { ...object, properties: { b: text } },
    { ...object, properties: { b: text }, required: ["b"] },
    ["breaking/additive changed a/b: now required"],
  ],
  [
    "a member that is optional now",
    { ...object, properties: { b: text }, required: ["b"] },
    { ...object, properties: { b: text } },
    ["additive/breaking changed a/b: now optional"],
  ],
  [
    "a member that fits the schema of other members",
    { ...object, additionalProperties: number },
    { ...object, properties: { b: number }, additionalProperties: number },
    ["additive/additive added a/b: added"],
  ],
  [
    "a required member that fits the schema of other members",
    { ...object, additionalProperties: number },
    { ...object, properties: { b: number }, required: ["b"], additionalProperties: number },
    ["breaking/additive added a/b: added as required"],
  ],
  [
    "a member that does not fit the schema of other members",
    { ...object, additionalProperties: number },
    { ...object, properties: { b: text }, additionalProperties: number },
    [
      "additive/additive added a/b: added",
      'breaking/additive changed a/b: type "number" removed',
      'additive/breaking changed a/b: type "string" added',
    ],
  ],
  [
    "a removed member that does not fit the schema of other members",
    { ...object, properties: { b: text }, additionalProperties: number },
    { ...object, additionalProperties: number },
    [
      "risky/risky removed a/b: removed",
      'breaking/additive changed a/b: type "string" removed',
      'additive/breaking changed a/b: type "number" added',
    ],
  ],
  [
    "a member beside which any may be",
    { ...object, additionalProperties: {} },
    { ...object, properties: { b: text }, additionalProperties: {} },
    ["additive/additive added a/b: added"],
  ],
  [
    "another member whose name begins with a slash",
    { ...object, properties: { "/b": text } },
    { ...object, properties: { "/b": integer } },
    ['breaking/additive changed a//b: type "string" removed', 'additive/breaking changed a//b: type "integer" added'],
  ],
  // Alternatives.
  [
    "another alternative",
    { anyOf: [text] },
    { anyOf: [number] },
    ['breaking/additive changed a: type "string" removed', 'additive/breaking changed a: type "number" added'],
  ],
  [
    "a second alternative",
    { anyOf: [text] },
    { anyOf: [text, number] },
    ["risky/risky changed a: alternatives changed"],
  ],
  [
    "another exclusive alternative",
    { oneOf: [text, integer] },
    { oneOf: [text, { type: "null" }] },
    ['breaking/additive changed a: type "integer" removed', 'additive/breaking changed a: type "null" added'],
  ],
  [
    "alternatives that exclude each other",
    { anyOf: [text, number] },
    { oneOf: [text, number] },
    ["risky/risky changed a: alternatives changed", "risky/risky changed a: alternatives changed"],
  ],
  [
    "another part",
    { allOf: [{ minLength: 1 }] },
    { allOf: [{ minLength: 2 }] },
    ["breaking/additive changed a: minLength changed from 1 to 2"],
  ],
  ["a part", {}, { allOf: [{ minLength: 2 }] }, ["risky/risky changed a: alternatives changed"]],
  // Keywords that restrict nothing, or whose effect is not compared.
  ["prose", { title: "x", description: "x", default: 1, examples: [1], deprecated: true }, { description: "y" }, []],
  [
    "a keyword whose effect is not compared",
    {},
    { not: text },
    ["risky/risky changed -: properties/a/not changed, and is not compared in detail"],
  ],
  [
    "another value of such a keyword",
    { not: text },
    { not: number },
    ["risky/risky changed -: properties/a/not changed, and is not compared in detail"],
  ],
  ["an equal value of such a keyword", { not: text }, { not: { type: "string" } }, []],
  [
    "no such keyword",
    { not: text },
    {},
    ["risky/risky changed -: properties/a/not changed, and is not compared in detail"],
  ],
  [
    "values that are objects",
    { enum: [{ b: 1 }] },
    { enum: [{ b: 2 }] },
    ["risky/risky changed -: properties/a/enum changed, and is not compared in detail"],
  ],
  ["a harmful keyword", { tsType: "a" }, { tsType: "b" }, []],
])("a comparison of schemas has the impact of a change in both directions: %s", (_what, older, newer, changes) => {
  expect(changesOf(a(older), a(newer))).toEqual(changes);
});

const n = { $ref: "#/$defs/n" };

test.each<[what: string, older: object, newer: object, changes: string[]]>([
  ["a definition in place of an equal schema", a(text), { ...a(n), $defs: { n: text } }, []],
  [
    "another definition",
    { ...a(n), $defs: { n: text } },
    { ...a(n), $defs: { n: integer } },
    ['breaking/additive changed a: type "string" removed', 'additive/breaking changed a: type "integer" added'],
  ],
  [
    "a definition that two members refer to",
    { ...object, properties: { a: n, b: n }, $defs: { n: text } },
    { ...object, properties: { a: n, b: n }, $defs: { n: integer } },
    ['breaking/additive changed a: type "string" removed', 'additive/breaking changed a: type "integer" added'],
  ],
  [
    "a definition that refers to another",
    { ...a(n), $defs: { n: { $ref: "#/$defs/m" }, m: text } },
    { ...a(n), $defs: { n: text } },
    [],
  ],
  [
    "a limit beside a reference",
    { ...a(n), $defs: { n: text } },
    { ...a({ ...n, maxLength: 3 }), $defs: { n: text } },
    ["breaking/additive changed a: maxLength changed from unset to 3"],
  ],
  [
    "a limit beside a reference, in place of the definition",
    { ...a({ ...n, maxLength: 3 }), $defs: { n: text } },
    { ...a(n), $defs: { n: { ...text, maxLength: 3 } } },
    [],
  ],
  [
    "prose beside a reference",
    { ...a({ ...n, description: "x" }), $defs: { n: text } },
    { ...a(n), $defs: { n: text } },
    [],
  ],
  [
    "members beside a reference",
    {
      ...a({ ...n, properties: { b: text }, required: ["b"] }),
      $defs: { n: { ...object, properties: { c: text }, required: ["c"] } },
    },
    a({ ...object, properties: { b: text, c: text }, required: ["b", "c"] }),
    [],
  ],
  [
    "required members beside a reference",
    { ...a({ ...n, required: ["c"] }), $defs: { n: { ...object, properties: { c: text } } } },
    a({ ...object, properties: { c: text } }),
    ["additive/breaking changed a/c: now optional"],
  ],
  [
    "items of a tuple beside a reference",
    { ...a({ ...n, prefixItems: [integer] }), $defs: { n: { ...list, prefixItems: [text] } } },
    a({ ...list, prefixItems: [integer] }),
    [],
  ],
  [
    "items of a tuple behind a reference",
    { ...a({ ...n, minItems: 1 }), $defs: { n: { ...list, prefixItems: [text] } } },
    a({ ...list, minItems: 1, prefixItems: [integer] }),
    ['breaking/additive changed a[]: type "string" removed', 'additive/breaking changed a[]: type "integer" added'],
  ],
  [
    "alternatives beside a reference",
    { ...a({ ...n, anyOf: [text] }), $defs: { n: { anyOf: [integer] } } },
    a({ anyOf: [integer, text] }),
    [],
  ],
  [
    "exclusive alternatives beside a reference",
    { ...a({ ...n, oneOf: [text] }), $defs: { n: { oneOf: [integer] } } },
    a({ oneOf: [integer, text] }),
    [],
  ],
  [
    "parts beside a reference",
    { ...a({ ...n, allOf: [{ minLength: 1 }] }), $defs: { n: { allOf: [{ maxLength: 2 }] } } },
    a({ allOf: [{ maxLength: 2 }, { minLength: 1 }] }),
    [],
  ],
  ["a reference that leads nowhere", a(n), a({}), []],
  [
    "a changed level of a tree",
    { ...a(n), $defs: { n: { ...object, properties: { next: n } } } },
    { ...a(n), $defs: { n: { ...object, properties: { next: n, v: text } } } },
    ["additive/additive added a/v: added"],
  ],
  ["a tree whose first level is written out", { ...a(n), $defs: { n: a(n) } }, { ...a(a(n)), $defs: { n: a(n) } }, []],
  [
    "items that must fit a definition now",
    { ...a(list), $defs: { n: text } },
    { ...a({ ...list, items: n }), $defs: { n: text } },
    ["breaking/additive changed a[]: additional members or items are now restricted"],
  ],
  [
    "a keyword whose effect is not compared, in a definition",
    { ...a(n), $defs: { n: { not: text } } },
    { ...a(n), $defs: { n: { not: integer } } },
    ["risky/risky changed -: $defs/n/not changed, and is not compared in detail"],
  ],
])("a comparison of schemas follows references: %s", (_what, older, newer, changes) => {
  expect(changesOf(older, newer)).toEqual(changes);
});

test.each<[what: string, older: unknown, newer: unknown, changes: object[]]>([
  ["no schema of results", undefined, undefined, []],
  ["a schema of results", undefined, {}, [{ kind: "added", detail: "output schema added", client: "additive" }]],
  ["no schema any more", {}, undefined, [{ kind: "removed", detail: "output schema removed", client: "breaking" }]],
  ["equal schemas that cannot be read", [{}], [{}], []],
  [
    "a schema that cannot be read any more",
    {},
    [{}],
    [{ kind: "changed", detail: "schema changed, and one version cannot be read", client: "risky" }],
  ],
  [
    "a schema that can be read now",
    [{}],
    {},
    [{ kind: "changed", detail: "schema changed, and one version cannot be read", client: "risky" }],
  ],
])("a comparison of tools compares their schemas of results: %s", (_what, outputSchema, newer, changes) => {
  const rows = changes.map((change) => ({ subject: "t, result", server: "neutral", ...change }));
  const [before, after] = [
    { name: "t", inputSchema: text },
    { name: "t", inputSchema: number },
  ] as const;
  expect(compareToolSchemas({ ...before, outputSchema }, { ...before, outputSchema: newer }, "t")).toEqual(rows);
  // The schemas of arguments are compared in any case.
  const all = compareToolSchemas({ ...before, outputSchema }, { ...after, outputSchema: newer }, "t");
  expect(all.slice(0, 2).map(({ subject, client }) => [subject, client])).toEqual([
    ["t, arguments", "breaking"],
    ["t, arguments", "additive"],
  ]);
  expect(all.slice(2)).toEqual(rows);
});

test("a comparison of schemas finds each change that makes a value invalid", () => {
  const schemas = [
    ...[{}, text, number, integer, { type: ["string", "null"] }, { type: ["integer", "null"], exclusiveMinimum: 0 }],
    ...[{ enum: ["x", "xy"] }, { ...text, const: "x" }, { const: 1 }, { ...integer, enum: [1, 2] }],
    ...[{ minimum: 1 }, { exclusiveMinimum: 1 }, { maximum: 2 }, { exclusiveMaximum: 2, minimum: 0 }].flatMap(
      (rule) => [
        { ...number, ...rule },
        { ...integer, ...rule },
      ],
    ),
    ...[{ multipleOf: 2 }, { multipleOf: 0.5 }].map((rule) => ({ ...number, ...rule })),
    ...[{ minLength: 1 }, { minLength: 2 }, { maxLength: 1 }, { pattern: "^x" }, { pattern: "y$" }].map((rule) => ({
      ...text,
      ...rule,
    })),
    ...[{}, { items: text }, { items: number }, { items: false }, { minItems: 1 }, { maxItems: 1 }].map((rule) => ({
      ...list,
      ...rule,
    })),
    ...[{ prefixItems: [text] }, { prefixItems: [text], items: false }, { uniqueItems: true }].map((rule) => ({
      ...list,
      ...rule,
    })),
    ...[{}, { required: ["b"] }, { minProperties: 1 }, { maxProperties: 1 }, { propertyNames: { maxLength: 1 } }].map(
      (rule) => ({ ...object, ...rule }),
    ),
    ...[number, text, false].flatMap((additionalProperties) => [
      { ...object, additionalProperties },
      { ...object, additionalProperties, properties: { b: text } },
      { ...object, additionalProperties, properties: { b: number }, required: ["b"] },
    ]),
    { anyOf: [text, number] },
    { allOf: [text, { minLength: 1 }] },
    { not: text },
  ];
  const values = [
    ...[null, true, 0, 1, 2, 3, -1, 1.5, 0.25, "", "x", "xy", "z", "zzy"],
    ...[[], ["x"], [1], ["x", 1], ["x", "x"], [1, 2]],
    ...[{}, { b: 1 }, { b: "x" }, { c: 1 }, { c: "x" }, { cc: "x" }, { b: 1, c: 1 }, { b: "x", c: 1 }],
  ];
  const ajv = new Ajv2020({ strict: false });
  const checked = schemas.map((schema) => {
    const validate = ajv.compile(schema);
    return { schema, accepts: values.map((value) => validate(value)) };
  });
  /** True if the second schema rejects a value that the first one accepts. */
  const isTighter = (one: readonly boolean[], other: readonly boolean[]): boolean =>
    one.some((isValid, at) => isValid && other[at] === false);
  const missed = checked.flatMap((older) =>
    checked.flatMap((newer) => {
      const changes = changesOf(a(older.schema), a(newer.schema));
      const isSilent = [
        isTighter(older.accepts, newer.accepts) && !changes.some((change) => /^(breaking|risky)\//.test(change)),
        isTighter(newer.accepts, older.accepts) && !changes.some((change) => /^\w+\/(breaking|risky)/.test(change)),
      ];
      return isSilent.includes(true) ? [[older.schema, newer.schema]] : [];
    }),
  );
  expect(missed).toEqual([]);
});
