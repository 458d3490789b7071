import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isObject } from "../../../generated/support.ts";
import {
  findCardProblem,
  maxDocumentBytes,
  parseCatalog,
  parseServerCard,
} from "../../../runtime/server-card/read-card.ts";
import { isServerCardError } from "../../../runtime/server-card/errors.ts";
import { fullCard, smallCard } from "./cards.ts";

/** The published schema: github.com/modelcontextprotocol/experimental-ext-server-card, commit 8924e08. */
const schema: unknown = JSON.parse(readFileSync(new URL("server-card.schema.json", import.meta.url), "utf8"));

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(isObject(schema) ? schema : {}, "cards");

function isPublished(value: unknown): boolean {
  return ajv.validate("cards#/$defs/ServerCard", value) === true;
}

/** Returns copies of a value, each with one member or item replaced or removed. */
function mutants(value: unknown): readonly { readonly path: string; readonly value: unknown }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, old]) => {
    const withValue = (next: unknown): unknown =>
      Array.isArray(value)
        ? value.map((one, index) => (String(index) === key ? next : one))
        : { ...value, [key]: next };
    const without = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    return [
      ...(Array.isArray(value) ? [] : [{ path: `without ${key}`, value: without }]),
      ...[7, null, true, [], {}, "", "?"].map((next) => ({
        path: `${key}=${JSON.stringify(next)}`,
        value: withValue(next),
      })),
      ...mutants(old).map((inner) => ({ path: `${key}/${inner.path}`, value: withValue(inner.value) })),
    ];
  });
}

describe("parseServerCard", () => {
  it.each([["small", smallCard] as const, ["full", fullCard] as const])(
    "accepts the %s card, as the published schema does",
    (_name, card) => {
      expect(isPublished(card)).toBe(true);
      expect(parseServerCard(JSON.stringify(card))).toEqual(card);
    },
  );

  it("rejects every change to a card that the published schema rejects, and accepts all others that are safe", () => {
    // `validateFormats` is off, so these URLs pass the schema. The reader also rejects the rest of the list.
    const stricter = /^(websiteUrl|repository\/url|icons\/0\/src|remotes\/0\/(headers\/0\/name|url))=("\?"|"")$/;
    const all = mutants(fullCard);
    const different = all.filter(({ value }) => (findCardProblem(value) === undefined) !== isPublished(value));
    expect(all.length).toBeGreaterThan(250);
    expect(different.map(({ path }) => path).filter((path) => !stricter.test(path))).toEqual([]);
  });

  it.each([
    ["markup in the description", { description: "Weather <img src=x onerror=alert(1)>" }, "markup"],
    ["markup in the title", { title: "</title><script>" }, "markup"],
    ["text that runs backwards", { title: "Weather \u202Etxe" }, "control characters"],
    ["an escape sequence", { description: "\u001b[31mred" }, "control characters"],
    ["a script URL", { websiteUrl: "javascript:alert(1)" }, "websiteUrl is not an HTTP URL"],
    [
      "a file as source code",
      { repository: { url: "file:///etc/passwd", source: "x" } },
      "repository.url is not an HTTP URL",
    ],
    [
      "a folder outside",
      { repository: { url: "https://example.com", source: "x", subfolder: "a/../../b" } },
      "relative path",
    ],
    ["an icon that is a page", { icons: [{ src: "data:text/html;base64,PGI+" }] }, "icons[0].src"],
    ["credentials in a URL", { remotes: [{ type: "sse", url: "https://a:b@example.com/" }] }, "contains credentials"],
    ["credentials in a template", { remotes: [{ type: "sse", url: "https://a:b@{host}/" }] }, "contains credentials"],
    ["another scheme", { remotes: [{ type: "sse", url: "ftp://example.com/" }] }, "remotes[0].url"],
    [
      "a header with a line break",
      { remotes: [{ type: "sse", url: "https://a.b/", headers: [{ name: "a\r\nb" }] }] },
      "name of a header",
    ],
    ["a range of versions", { version: "^1.2.3" }, "version is a range"],
    ["another range of versions", { version: "1.x" }, "version is a range"],
    ["too many remotes", { remotes: Array(33).fill({ type: "sse", url: "https://a.b/" }) }, "remotes has 33 items"],
    ["too long a description", { description: "x".repeat(101) }, "description has 101 characters"],
    ["two slashes in the name", { name: "com.example/a/b" }, "name is not"],
    ["another schema", { $schema: "https://example.com/schema.json" }, "$schema"],
  ])("rejects %s", (_name, change, message) => {
    expect(() => parseServerCard(JSON.stringify({ ...smallCard, ...change }))).toThrow(message);
  });

  it.each([
    [
      "a card that is too long",
      JSON.stringify({ ...smallCard, _meta: { a: "x".repeat(maxDocumentBytes) } }),
      "longer than",
    ],
    ["a card that is nested too deeply", `{"_meta":${"[".repeat(20)}${"]".repeat(20)}}`, "nested too deeply"],
    ["a page", "<!doctype html>", "not JSON"],
    ["a list", "[]", "not an object"],
    ["nothing", "", "not JSON"],
  ])("rejects %s", (_name, text, message) => {
    let thrown: unknown;
    try {
      parseServerCard(text);
    } catch (error) {
      thrown = error;
    }
    expect(isServerCardError(thrown)).toBe(true);
    expect(String(thrown)).toContain(message);
  });

  it("ends for a value that contains itself", () => {
    const meta: Record<string, unknown> = {};
    meta.self = meta;
    expect(findCardProblem({ ...smallCard, _meta: meta })).toBeUndefined();
    expect(findCardProblem({ ...smallCard, icons: [meta] })).toBe("icons[0] has no src");
  });
});

describe("parseCatalog", () => {
  const url = "https://example.com/mcp/server-card";
  const entry = { identifier: "urn:air:example.com:mcp:weather", type: "application/mcp-server-card+json", url };

  it("returns the entries of cards only", () => {
    const others = [{ identifier: "x", type: "application/ai-catalog+json", url: "https://example.com/self" }, 7];
    expect(parseCatalog(JSON.stringify({ specVersion: "1.0", entries: [...others, entry] }))).toEqual([entry]);
  });

  it.each([
    ["an entry with an address and a card", { ...entry, data: smallCard }, "exactly one of url and data"],
    ["an entry without either", { identifier: "x", type: entry.type }, "exactly one of url and data"],
    ["an invalid card", { identifier: "x", type: entry.type, data: { ...smallCard, name: "x" } }, "card 1.data.name"],
    ["an empty card", { identifier: "x", type: entry.type, data: {} }, "card 1.data has no $schema"],
    ["a script as address", { ...entry, url: "javascript:1" }, "not an HTTP URL"],
  ])("rejects %s", (_name, one, message) => {
    expect(() => parseCatalog(JSON.stringify({ specVersion: "1.0", entries: [one] }))).toThrow(message);
  });

  it.each(["2.0", "1", 1])("rejects version %s", (specVersion) => {
    expect(() => parseCatalog(JSON.stringify({ specVersion, entries: [] }))).toThrow("specVersion");
  });

  it("rejects a catalog with too many entries", () => {
    expect(() => parseCatalog(JSON.stringify({ specVersion: "1.0", entries: Array(1_001).fill(1) }))).toThrow("1000");
  });
});
