import { describe, expect, it } from "vitest";
import { isUrl } from "../../../runtime/internal/parse-url.ts";
import { settingsOf, type ApiSetting } from "../../../generator/openapi/api-settings.ts";
import type { Api, Credential } from "../../../generator/openapi/operation.ts";

const api: Api = { title: "Pets", variables: "API", credentials: [], operations: [], leftOut: [] };
const [address] = settingsOf(api);
const pattern = new RegExp(address?.pattern ?? "");

describe("the address of an API", () => {
  it.each([
    "http://localhost",
    "http://localhost:8080",
    "https://api.example.com/v1",
    "https://api.example.com:8443/v1/",
    "http://192.0.2.1:80",
    "http://[::1]:3000/v1",
    "http://my_service:80",
    "https://xn--bcher-kva.example",
    "https://bücher.example",
  ])("%s is accepted", (text) => {
    expect(pattern.test(text)).toBe(true);
    expect(isUrl(text)).toBe(true);
  });

  it.each([
    "http://[",
    "http://[::1",
    "http://a b",
    "http://",
    "http:///v1",
    "http://user:password@host",
    "http://host?query",
    "http://host#fragment",
    "http://host:port",
    "http://host:123456",
    "http://%",
    "http://<host>",
    "http://a\\b",
    "ftp://host",
    "host",
    "",
  ])("%s is rejected", (text) => {
    expect(pattern.test(text)).toBe(false);
  });
});

describe("the settings of an API", () => {
  const description = "Address of the API.";

  it.each<[address: string | undefined, more: Partial<ApiSetting>]>([
    [undefined, { isNeeded: true }],
    ["https://api.example", { isNeeded: false, default: "https://api.example" }],
  ])("the address %j is the default of the first setting", (known, more) => {
    const settings = settingsOf({ ...api, variables: "SHOP", ...(known !== undefined && { address: known }) });
    expect(settings).toEqual([
      { name: "SHOP_BASE_URL", description, isSecret: false, pattern: address?.pattern, ...more },
    ]);
  });

  const token: Credential = {
    place: "header",
    name: "X-Key",
    prefix: "",
    scheme: "key",
    variable: "API_TOKEN",
    isOptional: false,
  };
  const setting: ApiSetting = {
    name: "API_TOKEN",
    description: "Token (security scheme key).",
    isSecret: true,
    isNeeded: true,
    pattern: "^[ -~]+$",
  };
  const anyLine = "^[^\\r\\n]+$";

  it.each<[what: string, more: Partial<Credential>, expected: Partial<ApiSetting>]>([
    ["a token", {}, {}],
    ["a token with a prefix", { prefix: "Bearer " }, {}],
    ["a token in a query", { place: "query" }, { pattern: anyLine }],
    ["a token in a cookie", { place: "cookie", variable: "API_TOKEN_A" }, { name: "API_TOKEN_A", pattern: anyLine }],
    [
      "a password",
      { prefix: "Basic " },
      { description: "Name and password, as name:password (security scheme key).", pattern: anyLine },
    ],
    [
      "an optional token",
      { isOptional: true },
      { description: "Token (security scheme key). The API answers without it, too.", isNeeded: false },
    ],
    [
      "a name with other characters",
      { scheme: "`a` -- {b.c_d}\n" },
      { description: "Token (security scheme a  --  b.c_d)." },
    ],
    ["a name of other characters only", { scheme: "取引" }, { description: "Token." }],
    ["a long name", { scheme: `\n${"a".repeat(61)}` }, { description: `Token (security scheme ${"a".repeat(60)}).` }],
  ])("a credential is a secret setting: %s", (_what, more, expected) => {
    const [, ...credentials] = settingsOf({ ...api, credentials: [{ ...token, ...more }] });
    expect(credentials).toEqual([{ ...setting, ...expected }]);
  });
});
