import { expect, test } from "vitest";
import { hashParts, readParts } from "../../../generator/openapi/source-parts.ts";

/* Parts of a source file: its imports, its statements and the members of definitions. Edits of users are found by their names and texts. */

test.each<[text: string, keys: string[]]>([
  ["const a = 1, b = 2;", ["a,b"]],
  ["const { a, b } = c;", ["{ a, b }"]],
  ["export function f() {}", ["f"]],
  ["export default function () {}", ["default"]],
  ["class A {}", ["A"]],
  ["export default class {}", ["default"]],
  ["interface A {}\ntype B = A;", ["A", "B"]],
  ["a.b(1);\na.b(2);\na.b(3);", ["a.b()", "a.b() 2", "a.b() 3"]],
  [`${"a".repeat(79)}(1);`, [`${"a".repeat(79)}(`]],
  ["a = 1;", ["a = 1;"]],
  [`a = "${"b".repeat(99)}";`, [`a = "${"b".repeat(75)}`]],
  ['import "./a.ts";', ['import "./a.ts";']],
  ['import a from "./a.ts";', ['import a from "./a.ts";']],
  ['import a, { b } from "./a.ts";', ['import a, { b } from "./a.ts";']],
  ['import * as a from "./a.ts";', ['import * as a from "./a.ts";']],
  ['import a = require("./a.ts");', ['import a = require("./a.ts");']],
])("the statements %j have these keys", (text, keys) => {
  const { imports, parts } = readParts("a.ts", text);
  expect(parts.map(({ key }) => key)).toEqual(keys);
  expect(parts.every(({ members }) => members === undefined)).toBe(true);
  expect(imports).toEqual([]);
});

const names = (...list: readonly [local: string, text: string, isType: boolean][]): object[] =>
  list.map(([local, text, isType]) => ({ local, text, isType }));

test.each<[text: string, expected: object]>([
  ['import { a } from "./a.ts";', { names: names(["a", "a", false]) }],
  ['import { type a, b as c } from "./a.ts";', { names: names(["a", "a", true], ["c", "b as c", false]) }],
  ['import type { a, b } from "./a.ts";', { names: names(["a", "a", true], ["b", "b", true]) }],
  ['import { typeOf } from "./a.ts";', { names: names(["typeOf", "typeOf", false]) }],
  [
    'import { a } from "./a.ts" with { type: "json" };',
    { names: names(["a", "a", false]), attributes: 'with { type: "json" }' },
  ],
  ['import { a } from "./a.ts"; // Mine.', { names: names(["a", "a", false]), beside: "// Mine.\n" }],
])("the import %s is read", (text, expected) => {
  const { head, imports, parts, tail } = readParts("a.ts", text);
  expect(imports).toEqual([{ module: "./a.ts", attributes: "", above: "", beside: "", ...expected }]);
  expect([head, parts, tail]).toEqual(["", [], ""]);
});

test("comments belong to the file, to an import, to a statement or to the end", () => {
  const text = [
    "// Licence.",
    "",
    'import { a } from "./a.ts";',
    "// Second.",
    'import { b } from "./b.ts"; // Beside.',
    "",
    "/** First. */",
    "const c = 1; // One.",
    "const d = 2;",
    "// Third.",
    "const e = 3;",
    "",
    "// The end.",
    "",
  ].join("\n");
  const { head, imports, parts, tail } = readParts("a.ts", text);
  expect([head, tail]).toEqual(["// Licence.", "// The end."]);
  expect(imports.map(({ above, beside }) => [above, beside])).toEqual([
    ["", ""],
    ["// Second.\n", "// Beside.\n"],
  ]);
  expect(parts).toEqual([
    { key: "c", text: "/** First. */\nconst c = 1; // One.", isClose: false },
    { key: "d", text: "const d = 2;", isClose: true },
    { key: "e", text: "// Third.\nconst e = 3;", isClose: true },
  ]);
});

test("a comment above an import after a statement is its own", () => {
  const { head, imports } = readParts("a.ts", '"use strict";\n// Mine.\nimport { a } from "./a.ts";\n');
  expect([head, imports.map(({ above }) => above)]).toEqual(["", ["// Mine.\n"]]);
});

test.each<[text: string, shell: string, members: object[]]>([
  ["const a = defineTool({});", "const a = defineTool({/*members*/});", []],
  [
    "const a = defineTool({ b: 1, ...c, ...d, e() {} });",
    "const a = defineTool({/*members*/});",
    [
      { key: "b", text: "b: 1", isClose: true },
      { key: "...", text: "...c", isClose: true },
      { key: "... 2", text: "...d", isClose: true },
      { key: "e", text: "e() {}", isClose: true },
    ],
  ],
  [
    "export const a = defineTool(\n  {\n    b: 1,\n    c: 2, // Two.\n    // The end.\n  },\n  d,\n);",
    "export const a = defineTool(\n  {/*members*/},\n  d,\n);",
    [
      { key: "b", text: "b: 1", isClose: false },
      { key: "c", text: "c: 2\n// Two.\n    // The end.", isClose: false },
    ],
  ],
  [
    "const a = defineTool({ b: 1, \n  c: 2 });",
    "const a = defineTool({/*members*/});",
    [
      { key: "b", text: "b: 1", isClose: true },
      { key: "c", text: "c: 2", isClose: false },
    ],
  ],
])("the definition %s is divided into its members", (text, shell, members) => {
  expect(readParts("a.ts", text).parts).toEqual([{ key: "a", text: shell, members, isClose: false }]);
});

test.each([
  "const a = define({ b: 1 });",
  "const a = undefineTool({ b: 1 });",
  "const a = defineTool(b);",
  "const a = defineTool();",
  "let a;",
  "const a = { b: 1 };",
])("the statement %s is no definition", (text) => {
  expect(readParts("a.ts", text).parts).toEqual([{ key: "a", text, isClose: false }]);
});

test("each statement and each member has a hash of its text", () => {
  const hash = expect.stringMatching(/^[\da-f]{16}$/);
  const text = (value: string): string => `const a = defineTool({ b: ${value}, c: 2 });\nconst d = 3;\n`;
  const [before, after] = [text("1"), text("5")].map((one) => hashParts(readParts("a.ts", one)));
  expect(before).toEqual({ a: hash, "a.b": hash, "a.c": hash, d: hash });
  expect(after).toEqual({ ...before, "a.b": hash });
  expect(after?.["a.b"]).not.toBe(before?.["a.b"]);
});
