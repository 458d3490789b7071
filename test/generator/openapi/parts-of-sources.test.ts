import { describe, expect, test } from "vitest";
import { UserError } from "../../../generator/internal/user-error.ts";
import { chooseName } from "../../../generator/openapi/api-name.ts";
import { findSubtypes } from "../../../generator/openapi/discriminators.ts";
import { emitSource } from "../../../generator/openapi/emit-source.ts";
import { emitStubs } from "../../../generator/openapi/emit-stubs.ts";
import { toSource, type ProjectSource } from "../../../generator/openapi/source.ts";
import { mergeSource } from "../../../generator/openapi/merge-source.ts";
import { hashParts, readParts } from "../../../generator/openapi/source-parts.ts";
import { promptCase, testCases } from "../../../generator/openapi/test-cases.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";

/* Parts of the way from a document to a project, each with its own table. */

describe("names of APIs", () => {
  const known = [
    { name: "shop", document: "shop.yaml" },
    { name: "first", document: "twice.yaml" },
    { name: "second", document: "twice.yaml" },
  ];
  const choose = (given: string | undefined, document: string, title = ""): string =>
    chooseName({ given, document, title, known });

  test.each<readonly [string | undefined, string, string, string]>([
    ["pets", "a.yaml", "", "pets"],
    ["shop", "other.yaml", "", "shop"],
    ["pet-store-2", "a.yaml", "", "pet-store-2"],
    [undefined, "shop.yaml", "", "shop"],
    [undefined, "docs/Pet Store.v2.json", "", "pet-store-v2"],
    [undefined, "openapi.yaml", "Pet Store", "pet-store"],
    [undefined, "swagger.json", "", "http-unnamed"],
    [undefined, "index.json", "Schema", "http-schema"],
    [undefined, "2fa.yaml", "", "http-2-fa"],
    [undefined, `${"a".repeat(39)}-b.yaml`, "", "a".repeat(39)],
    ["first", "twice.yaml", "", "first"],
    ["a".repeat(40), "a.yaml", "", "a".repeat(40)],
  ])("the name %j for %s with the title %j is %s", (given, document, title, name) => {
    expect(choose(given, document, title)).toBe(name);
  });

  test.each<readonly [string | undefined, string, string]>([
    ["api", "a.yaml", "cannot be the name of an API"],
    ["Pets", "a.yaml", "cannot be the name of an API"],
    ["a".repeat(41), "a.yaml", "cannot be the name of an API"],
    ["pets-", "a.yaml", "cannot be the name of an API"],
    ["", "shop.yaml", "cannot be the name of an API"],
    [undefined, "twice.yaml", "first and second are from twice.yaml; choose one of them with --as."],
    [undefined, "other/shop.yaml", "The API shop is from shop.yaml; --as shop updates it from other/shop.yaml"],
  ])("the name %j for %s is an error", (given, document, message) => {
    expect(() => choose(given, document)).toThrow(message);
    expect(() => choose(given, document)).toThrow(UserError);
  });

  test("the API that a project was created from may be named", () => {
    const api = { name: "api", document: "openapi.yaml" };
    expect(chooseName({ given: "api", document: "v2.yaml", title: "", known: [api] })).toBe("api");
  });
});

/** Document of OpenAPI 3.1 with one path. */
const documentOf = (path: string, operation: object, more: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example" }],
  paths: { [path]: operation },
  ...more,
});
const ok = { responses: { "200": { description: "ok" } } };

describe("test cases of tools", () => {
  const casesOf = (document: object, isStructured = true) => {
    const source = toSource(document, "openapi.yaml", {});
    return testCases(source.plan.tools, source.api, isStructured);
  };
  const get = (parameters: readonly object[], more: object = {}): object => ({
    get: { operationId: "read", parameters, ...ok, ...more },
  });
  const inPath = (name: string, schema: object): object => ({ name, in: "path", required: true, schema });

  test("a call has the path with its own parameters, encoded; a query of the same name is not meant", () => {
    const parameters = [
      inPath("id", { const: "a/b" }),
      { name: "id", in: "query", required: true, schema: { const: "q" } },
    ];
    expect(casesOf(documentOf("/pets/{id}", get(parameters)))).toMatchObject([
      { name: "read", request: "GET /pets/a%2Fb", response: { done: true } },
    ]);
  });

  test("a parameter that only the path names is required text", () => {
    const [one] = casesOf(documentOf("/pets/{pet}", get([])));
    expect(one).toMatchObject({ request: expect.stringMatching(/^GET \/pets\/[^{}/]+$/) });
    expect(toSource(documentOf("/pets/{pet}", get([])), "o.yaml", {}).api?.operations[0]?.input).toMatchObject({
      properties: { pet: { type: "string" } },
      required: ["pet"],
    });
  });

  test.each<readonly [string, object]>([
    ["a list", { const: ["a"] }],
    ["an object", { const: { a: 1 } }],
    ["an empty text", { const: "" }],
  ])("a path with %s has no test", (_, schema) => {
    expect(casesOf(documentOf("/pets/{id}", get([inPath("id", schema)])))).toEqual([]);
  });

  test("the response fits the output schema, if results are structured", () => {
    const content = {
      "application/json": { schema: { type: "object", properties: { a: { const: 5 } }, required: ["a"] } },
    };
    const document = documentOf("/pets", get([], { responses: { "200": { description: "ok", content } } }));
    expect(casesOf(document)).toMatchObject([{ response: { a: 5 } }]);
    expect(casesOf(document, false)).toMatchObject([{ response: { done: true } }]);
  });

  test("a prompt is called with its required arguments", () => {
    const all = [
      { name: "a", required: true },
      { name: "b", required: false },
    ];
    expect(promptCase({ name: "p", arguments: all })).toEqual({ name: "p", arguments: { a: "sample" } });
  });
});

/** Emits the files of a source, with everything that tools can have. Returns their texts. */
async function emitAll(source: ProjectSource): Promise<ReadonlyMap<string, string>> {
  const { tree } = await emitSource(source, {
    name: "demo",
    toolMembers: new Set(["annotations", "outputSchema"]),
    hasAudio: true,
    stubs: { prompts: false, resources: false, templates: false },
    layer: "mcp/index.ts",
    packageFolder: packageRoot,
  });
  return tree;
}

describe("files of tools", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const hints = { destructiveHint: true, idempotentHint: false, openWorldHint: "x", title: "T" };
  const none = { type: "object", additionalProperties: false };
  const list = (inputSchema: object, outputSchema?: object): object => ({
    tools: [{ name: "read", inputSchema, outputSchema, annotations: hints }],
  });
  const api = (isGiven: boolean, output?: object): object => {
    const parameters = isGiven ? [{ name: "a", in: "query", schema: { type: "string" } }] : [];
    const content = output && { "application/json": { schema: output } };
    const responses = { "200": { description: "ok", ...(content && { content }) } };
    return documentOf("/pets", { get: { operationId: "read", parameters, responses } });
  };

  test.each<readonly [string, object, string, string]>([
    ["without schemas", list(none), "{ todo }", "{ defineTool }"],
    ["with any arguments", list({ type: "object" }), "{ todo, validate }", "{ defineTool, fromJsonSchema }"],
    ["with arguments", list(schema), "{ todo, validate }", "{ defineTool, fromJsonSchema }"],
    ["with a result", list(none, schema), "{ todo, validate }", "{ defineTool, fromJsonSchema }"],
    ["with a result that is no object", list(none, { type: "string" }), "{ todo }", "{ defineTool }"],
    ["of an API, without schemas", api(false), "{ readApi }", "{ defineTool }"],
    ["of an API, with arguments", api(true), "{ readApi, validate }", "{ defineTool, fromJsonSchema }"],
    ["of an API, with a result", api(false, schema), "{ callApi, toOutput, type ObjectSchema }", "{ defineTool }"],
    [
      "of an API, with both",
      api(true, schema),
      "{ callApi, toOutput, validate, type ObjectSchema }",
      "{ defineTool, fromJsonSchema }",
    ],
  ])("the file of a tool imports what it uses: %s", async (_what, document, own, layer) => {
    const text = (await emitAll(toSource(document, "source.json", {}))).get("src/tools/read.ts") ?? "";
    const imports = text.split("\n").filter((line) => line.startsWith("import "));
    const isApi = own.includes("Api");
    expect(imports).toEqual([
      `import ${own} from "../${isApi ? "api" : "todo"}.ts";`,
      `import ${layer} from "../mcp/index.ts";`,
    ]);
    expect(text.includes("const response: ObjectSchema")).toBe(own.includes("ObjectSchema"));
  });

  test("only the hints of tools are kept", async () => {
    const text = [...(await emitAll(toSource(list(none), "tools.json", {}))).values()].join("\n");
    expect(text).toMatch(/annotations: \{\s*destructiveHint: true,\s*idempotentHint: false\s*\}/);
    expect(text).not.toContain("openWorldHint");
  });

  const secured = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  };
  test.each([
    ["names the setting of a token to add, if there are no credentials", {}, true],
    ["mentions no further token beside credentials", secured, false],
  ])("the file of an API %s", async (_what, more, isNamed) => {
    const document = documentOf("/pets", { get: { operationId: "read", ...ok } }, more);
    const text = (await emitAll(toSource(document, "openapi.yaml", {}))).get("src/api.ts") ?? "";
    const advice = '  // if (settings.API_TOKEN) all.set("authorization", "Bearer " + settings.API_TOKEN);\n';
    expect([text.includes(advice), text.includes("declares no credentials")]).toEqual([isNamed, isNamed]);
  });
});

describe("alternatives of a schema that others extend", () => {
  const subtypes = (more: object): unknown =>
    findSubtypes("#/components/schemas/Pet", {
      components: {
        schemas: {
          Pet: { properties: { kind: { type: "string" } }, discriminator: { propertyName: "kind" }, ...more },
          Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }] },
        },
      },
    });

  test("alternatives keep the title and the description, if there are any", () => {
    expect(Object.keys(Object(subtypes({})))).toEqual(["anyOf"]);
    expect(subtypes({ title: "T", description: "D" })).toMatchObject({ title: "T", description: "D" });
  });

  test.each([{ oneOf: [{}] }, { anyOf: [{}] }, { discriminator: {} }, { discriminator: undefined }])(
    "a schema has no alternatives of this kind with %j",
    (more) => {
      expect(subtypes(more)).toBeUndefined();
    },
  );
});

describe("sources that are lists of definitions", () => {
  const listed = {
    tools: [
      { name: "b", inputSchema: { type: "object" } },
      { name: "a", inputSchema: { type: "object" } },
    ],
    prompts: [
      {
        name: "plan",
        description: "Plans.",
        arguments: [{ name: "goal", description: "Why", required: true }, { name: "by" }],
      },
      { name: "define", arguments: [] },
    ],
    resources: [{ uri: "file:///a", name: "read me", description: "A", mimeType: "text/plain" }],
    resourceTemplates: [
      { uriTemplate: "file:///{path}", name: "define" },
      { uriTemplate: "file:///{path}/b", name: "define resource" },
    ],
  };
  const source: ProjectSource = toSource(listed, "tools.json", {});
  const all = { prompts: true, resources: true, templates: true };
  const emit = (kinds: Partial<typeof all>): Readonly<Record<string, string>> =>
    Object.fromEntries(emitStubs(source, { ...all, ...kinds }, "mcp/index.ts"));

  test("each prompt and resource has a file, and the lists name them", () => {
    const files = emit({});
    expect(Object.keys(files)).toEqual([
      "src/prompts/plan-prompt.ts",
      "src/prompts/define-prompt.ts",
      "src/resources/read-me-resource.ts",
      "src/resources/define-template.ts",
      "src/resources/define-resource-template.ts",
      "src/prompts.ts",
      "src/resources.ts",
    ]);
    expect(files["src/prompts/plan-prompt.ts"]).toBe(
      [
        'import { definePrompt } from "../mcp/index.ts";\nimport { todo } from "../todo.ts";\n\n/** Prompt plan: not implemented yet. */\n',
        'export const planPrompt = definePrompt({ name: "plan", description: "Plans.", ',
        'arguments: { "goal": { description: "Why", required: true }, "by": {  } }, get: () => todo("plan") });',
      ].join(""),
    );
    expect(files["src/resources/read-me-resource.ts"]).toContain(
      'export const readMeResource = defineResource({ uri: "file:///a", name: "read me", description: "A", mimeType: "text/plain", read: () => todo("file:///a") });',
    );
    expect(files["src/resources/define-template.ts"]).toContain(
      'defineResourceTemplate({ uriTemplate: "file:///{path}", name: "define", read: () => todo("file:///{path}") });',
    );
    expect(files["src/resources.ts"]).toBe(
      [
        'import { readMeResource } from "./resources/read-me-resource.ts";',
        'import { defineTemplate } from "./resources/define-template.ts";',
        'import { defineResourceTemplate2 } from "./resources/define-resource-template.ts";',
        "\nexport const resources = [readMeResource] as const;",
        "\nexport const resourceTemplates = [defineTemplate, defineResourceTemplate2] as const;",
      ].join("\n"),
    );
  });

  test("a prompt without arguments has no list of them, and a constant no name that its file imports", () => {
    const text = emit({})["src/prompts/define-prompt.ts"] ?? "";
    expect(text).not.toContain("arguments");
    expect(text).toMatch(/export const definePrompt\d = definePrompt\(/);
  });

  test.each<readonly [Partial<typeof all>, readonly string[]]>([
    [{ prompts: false }, ["src/resources.ts"]],
    [{ resources: false, templates: false }, ["src/prompts.ts"]],
    [{ prompts: false, resources: false }, ["src/resources.ts"]],
    [{ prompts: false, resources: false, templates: false }, []],
  ])("lists are written for the kinds of the project: without %j", (kinds, lists) => {
    expect(Object.keys(emit(kinds)).filter((path) => path.split("/").length === 2)).toEqual(lists);
  });
});

describe("statements of a source file", () => {
  test("members of a definition have their own text, with comments and without commas", () => {
    const text = "export const a = defineTool({\n  b: 1, // One.\n  // Two.\n  c: 2,\n});\n";
    expect(readParts("a.ts", text).parts).toMatchObject([
      {
        key: "a",
        text: "export const a = defineTool({/*members*/});",
        members: [
          { key: "b", text: "b: 1" },
          { key: "c", text: "// One.\n  // Two.\n  c: 2" },
        ],
      },
    ]);
  });

  test("a definition that is generated as another statement is replaced, one that was edited stays", async () => {
    const [before, generated] = ["const a = defineTool({ b: 1 });\n", "const a = make();\n"];
    const hashes = hashParts(readParts("a.ts", before));
    const merge = (edited: string) => mergeSource({ path: "a.ts", edited, generated, hashes });
    expect((await merge(before)).text).toBe(generated);
    const edited = "const a = defineResource({ b: 2 });\n";
    expect(await merge(edited)).toMatchObject({ text: edited, kept: ["a"], conflicts: ["a"] });
  });
});

test.each<[method: string, annotations: object | undefined]>([
  ["get", { readOnlyHint: true }],
  ["head", { readOnlyHint: true }],
  ["options", { readOnlyHint: true }],
  ["put", { idempotentHint: true }],
  ["delete", { destructiveHint: true, idempotentHint: true }],
  ["post", undefined],
  ["patch", undefined],
])("the hints of a tool follow from its method: %s", (method, annotations) => {
  const { contract } = toSource(documentOf("/pets", { [method]: ok }), "openapi.yaml", {});
  expect(contract.tools.map((tool) => tool.annotations)).toEqual([annotations]);
});

test.each<[$defs: object, reason: string]>([
  [{}, "does not resolve"],
  [{ a: { $ref: "#/$defs/a" } }, "refers to itself"],
])("a tool that refers to one of the definitions %j is left out", ($defs, reason) => {
  const inputSchema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs };
  const source = toSource({ tools: [{ name: "a", inputSchema }, { name: "b" }] }, "tools.json", {});
  expect(source.plan.tools.map(({ entry }) => entry.name)).toEqual(["b"]);
  expect(source.contract.tools.map(({ name }) => name)).toEqual(["b"]);
  expect(source.leftOut).toEqual([{ name: 'tool "a"', reason: expect.stringContaining(reason) }]);
});

test("tags that are no texts choose nothing", () => {
  const document = documentOf("/pets", { get: { operationId: "read", tags: [5, null, "pets"], ...ok } });
  expect(toSource(document, "openapi.yaml", { only: "pets" }).plan.tools).toHaveLength(1);
  expect(() => toSource(document, "openapi.yaml", { only: "5" })).toThrow(UserError);
});

test("a problem of the security schemes names them", () => {
  const document = documentOf(
    "/pets",
    { get: { operationId: "read", security: [{ key: [] }], ...ok } },
    { components: { securitySchemes: { key: { $ref: "#/nowhere" } } } },
  );
  expect(() => toSource(document, "openapi.yaml", {})).toThrow("openapi.yaml: securitySchemes");
});
