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

describe("schemas of strangers", () => {
  const member = (schema: unknown): object => ({ type: "object", properties: { a: schema } });

  test.each<[string, unknown, string, string[]]>([
    [
      "tsType is not pasted (T28)",
      { tsType: "any; evil()", type: "string" },
      "a?: string",
      ["removed /properties/a/tsType"],
    ],
    [
      "tsEnumNames makes no code (T28)",
      { enum: ["x"], tsEnumNames: ["X"] },
      'a?: "x"',
      ["removed /properties/a/tsEnumNames"],
    ],
    ["a file is not read (T27)", { $ref: "file:///etc/passwd" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["a path is not read (T27)", { $ref: "../../../package.json" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["an address is not read (T27)", { $ref: "http://127.0.0.1:9/a" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["a reference that is no text", { $ref: 1 }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["a dangling pointer (T30)", { $ref: "#/nowhere" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["a pointer that is no URI (T30)", { $ref: "#/%zz" }, "a?: unknown", ["removed /properties/a/$ref"]],
    ["titles name no type (T29)", { type: "object", title: "Promise" }, "a?: { [k: string]: unknown }", []],
    [
      "tuples of 2020-12 (T29)",
      { prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      "a?: ([] | [string] | [string, number])",
      [],
    ],
    [
      "a list of tuples",
      { type: "array", items: { prefixItems: [{ type: "string" }], minItems: 1 } },
      "a?: [string, ...(unknown)[]][]",
      [],
    ],
    [
      "tuples of draft 7",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      "a?: ([] | [string])",
      [],
    ],
    ["not is not an object map (T29)", { not: { type: "string" } }, "a?: unknown", ["widened /properties/a/not"]],
    ["bounds make no tuples (T29)", { type: "array", items: { type: "string" }, minItems: 3 }, "a?: string[]", []],
    ["null beside a type", { type: ["integer", "null"] }, "a?: (number | null)", []],
    ["nullable of OpenAPI", { type: "string", nullable: true }, "a?: (string | null)", []],
    ["the way of pydantic", { anyOf: [{ type: "string" }, { type: "null" }] }, "a?: (string | null)", []],
    ["true", true, "a?: unknown", []],
    ["false", false, "a?: never", []],
    ["no schema at all", 7, "a?: unknown", ["corrected /properties/a"]],
    ["a type of another language", { type: "dict" }, "a?: { [k: string]: unknown }", ["corrected /properties/a/type"]],
    ["a type that nobody knows", { type: "quux" }, "a?: unknown", ["corrected /properties/a/type"]],
    ["an enum that is no list", { enum: "x" }, "a?: unknown", ["corrected /properties/a/enum"]],
    ["an enum of objects", { enum: [{ __proto__: null, b: 1 }] }, "a?: unknown", ["widened /properties/a/enum"]],
    [
      "properties that are no object",
      { type: "object", properties: [] },
      "a?: { [k: string]: unknown }",
      ["corrected /properties/a/properties"],
    ],
    [
      "required of draft 3",
      member({ type: "string", required: true }),
      "a?: { a: string }",
      ["corrected /properties/a/properties/a"],
    ],
    [
      "required that is no list",
      { type: "object", required: "b" },
      "a?: { [k: string]: unknown }",
      ["corrected /properties/a/required"],
    ],
    [
      "a record, as zod writes it",
      { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
      "a?: { [k: string]: number }",
      [],
    ],
    [
      "a record of an enum",
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
      "a record whose keys have a pattern",
      { type: "object", propertyNames: { pattern: "^x" }, additionalProperties: { type: "number" } },
      "a?: { [k: string]: number }",
      [],
    ],
    ["required that is not declared", { type: "object", required: ["b"] }, "a?: { b: unknown }", []],
    ["a limit that is text", { type: "string", minLength: "3" }, "a?: string", ["corrected /properties/a/minLength"]],
    [
      "a pattern that takes for ever",
      { type: "string", pattern: "^(a+)+$" },
      "a?: string",
      ["widened /properties/a/pattern"],
    ],
    ["a pattern that is none", { type: "string", pattern: "(" }, "a?: string", ["widened /properties/a/pattern"]],
    ["alternatives that are no list", { anyOf: {} }, "a?: unknown", ["corrected /properties/a/anyOf"]],
    ["limits of texts without a type", { minLength: 2 }, "a?: unknown", []],
    ["a pattern without a type", { pattern: "^x" }, "a?: unknown", []],
    ["limits of numbers without a type", { minimum: 2 }, "a?: unknown", []],
    ["a format without a type", { format: "uri" }, "a?: unknown", []],
    ["a description without a type", { description: "Anything." }, "a?: unknown", []],
    [
      "keys by pattern",
      { type: "object", properties: { b: { type: "null" } }, patternProperties: { "^x": { type: "number" } } },
      "a?: { b?: null [k: string]: unknown }",
      ["widened /properties/a/patternProperties"],
    ],
    [
      "keys by pattern and no others",
      { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      "a?: { [k: string]: unknown }",
      ["widened /properties/a/patternProperties"],
    ],
    [
      "properties without a type",
      { properties: { b: { type: "null" } } },
      "a?: { b?: null }",
      ["assumed /properties/a"],
    ],
    [
      "half a surrogate pair as a name",
      { type: "object", properties: { "b\ud800": { type: "null" }, c: { type: "null" } }, required: ["b\ud800"] },
      "a?: { c?: null }",
      ["removed /properties/a/properties"],
    ],
    [
      "an anchor that is no text",
      { $ref: "#x", $defs: { x: { $anchor: JSON.parse('{"toString":1}') } } },
      "a?: unknown",
      ["removed /properties/a/$ref"],
    ],
    ["a condition", { type: "string", if: {}, then: {} }, "a?: string", ["widened /properties/a/if"]],
    ["a dynamic reference", { $dynamicRef: "#x" }, "a?: unknown", ["widened /properties/a/$dynamicRef"]],
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
      "an own identifier (T30)",
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
      "a place in an embedded schema",
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
      "a name that every object has",
      { type: "object", properties: { hasOwnProperty: { type: "object", properties: { valueOf: { type: "null" } } } } },
      "hasOwnProperty?: { valueOf?: null }",
    ],
    [
      "the root by its identifier",
      { $id: "https://example.org/s", type: "object", properties: { b: { $ref: "https://example.org/s#" } } },
      "b?: FooRoot",
    ],
    [
      "a tree",
      { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } } },
      "next?: FooN",
    ],
    ["a boolean root (T30)", true, "[k: string]: unknown"],
  ])("refers within itself: %s", async (_what, schema, type) => {
    expect(lossesOf(schema)).toEqual([]);
    expect(await typeOf(schema)).toContain(type);
  });

  test.each([
    ["itself", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
    ["each other", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } }],
    ["the root", { type: "object", allOf: [{ $ref: "#" }] }],
  ])("breaks the circle of definitions that are nothing but %s", async (_what, schema) => {
    expect(lossesOf(schema).length).toBeGreaterThan(0);
    expect(await typeOf(schema)).toContain("FooArguments");
  });

  it("refuses 3,000 levels and floods of values with a reason (T30)", () => {
    expect(() => readSchema(nest(3_000))).toThrow("nested deeper than 64 levels");
    expect(() => readSchema({ enum: Array.from({ length: 60_000 }, (_, index) => index) })).toThrow("more than 50000");
    expect(() => readSchema([])).toThrow("not a JSON Schema object");
  });

  it("drops keys that change prototypes, and leaves prototypes alone", () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
    );
    const { root, losses } = readSchema(schema);
    expect([...root.properties.keys()]).toEqual(["constructor"]);
    expect(losses.map(({ path }) => path)).toEqual(["/properties/__proto__"]);
    expect(Reflect.get({}, "type")).toBeUndefined();
  });

  it("declares types and nothing else, whatever descriptions, names and values say", async () => {
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

  it("opens no file and no connection (T27)", async () => {
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
