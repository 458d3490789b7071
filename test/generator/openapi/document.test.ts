import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../generator/internal/user-error.ts";
import { readDocument } from "../../../generator/openapi/document.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

/* Files that describe an API, and the reasons why others are rejected. */

/** Reads a file with this text. Messages name it without its folder. */
async function read(name: string, text: string): Promise<unknown> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), text);
  return readDocument(join(folder, name)).catch((error: unknown) =>
    error instanceof UserError ? error.message.replaceAll(`${folder}/`, "") : error,
  );
}

test.each<[name: string, text: string, value: unknown]>([
  ["a.json", ' \n {"a": [1]}', { a: [1] }],
  ["a.yaml", "\n[1, 2]", [1, 2]],
  ["a.yaml", "- [1]\n- { a: b }", [[1], { a: "b" }]],
  ["a.yaml", "a: &x { b: 1 }\nc: { <<: *x, d: 2 }", { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ["a.yaml", "--- !!set\n? a\n", new Set(["a"])],
  ["a.yaml", "see <html>", "see <html>"],
  ["a.yaml", "<htmlx>", "<htmlx>"],
  ["a.json", '{"a":\n"format", "format": "other"}', { a: "format", format: "other" }],
  ["a.json", '{"a":\n{"format":"mcp-recording"}}', { a: { format: "mcp-recording" } }],
  ["a.yaml", 'a: {"format":"mcp-recording"}', { a: { format: "mcp-recording" } }],
  ["a.css", "a: 1", { a: 1 }],
  ["a.js.yaml", "a: 1", { a: 1 }],
  ["atsx", "a: 1", { a: 1 }],
])("the file %s with %j is read", async (name, text, value) => {
  expect(await read(name, text)).toEqual(value);
});

const recording = "a.jsonl is a recording; generate a client from it with client --from, or serve it with replay.";
const page = "a.txt is a page in HTML; pass the OpenAPI document that it shows, in JSON or YAML.";
const program = (name: string): string =>
  `${name} is a program; pass an OpenAPI document, tools.json or mcp.client.lock.json.`;

test.each<readonly [name: string, text: string, message: unknown]>([
  ["a.jsonl", '{"format":"mcp-recording"}', recording],
  ["a.jsonl", '\n {"version":1,"format": \n "mcp-recording"}', recording],
  ["a.txt", "<html>", page],
  ["a.txt", " \n<HTML lang='en'>", page],
  ["a.txt", "\uFEFF <!DOCTYPE  html>", page],
  ...["a.js", "a.ts", "a.mjs", "a.cts", "a.jsx", "a.tsx"].map((name) => [name, "", program(name)] as const),
  ["a.yaml", "{a: 1}", expect.stringMatching(/^a\.yaml is not JSON: .*\bposition 1\b/)],
  ["a.yaml", " [a]", expect.stringMatching(/^a\.yaml is not JSON: ./)],
  ["a.yaml", "a: b: c", "a.yaml is not YAML: Nested mappings are not allowed in compact mappings at line 1, column 4"],
  ["a.yaml", "a: 1\na: 2\nb: *x", "a.yaml is not YAML: Map keys must be unique at line 2, column 1"],
  ["a.yaml", "a: *x", "a.yaml is not YAML: Unresolved alias (the anchor must be set before the alias): x"],
  ["a.yaml", "&a [*a]", "a.yaml cannot be used: it is nested deeper than 512 levels."],
])("the file %s with %j is rejected", async (name, text, message) => {
  expect(await read(name, text)).toEqual(message);
});

test("YAML that is nested too deep is rejected in these words", async () => {
  const text = `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}`;
  expect(await read("a.yaml", text)).toBe("a.yaml is not YAML: it is nested too deep");
});

test.each<[path: string, name: string]>([
  ["https://api.example/v3/a-b_1.yaml?a=b#c", "a-b_1.yaml"],
  ["HTTP://api.example/openapi.json", "openapi.json"],
  ["https://api.example", "openapi.json"],
  ["https://api.example/docs/", "openapi.json"],
  ["https://api.example/a%20b.yaml", "openapi.json"],
])("the address %s is not fetched, and its file is named %s", async (path, name) => {
  const reading = readDocument(path);
  await expect(reading).rejects.toThrow(`download the document first with \`curl -o ${name} `);
  await expect(reading).rejects.toThrow(`${path.includes("?") ? `'${path}'` : path}\`, then use ${name}.`);
});

test.each(["./https://api.example", "x:https://api.example", "https://["])(
  "the path %s is not an address",
  async (path) => {
    await expect(readDocument(path)).rejects.toThrow(`${path} cannot be read (ENOENT`);
  },
);

test("a folder is rejected", async () => {
  const path = join(temporaryFolder(), "a.yaml");
  mkdirSync(path);
  await expect(readDocument(path)).rejects.toThrow(UserError);
  await expect(readDocument(path)).rejects.toThrow("a.yaml cannot be read (");
});
