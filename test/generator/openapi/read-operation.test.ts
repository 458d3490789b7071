import { expect, test } from "vitest";
import { LeftOut } from "../../../generator/openapi/operation.ts";
import { readOperation, type ReadOperation } from "../../../generator/openapi/read-operation.ts";
import { SchemaRejection } from "../../../generator/typed-client/tool-schema/safe-schema.ts";

/* An operation of a document, as a tool needs it. */

interface Place {
  readonly path?: string;
  readonly method?: string;
  readonly item?: Record<string, unknown>;
  readonly document?: Record<string, unknown>;
}

function read(operation: Record<string, unknown>, place: Place = {}): ReadOperation {
  return readOperation({ path: "/a", method: "post", item: {}, document: {}, operation, ...place });
}

const text = { type: "string" };
const parameter = (name: string, place = "query", more: object = {}): object => ({ name, in: place, ...more });
const inPath = (name: string, argument = name): object => ({ name, argument, place: "path", style: "comma" });
const inQuery = (name: string, argument = name, more: object = {}): object => {
  return { name, argument, place: "query", style: "repeat", ...more };
};

test.each<[what: string, given: object[], parameters: object[], required: string[]]>([
  ["none", [], [], []],
  ["optional ones", [parameter("a"), parameter("b", "query", { required: "true" })], [inQuery("a"), inQuery("b")], []],
  ["required ones", [parameter("a", "query", { required: true })], [inQuery("a")], ["a"]],
  ["some of the path, which are required", [parameter("a", "path", { required: false })], [inPath("a")], ["a"]],
  [
    "two of one name",
    [parameter("a", "path"), parameter("a"), parameter("a", "query", { allowReserved: true })],
    [inPath("a"), inQuery("a", "a2", { keepsReserved: true })],
    ["a"],
  ],
  [
    "a reserved name",
    [parameter("body"), parameter("constructor")],
    [inQuery("body", "body2"), inQuery("constructor", "constructor2")],
    [],
  ],
  [
    "names in other characters",
    [parameter("a[b]"), parameter("取引")],
    [inQuery("a[b]", "a_b"), inQuery("取引", "value")],
    [],
  ],
  ["a long name", [parameter("a".repeat(61))], [inQuery("a".repeat(61), "a".repeat(60))], []],
  [
    "a header",
    [
      parameter("X-A", "header", { explode: true, allowReserved: true }),
      parameter("ACCEPT", "header"),
      parameter("Cookie", "header"),
    ],
    [{ name: "X-A", argument: "X-A", place: "header", style: "named" }],
    [],
  ],
  [
    "a cookie",
    [parameter("host", "cookie")],
    [{ name: "host", argument: "host", place: "cookie", style: "comma" }],
    [],
  ],
  ["an unknown place", [parameter("a", "formData")], [], []],
  ["a reference", [{ $ref: "#/shared" }], [inQuery("s")], []],
])("an operation has parameters: %s", (_what, given, parameters, required) => {
  const found = read({ parameters: given }, { document: { shared: parameter("s") } });
  expect(found.parameters).toEqual(parameters);
  expect(Object.hasOwn(found.input, "required") ? found.input.required : []).toEqual(required);
  expect(found.input).toMatchObject({ type: "object", additionalProperties: false });
});

test("parameters of a path are replaced by those of its operation, and those that only the path names are texts", () => {
  const item = { parameters: [parameter("q", "query", { schema: { type: "null" } }), parameter("q", "header")] };
  const operation = { parameters: [parameter("q", "query", { schema: { type: "boolean" } }), parameter("b", "path")] };
  const { parameters, input } = read(operation, { item, path: "/{b}/{c}/{c}" });
  expect(parameters.map(({ place, name, argument }) => `${place} ${name} ${argument}`)).toEqual([
    "query q q",
    "header q q2",
    "path b b",
    "path c c",
  ]);
  expect(input).toMatchObject({ properties: { q: { type: "boolean" }, c: text }, required: ["b", "c"] });
  expect(read({}, { item: { parameters: "q" } }).parameters).toEqual([]);
});

test.each<[what: string, more: object, schema: object]>([
  ["nothing", {}, text],
  ["a description", { description: "A." }, { ...text, description: "A." }],
  ["two descriptions", { description: "A.", schema: { ...text, description: "B." } }, { ...text, description: "B." }],
  ["a description that is no text", { description: 5 }, text],
  ["a media type", { content: { "application/json": { schema: { type: "null" } } } }, { type: "null" }],
  ["a media type without a schema", { content: { "application/json": 5 } }, text],
  [
    "a schema beside a media type",
    { schema: { type: "boolean" }, content: { a: { schema: text } } },
    { type: "boolean" },
  ],
  ["a value that is read-only elsewhere", { schema: { ...text, readOnly: true } }, text],
])("an argument is described by %s", (_what, more, schema) => {
  expect(read({ parameters: [parameter("a", "query", more)] }).input).toMatchObject({ properties: { a: schema } });
  expect(Object(read({ parameters: [parameter("a", "query", more)] }).input.properties).a).toEqual(schema);
});

test("an argument of another name says what it is sent as", () => {
  const document = { long: { type: "integer", format: "int64" }, other: { type: "null" } };
  const schemas = [{ $ref: "#/other" }, { ...text, description: "B." }, {}, true];
  const places = ["query", "header", "path", "cookie"];
  const parameters = schemas.map((schema, at) => parameter("a.b", places[at], { schema }));
  const { properties } = read({ parameters }, { document }).input;
  const note = (kind: string): string => `Sent as ${kind} \`a.b\`.`;
  expect(properties).toEqual({
    a_b: { allOf: [{ $ref: "#/$defs/Other" }], description: note("query parameter") },
    a_b2: { ...text, description: `B.\n\n${note("header")}` },
    a_b3: { description: note("path parameter") },
    a_b4: true,
  });
});

const body = (content: object, more: object = {}): Record<string, unknown> => ({ requestBody: { content, ...more } });
const types = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, { schema: text }]));

test.each<[content: object, type: string | undefined, isFile: boolean]>([
  [{}, undefined, false],
  [types("application/xml", "text/plain"), "text/plain", false],
  [
    types("text/plain", "multipart/form-data", "application/x-www-form-urlencoded"),
    "application/x-www-form-urlencoded",
    false,
  ],
  [types("application/json-patch+json", "application/merge-patch+json"), "application/merge-patch+json", false],
  [types("application/vnd.a+json", "Application/JSON; charset=utf-8"), "application/json; charset=utf-8", false],
  [types("application/jsonx", "image/png"), "image/png", true],
  [types("application/pdf"), "application/pdf", true],
  [types("*/*"), "text/plain", false],
  [{ "application/*": { schema: { type: "string", format: "binary" } } }, "application/octet-stream", true],
  [{ "*/*": {} }, "application/json", false],
  [{ "*/*": { schema: { type: "object", format: "binary" } } }, "application/json", false],
  [{ "multipart/form-data; boundary=x": { schema: { type: "object" } } }, "multipart/form-data", false],
])("the body of %j is sent as %s", (content, type, isFile) => {
  const found = read(body(content));
  expect(found.body && [found.body.type, found.body.isFile]).toEqual(type && [type, isFile]);
  expect(Object.hasOwn(Object(found.input.properties), "body")).toBe(type !== undefined);
});

test.each<[what: string, operation: object, place: Place, problem: string]>([
  ["TRACE", {}, { method: "trace" }, "fetch does not send TRACE requests"],
  [
    "a required body of GET",
    body(types("text/plain"), { required: true }),
    { method: "get" },
    "fetch sends no body with GET requests",
  ],
  [
    "a required body of HEAD",
    body(types("text/plain"), { required: true }),
    { method: "head" },
    "no body with HEAD requests",
  ],
  [
    "a body of another type",
    body(types("application/xml", "text/html")),
    {},
    "its body is application/xml or text/html",
  ],
  ["a required body of no type", body({}, { required: true }), {}, "its body is of no type"],
  ["a label", { parameters: [parameter("a", "path", { style: "label" })] }, {}, "its parameter a uses the style label"],
  ["a matrix", { parameters: [parameter("a", "path", { style: "matrix" })] }, {}, "uses the style matrix"],
])("an operation with %s is left out", (_what, operation, place, problem) => {
  expect(() => read({ ...operation }, place)).toThrow(problem);
  expect(() => read({ ...operation }, place)).toThrow(LeftOut);
});

test.each<[what: string, given: unknown, problem: string]>([
  ["no name", { in: "query" }, 'a parameter has no "name" or no "in"'],
  ["no place", { name: "a" }, 'a parameter has no "name" or no "in"'],
  ["a value in place of a parameter", 5, 'a parameter has no "name" or no "in"'],
  ["a name that is no header", parameter("a b", "header"), "a header has no valid name"],
  ["a name that is no cookie", parameter("a=b", "cookie"), "a cookie has no valid name"],
])("an operation is rejected for a parameter with %s", (_what, given, problem) => {
  expect(() => read({ parameters: [given] })).toThrow(problem);
  expect(() => read({ parameters: [given] })).toThrow(SchemaRejection);
});

test.each(["get", "head"])("an optional body is not sent with %s", (method) => {
  const found = read(body(types("text/plain")), { method });
  expect(found).toMatchObject({ omitsBody: true, method: method.toUpperCase() });
  expect(found).not.toHaveProperty("body");
  for (const other of ["post", "delete"])
    expect(read(body(types("text/plain")), { method: other })).not.toHaveProperty("omitsBody");
});

test("a required body is a required argument, with its styles", () => {
  const encoding = { a: { style: "deepObject" }, b: { allowReserved: true } };
  const schema = { type: "object", properties: { a: { type: "object" } }, readOnly: true };
  const media = { "application/x-www-form-urlencoded": { schema, encoding } };
  const found = read(body(media, { required: true }));
  expect(found.input.required).toEqual(["body"]);
  expect(found.input.properties).toEqual({ body: { type: "object", properties: { a: { type: "object" } } } });
  expect(found.body).toEqual({
    type: "application/x-www-form-urlencoded",
    isFile: false,
    files: {},
    types: {},
    styles: { a: "deep", b: "members" },
    reserved: ["b"],
  });
});

test.each<[operation: object, name: string]>([
  [{ operationId: "listPets" }, "listPets"],
  [{ operationId: 42 }, "42"],
  [{ operationId: true }, "post_a_b_c"],
  [{ operationId: "list-pets" }, "list-pets"],
  [{ operationId: "_pets/list-all_" }, "pets_list_all"],
  [{ operationId: "取引" }, "operation"],
  [{ operationId: "" }, "operation"],
  [{ operationId: "a".repeat(61) }, "a".repeat(60)],
])("an operation %j is named %s", (operation, name) => {
  expect(read({ ...operation }, { path: "/{a}/b-c" }).name).toBe(name);
});

test.each<[operation: object, description: string]>([
  [{}, "POST /a"],
  [{ summary: " ", description: "" }, "POST /a"],
  [{ summary: "A." }, "A."],
  [{ summary: "A.", description: "A." }, "A."],
  [{ summary: "A.", description: "B. " }, "A.\n\nB."],
  [{ summary: 5, description: "B.", deprecated: true }, "Deprecated. B."],
  [{ deprecated: true }, "Deprecated. POST /a"],
  [{ deprecated: "no" }, "POST /a"],
])("an operation %j is described as %j", (operation, description) => {
  expect(read({ ...operation }).description).toBe(description);
});

test.each<[operation: object, document: object, security: unknown]>([
  [{}, {}, undefined],
  [{}, { security: [{ a: [] }] }, [{ a: [] }]],
  [{ security: [] }, { security: [{ a: [] }] }, []],
])("the security of an operation %j in a document %j", (operation, document, security) => {
  expect(read({ ...operation }, { document: { ...document } }).security).toEqual(security);
});

test.each<[content: object, returnsFile: boolean]>([
  [types("application/json", "text/plain"), false],
  [types("image/png"), true],
  [types("audio/*"), true],
  [types("application/*"), false],
  [types("application/zip", "application/json"), true],
  [{ "application/vnd.a": { schema: { type: "string", format: "binary" } } }, true],
  [{ "application/vnd.a": { schema: { type: "object", format: "binary" } } }, false],
  [{ "application/vnd.a": 5 }, false],
])("a response of %j is a file: %j", (content, returnsFile) => {
  expect(read({ responses: { 200: { content } } }).returnsFile).toBe(returnsFile);
  expect(read({ responses: { 400: { content } } }).returnsFile).toBe(false);
});

test.each([
  [1_000, false],
  [50_000, true],
])("schemas of %i characters leave their definitions open: %j", (length, isOpen) => {
  const description = "d".repeat(1_000);
  const properties = Object.fromEntries(
    Array.from({ length: length / 1_000 }, (_, at) => [`p${at}`, { ...text, description }]),
  );
  const document = { big: { type: "object", properties: { ...properties, more: { $ref: "#/more" } } }, more: text };
  const schema = { $ref: "#/big" };
  expect(read(body({ "application/json": { schema } }), { document }).isOpen).toBe(isOpen);
  const responses = { 200: { content: { "application/json": { schema } } } };
  const found = read({ responses }, { document });
  expect([found.isOpen, found.output]).toMatchObject([isOpen, { $defs: { More: isOpen ? {} : text } }]);
});
