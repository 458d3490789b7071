import { describe, expect, it } from "vitest";
import { isUrl } from "../../../runtime/internal/parse-url.ts";
import { settingsOf } from "../../../generator/openapi/api-settings.ts";
import type { Api } from "../../../generator/openapi/operation.ts";

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
