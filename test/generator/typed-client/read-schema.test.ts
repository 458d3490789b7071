import { createServer } from "node:http";
import { Node, Project } from "ts-morph";
import { describe, expect, it, test } from "vitest";
import { readSchema } from "../../../generator/typed-client/tool-schema/read-schema.ts";
import { emitType } from "../../../generator/typed-client/tool-schema/type-text.ts";

const names = { name: "FooArguments", prefix: "Foo" };

async function typeOf(schema: unknown): Promise<string> {
  const text = await emitType(readSchema(schema), names);
  return text.replaceAll(/\s+/g, " ").trim();
}

function lossesOf(schema: unknown): string[] {
  return readSchema(schema).losses.map(({ kind, path }) => `${kind} ${path}`);
}

function nest(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
}

describe("untrusted schemas", () => {
  const member = (schema: unknown): object => ({ type: "object", properties: { a: schema } });

  test.each<[string, unknown, string, string[]]>([
    [
      "`tsType` is not copied into code (T28)",
      { tsType: "any; evil()", type: "string" },
      "a?: string",
      ["removed /properties/a/tsType"],
    ],
    [
      "`tsEnumNames` is not copied into code (T28)",
      { enum: ["x"], tsEnumNames: ["X"] },
      'a?: "x"',
      ["removed /properties/a/tsEnumNames"],
    ],
    [
      "a `$ref` to a file is removed (T27)",
      { $ref: "file:///etc/passwd" },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    [
      "a `$ref` to a path is removed (T27)",
      { $ref: "../../../package.json" },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    [
      "a `$ref` to an address is removed (T27)",
      { $ref: "http://127.0.0.1:9/a" },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    ["a `$ref` that is not a string is removed", { $ref: 1 }, "a?: unknown", ["removed /properties/a/$ref"]],
    [
      "a `$ref` without a target is removed (T30)",
      { $ref: "#/nowhere" },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    ["a `$ref` that is not a URI is removed (T30)", { $ref: "#/%zz" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["a title does not name a type (T29)", { type: "object", title: "Promise" }, "a?: { [k: string]: unknown }", []],
    [
      "`prefixItems` of 2020-12 becomes a tuple (T29)",
      { prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      "a?: ([] | [string] | [string, number])",
      [],
    ],
    [
      "a list of `prefixItems` becomes a list of tuples",
      { type: "array", items: { prefixItems: [{ type: "string" }], minItems: 1 } },
      "a?: [string, ...(unknown)[]][]",
      [],
    ],
    [
      "a list in `items` of draft 7 becomes a tuple",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      "a?: ([] | [string])",
      [],
    ],
    [
      "`not` is widened and does not become an object (T29)",
      { not: { type: "string" } },
      "a?: unknown",
      ["widened /properties/a/not"],
    ],
    [
      "`minItems` does not make a tuple (T29)",
      { type: "array", items: { type: "string" }, minItems: 3 },
      "a?: string[]",
      [],
    ],
    ["`null` in a list of types becomes a union with null", { type: ["integer", "null"] }, "a?: (number | null)", []],
    ["`nullable` of OpenAPI becomes a union with null", { type: "string", nullable: true }, "a?: (string | null)", []],
    [
      "`anyOf` with null, as pydantic writes it, becomes a union with null",
      { anyOf: [{ type: "string" }, { type: "null" }] },
      "a?: (string | null)",
      [],
    ],
    ["the schema `true` becomes unknown", true, "a?: unknown", []],
    ["the schema `false` becomes never", false, "a?: never", []],
    ["a number in place of a schema becomes unknown", 7, "a?: unknown", ["corrected /properties/a"]],
    [
      "a type name of another language is corrected",
      { type: "dict" },
      "a?: { [k: string]: unknown }",
      ["corrected /properties/a/type"],
    ],
    ["an unknown type is corrected to unknown", { type: "quux" }, "a?: unknown", ["corrected /properties/a/type"]],
    ["an enum that is not a list is corrected", { enum: "x" }, "a?: unknown", ["corrected /properties/a/enum"]],
    [
      "an enum of objects is widened",
      { enum: [{ __proto__: null, b: 1 }] },
      "a?: unknown",
      ["widened /properties/a/enum"],
    ],
    [
      "`properties` that are not an object are corrected",
      { type: "object", properties: [] },
      "a?: { [k: string]: unknown }",
      ["corrected /properties/a/properties"],
    ],
    [
      "`required` of draft 3 is corrected",
      member({ type: "string", required: true }),
      "a?: { a: string }",
      ["corrected /properties/a/properties/a"],
    ],
    [
      "`required` that is not a list is corrected",
      { type: "object", required: "b" },
      "a?: { [k: string]: unknown }",
      ["corrected /properties/a/required"],
    ],
    [
      "a record, as zod writes it, becomes an index signature",
      { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
      "a?: { [k: string]: number }",
      [],
    ],
    [
      "a record with an enum of keys becomes properties",
      {
        type: "object",
        propertyNames: { enum: ["x", "y"] },
        additionalProperties: { type: "number" },
        required: ["x"],
      },
      "a?: { x: number y?: number }",
      [],
    ],
    [
      "a record whose keys have a pattern becomes an index signature",
      { type: "object", propertyNames: { pattern: "^x" }, additionalProperties: { type: "number" } },
      "a?: { [k: string]: number }",
      [],
    ],
    [
      "a required property that is not declared becomes unknown",
      { type: "object", required: ["b"] },
      "a?: { b: unknown }",
      [],
    ],
    [
      "a limit that is a string is corrected",
      { type: "string", minLength: "3" },
      "a?: string",
      ["corrected /properties/a/minLength"],
    ],
    [
      "a pattern that can take exponential time is widened",
      { type: "string", pattern: "^(a+)+$" },
      "a?: string",
      ["widened /properties/a/pattern"],
    ],
    [
      "an invalid pattern is widened",
      { type: "string", pattern: "(" },
      "a?: string",
      ["widened /properties/a/pattern"],
    ],
    ["`anyOf` that is not a list is corrected", { anyOf: {} }, "a?: unknown", ["corrected /properties/a/anyOf"]],
    ["a limit of strings without a type is unknown", { minLength: 2 }, "a?: unknown", []],
    ["a pattern without a type is unknown", { pattern: "^x" }, "a?: unknown", []],
    ["a limit of numbers without a type is unknown", { minimum: 2 }, "a?: unknown", []],
    ["a format without a type is unknown", { format: "uri" }, "a?: unknown", []],
    ["a description without a type is unknown", { description: "Anything." }, "a?: unknown", []],
    [
      "`patternProperties` are widened",
      { type: "object", properties: { b: { type: "null" } }, patternProperties: { "^x": { type: "number" } } },
      "a?: { b?: null [k: string]: unknown }",
      ["widened /properties/a/patternProperties"],
    ],
    [
      "`patternProperties` without other keys are widened",
      { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      "a?: { [k: string]: unknown }",
      ["widened /properties/a/patternProperties"],
    ],
    [
      "properties without a type are assumed to be of an object",
      { properties: { b: { type: "null" } } },
      "a?: { b?: null }",
      ["assumed /properties/a"],
    ],
    [
      "a property whose name has half a surrogate pair is removed",
      { type: "object", properties: { "b\ud800": { type: "null" }, c: { type: "null" } }, required: ["b\ud800"] },
      "a?: { c?: null }",
      ["removed /properties/a/properties"],
    ],
    [
      "a `$ref` to an anchor that is not a string is removed",
      { $ref: "#x", $defs: { x: { $anchor: JSON.parse('{"toString":1}') } } },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    ["a condition is widened", { type: "string", if: {}, then: {} }, "a?: string", ["widened /properties/a/if"]],
    ["a dynamic reference is widened", { $dynamicRef: "#x" }, "a?: unknown", ["widened /properties/a/$dynamicRef"]],
  ])("%s", async (_what, schema, type, losses) => {
    expect(await typeOf(member(schema))).toContain(type);
    expect(lossesOf(member(schema))).toEqual(losses);
  });

  test.each<[string, unknown, string]>([
    [
      "an anchor (T30)",
      { $ref: "#node", $defs: { n: { $anchor: "node", type: "object", properties: { b: { type: "null" } } } } },
      "b?: null",
    ],
    [
      "an identifier of an embedded schema (T30)",
      { $ref: "n.json", $defs: { n: { $id: "n.json", type: "object", properties: { b: { type: "null" } } } } },
      "b?: null",
    ],
    [
      "the address of an embedded schema",
      {
        $id: "https://example.org/root.json",
        $ref: "https://example.org/n.json",
        $defs: { n: { $id: "n.json", type: "object", properties: { b: { type: "null" } } } },
      },
      "b?: null",
    ],
    [
      "a path in an embedded schema",
      {
        $ref: "https://example.org/n.json#/properties/m",
        $defs: {
          n: {
            $id: "https://example.org/n.json",
            properties: { m: { type: "object", properties: { b: { $ref: "#/$defs/o" } } } },
            $defs: { o: { type: "null" } },
          },
        },
      },
      "b?: FooO",
    ],
    [
      "a name of Object.prototype",
      { type: "object", properties: { hasOwnProperty: { type: "object", properties: { valueOf: { type: "null" } } } } },
      "hasOwnProperty?: { valueOf?: null }",
    ],
    [
      "the root by its identifier",
      { $id: "https://example.org/s", type: "object", properties: { b: { $ref: "https://example.org/s#" } } },
      "b?: FooRoot",
    ],
    [
      "a recursive definition",
      { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } } },
      "next?: FooN",
    ],
    ["a boolean root (T30)", true, "[k: string]: unknown"],
  ])("a schema resolves references within itself: %s", async (_what, schema, type) => {
    expect(lossesOf(schema)).toEqual([]);
    expect(await typeOf(schema)).toContain(type);
  });

  test.each([
    ["itself", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
    ["each other", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } }],
    ["the root", { type: "object", allOf: [{ $ref: "#" }] }],
  ])("a circle of definitions that only refer to %s is resolved with a loss", async (_what, schema) => {
    expect(lossesOf(schema).length).toBeGreaterThan(0);
    expect(await typeOf(schema)).toContain("FooArguments");
  });

  it("`readSchema` rejects 3,000 levels and 60,000 values with a reason (T30)", () => {
    expect(() => readSchema(nest(3_000))).toThrow("nested deeper than 64 levels");
    expect(() => readSchema({ enum: Array.from({ length: 60_000 }, (_, index) => index) })).toThrow("more than 50000");
    expect(() => readSchema([])).toThrow("not a JSON Schema object");
  });

  it("`readSchema` removes keys that change prototypes, and changes no prototype", () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
    );
    const { root, losses } = readSchema(schema);
    expect([...root.properties.keys()]).toEqual(["constructor"]);
    expect(losses.map(({ path }) => path)).toEqual(["/properties/__proto__"]);
    expect(Reflect.get({}, "type")).toBeUndefined();
  });

  it("`emitType` emits type declarations only, also for hostile descriptions, names and values", async () => {
    const evil = '*/ evil(); /* `${evil()}` "; evil(); // \u2028evil()\u202e';
    const schema = {
      type: "object",
      title: evil,
      description: evil,
      properties: {
        [evil]: { description: evil, default: evil, format: evil, enum: [evil] },
        b: { $ref: `#/$defs/${encodeURIComponent(evil.replaceAll("/", "~1"))}` },
      },
      $defs: { [evil]: { type: "object", title: evil, properties: { c: { const: evil } } } },
      required: [evil],
    };
    const text = await emitType(readSchema(schema), names);
    const file = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile("a.ts", text);
    expect(file.getStatements().filter((statement) => !Node.isInterfaceDeclaration(statement))).toEqual([]);
    expect(file.getFullText()).not.toMatch(/[\u2028\u202e]/);
  });

  it("`readSchema` opens no connection (T27)", async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const references = [`http://127.0.0.1:${port}/a`, `http://127.0.0.1:${port}/b#/c`, `//127.0.0.1:${port}/d`];
    for (const $ref of references) await typeOf({ type: "object", properties: { a: { $ref } } });
    await new Promise((done) => server.close(done));
    expect(seen).toEqual([]);
  });
});
