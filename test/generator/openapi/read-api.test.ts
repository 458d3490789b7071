import { expect, test } from "vitest";
import { UserError } from "../../../generator/internal/user-error.ts";
import { readApi, titleOf, type ReadApiOptions } from "../../../generator/openapi/read-api.ts";

/* A document of OpenAPI as a whole: its operations, their names and their addresses. */

const origin = "api.yaml";
const named = (operationId?: string, more: object = {}): object => ({ operationId, responses: {}, ...more });

function read(paths: unknown, more: object = {}, options: Partial<ReadApiOptions> = {}): ReturnType<typeof readApi> {
  return readApi({ openapi: "3.1.0", info: { title: "A" }, paths, ...more }, { origin, ...options });
}

const namesOf = ({ operations }: ReturnType<typeof readApi>): readonly string[] =>
  operations.map(({ method, path, name }) => `${method} ${path} ${name}`);

test.each(["3.0.3", "3.1.0", "3.2", 3, 3.1])("the version %j of OpenAPI is read", (openapi) => {
  expect(namesOf(read({ "/a": { get: named("a") } }, { openapi }))).toEqual(["GET /a a"]);
});

test.each<[version: object, problem: string]>([
  [{ openapi: "3" }, 'api.yaml: "openapi" should be 3.0 or 3.1, not "3".'],
  [{ openapi: 4 }, "should be 3.0 or 3.1, not 4."],
  [{ openapi: 2.9 }, "should be 3.0 or 3.1, not 2.9."],
  [{ openapi: undefined }, "should be 3.0 or 3.1, not undefined."],
  [{ openapi: "13.1" }, 'not "13.1".'],
  [
    { openapi: undefined, swagger: "2.0" },
    "api.yaml is Swagger 2.0. Convert it to OpenAPI 3 first, with `npx swagger2openapi --patch api.yaml",
  ],
])("another version is an error: %j", (version, problem) => {
  expect(() => read({ "/a": { get: named("a") } }, version)).toThrow(problem);
});

test.each<[paths: unknown, more: object, problem: string]>([
  [undefined, { webhooks: {} }, "api.yaml describes webhooks only"],
  [undefined, {}, 'api.yaml: "paths" is not an object'],
  [[], { webhooks: {} }, 'api.yaml: "paths" is not an object'],
  [{}, { webhooks: {} }, "api.yaml has no operation."],
  [{ "x-note": { get: named("a") } }, {}, "api.yaml has no operation."],
  [{ "/a": { get: 5 } }, {}, 'api.yaml: get of "/a" is not an object.'],
  [{ "/a": [] }, {}, 'api.yaml: paths "/a" is not an object.'],
  [
    { "/a": { trace: named() } },
    {},
    "api.yaml has no operation that can be called: TRACE /a: fetch does not send TRACE requests.",
  ],
  [{ "/a": { $ref: "b.yaml" } }, {}, "that can be called: /a: $ref points outside the document"],
  [{ "/a": { get: { $ref: "#/b" } } }, {}, "that can be called: GET /a: $ref does not resolve"],
])("paths %j with %j are an error", (paths, more, problem) => {
  expect(() => read(paths, more)).toThrow(problem);
});

test("an error about operations ends with one period", () => {
  const advice = "Merge all files into one valid document, for example with `npx @redocly/cli bundle`";
  const reason = `$ref points outside the document ("b.yaml") and is never fetched. ${advice}.`;
  const problem = new UserError(`api.yaml has no operation that can be called: /a: ${reason}`);
  expect(() => read({ "/a": { $ref: "b.yaml" } })).toThrow(problem);
});

test("operations that cannot be called are left out, each with its reason", () => {
  const { operations, leftOut } = read(
    {
      "/a": { get: named("a"), trace: named(), description: "A." },
      "/b": { $ref: "#/shared" },
      "/c": { $ref: "c.yaml" },
    },
    { shared: { put: named("b"), post: { $ref: "#/none" } } },
  );
  expect(operations.map(({ name }) => name)).toEqual(["a", "b"]);
  const advice = "Merge all files into one valid document, for example with `npx @redocly/cli bundle`.";
  expect(leftOut).toEqual([
    { name: "TRACE /a", reason: "fetch does not send TRACE requests" },
    { name: "POST /b", reason: `$ref does not resolve ("#/none"). ${advice}` },
    { name: "/c", reason: `$ref points outside the document ("c.yaml") and is never fetched. ${advice}` },
  ]);
});

test.each<[what: string, ids: string[], known: [string, string][], names: string[]]>([
  [
    "each name once",
    ["list", "List", "list", "list2"],
    [],
    ["GET /0 list", "GET /1 List2", "GET /2 list3", "GET /3 list22"],
  ],
  ["a known name", ["list", "list"], [["GET /1", "list"]], ["GET /1 list", "GET /0 list2"]],
  [
    "known names with numbers",
    ["list", "list"],
    [
      ["GET /1", "list12"],
      ["GET /0", "list2"],
    ],
    ["GET /1 list12", "GET /0 list2"],
  ],
  ["a known name with a number that is none", ["list"], [["GET /0", "list1"]], ["GET /0 list"]],
  ["a known name with a zero", ["list"], [["GET /0", "list02"]], ["GET /0 list"]],
  ["a known name of another operation", ["list"], [["GET /0", "show"]], ["GET /0 list"]],
  [
    "a known name that another operation wants",
    ["list2", "list"],
    [
      ["GET /0", "old"],
      ["GET /1", "list2"],
    ],
    ["GET /0 list22", "GET /1 list2"],
  ],
  ["a known name of the end", ["list"], [["GET /0", "mylist"]], ["GET /0 list"]],
  [
    "known names in their order",
    ["a", "b", "c"],
    [
      ["GET /2", "c"],
      ["GET /9", "x"],
      ["GET /1", "b"],
    ],
    ["GET /2 c", "GET /1 b", "GET /0 a"],
  ],
])("operations have names: %s", (_what, ids, known, names) => {
  const paths = Object.fromEntries(ids.map((id, at) => [`/${at}`, { get: named(id) }]));
  expect(namesOf(read(paths, {}, { toolNames: new Map(known) }))).toEqual(names);
});

test("operations have a prefix, and settings a first word", () => {
  const security = {
    security: [{ k: [] }],
    components: { securitySchemes: { k: { type: "http", scheme: "bearer" } } },
  };
  const api = read({ "/a": { get: named("a") } }, security, { prefix: "shop_", variables: "SHOP" });
  expect(namesOf(api)).toEqual(["GET /a shop_a"]);
  expect(api).toMatchObject({ title: "A", variables: "SHOP", credentials: [{ variable: "SHOP_TOKEN" }] });
  expect(api.operations).toMatchObject([{ access: ["SHOP_TOKEN"], unsupported: [] }]);
  expect(api).not.toHaveProperty("unusedSchemes");
  expect(api.operations[0]).not.toHaveProperty("security");
  expect(read({ "/a": { get: named("a") } }).variables).toBe("API");
});

test.each<[only: string, names: string[]]>([
  ["one", ["GET /a a"]],
  ["b", ["POST /a b"]],
  ["post /a", ["POST /a b"]],
  ["/a", ["GET /a a", "POST /a b"]],
  ["c,a", ["GET /a a", "GET /b c"]],
])("the operations of %s are chosen", (only, names) => {
  const paths = {
    "/a": { get: named("a", { tags: ["one"] }), post: named("b", { tags: "one" }) },
    "/b": { get: named("c") },
  };
  expect(namesOf(read(paths, {}, { only }))).toEqual(names);
});

const servers = (url: string): object => ({ servers: [{ url }] });
const [a, b] = ["https://a.example", "https://b.example"];
const token = { components: { securitySchemes: { k: { type: "http", scheme: "bearer" } } } };

test.each<[what: string, document: object, operation: object, expected: object]>([
  ["none", {}, {}, { address: undefined, own: undefined, access: ["API_TOKEN"] }],
  ["that of the document", servers(a), {}, { address: a, own: undefined, access: ["API_TOKEN"] }],
  ["that of the document again", servers(a), servers(a), { address: a, own: undefined, access: ["API_TOKEN"] }],
  ["one below", servers(a), servers("/v2"), { address: a, own: `${a}/v2`, access: ["API_TOKEN"] }],
  ["another origin, without its credentials", servers(a), servers(b), { address: a, own: b, access: [] }],
  ["its own for the whole API", {}, servers(b), { address: b, own: undefined, access: ["API_TOKEN"] }],
  ["one that is not known", servers(a), servers("{host}"), { address: a, own: "", access: ["API_TOKEN"] }],
])("an operation has an address: %s", (_what, document, operation, expected) => {
  const api = read({ "/a": { get: named("a", operation) } }, { ...document, ...token });
  const [one] = api.operations;
  expect({ address: api.address, own: one?.address, access: one?.access }).toEqual(expected);
});

test("an address that is not one of HTTP is an error that names its place", () => {
  const paths = { "/a": { get: named("a", servers("ftp://a.example")) }, "/b": { get: named("b") } };
  expect(() => read(paths, servers(a))).toThrow("api.yaml: GET /a: servers[0] is not an http or https address");
  expect(() => read(paths)).toThrow("api.yaml: paths: servers[0] is not an http or https address");
  expect(() => read(paths, servers("ftp://a.example"))).toThrow("api.yaml: servers[0] is not an http");
});

test("schemes that no operation uses are named", () => {
  const schemes = { k: { type: "http", scheme: "bearer" }, l: { type: "apiKey", in: "query", name: "l" } };
  const security = [{ k: [] }, { l: [] }];
  const api = read({ "/a": { get: named("a", { security }) } }, { components: { securitySchemes: schemes } });
  expect(api).toMatchObject({ credentials: [{ scheme: "k" }], unusedSchemes: ["l"] });
});

test.each<[document: unknown, title: string]>([
  [{ info: { title: "A\nB" } }, "A B"],
  [{ info: { title: 5 } }, ""],
  [{ info: "A" }, ""],
  [{}, ""],
  [undefined, ""],
])("the title of %j is %j", (document, title) => {
  expect(titleOf(document)).toBe(title);
});
