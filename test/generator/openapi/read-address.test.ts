import { expect, test } from "vitest";
import { isForeign, readAddress, readOwnAddress, readSharedAddress } from "../../../generator/openapi/read-address.ts";

/* Addresses of an API and of its operations. */

const origin = "api.yaml";
const server = (url: unknown, variables?: object): object => ({ url, ...(variables && { variables }) });

test.each<[servers: unknown, address: string | undefined]>([
  [undefined, undefined],
  [[], undefined],
  [["https://a.example"], undefined],
  [[server(5)], undefined],
  [[server("https://a.example"), server("https://b.example")], "https://a.example"],
  [[server("http://a.example/v1")], "http://a.example/v1"],
  [[server("https://a.example/v1//")], "https://a.example/v1"],
  [[server("https://A.example/v1/")], "https://A.example/v1"],
  [[server("https://a.example/v1/?b=c")], "https://a.example/v1"],
  [[server("https://a.example/v1#d")], "https://a.example/v1"],
  [[server("/v1")], undefined],
  [
    [server("https://{host}/v{version}", { host: { default: "a.example" }, version: { default: 2 } })],
    "https://a.example/v2",
  ],
  [[server("https://{host}", { host: { default: true } })], undefined],
  [[server("https://{host}", { host: "a.example" })], undefined],
  [[server("https://{host}")], undefined],
  [[server("https://a.example/{constructor}", {})], undefined],
])("the address of the servers %j is %s", (servers, address) => {
  expect(readAddress(servers, { origin })).toBe(address);
});

test.each<[url: string, base: string | undefined, address: string | undefined]>([
  ["/v2", "https://a.example/v1", "https://a.example/v2"],
  ["v2/", "https://a.example/v1/", "https://a.example/v1/v2"],
  ["https://b.example", "https://a.example", "https://b.example"],
  ["/v2?b", "https://a.example/v1", "https://a.example/v2"],
  ["/v2", undefined, undefined],
])("the address %s is read beside %s as %s", (url, base, address) => {
  expect(readAddress([server(url)], { origin, base })).toBe(address);
});

test.each([
  ["ftp://a.example", 'api.yaml: servers[0] is not an http or https address: "ftp://a.example".'],
  ["xhttp://a.example", "is not an http or https address"],
  ["https://ann@a.example", "api.yaml: servers[0] contains a user name or a password"],
  ["https://:word@a.example", "contains a user name or a password"],
])("the address %s is an error", (url, problem) => {
  expect(() => readAddress([server(url)], { origin })).toThrow(problem);
});

const [a, b] = ["https://a.example", "https://b.example"];
const of = (url?: string): { servers?: unknown } => (url === undefined ? {} : { servers: [server(url)] });

test.each<[operation: object, item: object, address: string | undefined]>([
  [of(), of(), undefined],
  [of(a), of(b), a],
  [of(), of(b), b],
  [{ servers: [] }, of(), undefined],
  [of("/v2"), of(), ""],
  [{ servers: "https://a.example" }, of(), undefined],
])("an operation %j of a path %j has the address %s", (operation, item, address) => {
  expect(readOwnAddress({ operation: { ...operation }, item: { ...item } }, { origin })).toBe(address);
});

test.each<[what: string, urls: (string | undefined)[], address: string | undefined]>([
  ["no operations", [], undefined],
  ["one address", [a, a], a],
  ["two addresses", [a, b], undefined],
  ["an operation without one", [a, undefined], undefined],
  ["an address that is not known", ["/v2", "/v2"], undefined],
])("operations share an address: %s", (_what, urls, address) => {
  const operations = urls.map((url) => ({ operation: { ...of(url) }, item: {} }));
  expect(readSharedAddress(operations, { origin })).toBe(address);
});

test.each<[own: string | undefined, address: string | undefined, expected: boolean]>([
  [undefined, a, false],
  ["", a, false],
  [a, undefined, true],
  [a, b, true],
  [`${a}/v2`, `${a}/v1`, false],
  ["http://a.example", a, true],
])("an operation with the address %j is foreign to an API at %j: %j", (own, address, expected) => {
  expect(isForeign(own, address)).toBe(expected);
});
