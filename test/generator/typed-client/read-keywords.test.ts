import { expect, test } from "vitest";
import { rejectOversize } from "../../../generator/typed-client/tool-schema/bounds.ts";
import { readSchema } from "../../../generator/typed-client/tool-schema/read-schema.ts";
import type { SafeDocument, SafeSchema } from "../../../generator/typed-client/tool-schema/safe-schema.ts";

/* What is read of the keywords of an untrusted schema, and what is reported about them. */

/** Returns a schema without its empty parts. */
function plain(schema: SafeSchema): object {
  const { properties, additional, items, names, prefix, anyOf, oneOf, allOf, required, notes, ...rest } = schema;
  const inner = {
    prefix: prefix.map(plain),
    anyOf: anyOf.map(plain),
    oneOf: oneOf.map(plain),
    allOf: allOf.map(plain),
  };
  const filled = Object.entries({ notes, required, ...inner }).filter(([, list]) => list.length > 0);
  const rests = Object.entries({ additional, items, names }).flatMap(([key, one]) =>
    one === undefined ? [] : [[key, one && plain(one)]],
  );
  const members = [...properties].map(([name, member]) => [name, plain(member)]);
  return {
    ...rest,
    ...Object.fromEntries([...filled, ...rests]),
    ...(members.length > 0 && { properties: Object.fromEntries(members) }),
  };
}

function lossesOf({ losses }: SafeDocument): string[] {
  return losses.map(({ kind, path, message }) => `${kind} ${path || "-"}: ${message}`);
}

test.each<[what: string, schema: object, read: object, losses: string[]]>([
  ["a description", { description: "  Two\nlines " }, { description: "Two\nlines" }, []],
  ["an empty description", { description: " " }, {}, []],
  ["a description that is no text", { description: 1 }, {}, []],
  ["characters that are not seen", { description: "a\u202eb" }, { description: "ab" }, []],
  ["a deprecated value", { deprecated: true }, { deprecated: true }, []],
  ["a value that is not deprecated", { deprecated: "yes" }, {}, []],
  ["a format", { format: "uri" }, { format: "uri", notes: ["@format uri"] }, []],
  ["a format that is no text", { format: 1 }, { notes: ["@format 1"] }, []],
  [
    "notes",
    { default: "x", minimum: 1, maximum: 2, exclusiveMinimum: 0, exclusiveMaximum: 3, multipleOf: 0.5 },
    {
      notes: [
        '@default "x"',
        "@minimum 1",
        "@maximum 2",
        "@exclusiveMinimum 0",
        "@exclusiveMaximum 3",
        "@multipleOf 0.5",
      ],
      minimum: 1,
      maximum: 2,
      exclusiveMinimum: 0,
      exclusiveMaximum: 3,
      multipleOf: 0.5,
    },
    [],
  ],
  [
    "notes about texts",
    { format: "byte", minLength: 1, maxLength: 2, pattern: "^a$", contentEncoding: "base64", contentMediaType: "a/b" },
    {
      format: "byte",
      notes: [
        "@format byte",
        "@minLength 1",
        "@maxLength 2",
        "@pattern ^a$",
        "@contentEncoding base64",
        "@contentMediaType a/b",
      ],
      minLength: 1,
      maxLength: 2,
      pattern: "^a$",
    },
    [],
  ],
  [
    "notes about lists",
    { default: [], minItems: 1, maxItems: 2 },
    { notes: ["@default []", "@minItems 1", "@maxItems 2"], minItems: 1, maxItems: 2 },
    [],
  ],
  ["a default that no text can express", { default: undefined }, { notes: ["@default "] }, []],
  [
    "a long default",
    { default: "x".repeat(200) },
    {
      notes: [`@default "${"x".repeat(119)}`],
    },
    [],
  ],
  ["types", { type: ["string", "null", "string"] }, { types: ["string", "null"] }, []],
  ["a nullable type", { type: "string", nullable: true }, { types: ["string", "null"] }, []],
  [
    "a type that is nullable in two ways",
    { type: ["null", "string"], nullable: true },
    { types: ["null", "string"] },
    [],
  ],
  ["a type that is not nullable", { type: "string", nullable: "true" }, { types: ["string"] }, []],
  ["no types", { type: [] }, {}, []],
  [
    "types of which one is unknown",
    { type: ["string", "thing"] },
    {},
    ['corrected /type: "thing" is not a JSON Schema type; any is assumed'],
  ],
  ["a type that is no text", { type: 5 }, {}, ["corrected /type: 5 is not a JSON Schema type; any is assumed"]],
  [
    "a type that is a long text",
    { type: "x".repeat(100) },
    {},
    [`corrected /type: "${"x".repeat(59)} is not a JSON Schema type; any is assumed`],
  ],
  [
    "a type that no text can express",
    { type: [undefined] },
    {},
    ["corrected /type: nothing is not a JSON Schema type; any is assumed"],
  ],
  [
    "a type with capitals",
    { type: "String" },
    { types: ["string"] },
    ['corrected /type: "String" is not a JSON Schema type; string is assumed'],
  ],
  ["properties without a type at the root", { properties: {} }, { types: ["object"] }, []],
  [
    "properties without a type in an alternative",
    { anyOf: [{ properties: {} }] },
    { anyOf: [{ types: ["object"] }] },
    [],
  ],
  [
    "properties without a type in an exclusive alternative",
    { oneOf: [{ properties: {} }] },
    { oneOf: [{ types: ["object"] }] },
    [],
  ],
  ["properties without a type in a part", { allOf: [{ properties: {} }] }, { allOf: [{ types: ["object"] }] }, []],
  [
    "properties without a type in a member",
    { type: "object", properties: { a: { properties: {} } } },
    { types: ["object"], properties: { a: { types: ["object"] } } },
    ["assumed /properties/a: the type is missing; object is assumed"],
  ],
  [
    "properties without a type below an alternative",
    { anyOf: [{ type: "object", additionalProperties: { properties: {} } }] },
    { anyOf: [{ types: ["object"], additional: { types: ["object"] } }] },
    ["assumed /anyOf/0/additionalProperties: the type is missing; object is assumed"],
  ],
  [
    "properties without a type in a member that is named as an alternative",
    { type: "object", properties: { "anyOf/1": { properties: {} } } },
    { types: ["object"], properties: { "anyOf/1": { types: ["object"] } } },
    ["assumed /properties/anyOf~11: the type is missing; object is assumed"],
  ],
  ["patterns of keys without a type", { patternProperties: {} }, { types: ["object"] }, []],
  ["other properties without a type", { additionalProperties: true }, { types: ["object"], additional: {} }, []],
  ["items without a type", { items: {} }, { types: ["array"], items: {} }, []],
  ["items of a tuple without a type", { prefixItems: [] }, { types: ["array"] }, []],
  ["properties beside alternatives", { properties: {}, anyOf: [] }, {}, []],
  ["properties beside exclusive alternatives", { properties: {}, oneOf: [] }, {}, []],
  ["properties beside parts", { properties: {}, allOf: [] }, {}, []],
  ["properties beside a reference", { properties: {}, $ref: "#/$defs/a", $defs: { a: {} } }, { reference: "A" }, []],
  ["properties beside values", { properties: {}, enum: [1] }, { values: [1] }, []],
  ["properties beside a constant", { properties: {}, const: 1 }, { values: [1] }, []],
  ["properties beside `not`", { properties: {}, not: {} }, {}, ["widened /not: not is not checked"]],
  ["properties beside a condition", { properties: {}, if: {} }, {}, ["widened /if: if is not checked"]],
  ["values of all kinds", { enum: ["a", 1, true, null] }, { values: ["a", 1, true, null] }, []],
  ["a constant", { const: null, enum: [1] }, { values: [null] }, []],
  [
    "a constant that is a list",
    { const: [] },
    {},
    ["widened /const: values that are objects or lists are not checked"],
  ],
  [
    "a value that is an object",
    { enum: [1, {}] },
    {},
    ["widened /enum: values that are objects or lists are not checked"],
  ],
  ["values that are no list", { enum: "a" }, {}, ["corrected /enum: enum is not a list; it is ignored"]],
  [
    "limits of numbers",
    { type: "number", minimum: -1, maximum: 0, exclusiveMinimum: -2, exclusiveMaximum: 1, multipleOf: 2 },
    {
      notes: ["@minimum -1", "@maximum 0", "@exclusiveMinimum -2", "@exclusiveMaximum 1", "@multipleOf 2"],
      types: ["number"],
      minimum: -1,
      maximum: 0,
      exclusiveMinimum: -2,
      exclusiveMaximum: 1,
      multipleOf: 2,
    },
    [],
  ],
  [
    "limits of texts",
    { type: "string", minLength: 0, maxLength: 1 },
    { notes: ["@minLength 0", "@maxLength 1"], types: ["string"], minLength: 0, maxLength: 1 },
    [],
  ],
  [
    "limits of lists",
    { type: "array", minItems: 0, maxItems: 1, uniqueItems: true },
    { notes: ["@minItems 0", "@maxItems 1"], types: ["array"], minItems: 0, maxItems: 1, uniqueItems: true },
    [],
  ],
  [
    "limits of objects",
    { type: "object", minProperties: 0, maxProperties: 1 },
    { types: ["object"], minProperties: 0, maxProperties: 1 },
    [],
  ],
  ["items that need not differ", { type: "array", uniqueItems: "true" }, { types: ["array"] }, []],
  [
    "limits that are texts",
    { minimum: "1", maximum: " 2 " },
    { notes: ["@minimum 1", "@maximum 2"], minimum: 1, maximum: 2 },
    [
      "corrected /minimum: minimum is not a usable number; it is read as one",
      "corrected /maximum: maximum is not a usable number; it is read as one",
    ],
  ],
  [
    "limits that are no numbers",
    { minimum: "", maximum: " ", minLength: "x", maxLength: null, minItems: true, maxItems: Infinity },
    { notes: ["@minimum ", "@maximum ", "@minLength x", "@maxLength null", "@minItems true", "@maxItems null"] },
    [
      "corrected /minimum: minimum is not a usable number; it is ignored",
      "corrected /maximum: maximum is not a usable number; it is ignored",
      "corrected /minLength: minLength is not a usable number; it is ignored",
      "corrected /maxLength: maxLength is not a usable number; it is ignored",
      "corrected /minItems: minItems is not a usable number; it is ignored",
      "corrected /maxItems: maxItems is not a usable number; it is ignored",
    ],
  ],
  [
    "multiples of zero",
    { multipleOf: 0 },
    { notes: ["@multipleOf 0"] },
    ["corrected /multipleOf: multipleOf is not a usable number; it is ignored"],
  ],
  [
    "multiples of a negative number",
    { multipleOf: "-1" },
    { notes: ["@multipleOf -1"] },
    ["corrected /multipleOf: multipleOf is not a usable number; it is ignored"],
  ],
  [
    "exclusive limits of draft 4",
    { minimum: 1, maximum: 2, exclusiveMinimum: true, exclusiveMaximum: true },
    {
      notes: ["@minimum 1", "@maximum 2", "@exclusiveMinimum true", "@exclusiveMaximum true"],
      minimum: 1,
      maximum: 2,
      exclusiveMinimum: 1,
      exclusiveMaximum: 2,
    },
    [],
  ],
  [
    "inclusive limits of draft 4",
    { minimum: 1, maximum: 2, exclusiveMinimum: false, exclusiveMaximum: false },
    {
      notes: ["@minimum 1", "@maximum 2", "@exclusiveMinimum false", "@exclusiveMaximum false"],
      minimum: 1,
      maximum: 2,
    },
    [],
  ],
  [
    "exclusive limits of draft 4 without numbers",
    { exclusiveMinimum: true, minimum: "1", exclusiveMaximum: true },
    { notes: ["@minimum 1", "@exclusiveMinimum true", "@exclusiveMaximum true"], minimum: 1, exclusiveMinimum: 1 },
    ["corrected /minimum: minimum is not a usable number; it is read as one"],
  ],
  ["a pattern", { pattern: "^a$" }, { notes: ["@pattern ^a$"], pattern: "^a$" }, []],
  [
    "a pattern that is no text",
    { pattern: 1 },
    { notes: ["@pattern 1"] },
    ["widened /pattern: the pattern is invalid or potentially slow, so it is not enforced"],
  ],
  [
    "a slow pattern",
    { pattern: "^(a+)+$" },
    { notes: ["@pattern ^(a+)+$"] },
    ["widened /pattern: the pattern is invalid or potentially slow, so it is not enforced"],
  ],
  [
    "members",
    { type: "object", properties: { a: { type: "string" }, "b/~": { type: "quux" } }, required: ["a", 1, "a"] },
    { types: ["object"], properties: { a: { types: ["string"] }, "b/~": {} }, required: ["a"] },
    ['corrected /properties/b~1~0/type: "quux" is not a JSON Schema type; any is assumed'],
  ],
  [
    "required members that are not declared",
    { type: "object", required: ["a"], additionalProperties: { type: "string" } },
    { types: ["object"], properties: { a: { types: ["string"] } }, required: ["a"], additional: { types: ["string"] } },
    [],
  ],
  [
    "required members that are not declared and must not be there",
    { type: "object", required: ["a"], additionalProperties: false },
    { types: ["object"], properties: { a: {} }, required: ["a"], additional: false },
    [],
  ],
  [
    "required members of draft 3",
    { type: "object", properties: { a: { required: true }, b: { required: false } }, required: ["a"] },
    { types: ["object"], properties: { a: {}, b: {} }, required: ["a"] },
    ["corrected /properties/a: `required: true` belongs in the list of the enclosing object"],
  ],
  [
    "required members that are a text",
    { type: "object", required: "a" },
    { types: ["object"] },
    ["corrected /required: required is not a list of names; it is ignored"],
  ],
  [
    "members that are a list",
    { type: "object", properties: [] },
    { types: ["object"] },
    ["corrected /properties: properties is not an object; it is ignored"],
  ],
  ["no other members", { type: "object", additionalProperties: false }, { types: ["object"], additional: false }, []],
  ["any other members", { type: "object", additionalProperties: true }, { types: ["object"], additional: {} }, []],
  [
    "no unevaluated members",
    { type: "object", unevaluatedProperties: false },
    { types: ["object"], additional: false },
    [],
  ],
  [
    "no other members, though others are unevaluated",
    { type: "object", additionalProperties: false, unevaluatedProperties: { type: "string" } },
    { types: ["object"], additional: false },
    [],
  ],
  [
    "unevaluated members beside alternatives",
    { type: "object", unevaluatedProperties: false, anyOf: [] },
    { types: ["object"] },
    ["widened /unevaluatedProperties: unevaluatedProperties beside a composition is not checked"],
  ],
  [
    "unevaluated members beside exclusive alternatives",
    { type: "object", unevaluatedProperties: false, oneOf: [] },
    { types: ["object"] },
    ["widened /unevaluatedProperties: unevaluatedProperties beside a composition is not checked"],
  ],
  [
    "unevaluated members beside parts",
    { type: "object", unevaluatedProperties: false, allOf: [] },
    { types: ["object"] },
    ["widened /unevaluatedProperties: unevaluatedProperties beside a composition is not checked"],
  ],
  [
    "unevaluated members beside a reference",
    { type: "object", unevaluatedProperties: false, $ref: "#/$defs/a", $defs: { a: {} } },
    { types: ["object"], reference: "A" },
    ["widened /unevaluatedProperties: unevaluatedProperties beside a composition is not checked"],
  ],
  [
    "unevaluated members beside a condition",
    { type: "object", unevaluatedProperties: false, if: {} },
    { types: ["object"] },
    [
      "widened /if: if is not checked",
      "widened /unevaluatedProperties: unevaluatedProperties beside a composition is not checked",
    ],
  ],
  [
    "other members beside alternatives",
    { type: "object", additionalProperties: false, anyOf: [] },
    { types: ["object"], additional: false },
    [],
  ],
  [
    "members by pattern",
    { type: "object", additionalProperties: false, patternProperties: { "^a": {} } },
    { types: ["object"], additional: {} },
    ["widened /patternProperties: keys by pattern are not checked: any key is accepted"],
  ],
  [
    "no members by pattern",
    { type: "object", additionalProperties: false, patternProperties: {} },
    { types: ["object"], additional: false },
    [],
  ],
  [
    "names",
    { type: "object", propertyNames: { maxLength: 3 } },
    { types: ["object"], names: { notes: ["@maxLength 3"], maxLength: 3 } },
    [],
  ],
  ["names that are texts", { type: "object", propertyNames: { type: "string" } }, { types: ["object"] }, []],
  [
    "names of another type",
    { type: "object", propertyNames: { type: "number" } },
    { types: ["object"], names: { types: ["number"] } },
    [],
  ],
  [
    "texts as names with a limit",
    { type: "object", propertyNames: { type: "string", minLength: 1 } },
    { types: ["object"], names: { notes: ["@minLength 1"], types: ["string"], minLength: 1 } },
    [],
  ],
  ["any names", { type: "object", propertyNames: true }, { types: ["object"] }, []],
  ["no names", { type: "object", propertyNames: false }, { types: ["object"], names: { values: [] } }, []],
  [
    "items",
    { type: "array", items: { type: "str" } },
    { types: ["array"], items: { types: ["string"] } },
    ['corrected /items/type: "str" is not a JSON Schema type; string is assumed'],
  ],
  ["any items", { type: "array", items: true }, { types: ["array"] }, []],
  ["no items", { type: "array", items: false }, { types: ["array"], items: false }, []],
  [
    "a tuple",
    { type: "array", prefixItems: [{ type: "str" }, true], items: { type: "str" } },
    { types: ["array"], prefix: [{ types: ["string"] }, {}], items: { types: ["string"] } },
    [
      'corrected /prefixItems/0/type: "str" is not a JSON Schema type; string is assumed',
      'corrected /items/type: "str" is not a JSON Schema type; string is assumed',
    ],
  ],
  [
    "a tuple of draft 7",
    { type: "array", items: [{ type: "str" }], additionalItems: { type: "str" } },
    { types: ["array"], prefix: [{ types: ["string"] }], items: { types: ["string"] } },
    [
      'corrected /items/0/type: "str" is not a JSON Schema type; string is assumed',
      'corrected /additionalItems/type: "str" is not a JSON Schema type; string is assumed',
    ],
  ],
  [
    "a closed tuple of draft 7",
    { type: "array", items: [true], additionalItems: false },
    { types: ["array"], prefix: [{}], items: false },
    [],
  ],
  [
    "items of a tuple that are no list",
    { type: "array", prefixItems: {} },
    { types: ["array"] },
    ["corrected /prefixItems: prefixItems is not a list; it is ignored"],
  ],
  [
    "items beside those that only tuples of draft 7 have",
    { type: "array", items: {}, additionalItems: false },
    { types: ["array"], items: {} },
    [],
  ],
  [
    "alternatives",
    { anyOf: [{ type: "str" }], oneOf: [true], allOf: [{}] },
    { anyOf: [{ types: ["string"] }], oneOf: [{}], allOf: [{}] },
    ['corrected /anyOf/0/type: "str" is not a JSON Schema type; string is assumed'],
  ],
  [
    "alternatives that are no list",
    { anyOf: {}, oneOf: 1, allOf: null },
    {},
    [
      "corrected /anyOf: anyOf is not a list; it is ignored",
      "corrected /oneOf: oneOf is not a list; it is ignored",
      "corrected /allOf: allOf is not a list; it is ignored",
    ],
  ],
  [
    "schemas that are no schemas",
    { anyOf: [null], items: 1, properties: { a: "string" } },
    { properties: { a: {} }, items: {}, anyOf: [{}] },
    [
      "corrected /properties/a: a schema is an object or a boolean; any value is accepted",
      "corrected /items: a schema is an object or a boolean; any value is accepted",
      "corrected /anyOf/0: a schema is an object or a boolean; any value is accepted",
    ],
  ],
  [
    "keywords that are not checked",
    {
      not: {},
      if: {},
      dependentRequired: {},
      dependentSchemas: {},
      dependencies: {},
      contains: {},
      unevaluatedItems: {},
      $dynamicRef: "#a",
      $recursiveRef: "#",
    },
    {},
    [
      "widened /not: not is not checked",
      "widened /if: if is not checked",
      "widened /dependentRequired: dependentRequired is not checked",
      "widened /dependentSchemas: dependentSchemas is not checked",
      "widened /dependencies: dependencies is not checked",
      "widened /contains: contains is not checked",
      "widened /unevaluatedItems: unevaluatedItems is not checked",
      "widened /$dynamicRef: $dynamicRef is not checked",
      "widened /$recursiveRef: $recursiveRef is not checked",
    ],
  ],
  [
    "harmful keywords",
    { tsType: "a", tsEnumNames: [] },
    {},
    [
      "removed /tsType: tsType would insert text into the code",
      "removed /tsEnumNames: tsEnumNames would insert text into the code",
    ],
  ],
  [
    "keywords that annotate",
    { $comment: "x", title: "x", examples: [], readOnly: true, writeOnly: true, $schema: "x", $id: "x:y" },
    {},
    [],
  ],
  [
    "a reference that is a number",
    { $ref: 1 },
    {},
    ["removed /$ref: 1 points outside the schema and is never fetched; any value is accepted"],
  ],
  ["a reference that no text can express", { $ref: undefined }, {}, []],
  [
    "a reference to a long address",
    { $ref: "https://a.example/" + "x".repeat(100) },
    {},
    [
      `removed /$ref: "https://a.example/${"x".repeat(81)} points outside the schema and is never fetched; any value is accepted`,
    ],
  ],
  [
    "a reference to nothing",
    { $ref: "#/$defs/a" },
    {},
    ['removed /$ref: "#/$defs/a" does not resolve; any value is accepted'],
  ],
  ["any names, as an empty schema", { type: "object", propertyNames: {} }, { types: ["object"] }, []],
])("`readSchema` reads keywords: %s", (_what, schema, read, losses) => {
  const document = readSchema(schema);
  expect(plain(document.root)).toStrictEqual(read);
  expect(lossesOf(document)).toEqual(losses);
});

test.each<[what: string, schema: object, read: object, definitions: object, losses: string[]]>([
  [
    "a definition",
    { $ref: "#/$defs/a", $defs: { a: { type: "string" }, b: {} } },
    { reference: "A" },
    { A: { types: ["string"] } },
    [],
  ],
  [
    "a definition in a definition",
    { $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/b" } }, b: { type: "null" } } },
    { reference: "A" },
    { A: { types: ["array"], items: { reference: "B" } }, B: { types: ["null"] } },
    [],
  ],
  [
    "two references to a definition",
    { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/%24defs/a" }], $defs: { a: { type: "null" } } },
    { anyOf: [{ reference: "A" }, { reference: "A" }] },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "definitions whose names are spelt alike",
    {
      anyOf: [{ $ref: "#/$defs/a b" }, { $ref: "#/$defs/a-b" }, { $ref: "#/$defs/a_b" }],
      $defs: { "a b": { type: "null" }, "a-b": { type: "string" }, a_b: { type: "array" } },
    },
    { anyOf: [{ reference: "AB" }, { reference: "AB2" }, { reference: "AB3" }] },
    { AB: { types: ["null"] }, AB2: { types: ["string"] }, AB3: { types: ["array"] } },
    [],
  ],
  [
    "a name with characters that a pointer escapes",
    { $ref: "#/$defs/a~1b~0%20c", $defs: { "a/b~ c": { type: "null" } } },
    { reference: "A1B0C" },
    { A1B0C: { types: ["null"] } },
    [],
  ],
  [
    "a part of a list",
    { anyOf: [{ type: "null" }, { $ref: "#/anyOf/0" }] },
    { anyOf: [{ types: ["null"] }, { reference: "N0" }] },
    { N0: { types: ["null"] } },
    [],
  ],
  [
    "the root",
    { type: "object", properties: { a: { $ref: "#" } } },
    { types: ["object"], properties: { a: { reference: "Root" } } },
    { Root: { types: ["object"], properties: { a: { reference: "Root" } } } },
    [],
  ],
  [
    "the member with an empty name",
    { $ref: "#/", "": { type: "null" } },
    { reference: "Root" },
    { Root: { types: ["null"] } },
    [],
  ],
  [
    "an empty reference",
    { type: "object", properties: { a: { $ref: "" } } },
    { types: ["object"], properties: { a: { reference: "Root" } } },
    { Root: { types: ["object"], properties: { a: { reference: "Root" } } } },
    [],
  ],
  [
    "an anchor",
    { $ref: "#b", $defs: { a: { type: "array", items: { $anchor: "b", type: "null" } } } },
    { reference: "Items" },
    { Items: { types: ["null"] } },
    [],
  ],
  [
    "a dynamic anchor",
    { $ref: "#b", $defs: { a: { $dynamicAnchor: "b", type: "null" } } },
    { reference: "A" },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "an anchor behind values that are no objects",
    { default: null, examples: [null], $ref: "#b", $defs: { a: { $anchor: "b", type: "null" } } },
    { notes: ["@default null"], reference: "A" },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "an anchor of the root",
    { $anchor: "b", type: "object", properties: { a: { $ref: "#b" } } },
    { types: ["object"], properties: { a: { reference: "Root" } } },
    { Root: { types: ["object"], properties: { a: { reference: "Root" } } } },
    [],
  ],
  [
    "an identifier with a fragment",
    { $ref: "b.json", $defs: { a: { $id: "b.json#", type: "null" } } },
    { reference: "A" },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "an anchor of an embedded schema",
    { $ref: "b.json#c", $defs: { a: { $id: "b.json", $defs: { d: { $anchor: "c", type: "null" } } } } },
    { reference: "D" },
    { D: { types: ["null"] } },
    [],
  ],
  [
    "a pointer in an embedded schema",
    { $ref: "b.json#/$defs/d", $defs: { a: { $id: "b.json", $defs: { d: { type: "null" } } } } },
    { reference: "D" },
    { D: { types: ["null"] } },
    [],
  ],
  [
    "a pointer of an embedded schema from within",
    {
      $ref: "b.json",
      $defs: {
        a: { $id: "b.json", type: "array", items: { $ref: "#/$defs/d" }, $defs: { d: { type: "null" } } },
        d: { type: "string" },
      },
    },
    { reference: "A" },
    { A: { types: ["array"], items: { reference: "D" } }, D: { types: ["null"] } },
    [],
  ],
  [
    "a pointer of the root beside an embedded schema",
    {
      type: "object",
      properties: { a: { $id: "b.json", type: "null" }, ab: { $ref: "#/$defs/d" } },
      $defs: { d: { type: "string" } },
    },
    { types: ["object"], properties: { a: { types: ["null"] }, ab: { reference: "D" } } },
    { D: { types: ["string"] } },
    [],
  ],
  [
    "an identifier within an identifier",
    {
      $ref: "https://a.example/x/c.json",
      $defs: { a: { $id: "https://a.example/x/b.json", $defs: { d: { $id: "c.json", type: "null" } } } },
    },
    { reference: "D" },
    { D: { types: ["null"] } },
    [],
  ],
  [
    "an identifier of the root",
    { $id: "https://a.example/b.json", type: "object", properties: { a: { $ref: "b.json" } } },
    { types: ["object"], properties: { a: { reference: "Root" } } },
    { Root: { types: ["object"], properties: { a: { reference: "Root" } } } },
    [],
  ],
  [
    "a relative identifier from an embedded schema",
    {
      $id: "https://a.example/x/b.json",
      $ref: "y/c.json",
      $defs: { a: { $id: "y/c.json", type: "array", items: { $ref: "../b.json#/$defs/d" } }, d: { type: "null" } },
    },
    { reference: "A" },
    { A: { types: ["array"], items: { reference: "D" } }, D: { types: ["null"] } },
    [],
  ],
  [
    "an identifier that is no text",
    { $ref: "#/$defs/a", $defs: { a: { $id: 1, type: "null" } } },
    { reference: "A" },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "an identifier that is no URI",
    { $ref: "#/$defs/a", $defs: { a: { $id: "http://[", type: "null" } } },
    { reference: "A" },
    { A: { types: ["null"] } },
    [],
  ],
  [
    "a reference that is no URI",
    { $ref: "http://[" },
    {},
    {},
    ['removed /$ref: "http://[" points outside the schema and is never fetched; any value is accepted'],
  ],
  [
    "a pointer to nothing",
    { $ref: "#/$defs/b", $defs: { a: {} } },
    {},
    {},
    ['removed /$ref: "#/$defs/b" does not resolve; any value is accepted'],
  ],
  [
    "a pointer to what every object has",
    { $ref: "#/toString" },
    {},
    {},
    ['removed /$ref: "#/toString" does not resolve; any value is accepted'],
  ],
  [
    "a pointer that is not encoded",
    { $ref: "#/%E0%A4%A" },
    {},
    {},
    ['removed /$ref: "#/%E0%A4%A" does not resolve; any value is accepted'],
  ],
  [
    "an anchor of nothing",
    { $ref: "#b", $defs: { a: { $anchor: "c" } } },
    {},
    {},
    ['removed /$ref: "#b" does not resolve; any value is accepted'],
  ],
  [
    "an anchor that another resource has",
    { $ref: "b.json#c", $defs: { a: { $id: "b.json" }, d: { $anchor: "c" } } },
    {},
    {},
    ['removed /$ref: "b.json#c" points outside the schema and is never fetched; any value is accepted'],
  ],
  [
    "an identifier of nothing",
    { $ref: "b.json", $defs: { a: { $id: "c.json" } } },
    {},
    {},
    ['removed /$ref: "b.json" points outside the schema and is never fetched; any value is accepted'],
  ],
  [
    "a definition that is no schema",
    { $ref: "#/$defs/a", $defs: { a: null } },
    { reference: "A" },
    { A: {} },
    ["corrected /$defs/a: a schema is an object or a boolean; any value is accepted"],
  ],
  [
    "keywords beside a reference",
    { $ref: "#/$defs/a", minLength: 1, $defs: { a: { type: "string" } } },
    { notes: ["@minLength 1"], minLength: 1, reference: "A" },
    { A: { types: ["string"] } },
    [],
  ],
  [
    "a definition that refers to itself",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a", type: "string" } } },
    { reference: "A" },
    { A: { types: ["string"] } },
    ["removed #A: the definition refers to itself; the reference is ignored"],
  ],
  [
    "a definition that refers to itself by an alternative",
    { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] } } },
    { reference: "A" },
    { A: { anyOf: [{}, { types: ["string"] }] } },
    ["removed #A: the definition refers to itself; the reference is ignored"],
  ],
  [
    "a definition that refers to itself by an exclusive alternative",
    { $ref: "#/$defs/a", $defs: { a: { oneOf: [{ $ref: "#/$defs/a" }, { type: "string" }] } } },
    { reference: "A" },
    { A: { oneOf: [{}, { types: ["string"] }] } },
    ["removed #A: the definition refers to itself; the reference is ignored"],
  ],
  [
    "a definition that refers to itself by a part of a part",
    {
      $ref: "#/$defs/a",
      $defs: { a: { allOf: [{ allOf: [{ $ref: "#/$defs/a" }] }, { $ref: "#/$defs/b" }] }, b: { type: "string" } },
    },
    { reference: "A" },
    { A: { allOf: [{ allOf: [{}] }, { reference: "B" }] }, B: { types: ["string"] } },
    ["removed #A: the definition refers to itself; the reference is ignored"],
  ],
  [
    "definitions that refer to each other",
    {
      $ref: "#/$defs/a",
      $defs: {
        a: { $ref: "#/$defs/b" },
        b: { anyOf: [{ $ref: "#/$defs/c" }] },
        c: { $ref: "#/$defs/a", type: "null" },
      },
    },
    { reference: "A" },
    { A: {}, B: { anyOf: [{}] }, C: { types: ["null"] } },
    [
      "removed #A: the definition refers to itself; the reference is ignored",
      "removed #B: the definition refers to itself; the reference is ignored",
      "removed #C: the definition refers to itself; the reference is ignored",
    ],
  ],
  [
    "a definition that refers to a circle",
    { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/b" } } },
    { reference: "A" },
    { A: { anyOf: [{ reference: "B" }] }, B: {} },
    ["removed #B: the definition refers to itself; the reference is ignored"],
  ],
  [
    "a definition that refers to itself by a member",
    { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { b: { $ref: "#/$defs/a" } } } } },
    { reference: "A" },
    { A: { types: ["object"], properties: { b: { reference: "A" } } } },
    [],
  ],
  [
    "a definition that refers to itself by items",
    { $ref: "#/$defs/a", $defs: { a: { type: "array", items: { anyOf: [{ $ref: "#/$defs/a" }] } } } },
    { reference: "A" },
    { A: { types: ["array"], items: { anyOf: [{ reference: "A" }] } } },
    [],
  ],
])("`readSchema` reads references: %s", (_what, schema, read, definitions, losses) => {
  const document = readSchema(schema);
  expect(plain(document.root)).toStrictEqual(read);
  const found = [...document.definitions].map(([name, definition]) => [name, plain(definition)]);
  expect(Object.fromEntries(found)).toStrictEqual(definitions);
  expect(lossesOf(document)).toEqual(losses);
});

test.each([
  ["string", ["str", "text", "date", "String", "STRING"]],
  ["integer", ["int", "long", "Integer"]],
  ["number", ["float", "double", "decimal", "Number"]],
  ["boolean", ["bool", "Boolean"]],
  ["array", ["list", "tuple", "Array"]],
  ["object", ["dict", "map", "record", "Object"]],
  ["null", ["none", "nil", "Null", "None"]],
])("`readSchema` reads types of other languages as %s", (type, words) => {
  for (const word of words) {
    const document = readSchema({ type: word });
    expect(plain(document.root)).toStrictEqual({ types: [type] });
    expect(lossesOf(document)).toEqual([`corrected /type: "${word}" is not a JSON Schema type; ${type} is assumed`]);
  }
  expect(lossesOf(readSchema({ type }))).toEqual([]);
});

test("`readSchema` reads members whose names cannot be used as if they were not there", () => {
  const properties: unknown = JSON.parse(String.raw`{"__proto__":{},"a\ud800":{},"\ud83d\ude00":{}}`);
  const document = readSchema({ type: "object", properties, required: ["__proto__", "a\ud800", "\u{1f600}"] });
  expect(plain(document.root)).toStrictEqual({
    types: ["object"],
    properties: { "\u{1f600}": {} },
    required: ["\u{1f600}"],
  });
  expect(lossesOf(document)).toEqual([
    "removed /properties/__proto__: a property of this name would change what objects inherit",
    "removed /properties: a property whose name has a lone surrogate cannot be sent",
  ]);
});

test("`readSchema` rejects what is no schema, and schemas beyond its limits", () => {
  for (const schema of [null, 1, "string", [], undefined])
    expect(() => readSchema(schema)).toThrow(
      expect.objectContaining({ name: "SchemaRejection", message: "it is not a JSON Schema object" }),
    );
  const nested = { items: { items: { minimum: 1 } } };
  expect(() => rejectOversize(nested, { depth: 3, size: 4 })).not.toThrow();
  expect(() => rejectOversize(nested, { depth: 2, size: 4 })).toThrow("it is nested deeper than 2 levels");
  expect(() => rejectOversize(nested, { depth: 3, size: 3 })).toThrow("it has more than 3 values");
  expect(plain(readSchema(true).root)).toEqual({});
  expect(plain(readSchema(false).root)).toEqual({ values: [] });
});

test("`readSchema` keeps the patterns that its caller accepts", () => {
  const { root, losses } = readSchema({ pattern: "^(a+)+$" }, { acceptPattern: (pattern) => pattern === "^(a+)+$" });
  expect([root.pattern, losses]).toEqual(["^(a+)+$", []]);
  expect(readSchema({ pattern: "a" }, { acceptPattern: () => false }).root.pattern).toBeUndefined();
});
