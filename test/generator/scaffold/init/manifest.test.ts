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
    ["an empty object", "{}", '{\n  "scripts": {\n    "mcp:build": "x"\n  }'],
    ["an empty section", '{\n  "scripts": {}\n}\n', '{\n  "scripts": {\n    "mcp:build": "x"\n  }'],
    [
      "four spaces",
      '{\n    "name": "a"\n}\n',
      '{\n    "name": "a",\n    "scripts": {\n        "mcp:build": "x"\n    }',
    ],
    ["CRLF", '{\r\n  "name": "a"\r\n}\r\n', '{\r\n  "name": "a",\r\n  "scripts": {\r\n    "mcp:build": "x"\r\n  }'],
    ["a mark at the beginning", '\uFEFF{\n  "name": "a"\n}\n', '\uFEFF{\n  "name": "a",\n  "scripts": {'],
  ])("%s", (_what, before, beginning) => {
    const after = addToManifest(before, additions);
    expect(after.startsWith(beginning), after).toBe(true);
    expect(JSON.parse(after.replace("\uFEFF", ""))).toMatchObject(additions);
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
