import { expect, test } from "vitest";
import { apiLockText, readApiLock, recordApi } from "../../../generator/openapi/api-lock.ts";
import { toSource, type ReadSourceOptions } from "../../../generator/openapi/source.ts";

/* Records of the APIs of a project. */

const place = { folder: "src/shop", test: "test/shop.test.ts" };
const operation = { tool: "read", parameters: "1", result: "2", access: "3" };
const file = { text: "4", parts: { a: "5" } };
const api = {
  name: "shop",
  document: "shop.yaml",
  output: "loose",
  place,
  operations: { "GET /a": operation },
  files: { "src/shop/tools.ts": file },
};

test.each<[what: string, more: object, read: object]>([
  ["an API", {}, {}],
  [
    "choices",
    { only: "Read", prefix: "shop_", removed: ["GET /b"] },
    { only: "Read", prefix: "shop_", removed: ["GET /b"] },
  ],
  ["choices of other types", { only: 1, prefix: null, removed: "GET /b" }, {}],
  ["removed operations of other types", { removed: [1, "GET /b", null] }, { removed: ["GET /b"] }],
  ["no removed operations", { removed: [] }, {}],
  ["hashes of other types", { files: { "a.ts": { text: "4", parts: { a: "5", b: 6 } } } }, { files: { "a.ts": file } }],
  ["no operations and no files", { operations: {}, files: {} }, { operations: {}, files: {} }],
  ["further members", { more: true, place: { ...place, more: true } }, {}],
])("a lock file is read with %s", (_what, more, read) => {
  expect(readApiLock(JSON.stringify({ format: 1, apis: [{ ...api, ...more }] }))).toEqual([{ ...api, ...read }]);
});

test.each<[what: string, more: object]>([
  ["no name", { name: 5 }],
  ["no document", { document: undefined }],
  ["an unknown output", { output: "other" }],
  ["no place", { place: undefined }],
  ["no folder", { place: { test: "a.test.ts" } }],
  ["no test", { place: { folder: "src" } }],
  ["a folder outside", { place: { ...place, folder: "../src" } }],
  ["a test outside", { place: { ...place, test: "/a.test.ts" } }],
  ["a file outside", { files: { "../a.ts": file } }],
  ["a file without a hash", { files: { "a.ts": { parts: {} } } }],
  ["a file without parts", { files: { "a.ts": { text: "4" } } }],
  ["no files", { files: undefined }],
  ["an operation without a tool", { operations: { "GET /a": { ...operation, tool: 1 } } }],
  ["an operation without parameters", { operations: { "GET /a": { ...operation, parameters: 1 } } }],
  ["an operation without a result", { operations: { "GET /a": { ...operation, result: 1 } } }],
  ["an operation without access", { operations: { "GET /a": { ...operation, access: 1 } } }],
  ["an operation that is no object", { operations: { "GET /a": operation, "GET /b": null } }],
  ["no operations", { operations: [] }],
])("a lock file is not read with %s", (_what, more) => {
  const apis = [api, { ...api, ...more }];
  expect(() => readApiLock(JSON.stringify({ format: 1, apis }))).toThrow("is not a lock file of this version");
});

test.each([
  "",
  "5",
  "[]",
  '{ "format": 2, "apis": [] }',
  '{ "format": 1, "apis": {} }',
  '{ "format": 1, "apis": [5] }',
])("the text %s is no lock file", (text) => {
  expect(() => readApiLock(text)).toThrow("is not a lock file of this version");
});

const documentOf = (operations: object, more: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: { "/a": operations },
  ...more,
});
const json = (schema: object): object => ({ description: "ok", content: { "application/json": { schema } } });
const get = { operationId: "read", responses: { 200: json({ type: "object" }) } };

function record(operations: object, more?: object, options: ReadSourceOptions = {}) {
  const source = toSource(documentOf(operations, more), "shop.yaml", options);
  return recordApi(
    source,
    new Map([
      ["b.ts", "const b = 1;\n"],
      ["a.ts", "const a = 1;\n"],
    ]),
    {
      name: "shop",
      document: "shop.yaml",
      place,
    },
  );
}

test("a record has the choices, and its files in order, and can be read again", () => {
  const plain = record({ get });
  expect(Object.keys(plain)).toEqual(["name", "document", "output", "place", "operations", "files"]);
  expect(Object.keys(plain.files)).toEqual(["a.ts", "b.ts"]);
  const chosen = record({ get }, {}, { only: "read", prefix: "shop_", output: "strict" });
  expect(chosen).toMatchObject({ only: "read", prefix: "shop_", output: "strict" });
  expect(readApiLock(apiLockText([plain, chosen]))).toEqual([plain, chosen]);
  expect(apiLockText([])).toBe('{\n  "format": 1,\n  "apis": []\n}\n');
});

test.each<[what: string, operation: object, more: object, changed: string[]]>([
  ["another parameter", { parameters: [{ name: "q", in: "query" }] }, {}, ["parameters"]],
  ["another schema of the result", { responses: { 200: json({ type: "object", title: "T" }) } }, {}, ["result"]],
  [
    "a result of another type",
    { responses: { 200: json({ type: "object" }), 202: json({ type: "string" }) } },
    {},
    ["result"],
  ],
  [
    "a result that is a file",
    { responses: { 200: { description: "ok", content: { "image/png": {} } } } },
    {},
    ["result"],
  ],
  [
    "an address of its own",
    { servers: [{ url: "https://b.example" }] },
    { servers: [{ url: "https://a.example" }] },
    ["access"],
  ],
  ["credentials", {}, { components: { securitySchemes: { k: { type: "http", scheme: "bearer" } } } }, ["access"]],
  ["another description", { description: "Reads." }, {}, []],
])("an operation with %s differs in these parts", (_what, operation, more, changed) => {
  const before = record({ get }).operations["GET /a"];
  const after = record({ get: { ...get, ...operation } }, more).operations["GET /a"];
  const parts = (["tool", "parameters", "result", "access"] as const).filter(
    (part) => before?.[part] !== after?.[part],
  );
  expect(parts).toEqual(changed);
});

test("an operation whose body has another media type differs in its parameters", () => {
  const records = ["application/json", "application/vnd.a+json"].map((type) => {
    const post = { operationId: "send", requestBody: { content: { [type]: {} } }, responses: get.responses };
    return record({ post }).operations["POST /a"];
  });
  const [before, after] = records;
  expect(after).toEqual({ ...before, parameters: expect.not.stringMatching(`^${before?.parameters}$`) });
});

test("operations without a tool are not recorded", () => {
  const post = {
    operationId: "send",
    requestBody: { content: { "application/json": { schema: { $ref: "#/none" } } } },
  };
  expect(Object.keys(record({ get, post }).operations)).toEqual(["GET /a"]);
});
