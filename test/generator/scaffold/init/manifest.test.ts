import { describe, expect, test } from "vitest";
import { addToManifest, readManifest } from "../../../../generator/scaffold/init/manifest.ts";

const additions = { scripts: { "mcp:build": "x" }, dependencies: { zod: "^4" }, devDependencies: { esbuild: "1" } };

describe("additions to package.json keep all other text", () => {
  test("its tabs, its order and a missing line break at the end", () => {
    const before =
      '{\n\t"dependencies": { "a": "1",   "zz": "2" },\n\t"scripts": {\n\t\t"b": "c"\n\t},\n\t"files": ["x", "y"]\n}';
    const after = addToManifest(before, additions);
    expect(after).toBe(
      '{\n\t"dependencies": { "a": "1",   "zod": "^4",\n\t\t"zz": "2" },\n\t"scripts": {\n\t\t"b": "c",\n\t\t"mcp:build": "x"\n\t},\n\t"files": ["x", "y"],\n\t"devDependencies": {\n\t\t"esbuild": "1"\n\t}\n}',
    );
  });

  test.each([
    { of: "an empty object", before: "{}" },
    { of: "an empty section", before: '{\n  "scripts": {}\n}\n', end: "\n" },
    { of: "four spaces", before: '{\n    "name": "a"\n}\n', indent: 4, end: "\n" },
    { of: "CRLF", before: '{\r\n  "name": "a"\r\n}\r\n', line: "\r\n", end: "\r\n" },
    { of: "a mark at the beginning", before: '\uFEFF{\n  "name": "a"\n}\n', mark: "\uFEFF", end: "\n" },
  ])("$of", ({ before, indent = 2, line = "\n", mark = "", end = "" }) => {
    const manifest = { ...JSON.parse(before.replace(mark, "")), ...additions };
    const expected = JSON.stringify(manifest, undefined, indent).replaceAll("\n", line);
    expect(addToManifest(before, additions)).toBe(mark + expected + end);
  });

  test("members that are there already stay", () => {
    const before = '{\n  "dependencies": {\n    "zod": "^3"\n  }\n}\n';
    expect(addToManifest(before, { ...additions, scripts: {}, devDependencies: {} })).toBe(before);
  });
});

test.each([
  ["{", "is not valid JSON"],
  ["[]", "is not a JSON object"],
])("%s is rejected", (text, message) => {
  expect(() => readManifest(text, "package.json")).toThrow(message);
});
