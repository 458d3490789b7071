import { describe, expect, it } from "vitest";
import { findImports } from "../../../generator/read/imported-files.ts";
import { joinFiles, type JoinedFiles } from "../../../generator/read/join-files.ts";
import { readSchema } from "../../../generator/read/schema.ts";
import { catchSpecError } from "./spec-error.ts";

describe("imports of a file", () => {
  it.each([
    ['import type { A } from "./a.ts";', "types/a.ts"],
    ['import { A } from "./a.js";', "types/a.ts"],
    ['import type { A as B, C } from "./a";', "types/a.ts"],
    ['import type * as a from "../a.v1";', "a.v1.ts"],
    ['export * from "../other/a.ts";', "other/a.ts"],
    ['export { A, type B as C } from "./deep/a.ts";', "types/deep/a.ts"],
    ['export type { A } from "./deep/../a.ts";', "types/a.ts"],
    ["export { A };", undefined],
    ["export type { A };", undefined],
    ["export {};", undefined],
  ])("`findImports` finds the file of %s", (text, name) => {
    const found = findImports({ name: "types/schema.ts", path: "schema.ts", text: `export type A = 1;\n${text}` });
    expect(found).toEqual(name === undefined ? [] : [{ name, location: { line: 2, column: 1 } }]);
  });

  const outside = "files of its own folder only";
  it.each([
    ['import type { A } from "zod";', "1:24", outside],
    ['import type { A } from "/etc/a.ts";', "1:24", outside],
    ['import type { A } from "https://example.com/a.ts";', "1:24", outside],
    ['import type { A } from "./%2e%2e/a.ts";', "1:24", outside],
    ['import type { A } from ".\\\\a.ts";', "1:24", outside],
    ['import type { A } from "./a.ts?raw";', "1:24", outside],
    ['import type { A } from "./";', "1:24", outside],
    ['import type { A } from "..";', "1:24", outside],
    ['import type { A } from "../../a.ts";', "1:24", "outside of the folder"],
    ['import type { A } from "./../types/../../a.ts";', "1:24", "outside of the folder"],
    ['export * from "../../a.ts";', "1:15", "outside of the folder"],
    ['import "./a.ts";', "1:1", "expected `import type { Name }"],
    ['import a from "./a.ts";', "1:1", "expected `import type { Name }"],
    ['import a, { B } from "./a.ts";', "1:1", "expected `import type { Name }"],
    ['import { A } from "./a.ts" with { type: "json" };', "1:1", "no attributes"],
    ['export * as a from "./a.ts";', "1:1", "expected `export * from"],
  ])("`findImports` rejects %s", (text, at, says) => {
    const error = catchSpecError(() => findImports({ name: "types/schema.ts", path: "some/schema.ts", text }));
    expect(error.message).toContain(`some/schema.ts:${at}: `);
    expect(error.message).toContain(says);
  });
});

describe("joined files", () => {
  it("`joinFiles` leaves one file as it is, below its name", () => {
    expect(join({ "schema.ts": "/** Text. */\nexport type A = 1;" }).text).toBe(
      "// From schema.ts\n/** Text. */\nexport type A = 1;\n",
    );
  });

  it("`joinFiles` keeps comments and their places, and changes names in links", () => {
    const { text } = join({
      "a.ts": "/** File. */\nimport type { B } from './schema.ts';\ntype Own = 1; // Own.\nexport { Own as A };\n",
      "schema.ts":
        "import type {\n  A,\n} from './a.ts'; // Types.\n\n/** Like {@link A}. */\nexport interface B { a: A }\n",
    });
    expect(text).toBe(
      "// From a.ts\n/** File. */\n;\ntype Own = 1; // Own.\n\n" +
        "// From schema.ts\n // Types.\n\n/** Like {@link Own}. */\nexport interface B { a: Own }\n",
    );
    const [own, b] = readSchema("joined.ts", text).declarations;
    expect([own?.doc, b?.doc]).toEqual([undefined, { text: "Like {@link Own}." }]);
  });

  it("`originOf` returns the place in the file, also behind changed names", () => {
    const { text, originOf } = join({
      "a.ts": "import type { Long as B } from './schema.ts';\nexport type A = B | Date;",
      "schema.ts": "export * from './a.ts';\nexport type Long = 1;\nexport type C = Date;",
    });
    const places = [...text.matchAll(/Date/g)].map(({ index }) => {
      const before = text.slice(0, index).split("\n");
      return originOf({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
    });
    expect(places).toEqual([
      { file: "some/a.ts", line: 2, column: 21 },
      { file: "some/schema.ts", line: 3, column: 17 },
    ]);
  });

  it("`joinFiles` takes a moment for many names", () => {
    const count = 10_000;
    const own = Array.from({ length: count }, (_, at) => `export interface A${at} { x: B; y: Array<B> }`).join("\n");
    const { text } = join({
      "a.ts": "export interface Other {}",
      "schema.ts": `import type { Other as B } from "./a.ts";\n${own}`,
    });
    expect(text).toContain(`export interface A${count - 1} { x: Other; y: Array<Other> }`);
  });

  it.each([
    {
      what: "two types of one name",
      files: { "a.ts": "type A = 1;", "schema.ts": "import './a.ts';\n  export interface A {}" },
      says: "some/schema.ts:2:20: `A` is also declared at some/a.ts:1:6",
    },
    {
      what: "a constant with the name of a type",
      files: { "a.ts": "export const A = 1;", "schema.ts": "export type A = 1;" },
      says: "some/schema.ts:1:13: `A` is also declared at some/a.ts:1:14",
    },
    {
      what: "a namespace in two files",
      files: { "a.ts": "namespace A { type B = 1 }", "schema.ts": "namespace A { type B = 1 }" },
      says: "some/schema.ts:1:11: `A` is also declared at some/a.ts:1:11",
    },
    {
      what: "an exported name that is the own name of a helper",
      files: { "a.ts": "export type A = 1;", "schema.ts": "type B = 1;\nexport { A as B } from './a.ts';" },
      says: "some/schema.ts:1:6: `B` is also declared at some/a.ts:1:13",
    },
    {
      what: "a name that the file lacks",
      files: { "a.ts": "export type A = 1;", "schema.ts": "import type { B } from './a.ts';" },
      says: "some/schema.ts:1:15: the file has no such type or constant",
    },
    {
      what: "a name that the file does not export",
      files: { "a.ts": "type A = 1;\nexport type B = 1;", "schema.ts": "export { A } from './a.ts';" },
      says: "some/schema.ts:1:10: the file has no such type or constant",
    },
    {
      what: "a name behind that of a file, which lacks it",
      files: { "a.ts": "export type A = 1;", "schema.ts": "import * as a from './a.ts';\ntype C = a.B;" },
      says: "some/schema.ts:2:10: the file has no such type or constant",
    },
    {
      what: "the name of a file as a type",
      files: { "a.ts": "export type A = 1;", "schema.ts": "import * as a from './a.ts';\ntype C = typeof a;" },
      says: "some/schema.ts:2:17: expected the name of a type",
    },
    {
      what: "a name of another file without an import",
      files: { "a.ts": "export type Partial<T> = T[];", "schema.ts": "export type B = Partial<1>;" },
      says: "some/schema.ts:1:17: `Partial` is declared by some/a.ts, but not imported",
    },
    {
      what: "a changed name that is a type parameter there",
      files: {
        "a.ts": "export type A = 1;",
        "schema.ts": "import type { A as B } from './a.ts';\ntype C<A> = A | B;",
      },
      says: "some/schema.ts:2:17: `A` has another meaning here",
    },
    {
      what: "a changed name that a namespace declares",
      files: {
        "a.ts": "export type A = 1;",
        "schema.ts": "import type { A as B } from './a.ts';\nnamespace C { type A = 2; type D = B }",
      },
      says: "some/schema.ts:2:36: `A` has another meaning here",
    },
    {
      what: "a changed name that another part of a namespace declares",
      files: {
        "a.ts": "export type A = 1;",
        "schema.ts":
          "import type { A as B } from './a.ts';\nnamespace C { export type A = 2 }\nnamespace C { type D = B }",
      },
      says: "some/schema.ts:3:24: `A` has another meaning here",
    },
    {
      what: "a changed name that a mapped type declares",
      files: {
        "a.ts": "export type A = 1;",
        "schema.ts": "import type * as a from './a.ts';\ntype C = { [A in 'x']: a.A };",
      },
      says: "some/schema.ts:2:24: `A` has another meaning here",
    },
    {
      what: "a type with two names",
      files: { "a.ts": "export type A = 1;", "schema.ts": "export * from './a.ts';\nexport { A as B } from './a.ts';" },
      says: "a declaration has one name; write `type ",
    },
  ])("`joinFiles` rejects $what", ({ files, says }) => {
    expect(catchSpecError(() => join(files)).message).toContain(says);
  });
});

function join(files: Readonly<Record<string, string | undefined>>): JoinedFiles {
  return joinFiles(Object.entries(files).map(([name, text = ""]) => ({ name, path: `some/${name}`, text })));
}
