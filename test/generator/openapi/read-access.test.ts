import { expect, test } from "vitest";
import { readAccess } from "../../../generator/openapi/read-access.ts";

/* Credentials of the operations of a document. */

const bearer = { type: "http", scheme: "Bearer" };
const basic = { type: "http", scheme: "BASIC" };
const key = (name = "X-Key", place = "header"): object => ({ type: "apiKey", name, in: place });

type Security = readonly unknown[] | undefined;

function read(securitySchemes: unknown, securities: readonly Security[]): ReturnType<typeof readAccess> {
  return readAccess({ components: { securitySchemes } }, { securities, variables: "SHOP" });
}

const token = { variable: "SHOP_TOKEN", isOptional: false };
const authorization = { place: "header", name: "Authorization", prefix: "Bearer " };

test.each<[scheme: unknown, place: object | undefined]>([
  [bearer, authorization],
  [basic, { ...authorization, prefix: "Basic " }],
  [{ type: "oauth2", flows: {} }, authorization],
  [{ type: "openIdConnect" }, authorization],
  [key(), { place: "header", name: "X-Key", prefix: "" }],
  [key("key", "query"), { place: "query", name: "key", prefix: "" }],
  [key("key", "cookie"), { place: "cookie", name: "key", prefix: "" }],
  [key("key", "body"), undefined],
  [key("a b"), undefined],
  [key(""), undefined],
  [key("k".repeat(101)), undefined],
  [{ type: "apiKey", in: "header" }, undefined],
  [{ type: "http", scheme: "digest" }, undefined],
  [{ type: "other", scheme: "bearer", name: "X-Key", in: "header" }, undefined],
  [{ type: "http" }, undefined],
  ["bearer", undefined],
])("the scheme %j is sent in this place", (scheme, place) => {
  const { credentials, sent } = read({ a: scheme }, [[{ a: [] }]]);
  expect(credentials).toEqual(place ? [{ ...place, ...token, scheme: "a" }] : []);
  expect(sent).toEqual([place ? ["SHOP_TOKEN"] : []]);
});

test.each<[names: string[], variables: string[]]>([
  [["userKey"], ["SHOP_TOKEN"]],
  [
    ["userKey", "api-key", "OAuth2", "X"],
    ["SHOP_TOKEN_USER_KEY", "SHOP_TOKEN_API_KEY", "SHOP_TOKEN_OAUTH2", "SHOP_TOKEN_X"],
  ],
  [
    ["a-b", "a.b", "aB"],
    ["SHOP_TOKEN_A_B", "SHOP_TOKEN_A_B2", "SHOP_TOKEN_A_B3"],
  ],
  [
    ["é", "ü"],
    ["SHOP_TOKEN_OTHER", "SHOP_TOKEN_OTHER2"],
  ],
  [
    ["k".repeat(99), "b"],
    [`SHOP_TOKEN_${"K".repeat(49)}`, "SHOP_TOKEN_B"],
  ],
])("the schemes %j have these variables", (names, variables) => {
  const schemes = Object.fromEntries(names.map((name) => [name, key()]));
  const all = Object.fromEntries(names.map((name) => [name, []]));
  expect(read(schemes, [[all]]).credentials.map(({ variable }) => variable)).toEqual(variables);
});

const two = { a: key("a"), b: key("b"), c: basic };

test.each<[what: string, securities: Security[], sent: string[], unused: string[]]>([
  ["no requirements in the document", [undefined, undefined], ["a", "a"], ["b", "c"]],
  ["no requirements of one operation", [undefined, [{ b: [] }]], ["", "b"], []],
  ["an empty list", [[], [{ b: [] }]], ["", "b"], []],
  ["requirements that are no list", [[{ a: [] }], Object("b")], ["a", ""], []],
  ["a requirement that is no object", [["b", { a: [] }]], ["a"], []],
  ["alternatives of which most operations accept one", [[{ a: [] }, { b: [] }], [{ b: [] }]], ["b", "b"], ["a"]],
  [
    "an alternative with a password",
    [
      [{ c: [] }, { a: [] }],
      [{ c: [] }, { a: [] }],
    ],
    ["a", "a"],
    ["c"],
  ],
  ["a password that most operations accept", [[{ c: [] }, { a: [] }], [{ c: [] }]], ["a", "c"], []],
  ["only a password", [[{ c: [] }]], ["c"], []],
  ["both schemes at once", [[{ b: [], a: [] }]], ["b+a"], []],
  ["one scheme rather than both", [[{ a: [], b: [] }, { a: [] }]], ["a"], ["b"]],
  ["no credentials as an alternative", [[{}, { a: [] }]], ["a"], []],
  ["a scheme that is not declared", [[{ a: [], x: [] }]], ["a"], []],
  ["a complete alternative", [[{ a: [], x: [] }, { b: [] }]], ["b"], []],
])("the credentials of operations are chosen with %s", (_what, securities, sent, unused) => {
  const found = read(two, securities);
  const names = new Map(found.credentials.map(({ variable, scheme }) => [variable, scheme]));
  expect(found.sent.map((variables) => variables.map((variable) => names.get(variable)).join("+"))).toEqual(sent);
  expect(found.unused).toEqual(unused);
});

test.each<[securities: Security[], isOptional: boolean]>([
  [[[{ a: [] }]], false],
  [[[{ a: [] }, {}]], true],
  [[[{ a: [] }, {}], [{ a: [] }]], false],
])("a credential of %j is optional: %j", (securities, isOptional) => {
  expect(read(two, securities).credentials).toMatchObject([{ scheme: "a", isOptional }]);
});

test.each<[scheme: unknown, security: Security, unsupported: string[]]>([
  [{ type: "http", scheme: "digest" }, [{ x: [] }], ["x (http digest)"]],
  [{ type: "mutualTLS" }, [{ x: [] }], ["x (mutualTLS)"]],
  [{}, [{ x: [] }], ["x (of no type)"]],
  [undefined, [{ x: [] }], ["x (not declared)"]],
  [{}, [{ x: [], a: [] }, { x: [] }], ["x (of no type)"]],
  [{}, [{ x: [] }, { a: [] }], []],
  [{}, [{}, { x: [] }], ["x (of no type)"]],
  [{}, [{}], []],
  [{}, [null, "b"], []],
])("the scheme x %j in %j cannot be sent", (scheme, security, unsupported) => {
  expect(read({ ...two, ...(scheme !== undefined && { x: scheme }) }, [security]).unsupported).toEqual([unsupported]);
});

test.each([undefined, [], { securitySchemes: [] }])(
  "a document with the components %j has no schemes",
  (components) => {
    const empty = { credentials: [], sent: [[]], unused: [], unsupported: [[]] };
    expect(readAccess({ components }, { securities: [undefined], variables: "A" })).toEqual(empty);
  },
);
