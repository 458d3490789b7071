import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import type { SchemaBounds } from "../../../runtime/adapters/schema-bounds.ts";
import type { JsonSchemaValidator, ObjectSchema } from "../../../runtime/protocol/methods/schema-issue.ts";
import { fromJsonSchema } from "../../../runtime/server/json-schema.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createProgram } from "../../kit/programs.ts";
import { callServer } from "../../kit/calls.ts";
import { newest } from "../../kit/revisions.ts";

const withoutEval = await createProgram(new URL("./without-eval.ts", import.meta.url));
const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

const makers: readonly (readonly [string, (bounds?: SchemaBounds) => JsonSchemaValidator])[] = [
  ["ajv", createAjvValidator],
  ["cfworker", createCfworkerValidator],
];

function object(properties: object, rest: object = {}): ObjectSchema {
  return { type: "object", properties, ...rest };
}

describe.each(makers)("%s", (_name, make) => {
  const validate = make();

  test.each<readonly [string, ObjectSchema, unknown, unknown, readonly unknown[]]>([
    ["a type", object({ a: { type: "number" } }), { a: 1 }, { a: "1" }, ["a"]],
    ["an item", object({ a: { items: { type: "number" } } }), { a: [1] }, { a: [1, "2"] }, ["a", 1]],
    [
      "a key with special characters",
      object({ "a/b~c d%#é": { const: 1 } }),
      { "a/b~c d%#é": 1 },
      { "a/b~c d%#é": 2 },
      ["a/b~c d%#é"],
    ],
    [
      "a local reference (JS-03)",
      object({ a: { $ref: "#/$defs/n" } }, { $defs: { n: { type: "number" } } }),
      { a: 1 },
      { a: "1" },
      ["a"],
    ],
    [
      "a tuple of 2020-12 (JS-01)",
      object({ a: { prefixItems: [{ type: "number" }], items: false } }),
      { a: [1] },
      { a: ["1"] },
      ["a", 0],
    ],
    [
      "a tuple of draft-07 (JS-02)",
      { ...object({ a: { items: [{ type: "number" }] } }), $schema: draft7 },
      { a: [1, "2"] },
      { a: ["1"] },
      ["a", 0],
    ],
    [
      "a named dialect (JS-02)",
      { ...object({ a: { dependentRequired: { b: ["c"] } } }), $schema: draft2020 },
      { a: { b: 1, c: 1 } },
      { a: { b: 1 } },
      ["a"],
    ],
  ])("a validator enforces %s and names the violated path", (_case, schema, good, bad, path) => {
    expect(validate(good, schema)).toEqual([]);
    const [issue] = validate(bad, schema);
    expect(issue?.path?.slice(0, path.length)).toEqual(path);
    expect(issue?.message).toMatch(/./);
  });

  test.each([
    ["required members", object({}, { required: ["a"] }), {}],
    ["closed objects", object({}, { additionalProperties: false }), { a: 1 }],
    ["conditions", object({ a: {} }, { if: { required: ["a"] }, then: { required: ["b"] } }), { a: 1 }],
  ])("a validator enforces %s", (_case, schema, bad) => {
    expect(validate(bad, schema)).toHaveLength(1);
  });

  test.each([
    ["an optional member", object({ constructor: { type: "string" } }), {}, { constructor: 1 }],
    ["a required member", object({}, { required: ["toString"] }), { toString: "" }, {}],
    [
      "a member that another one requires",
      object({}, { dependentRequired: { a: ["valueOf"] } }),
      { a: 1, valueOf: "" },
      { a: 1 },
    ],
    [
      "a member that requires another one",
      object({}, { dependentRequired: { constructor: ["a"] } }),
      {},
      { constructor: "" },
    ],
  ])("%s may have the name of a member that every object inherits", (_case, schema, good, bad) => {
    expect(validate(good, schema)).toEqual([]);
    expect(validate(bad, schema)).toHaveLength(1);
  });

  test.each([
    [{ prefixItems: [{ type: "string" }] }, [1]],
    [{ contains: {}, minContains: 2 }, [1]],
    [{ contains: {}, maxContains: 1 }, [1, 2]],
    [{ unevaluatedItems: false }, [1]],
    [{ dependentRequired: { b: ["c"] } }, { b: 1 }],
    [{ dependentSchemas: { b: false } }, { b: 1 }],
    [{ unevaluatedProperties: false }, { b: 1 }],
  ])("a validator enforces %j in 2020-12, and not in draft-07 (JS-02)", (a, bad) => {
    const schema = object({ a });
    expect(validate({ a: bad }, schema)).toHaveLength(1);
    expect(validate({ a: bad }, { ...schema, $schema: draft7 })).toEqual([]);
  });

  test.each([
    [0.01, [19.99, 4.35, 0.07, -1.1, 1234567.89, 0, 3], [4.355, 0.001]],
    [0.1, [0.3, 0.7], [0.35]],
    [2, [4, -2, 0], [3, 0.5]],
    [2.5, [5, 7.5], [6]],
  ])("a validator finds multiples of %d", (multipleOf, good, bad) => {
    const schema = object({ a: { multipleOf } });
    expect(good.filter((a) => validate({ a }, schema).length > 0)).toEqual([]);
    expect(bad.filter((a) => validate({ a }, schema).length === 0)).toEqual([]);
  });

  test("a validator ignores unknown keywords and formats", () => {
    const schema = object({ mail: { type: "string", format: "email", "x-hint": 1 }, format: { type: "string" } });
    expect(validate({ mail: "nobody", format: "any" }, schema)).toEqual([]);
    expect(validate({ format: 1 }, schema)).toHaveLength(1);
  });

  test.each([
    ["$async", object({ a: { type: "string" } }, { $async: true }), { a: "" }, { a: 1 }],
    ["$async inside", object({ a: { type: "string", $async: true } }), { a: "" }, { a: 1 }],
    ["$async that is an object", object({ a: { type: "string" } }, { $async: {} }), { a: "" }, { a: 1 }],
    ["nullable", object({ a: { type: "string", nullable: true } }), { a: "" }, { a: null }],
    ["nullable without a type", object({ a: { nullable: true, enum: ["a"] } }), { a: "a" }, { a: null }],
    [
      "nullable beside the type null",
      object({ a: { type: ["string", "null"], nullable: false } }),
      { a: null },
      { a: 1 },
    ],
    ["id", object({ a: { type: "string", id: "a" } }, { id: "s" }), { a: "" }, { a: 1 }],
    [
      "id beside a reference",
      object({ a: { id: "a", $ref: "#/$defs/s" } }, { $defs: { s: { type: "string" } } }),
      { a: "" },
      { a: 1 },
    ],
    ["id that is no URI", object({ a: { type: "string", id: "http://[" } }), { a: "" }, { a: 1 }],
    ["equal ids", object({ a: { type: "string", id: "a" }, b: { id: "a" } }), { a: "" }, { a: 1 }],
    [
      "members with these names",
      object({ id: { const: 1 }, nullable: { const: 1 } }),
      { id: 1, nullable: 1 },
      { id: 2 },
    ],
  ])("a validator takes keywords of no dialect as annotations: %s", (_case, schema, good, bad) => {
    expect(validate(good, schema)).toEqual([]);
    expect(validate(bad, schema)).toHaveLength(1);
  });

  test("a validator compares data as data: `format` inside of a constant is compared", () => {
    const schema = object({ a: { const: { format: "x" } }, b: { enum: [{ format: "y" }] } });
    expect(validate({ a: { format: "x" }, b: { format: "y" } }, schema)).toEqual([]);
    expect(validate({ a: {} }, schema)).not.toEqual([]);
  });

  test("a validator rejects unknown dialects with a clear message, and only then (JS-03, B-006)", () => {
    const schema = { ...object({}), $schema: "http://json-schema.org/draft-04/schema#" };
    expect(() => validate({}, schema)).toThrow(/draft-04.* is not supported; use draft-07 or 2020-12/);
    expect(validate({}, object({}))).toEqual([]);
  });

  test.each([
    ["a remote reference", object({ a: { $ref: "https://example.org/secret.json" } })],
    ["a file", object({ a: { $ref: "file:///etc/passwd" } })],
  ])("a validator does not resolve references outside of the schema: %s (R50, B-007, B-008)", (_case, schema) => {
    const fetched: unknown[] = [];
    const original = globalThis.fetch;
    globalThis.fetch = (input) => (fetched.push(input), Promise.reject(new Error("no network")));
    try {
      expect(() => validate({ a: 1 }, schema)).toThrow();
    } finally {
      globalThis.fetch = original;
    }
    expect(fetched).toEqual([]);
  });

  test("a validator keeps schemas with the same $id apart", () => {
    const one = object({ a: { type: "number" } }, { $id: "https://example.org/s" });
    const other = object({ a: { type: "string" } }, { $id: "https://example.org/s" });
    const nosy = object({ a: { $ref: "https://example.org/s" } });
    expect(validate({ a: 1 }, one)).toEqual([]);
    expect(validate({ a: "1" }, other)).toEqual([]);
    expect(validate({ a: "1" }, one)).toHaveLength(1);
    expect(() => validate({ a: 1 }, nosy)).toThrow();
  });

  test("a validator bounds the size and depth of schemas (R50, B-009)", () => {
    let deep: object = {};
    for (let i = 0; i < 100; i++) deep = { not: deep };
    const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_value, index) => [`a${index}`, {}]));
    expect(() => validate({}, object({ deep }))).toThrow("nested deeper than 64 levels");
    expect(() => validate({}, object(wide))).toThrow("more than 20000 parts");
    expect(() => make({ maxNodes: 2 })({}, object({ a: {} }))).toThrow("more than 2 parts");
  });

  test("a validator prepares a schema once, and does not change it", () => {
    let reads = 0;
    const schema = {
      type: "object",
      get properties() {
        reads += 1;
        return { a: { type: "number", format: "double" } };
      },
    } as const;
    const fresh = make();
    fresh({ a: 1 }, schema);
    const first = reads;
    for (let i = 0; i < 10; i++) fresh({ a: 1 }, schema);
    expect(reads).toBe(first);
    expect(JSON.stringify(schema)).toContain('"format":"double"');
    const frozen = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "number" }) }),
    } as const);
    expect(fresh({ a: 1 }, frozen)).toEqual([]);
  });

  test("a validator releases schemas without other references", async () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    if (typeof collect !== "function") throw new Error("memory cannot be measured");
    const fresh = make();
    const remembered = Array.from({ length: 50 }, (_value, index) => {
      const schema = object({ [`a${index}`]: { type: "number", enum: [index], pattern: `^${index}$` } });
      fresh({ [`a${index}`]: index }, schema);
      return new WeakRef(schema);
    });
    const alive = (): number => remembered.filter((schema) => schema.deref() !== undefined).length;
    // One collection need not find everything; looking at a WeakRef keeps its target alive for the rest of the turn.
    for (let round = 0; round < 20; round++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      collect();
    }
    await new Promise((resolve) => setTimeout(resolve));
    expect(alive()).toBe(0);
  });

  test("a validator makes a plain JSON Schema the input of a tool (JS-02, A12)", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const input = fromJsonSchema(schema, { validate });
    const run = ({ n }: { n: number }): string => String(n + 1);
    const server = createServer(
      { name: "test", version: "1", tools: [{ name: "t", inputSchema: input, execute: run }] },
      revisions,
    );
    const call = (args: object): Promise<unknown> =>
      callServer(server, newest, ["tools/call", { name: "t", arguments: args }]);
    expect(await callServer(server, newest, ["tools/list"])).toMatchObject({ tools: [{ inputSchema: schema }] });
    expect(await call({ n: 1 })).toMatchObject({ content: [{ text: "2" }] });
    expect(await call({ n: "1" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Invalid arguments for tool "t":\n- n: /) }],
    });
  });
});

describe("formats", () => {
  const schema = object({ a: { type: "string", format: "date" } });

  test("formats are enforced by ajv when they are given", () => {
    const validate = createAjvValidator({ formats: { date: /^\d{4}-\d\d-\d\d$/ } });
    expect(validate({ a: "2000-01-01" }, schema)).toEqual([]);
    expect(validate({ a: "x" }, schema)).toHaveLength(1);
  });

  test("formats are enforced by cfworker with the option", () => {
    expect(createCfworkerValidator({ formats: true })({ a: "x" }, schema)).toHaveLength(1);
  });
});

test("ajv reports every problem with the option", () => {
  const schema = object({}, { required: ["a", "b"] });
  expect(createAjvValidator({ allErrors: true })({}, schema)).toEqual([
    { path: ["a"], message: "is required" },
    { path: ["b"], message: "is required" },
  ]);
});

test.each<readonly [string, object, readonly (readonly [string, string])[]]>([
  [
    "a wrong name",
    { itemId: "1" },
    [
      ["id", "Required."],
      ["count", "Required."],
      ["itemId", "Not allowed; remove it."],
    ],
  ],
  [
    "missing members",
    {},
    [
      ["id", "Required."],
      ["count", "Required."],
    ],
  ],
  ["a member too many", { id: "1", count: 1, x: 1 }, [["x", "Not allowed; remove it."]]],
  [
    "a wrong name inside",
    { id: "1", count: 1, part: { a: 1 } },
    [
      ["part.b", "Required."],
      ["part.a", "Not allowed; remove it."],
    ],
  ],
  ["a wrong type", { id: 1, count: 1 }, [["id", 'Instance type "number" is invalid. Expected "string".']]],
])("cfworker says which arguments are missing and which are unknown: %s", (_, value, expected) => {
  const part = { type: "object", properties: { b: {} }, required: ["b"], additionalProperties: false };
  const properties = { id: { type: "string" }, count: { type: "number" }, part };
  const schema = object(properties, { required: ["id", "count"], additionalProperties: false });
  const issues = createCfworkerValidator()(value, schema);
  expect(issues.map(({ path, message }) => [path?.join("."), message])).toEqual(expected);
});

test("cfworker runs where code generation is disabled", async () => {
  const args = ["--disallow-code-generation-from-strings", withoutEval];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ canMakeCode: false, valid: 0, invalid: 1 });
});

test("ajv rejects schemas that are not valid in their dialect (JS-04)", () => {
  const schema = object({ a: { type: "nonsense" } });
  expect(() => createAjvValidator()({}, schema)).toThrow(/schema is invalid/);
});
