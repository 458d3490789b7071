import { expect, test } from "vitest";
import { UserError } from "../../../generator/internal/user-error.ts";
import { toSource, type ReadSourceOptions } from "../../../generator/openapi/source.ts";
import { stubKinds } from "../../../generator/openapi/stub-kinds.ts";

/* Sources of projects: APIs and lists of definitions, and the reasons why they are rejected. */

const advice = "Correct or remove it in the file.";
const odd = `it has invisible characters, or too many characters. ${advice}`;
const tools = [{ name: "a" }];
const long = "a".repeat(501);
const get = { get: { operationId: "read", responses: {} } };
const api = { openapi: "3.1.0", info: { title: "Pets" }, paths: { "/a": get } };
const badName = "a name consists of at most 128 letters, digits and _ - . characters; choose another";

test.each<[document: unknown, options: ReadSourceOptions, message: string]>([
  [{ tools: [] }, {}, "a.json lists no tools; pass a file with at least one tool."],
  [{ tools }, { output: "none" }, "--output applies to APIs only, and a.json describes none; remove --output."],
  [{ tools }, { only: "b" }, '--only: a.json has no tool "b". It has "a".'],
  [{ tools: [{ name: "a/b" }] }, {}, `a.json lists no usable tool. ${advice}\n  tool "a/b": ${badName}`],
  [{ openapi: "3.1.0" }, {}, 'a.json: "paths" is not an object'],
  [{ swagger: "2.0" }, {}, "a.json is Swagger 2.0."],
  [{ paths: {} }, {}, 'a.json: "openapi" should be 3.0 or 3.1'],
  [api, { except: ["GET /a"] }, "The tools of all operations of a.json were removed; select operations with --only."],
  [{ tools, prompts: [{ name: "a\nb" }] }, {}, `a.json: prompt "a b": ${odd}`],
  [{ tools, prompts: [{ name: long }] }, {}, `a.json: prompt "${"a".repeat(80)}`],
  [{ tools, prompts: [{ name: "b", arguments: [{ name: "a\nb" }] }] }, {}, `a.json: argument "a b": ${odd}`],
  [{ tools, resources: [{ uri: "a:\nb", name: "b" }] }, {}, `a.json: resource "a: b": ${odd}`],
  [{ tools, resources: [{ uri: "a:b", name: "a\nb" }] }, {}, `a.json: resource "a b": ${odd}`],
  [{ tools, resourceTemplates: [{ uriTemplate: "a:\n{b}", name: "b" }] }, {}, `a.json: template "a: {b}": ${odd}`],
  [{ tools, resourceTemplates: [{ uriTemplate: "a:{b}", name: "a\nb" }] }, {}, `a.json: template "a b": ${odd}`],
  [{ tools, resources: [{ uri: "b", name: "b" }] }, {}, `a.json: resource "b": it is not a URI. ${advice}`],
  [
    { tools, resources: [{ uri: "a:b" }, { uri: "a:c" }, { uri: "a:b" }] },
    {},
    `a.json: "a:b" is listed twice. ${advice}`,
  ],
  [
    { tools, resources: [{ uri: "a:b" }], resourceTemplates: [{ uriTemplate: "a:b" }] },
    {},
    `a.json: "a:b" is listed twice. ${advice}`,
  ],
  [{ tools, prompts: [{ name: "b" }, { name: "b" }] }, {}, "a.json: b: "],
  [{ tools, resourceTemplates: [{ uriTemplate: "a:{" }] }, {}, `URI template`],
])("the source %j with %j is rejected", (document, options, message) => {
  expect(() => toSource(document, "docs/a.json", options)).toThrow(UserError);
  expect(() => toSource(document, "docs/a.json", options)).toThrow(message);
});

test("an entry that cannot be used is rejected in one sentence with advice", () => {
  const document = { tools, prompts: [{ name: "b" }, { name: "b" }] };
  expect(() => toSource(document, "a.json", {})).toThrow(new RegExp(`^a\\.json: b: [^\n]*already used\\. ${advice}$`));
});

test.each<[options: ReadSourceOptions, more: object]>([
  [{}, { output: "loose" }],
  [
    { only: "read", prefix: "my_", output: "strict" },
    { only: "read", prefix: "my_", output: "strict" },
  ],
])("the source of an API has the choices %j", (options, more) => {
  const source = toSource(api, "docs/a.json", options);
  const { plan, contract, api: read, ...others } = source;
  expect(others).toStrictEqual({ origin: "a.json", path: "docs/a.json", needsRe2: false, leftOut: [], ...more });
  expect(contract).toMatchObject({ server: { name: "Pets" }, prompts: [], resources: [], resourceTemplates: [] });
  expect(plan.tools.map(({ entry }) => entry.name)).toEqual([`${options.prefix ?? ""}read`]);
  expect(read?.title).toBe("Pets");
});

test("operations without a tool stay left out, and the others keep their names", () => {
  const document = { ...api, paths: { "/a": get, "/b": get } };
  const { plan } = toSource(document, "a.json", { except: ["GET /a"] });
  expect(plan.tools.map(({ entry }) => entry.name)).toEqual(["read2"]);
});

test.each<[schemas: object, isNeeded: boolean]>([
  [{ inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } }, true],
  [{ outputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } }, true],
  [{ inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^a$" } } } }, false],
])("the schemas %j need another engine of patterns: %j", (schemas, isNeeded) => {
  const source = toSource({ tools: [{ name: "a", ...schemas }, { name: "b" }] }, "tools.json", {});
  expect(source.needsRe2).toBe(isNeeded);
  expect(source).not.toHaveProperty("api");
});

test("unusable tools of a list are left out with their reasons, and the others keep their order", () => {
  const text = { tsType: "any" };
  const bad = { type: "object", properties: { a: text } };
  const list = [
    { name: "d" },
    { name: "c" },
    { name: "a/b" },
    { name: "c" },
    { name: "e", inputSchema: bad },
    { name: "f", outputSchema: bad },
    { name: "n".repeat(129) },
    { name: "n".repeat(128) },
  ];
  const source = toSource({ tools: list }, "tools.json", {});
  expect(source.plan.tools.map(({ entry }) => entry.name)).toEqual(["d", "c", "n".repeat(128)]);
  expect(source.leftOut).toEqual([
    { name: 'tool "a/b"', reason: badName },
    { name: 'tool "c"', reason: "its name is already used" },
    {
      name: 'tool "e"',
      reason: expect.stringMatching(/^inputSchema\/properties\/a.* would insert text into the code/),
    },
    {
      name: 'tool "f"',
      reason: expect.stringMatching(/^outputSchema\/properties\/a.* would insert text into the code/),
    },
    { name: `tool "${"n".repeat(80)}"`, reason: badName },
  ]);
  expect(toSource({ tools: list }, "tools.json", { only: "d" }).leftOut).toEqual([]);
});

test.each<[more: object | undefined, features: string[], kinds: string[]]>([
  [undefined, ["prompts", "resources"], []],
  [{}, ["prompts", "resources"], []],
  [{ prompts: [{ name: "b" }] }, ["prompts", "resources"], ["prompts"]],
  [{ resources: [{ uri: "a:b" }] }, ["prompts", "resources"], ["resources"]],
  [{ resourceTemplates: [{ uriTemplate: "a:{b}" }] }, ["prompts", "resources"], ["templates"]],
  [{ prompts: [{ name: "b" }], resources: [{ uri: "a:b" }] }, ["tools"], []],
  [{ resourceTemplates: [{ uriTemplate: "a:{b}" }] }, ["prompts"], []],
])("a source with %j in a project with the features %j has these kinds: %j", (more, features, kinds) => {
  const found = stubKinds(more && toSource({ tools, ...more }, "a.json", {}), new Set(features));
  expect(Object.entries(found).flatMap(([kind, isThere]) => (isThere ? [kind] : []))).toEqual(kinds);
});
