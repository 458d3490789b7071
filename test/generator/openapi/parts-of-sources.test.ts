import { describe, expect, test } from "vitest";
import { UserError } from "../../../generator/internal/user-error.ts";
import { chooseName } from "../../../generator/openapi/api-name.ts";
import { findSubtypes } from "../../../generator/openapi/discriminators.ts";
import { emitSource } from "../../../generator/openapi/emit-source.ts";
import { emitStubs } from "../../../generator/openapi/emit-stubs.ts";
import { readForm, readWholeFile, type Form } from "../../../generator/openapi/read-form.ts";
import { readEncoding, readStyle } from "../../../generator/openapi/read-style.ts";
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

describe("forms of several parts", () => {
  const text = { type: "string" };
  const file = { type: "string", contentEncoding: "base64", description: "A file, in base64" };
  const octets = "application/octet-stream";
  const formOf = (properties: object, encoding?: object, openapi = "3.1.0"): Form =>
    readForm({ schema: { type: "object", properties }, ...(encoding && { encoding }) }, { openapi });

  test.each<readonly [string, object, object | undefined, Partial<Form>]>([
    ["text", { a: text }, undefined, { schema: { properties: { a: text } }, files: {}, types: {} }],
    [
      "bytes",
      { a: { type: "string", format: "binary" } },
      undefined,
      { schema: { properties: { a: file } }, files: { a: octets } },
    ],
    [
      "bytes with words about them",
      {
        a: {
          type: "string",
          format: "binary",
          title: "T",
          description: "Photo",
          nullable: true,
          readOnly: true,
          maxLength: 5,
        },
      },
      undefined,
      {
        schema: {
          properties: { a: { ...file, title: "T", description: "Photo (base64)", nullable: true, readOnly: true } },
        },
      },
    ],
    [
      "bytes with an empty description",
      { a: { type: "string", format: "binary", description: "" } },
      undefined,
      { schema: { properties: { a: file } } },
    ],
    [
      "a media type in the schema",
      { a: { type: "string", contentMediaType: "image/png" } },
      undefined,
      { files: { a: "image/png" }, types: {} },
    ],
    [
      "a media type and an encoding in the schema",
      { a: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" } },
      undefined,
      { files: {}, types: { a: "image/png" } },
    ],
    [
      "a media type of the part",
      { a: {} },
      { a: { contentType: "image/png, image/gif" } },
      { files: { a: "image/png" } },
    ],
    ...["text/csv", "application/json", "application/problem+json", "application/x-www-form-urlencoded"].map(
      (contentType) =>
        ["text of a type", { a: {} }, { a: { contentType } }, { files: {}, types: { a: contentType } }] as const,
    ),
    [
      "a type like text",
      { a: {} },
      { a: { contentType: "application/x-www-form-urlencoded2" } },
      { files: { a: "application/x-www-form-urlencoded2" } },
    ],
    ["plain text", { a: text }, { a: { contentType: "text/plain" } }, { files: {}, types: {} }],
    ["an invalid type", { a: {} }, { a: { contentType: "image" } }, { files: {}, types: {} }],
    [
      "a list of files",
      { a: { type: "array", maxItems: 2, items: { type: "string", format: "binary" } } },
      undefined,
      { schema: { properties: { a: { type: "array", maxItems: 2, items: file } } }, files: { a: octets } },
    ],
    [
      "a file or null",
      { a: { title: "T", anyOf: [{ type: "string", format: "binary" }, { type: "null" }] } },
      undefined,
      { schema: { properties: { a: { title: "T", anyOf: [file, { type: "null" }] } } }, files: { a: octets } },
    ],
    ["two kinds of files", { a: { anyOf: [{ type: "string", format: "binary" }, text] } }, undefined, { files: {} }],
    ["a file or anything", { a: { anyOf: [{ type: "string", format: "binary" }, true] } }, undefined, { files: {} }],
    ["null alone", { a: { anyOf: [{ type: "null" }, { type: "null" }] } }, undefined, { files: {} }],
    [
      "three alternatives",
      { a: { oneOf: [{ type: "string", format: "binary" }, text, { type: "null" }] } },
      undefined,
      { files: {} },
    ],
    [
      "a file or null in exclusive alternatives",
      { a: { oneOf: [{ type: "null" }, { type: "string", format: "binary" }] } },
      undefined,
      { schema: { properties: { a: { anyOf: [file, { type: "null" }] } } }, files: { a: octets } },
    ],
    [
      "a file of a media type, or null",
      { a: { anyOf: [{ type: "string", contentMediaType: "image/png" }, { type: "null" }] } },
      undefined,
      { files: { a: "image/png" } },
    ],
    [
      "a list of files of a media type",
      { a: { type: "array", items: { type: "string", contentMediaType: "image/png" } } },
      undefined,
      { files: { a: "image/png" } },
    ],
    ["bytes or null", { a: { type: ["string", "null"], format: "binary" } }, undefined, { files: { a: octets } }],
    ["items of no list", { a: { items: { type: "string", format: "binary" } } }, undefined, { files: {} }],
    [
      "a number of a media type",
      { a: { type: "integer" } },
      { a: { contentType: "image/png" } },
      { files: {}, types: { a: "image/png" } },
    ],
    [
      "a media type between blanks",
      { a: {} },
      { a: { contentType: " image/png , text/csv" } },
      { files: { a: "image/png" } },
    ],
    [
      "a style that a media type does not replace",
      { a: { type: "array" } },
      { a: { style: "pipeDelimited", contentType: "image/png" } },
      { files: {}, types: {}, styles: { a: "|" } },
    ],
    [
      "a file with a style",
      { a: { type: "string", format: "binary" } },
      { a: { style: "pipeDelimited" } },
      { files: { a: octets } },
    ],
    [
      "text of a type with a style",
      { a: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" } },
      { a: { style: "pipeDelimited" } },
      { files: {}, types: { a: "image/png" } },
    ],
    ["a style", { a: { type: "array", items: text } }, { a: { style: "pipeDelimited" } }, { styles: { a: "|" } }],
  ])("a part is %s", (_, properties, encoding, expected) => {
    const form = formOf(properties, encoding);
    const { files = form.files, types = form.types } = expected;
    expect(form).toMatchObject(expected);
    expect(form.schema).toEqual({ ...form.schema, ...expected.schema });
    expect([form.files, form.types, form.styles]).toEqual([files, types, expected.styles]);
  });

  test("styles of parts do not exist in OpenAPI 3.0", () => {
    const encoding = { a: { style: "pipeDelimited" } };
    for (const version of ["3.0.3", "3"]) expect(formOf({ a: {} }, encoding, version)).not.toHaveProperty("styles");
    const typed = { a: { style: "form", contentType: "image/png" } };
    expect(formOf({ a: {} }, typed, "3.0.3").files).toEqual({ a: "image/png" });
  });

  test("parts are found in schemas that a schema extends, also in a circle", () => {
    const document = {
      openapi: "3.1.0",
      a: { allOf: [{ $ref: "#/b" }], properties: { x: { type: "string", format: "binary" } } },
      b: { allOf: [{ $ref: "#/a" }], properties: { y: { type: "string", format: "binary" } } },
    };
    expect(readForm({ schema: { $ref: "#/a" } }, document).files).toEqual({ x: octets, y: octets });
  });

  test.each([{}, { type: "string" }, { allOf: [{ type: "string" }] }, { $ref: "#/circle" }])(
    "a body without parts is left out: %j",
    (schema) => {
      const document = { circle: { allOf: [{ $ref: "#/circle" }] } };
      expect(() => readForm({ schema }, document)).toThrow("its body has no object schema for its parts");
    },
  );

  test.each([{ type: "object" }, { properties: {} }, { allOf: [{ type: "object" }] }])(
    "a body of an object has parts: %j",
    (schema) => {
      const whole = { ...schema, type: "object", properties: {} };
      expect(readForm({ schema }, {})).toMatchObject({ schema: whole, files: {}, types: {} });
      expect(Object.hasOwn(readForm({ schema }, {}).schema, "allOf")).toBe("allOf" in schema);
    },
  );

  test("a whole file is text in base64", () => {
    expect(readWholeFile({ schema: { type: "string", format: "binary" } }, {})).toEqual(file);
    expect(readWholeFile({}, {})).toEqual(file);
  });
});

describe("styles", () => {
  test.each<readonly [object, string]>([
    [{ in: "path" }, "comma"],
    [{ in: "path", explode: true }, "named"],
    [{ in: "header", explode: true }, "named"],
    [{ in: "cookie", explode: true }, "comma"],
    [{ in: "query" }, "repeat"],
    [{ in: "query", explode: false }, "comma"],
    [{ in: "query", style: "form", explode: true }, "repeat"],
    [{ in: "query", style: "deepObject" }, "deep"],
    [{ in: "query", style: "pipeDelimited" }, "pipe"],
    [{ in: "query", style: "pipeDelimited", explode: true }, "repeat"],
    [{ in: "query", style: "spaceDelimited" }, "space"],
    [{ in: "query", content: { "application/json": {} } }, "json"],
    [{ in: "path", content: { "Application/vnd.a+JSON; charset=utf-8": {} } }, "json"],
    [{ in: "query", content: { "text/plain": {} } }, "repeat"],
    [{ in: "path", content: { "application/jsonx": {} } }, "comma"],
  ])("a parameter %j is sent as %s", (parameter, style) => {
    expect(readStyle({ ...parameter })).toBe(style);
  });

  const schema = { properties: { list: { type: "array" }, one: { type: "object" }, any: {} } };
  test.each<readonly [object, object]>([
    [{}, {}],
    [{ encoding: "text" }, {}],
    [{ encoding: { list: {} } }, {}],
    [{ encoding: { list: { style: "form" } } }, {}],
    [{ encoding: { one: { style: "form" } } }, { styles: { one: "members" } }],
    [{ encoding: { any: { explode: true } } }, { styles: { any: "members" } }],
    [{ encoding: { list: { explode: false }, one: { style: "deepObject" } } }, { styles: { list: ",", one: "deep" } }],
    [{ encoding: { list: { style: "spaceDelimited" } } }, { styles: { list: " " } }],
    [{ encoding: { one: { contentType: "application/json" } } }, { styles: { one: "json" } }],
    [{ encoding: { one: { contentType: "text/plain" } } }, {}],
    [{ encoding: { one: { contentType: "application/json", style: "form" } } }, { styles: { one: "members" } }],
    [{ encoding: { list: { allowReserved: true } } }, { reserved: ["list"] }],
    [{ encoding: { one: { allowReserved: false } } }, { styles: { one: "members" } }],
  ])("the encoding %j of a form is read", (media, expected) => {
    expect(readEncoding({ schema, ...media }, {})).toEqual(expected);
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
