import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  applyRewrites,
  describeCodemod,
  findPlaces,
  findRenames,
  planCodemod,
  type Rename,
} from "../../../../generator/scaffold/update/codemod.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";
import { readToy } from "../../conversions/toy-revisions.ts";

/* What is rewritten in the code of a user for another revision: renamed types, and the folder of the types. */

const params = "export interface Params { b?: string; }\n";
const declare = (name: string, members: string): string => `export interface ${name} { ${members} }`;
const both = "a?: string; b?: number;";

test.each<[what: string, before: string[], after: string[], renames: Rename[]]>([
  ["the same members", [declare("Old", both)], [declare("New", both)], [{ from: "Old", to: "New" }]],
  ["a type that stays", [declare("Old", both)], [declare("Old", both), declare("New", both)], []],
  ["two types with the same members", [declare("Old", both)], [declare("New", both), declare("Other", both)], []],
  ["a single member", [declare("Old", "a?: string;")], [declare("New", "a?: string;")], []],
  ["types that are no objects", ["export type Old = string;"], ["export type New = string;"], []],
  [
    "a longer name with other types of the members",
    [declare("Old", both)],
    [declare("OldOne", "b: string; a?: number;")],
    [{ from: "Old", to: "OldOne" }],
  ],
  [
    "a longer name beside the same members",
    [declare("Old", both)],
    [declare("OldOne", "b: string; a?: number;"), declare("New", both)],
    [{ from: "Old", to: "New" }],
  ],
  [
    "two longer names",
    [declare("Old", both)],
    [declare("OldA", "a: string; b: 1;"), declare("OldB", "a: 1; b: 1;")],
    [],
  ],
  ["a longer name with other members", [declare("Old", both)], [declare("OldOne", "a?: string; c?: number;")], []],
  [
    "a longer name with members that read the same in a row",
    [declare("Old", "ab?: string; c?: number;")],
    [declare("OldOne", "a?: string; bc?: number;")],
    [],
  ],
  ["a longer name of another type", [declare("Old", both)], ["export type OldOne = string;"], []],
  ["another name with the same names of members", [declare("Old", both)], [declare("NewOld", "a: string; b: 1;")], []],
  [
    "a union with the former type",
    [declare("Old", both)],
    ["export type Old = OldOne | Other;", declare("OldOne", both), declare("Other", "a: string; b: 1;")],
    [{ from: "Old", to: "OldOne" }],
  ],
  [
    "a union beside the former type",
    [declare("Old", both)],
    [
      "export type Old = OldOne | Other;",
      declare("OldOne", "a: string; b: 1;"),
      declare("Other", "c: 1; d: 2;"),
      declare("New", both),
    ],
    [],
  ],
  [
    "a union with a type that was there before",
    [declare("Old", both), declare("Other", both)],
    ["export type Old = Other | string;", declare("Other", both)],
    [],
  ],
])("types are renamed by their members: %s", (_what, before, after, renames) => {
  const [older, newer] = [before, after].map((lines, at) => readToy(`200${at}-01-01`, params + lines.join("\n")));
  expect(older && newer && findRenames(older, newer)).toEqual(renames);
});

const revisions = { from: "2001-01-01", to: "2002-01-01" };
const renames = [{ from: "Old", to: "New" }];

function rewrite(text: string, moves = { renames, revisions }): string {
  const places = findPlaces("a.ts", text, moves);
  return places.reduceRight((whole, one) => whole.slice(0, one.at) + one.text + whole.slice(one.at + one.length), text);
}

test.each([
  "./mcp/2001-01-01/types.ts",
  "./mcp/2001-01-01/types.js",
  "./mcp/2001-01-01/declarations.ts",
  "../mcp/2001-01-01/declarations",
  "mcp/2001-01-01/types",
])("the types of a revision are imported from the next one: %s", (path) => {
  const moved = path.replace(revisions.from, revisions.to);
  expect(rewrite(`import type { Old } from "${path}";`)).toBe(`import type { New as Old } from "${moved}";`);
  expect(rewrite(`type A = import('${path}').Old;`)).toBe(`type A = import('${moved}').New;`);
  expect(rewrite(`type A = typeof import("${path}");`)).toBe(`type A = typeof import("${moved}");`);
  const whole = (from: string, name: string): string => `import type * as t from "${from}";\ntype A = t.${name};`;
  expect(rewrite(whole(path, "Old"))).toBe(whole(moved, "New"));
});

test("the folder of a revision is replaced, and no other folder of its name", () => {
  const path = (revision: string): string => `../2001-01-01/src/mcp/${revision}/types.ts`;
  const text = (revision: string): string => `import type { Tool } from "${path(revision)}";\n`;
  expect(rewrite(text("2001-01-01"))).toBe(text("2002-01-01"));
  expect(findPlaces("a.ts", text("2001-01-01"), { renames, revisions })).toMatchObject([
    { from: path("2001-01-01"), to: path("2002-01-01"), line: 1 },
  ]);
});

test.each([
  "./own-mcp/2001-01-01/types.ts",
  "./mcp/2000-01-01/types.ts",
  "./mcp/2001-01-01/types.mts",
  "./mcp/2001-01-01/types.ts.old",
  "./mcp/2001-01-01/own/types.ts",
  "./mcp/2001-01-01/validate.ts",
])("the import of another module stays: %s", (path) => {
  for (const text of [
    `import type { Old } from "${path}";`,
    `type A = import("${path}").Old;`,
    `export type * from "${path}";`,
  ])
    expect(rewrite(text)).toBe(text);
});

test.each([
  ["./mcp/index.ts", true],
  ["../mcp/index.js", true],
  ["@/mcp/index", true],
  ["./mcp.ts", true],
  ["mcp", true],
  ["./own-mcp/index.ts", false],
  ["./mcp/index.mjs", false],
  ["./mcp/index.ts.old", false],
  ["./mcp/own.ts", false],
])("the module %s is the layer: %j", (path, isLayer) => {
  const texts = (name: string): string[] => [
    `import type { protocol } from "${path}";\ntype A = protocol.${name};`,
    `import type { protocol as p } from "${path}";\ninterface A extends Base, p.${name} {}`,
    `import type { protocol as p } from "${path}";\nclass A extends Base implements Other, p.${name} {}`,
    `import type * as mcp from "${path}";\ntype A = mcp.protocol.${name};`,
    `type A = import("${path}").protocol.${name};`,
  ];
  expect(texts("Old").map((text) => rewrite(text))).toEqual(texts(isLayer ? "New" : "Old"));
});

test.each([
  'import mcp from "./mcp/index.ts";\ntype A = mcp.Old;',
  'import "./mcp/index.ts";',
  "type Old = string;\nexport type { Old };",
  'import type * as mcp from "./mcp/index.ts";\ntype A = mcp.other.Old;',
  'import type * as mcp from "./mcp/index.ts";\ntype A = mcp.other.protocol.Old;',
  'type A = import("./mcp/index.ts").other.Old;',
  'type A = import("./mcp/index.ts").other.protocol.Old;',
  'type A = typeof import("./mcp/index.ts");',
  'import type { protocol } from "./mcp/index.ts";\ntype A = other.Old | protocol.Kept;',
  'import type { protocol } from "./mcp/index.ts";\nclass A extends protocol.Old {}',
  'import { Old } from "./mcp/2001-01-01/types.ts";',
  'export { Old } from "./mcp/2001-01-01/types.ts";',
])("the code %j stays", (text) => {
  expect(rewrite(text)).toBe(text);
});

test("types are renamed in a project whose newest revision stays", () => {
  const text =
    'import type { Old } from "./mcp/2001-01-01/types.ts";\nexport type { Old as A } from "./mcp/2001-01-01/types.ts";';
  const moves = { renames, revisions: { ...revisions, to: revisions.from } };
  expect(rewrite(text, moves)).toBe(text.replace("{ Old }", "{ New as Old }").replace("Old as A", "New as A"));
});

test("the changes of a project are planned, described and written together", async () => {
  const project = temporaryFolder();
  const before = `import type { protocol } from "./mcp/index.ts";
import type { Old } from "./mcp/2001-01-01/types.ts";
export type A = protocol.Old | protocol.Old;
`;
  const moved = before.replace("{ Old }", "{ New as Old }").replace("2001-01-01", "2002-01-01");
  const after = moved.replaceAll("protocol.Old", "protocol.New");
  mkdirSync(join(project, "src"));
  for (const [name, content] of Object.entries({ "a.ts": before, "b.ts": "const = ;", "c.ts": before }))
    writeFileSync(join(project, "src", name), content);
  const model = (id: string, name: string) => readToy(id, params + declare(name, both));
  const codemod = await planCodemod(project, model("2001-01-01", "Old"), model("2002-01-01", "New"));
  expect(codemod.renames).toEqual(renames);
  expect(codemod.rewrites).toMatchObject(["src/a.ts", "src/c.ts"].map((file) => ({ file, before, after })));
  const lines = ["src/a.ts", "src/c.ts"].flatMap((file) => [
    `${file}:2: Old is New`,
    `${file}:2: ./mcp/2001-01-01/types.ts is ./mcp/2002-01-01/types.ts`,
    `${file}:3: Old is New`,
    `${file}:3: Old is New`,
  ]);
  expect(describeCodemod(codemod, true)).toEqual([...lines, "8 places in 2 files would be rewritten; nothing was."]);
  expect(describeCodemod(codemod, false)).toEqual([...lines, "8 places in 2 files rewritten."]);
  expect(readFileSync(join(project, "src", "a.ts"), "utf8")).toBe(before);
  await applyRewrites(project, codemod.rewrites);
  for (const name of ["a.ts", "c.ts"]) expect(readFileSync(join(project, "src", name), "utf8")).toBe(after);
  expect(listAll(project)).toEqual(["src", "src/a.ts", "src/b.ts", "src/c.ts"]);
});
