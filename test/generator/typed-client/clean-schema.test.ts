import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { cleanSchema } from "../../../generator/typed-client/tool-schema/clean-schema.ts";
import { isRecord } from "../../../generator/internal/json-text.ts";

/* Copies of untrusted schemas for code that enforces them. */

test.each<[what: string, schema: unknown, clean: unknown]>([
  ["true", true, true],
  ["false", false, false],
  [
    "texts",
    { title: "T\u202e", description: "d", $anchor: "a", contentEncoding: "base64", contentMediaType: "a/b" },
    { $anchor: "a", contentEncoding: "base64", contentMediaType: "a/b", description: "d", title: "T" },
  ],
  [
    "texts of other kinds",
    { title: 1, description: null, $anchor: {}, contentEncoding: true, contentMediaType: [] },
    {},
  ],
  [
    "data",
    {
      const: { a: [1] },
      default: null,
      dependentRequired: { a: ["b"] },
      deprecated: true,
      examples: [1],
      maxItems: 2,
      minItems: 1,
      uniqueItems: true,
    },
    {
      const: { a: [1] },
      default: null,
      dependentRequired: { a: ["b"] },
      deprecated: true,
      examples: [1],
      maxItems: 2,
      minItems: 1,
      uniqueItems: true,
    },
  ],
  [
    "limits",
    {
      maxLength: 2,
      minLength: 1,
      maxProperties: 2,
      minProperties: 1,
      multipleOf: 2,
      minimum: 0,
      maximum: 9,
      exclusiveMinimum: -1,
      exclusiveMaximum: 10,
      pattern: "^a$",
    },
    {
      maxLength: 2,
      maxProperties: 2,
      minLength: 1,
      minProperties: 1,
      multipleOf: 2,
      minimum: 0,
      exclusiveMinimum: -1,
      maximum: 9,
      exclusiveMaximum: 10,
      pattern: "^a$",
    },
  ],
  [
    "keywords that are not known",
    {
      $comment: "x",
      nullable: false,
      discriminator: {},
      xml: {},
      readOnly: true,
      writeOnly: true,
      "x-a": 1,
      $id: "a",
      $dynamicRef: "#a",
    },
    {},
  ],
  ["values with duplicates", { enum: ["a", 1, "a", { b: 1 }, { b: 1 }] }, { enum: ["a", 1, { b: 1 }] }],
  ["values that are no list", { enum: "a" }, {}],
  [
    "data with a key that changes prototypes",
    { default: JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":1}}') },
    { default: { b: {} } },
  ],
  [
    "draft 7",
    { $schema: "http://json-schema.org/draft-07/schema#" },
    { $schema: "http://json-schema.org/draft-07/schema#" },
  ],
  [
    "draft 7 without a fragment",
    { $schema: "https://json-schema.org/draft-07/schema" },
    { $schema: "https://json-schema.org/draft-07/schema" },
  ],
  [
    "the dialect of 2020",
    { $schema: "https://json-schema.org/draft/2020-12/schema" },
    { $schema: "https://json-schema.org/draft/2020-12/schema" },
  ],
  [
    "the dialect of 2020 without encryption",
    { $schema: "http://json-schema.org/draft/2020-12/schema" },
    { $schema: "http://json-schema.org/draft/2020-12/schema" },
  ],
  ["the dialect of 2020 with a fragment", { $schema: "https://json-schema.org/draft/2020-12/schema#" }, {}],
  ["another dialect", { $schema: "https://json-schema.org/draft/2019-09/schema" }, {}],
  ["an address that contains that of a dialect", { $schema: "x https://json-schema.org/draft/2020-12/schema" }, {}],
  ["a dialect that is no text", { $schema: 1 }, {}],
  [
    "a local reference",
    { $ref: "#/$defs/a", $defs: { a: { type: "string" } } },
    { $ref: "#/$defs/a", $defs: { a: { type: "string" } } },
  ],
  ["a format that is not known", { format: "color" }, {}],
  ["a format that is no text", { format: 1 }, {}],
  ["a type", { type: "string" }, { type: "string" }],
  ["a type that is not known", { type: "text" }, {}],
  ["a list of types", { type: ["string", "null", "string"] }, { type: ["string", "null"] }],
  ["a list of types of which one is not known", { type: ["string", "text"] }, {}],
  ["an empty list of types", { type: [] }, {}],
  ["required members", { required: ["a", "b", "a", 1] }, { required: ["a", "b"] }],
  ["no required members", { required: [] }, {}],
  ["required members of draft 3", { required: true }, {}],
  [
    "exclusive limits of draft 4",
    { minimum: 1, maximum: 2, exclusiveMinimum: true, exclusiveMaximum: true },
    { exclusiveMinimum: 1, exclusiveMaximum: 2 },
  ],
  [
    "inclusive limits of draft 4",
    { minimum: 1, maximum: 2, exclusiveMinimum: false, exclusiveMaximum: false },
    { minimum: 1, maximum: 2 },
  ],
  ["exclusive limits of draft 4 without limits", { exclusiveMinimum: true, exclusiveMaximum: true }, {}],
  ["a pattern that is no text", { pattern: 1 }, {}],
  ["an invalid pattern", { type: "string", pattern: "(" }, { type: "string" }],
  ["a pattern without the flag `u`", { type: "string", pattern: "\\-" }, { type: "string" }],
  [
    "members",
    {
      properties: { a: { type: "text" }, b: true, c: 1 },
      patternProperties: { "^x": { "x-a": 1 } },
      dependentSchemas: { a: { "x-a": 1 } },
    },
    { dependentSchemas: { a: {} }, patternProperties: { "^x": {} }, properties: { a: {}, b: true, c: {} } },
  ],
  [
    "definitions",
    { $defs: { a: { "x-a": 1 } }, definitions: { b: { "x-a": 1 } } },
    { $defs: { a: {} }, definitions: { b: {} } },
  ],
  [
    "members that are no objects",
    { properties: [], patternProperties: 1, $defs: null, definitions: "a", dependentSchemas: true },
    {},
  ],
  [
    "alternatives",
    { allOf: [{ "x-a": 1 }], anyOf: [true], oneOf: [1], prefixItems: [{ "x-a": 1 }] },
    { allOf: [{}], anyOf: [true], oneOf: [{}], prefixItems: [{}] },
  ],
  ["alternatives that are no lists", { allOf: {}, anyOf: 1, oneOf: "a", prefixItems: true }, {}],
  [
    "schemas of items",
    { items: { "x-a": 1 }, contains: { "x-a": 1 }, unevaluatedItems: { "x-a": 1 } },
    { contains: {}, unevaluatedItems: {}, items: {} },
  ],
  [
    "a tuple of draft 7",
    { items: [{ "x-a": 1 }, true], additionalItems: { "x-a": 1 } },
    { additionalItems: {}, items: [{}, true] },
  ],
  [
    "schemas of other members",
    { additionalProperties: { "x-a": 1 }, propertyNames: { "x-a": 1 }, unevaluatedProperties: { "x-a": 1 } },
    { additionalProperties: {}, propertyNames: {}, unevaluatedProperties: {} },
  ],
  [
    "no other members",
    { additionalProperties: false, unevaluatedProperties: false, unevaluatedItems: false, items: false },
    { additionalProperties: false, unevaluatedItems: false, unevaluatedProperties: false, items: false },
  ],
  [
    "conditions",
    { if: { "x-a": 1 }, then: { "x-a": 1 }, else: { "x-a": 1 }, not: { "x-a": 1 } },
    { else: {}, if: {}, not: {}, then: {} },
  ],
  ["a nullable type", { type: "string", nullable: true }, { type: ["string", "null"] }],
  [
    "a nullable list of types",
    { type: ["string", "integer"], nullable: true },
    { anyOf: [{ type: ["string", "integer"] }, { type: "null" }] },
  ],
  [
    "a nullable schema without a type",
    { $ref: "#/$defs/a", nullable: true },
    { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }] },
  ],
  ["nullable values", { type: "string", enum: ["a"], nullable: true }, { enum: ["a", null], type: ["string", "null"] }],
  [
    "nullable values with null",
    { type: "string", enum: ["a", null], nullable: true },
    { enum: ["a", null], type: ["string", "null"] },
  ],
  [
    "a nullable member",
    { properties: { a: { type: "string", nullable: true } } },
    { properties: { a: { type: ["string", "null"] } } },
  ],
  ["a schema that is nullable in words", { type: "string", nullable: "true" }, { type: "string" }],
  [
    "numbers of items that fit",
    { contains: { type: "string" }, minContains: 0, maxContains: 2 },
    { maxContains: 2, minContains: 0, contains: { type: "string" } },
  ],
])("`cleanSchema` copies what it knows: %s", (_what, schema, clean) => {
  expect(cleanSchema(schema)).toStrictEqual(clean);
});

test("`cleanSchema` keeps the formats of JSON Schema and OpenAPI", () => {
  const formats = [
    ...["date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
    ...["uri", "uri-reference", "uri-template", "iri", "iri-reference", "uuid", "json-pointer", "regex"],
    ...["relative-json-pointer", "int32", "int64", "float", "double", "password", "byte", "binary"],
  ];
  for (const format of formats) expect(cleanSchema({ format })).toEqual({ format });
});

test("`cleanSchema` changes nothing in the schema that it copies", () => {
  const schema = { type: "string", enum: ["a", "a"], properties: { a: { tags: ["x"] } }, default: { list: [1] } };
  const copy = structuredClone(schema);
  const clean = cleanSchema(schema);
  expect(schema).toEqual(copy);
  expect(isRecord(clean) && clean.default).not.toBe(schema.default);
});

test.each<[what: string, schema: unknown, message: string]>([
  ["a list", [], " is not a JSON Schema object"],
  ["null", null, " is not a JSON Schema object"],
  ["a text", "string", " is not a JSON Schema object"],
  ["`tsType`", { items: { tsType: "a" } }, "/items/tsType would insert text into the code"],
  [
    "`tsEnumNames`",
    { properties: { a: { anyOf: [{ tsEnumNames: [] }] } } },
    "/properties/a/anyOf/0/tsEnumNames would insert text into the code",
  ],
  ["`tsType` in a tuple", { items: [{}, { tsType: "a" }] }, "/items/1/tsType would insert text into the code"],
  [
    "a member `__proto__`",
    { not: { properties: JSON.parse('{"__proto__":{}}') } },
    '/not/properties has a member "__proto__", which would change what objects inherit',
  ],
  ["a reference that is no text", { allOf: [{ $ref: 1 }] }, "/allOf/0/$ref is not a string"],
  [
    "a reference to a long address",
    { additionalProperties: { $ref: `https://a.example/${"x".repeat(100)}` } },
    `/additionalProperties/$ref points outside the schema ("https://a.example/${"x".repeat(81)}) and is never fetched`,
  ],
])("`cleanSchema` rejects %s", (_what, schema, message) => {
  expect(() => cleanSchema(schema)).toThrow(expect.objectContaining({ name: "SchemaRejection", message }));
});

test("`cleanSchema` replaces references as its caller says", () => {
  const from = { $ref: "other.json" };
  const calls: unknown[] = [];
  const reference = (...all: readonly unknown[]): string => {
    calls.push(all);
    return "#/$defs/x";
  };
  const schema = { properties: { a: from }, items: { $ref: "#/a" }, allOf: [{ not: { $ref: "b" } }] };
  expect(cleanSchema(schema, { reference })).toEqual({
    properties: { a: { $ref: "#/$defs/x" } },
    items: { $ref: "#/$defs/x" },
    allOf: [{ not: { $ref: "#/$defs/x" } }],
  });
  expect(calls).toEqual([
    ["other.json", "/properties/a/$ref", from],
    ["b", "/allOf/0/not/$ref", { $ref: "b" }],
    ["#/a", "/items/$ref", { $ref: "#/a" }],
  ]);
});

test("`cleanSchema` prepares schemas, except where one that accepts more would reject more", () => {
  const prepare = (schema: Record<string, unknown>): Record<string, unknown> => ({ ...schema, title: "x" });
  const inner = (): object => ({ items: {} });
  const schema = {
    properties: { a: inner() },
    allOf: [inner()],
    not: inner(),
    if: inner(),
    then: inner(),
    else: inner(),
    contains: inner(),
    items: [inner()],
  };
  const prepared = { title: "x", items: { title: "x" } };
  expect(cleanSchema(schema, { prepare })).toEqual({
    title: "x",
    properties: { a: prepared },
    allOf: [prepared],
    not: inner(),
    if: inner(),
    then: prepared,
    else: prepared,
    contains: prepared,
    items: [prepared],
  });
});

test.each<[what: string, schema: object, request: object, response: object]>([
  [
    "properties",
    {
      properties: { id: { readOnly: true }, password: { writeOnly: true }, name: { readOnly: "true" }, any: true },
      required: ["id", "password", "name"],
    },
    { properties: { password: {}, name: {}, any: true }, required: ["password", "name"] },
    { properties: { id: {}, name: {}, any: true }, required: ["id", "name"] },
  ],
  [
    "required properties only",
    { properties: { id: { readOnly: true } }, required: ["id"], minProperties: 0 },
    { properties: {}, minProperties: 0 },
    { properties: { id: {} }, required: ["id"], minProperties: 0 },
  ],
  [
    "properties that parts add",
    {
      required: ["id", "name"],
      allOf: [
        { properties: { id: { readOnly: true } } },
        { required: ["id", "name"] },
        { allOf: [{ required: ["id"] }] },
      ],
    },
    { required: ["name"], allOf: [{ properties: {} }, { required: ["name"] }, { allOf: [{}] }] },
    {
      required: ["id", "name"],
      allOf: [{ properties: { id: {} } }, { required: ["id", "name"] }, { allOf: [{ required: ["id"] }] }],
    },
  ],
  [
    "properties of a schema and of its parts",
    { properties: { id: { readOnly: true } }, allOf: [{ required: ["id", "name"] }] },
    { properties: {}, allOf: [{ required: ["name"] }] },
    { properties: { id: {} }, allOf: [{ required: ["id", "name"] }] },
  ],
  [
    "properties of other values",
    {
      properties: { id: { readOnly: true }, inner: { required: ["id"] } },
      anyOf: [{ required: ["id"] }],
      items: { required: ["id"] },
    },
    { properties: { inner: { required: ["id"] } }, anyOf: [{ required: ["id"] }], items: { required: ["id"] } },
    {
      properties: { id: {}, inner: { required: ["id"] } },
      anyOf: [{ required: ["id"] }],
      items: { required: ["id"] },
    },
  ],
  [
    "properties of other kinds",
    { properties: [], required: ["id"], allOf: { required: ["id"] } },
    { required: ["id"] },
    { required: ["id"] },
  ],
])("`cleanSchema` removes what the other side sends: %s", (_what, schema, request, response) => {
  expect(cleanSchema(schema, { side: "request" })).toEqual(request);
  expect(cleanSchema(schema, { side: "response" })).toEqual(response);
  expect(JSON.stringify(cleanSchema(schema))).not.toMatch(/(read|write)Only/);
});

test("`cleanSchema` finds properties of the other side behind references", () => {
  const base: Record<string, unknown> = { properties: { id: { readOnly: true } } };
  base.allOf = [{ $ref: "#/base" }];
  const resolve = (schema: unknown): unknown => (isRecord(schema) && schema.$ref === "#/base" ? base : schema);
  const schema = { required: ["id", "name"], allOf: [{ $ref: "#/base" }] };
  expect(cleanSchema(schema, { side: "request", resolve })).toEqual({ ...schema, required: ["name"] });
  expect(cleanSchema(schema, { side: "request" })).toEqual(schema);
});

test("a schema that `cleanSchema` has copied accepts what the original accepts", () => {
  const text = { type: "string" };
  const schemas: readonly object[] = [
    ...[
      text,
      { minLength: 1 },
      { maxLength: 1 },
      { pattern: "^x" },
      { ...text, enum: ["x", "y"] },
      { const: { a: 1 } },
    ],
    ...[{ minimum: 1 }, { exclusiveMinimum: 0 }, { maximum: 1 }, { exclusiveMaximum: 1 }, { multipleOf: 2 }],
    ...[
      { items: text },
      { prefixItems: [text], items: false },
      { minItems: 1 },
      { maxItems: 1 },
      { uniqueItems: true },
    ],
    ...[0, 1, 2].flatMap((minContains) => [
      { contains: text, minContains },
      { contains: text, minContains, maxContains: 2 },
    ]),
    ...[{ properties: { a: text }, additionalProperties: false }, { required: ["a"] }, { minProperties: 1 }],
    ...[
      { patternProperties: { "^a": text } },
      { propertyNames: { maxLength: 1 } },
      { dependentRequired: { a: ["b"] } },
    ],
    ...[
      { dependentSchemas: { a: { required: ["b"] } } },
      { unevaluatedProperties: false },
      { unevaluatedItems: false },
    ],
    ...[{ anyOf: [text, { type: "null" }] }, { oneOf: [text, { minLength: 2 }] }, { allOf: [text, { minLength: 2 }] }],
    ...[{ not: text }, { if: text, then: { minLength: 2 }, else: { type: "number" } }],
    { $ref: "#/$defs/a", $defs: { a: text } },
  ];
  const values = [
    ...[null, true, -1, 0, 1, 2, 1.5, "", "x", "xy", "y", [], ["x"], [1], ["x", "x"], ["x", "y", "z"], [1, "x"]],
    ...[{}, { a: 1 }, { a: "x" }, { b: 1 }, { a: "x", b: 1 }, { ab: 1 }, { ab: "x" }],
  ];
  const ajv = new Ajv2020({ strict: false });
  const accepted = (schema: object): unknown[] => {
    const validate = ajv.compile(schema);
    return values.filter((value) => validate(value));
  };
  for (const schema of schemas) {
    const clean = cleanSchema(schema);
    expect(clean).toStrictEqual(schema);
    // With unknown keywords and texts in it, the copy has the same meaning.
    const noisy = cleanSchema({ ...schema, "x-a": 1, nullable: false, readOnly: true, format: "color" });
    expect(accepted(isRecord(noisy) ? noisy : {})).toEqual(accepted(schema));
  }
});

test("values of the wrong kind are left out: a validator compiles what is left", () => {
  const wrong = [null, true, -1, 1.5, "x", [1], ["a", "a"], {}, { a: 1 }, { a: [1] }];
  const numbers = ["maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"];
  const keywords = [
    ...numbers,
    ...[
      "maxContains",
      "minContains",
      "multipleOf",
      "uniqueItems",
      "deprecated",
      "enum",
      "examples",
      "dependentRequired",
    ],
    ...[
      "minimum",
      "maximum",
      "exclusiveMinimum",
      "exclusiveMaximum",
      "type",
      "required",
      "items",
      "properties",
      "allOf",
    ],
  ];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const keyword of keywords)
    for (const value of wrong) {
      // Lists of schemas are the form of older dialects.
      if (keyword === "items" && Array.isArray(value)) continue;
      const schema = cleanSchema({ contains: {}, [keyword]: value });
      expect(isRecord(schema) && (() => ajv.compile(schema)), `${keyword}: ${JSON.stringify(value)}`).not.toThrow();
    }
});
