import { expect, test } from "vitest";
import { sourceNotes } from "../../../generator/openapi/source-notes.ts";
import { toSource } from "../../../generator/openapi/source.ts";

/* Notes about a source: what is left out or simplified, other hosts, and its size. Those about credentials are in `access-notes.test.ts`. */

const responses = { 204: { description: "ok" } };
const key = { type: "http", scheme: "bearer" };

/** Returns the notes about a document with these paths, whose operations send a token. */
function notesOf(paths: object, more: object = {}): readonly string[] {
  const components = { securitySchemes: { key }, ...more };
  const document = {
    openapi: "3.1.0",
    servers: [{ url: "https://a.example" }],
    components,
    security: [{ key: [] }],
    paths,
  };
  return sourceNotes(toSource(document, "docs/a.json", {}), "src/api.ts");
}

/** Paths with one operation each. */
const many = (count: number, more: object = {}): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`/${at}`, { get: { responses, ...more } }]));

const requestBody = { content: { "application/json": {} } };
const other = { servers: [{ url: "https://b.example/v1" }] };

const text = { type: "string", description: "d".repeat(1_000) };
const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, text]));
/** Schemas of which one refers to the next. The first is larger than what a response may have. */
const schemas = {
  Big: { type: "object", properties: { ...properties, next: { $ref: "#/components/schemas/Next" } } },
  Next: { type: "object", properties: { id: { type: "string" } } },
};
const big = {
  responses: {
    200: { description: "ok", content: { "application/json": { schema: { $ref: "#/components/schemas/Big" } } } },
  },
};
const inner = "the inner levels of their schemas accept any value, because they are too large";

test.each<[what: string, paths: object, notes: string[]]>([
  ["nothing else", many(1), []],
  [
    "an operation that is left out",
    { "/a": { get: { responses }, trace: { responses } } },
    ["left out   TRACE /a: fetch does not send TRACE requests"],
  ],
  [
    "bodies that are left out",
    { "/a": { get: { responses, requestBody }, post: { responses, requestBody } }, "/b": { head: { requestBody } } },
    [
      "left out   body of GET /a: fetch cannot send a body with GET",
      "left out   body of HEAD /b: fetch cannot send a body with HEAD",
    ],
  ],
  ["one large schema", many(1, big), [`widened    1 tool: ${inner}`]],
  ["two large schemas", { ...many(2, big), "/c": { get: { responses } } }, [`widened    2 tools: ${inner}`]],
  [
    "another host",
    { "/a": { get: { responses, ...other } }, "/b": { get: { responses } } },
    ["other host get_a: the document names https://b.example/v1; no credentials are sent there"],
  ],
  ["100 tools", many(100), []],
  [
    "101 tools",
    many(101),
    [
      "101 tools are more than most models can handle: --only takes comma-separated tags, names or paths; * matches any text.",
    ],
  ],
])("the notes about an API describe %s", (_what, paths, notes) => {
  expect(notesOf(paths, { schemas })).toEqual(notes);
});

test.each<[names: string[], others: string[], note: string]>([
  [["a"], ["b"], "uses a; a.json also accepts b"],
  [["a", "b"], ["c", "d", "e"], "uses a and b; a.json also accepts c, d and e"],
])("the notes about an API name the schemes %j that are sent, and %j that are not", (names, others, note) => {
  const securitySchemes = Object.fromEntries(
    [...names, ...others].map((name) => [name, { type: "apiKey", in: "header", name }]),
  );
  const security = names.map((name, at) => [{ [name]: [] }, ...(at === 0 ? others.map((one) => ({ [one]: [] })) : [])]);
  const paths = Object.fromEntries(security.map((own, at) => [`/${at}`, { get: { responses, security: own } }]));
  expect(notesOf(paths, { securitySchemes })).toEqual([`access     ${note}: edit src/api.ts to use it`]);
});

test("the notes about a list of tools name those that are left out, with a reason of one line", () => {
  const source = toSource({ tools: [{ name: "a" }, { name: "b\nc" }] }, "tools.json", {});
  expect(sourceNotes(source, "src/api.ts")).toEqual([
    'left out   tool "b c": a name consists of at most 128 letters, digits and _ - . characters; choose another',
  ]);
});
