import { Project, type SourceFile } from "ts-morph";
import { describe, expect, it } from "vitest";
import { findCircles } from "./architecture/circles.ts";
import { countCovered } from "./house/calls.ts";
import { countInside } from "./house/circles.ts";
import { readFunctions, readInterfaces } from "./house/declarations.ts";
import { atMost, partOf, toTable } from "./house/figure.ts";
import { drawSelections, hashTree } from "./house/hashes.ts";
import { codeLinesOf, linesOf } from "./house/lines.ts";
import { readOptions } from "./house/options.ts";
import { countThat } from "./house/prose.ts";

/* The figures of `npm run house` are read from sources in memory. */

function read(texts: Readonly<Record<string, string>>): SourceFile[] {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return Object.entries(texts).map(([path, text]) => project.createSourceFile(`${process.cwd()}/${path}`, text));
}

describe("npm run house", () => {
  it("imports inside of circles are counted once for each pair of files", () => {
    const sources = read({
      "runtime/a.ts": 'import { b } from "./b.ts";\nimport type { B } from "./b.ts";\nimport { d } from "./d.ts";',
      "runtime/b.ts": 'import { c } from "./c.ts";',
      "runtime/c.ts": 'import { a } from "./a.ts";',
      "runtime/d.ts": "export const d = 1;",
    });
    expect(countInside(sources, findCircles(sources))).toBe(3);
  });

  it("interfaces are found by their uses", () => {
    const sources = read({
      "runtime/a.ts":
        "export interface Once { a: 1 }\nexport interface Twice { a: 1 }\nfunction f(one: Once, two: Twice, other: Twice): void {}",
      "runtime/b.ts":
        "export interface CallHost { a: 1 }\nclass Call implements CallHost { a: 1 = 1 }\nexport interface None {}",
    });
    expect(readInterfaces(sources)).toEqual({
      all: ["Once", "Twice", "CallHost", "None"],
      usedOnce: ["Once", "CallHost"],
      withOneClass: ["CallHost"],
      hosts: ["CallHost"],
    });
  });

  it("functions are counted, and those that are called in one place", () => {
    const sources = read({
      "runtime/a.ts":
        "export function a(): void { once(); twice(); twice(); }\nfunction once(): void {}\nfunction twice(): void {}",
    });
    expect(readFunctions(sources)).toEqual({ count: 3, calledOnce: 1 });
  });

  it("lines of code have no comments", () => {
    const text =
      '/** Comment. */\nexport const a = "// no comment"; // comment\n\n/* two\nlines */ export const b = 1;\n';
    expect(linesOf(text)).toBe(5);
    expect(codeLinesOf(text).map((line) => line.trim())).toEqual([
      'export const a = "// no comment";',
      "export const b = 1;",
    ]);
  });

  it("options are read with the members that they inherit", () => {
    const sources = read({
      "runtime/a.ts":
        "export interface CallOptions extends Limits { readonly timeout?: number; wait?(): void }\nexport interface Call { b: 1 }",
      "runtime/b.ts": "export interface Limits { readonly size: number }",
    });
    expect(readOptions(sources)).toEqual([{ name: "CallOptions", members: ["timeout", "wait", "size"] }]);
  });

  it('words and "that" are counted by sentence', () => {
    const texts = ["Files that change. The one that says that it ends.", "No word of it."];
    expect(countThat(texts)).toEqual({ words: 14, that: 3, twice: 1 });
  });

  it("calls are counted for files of the runtime and of revisions", () => {
    const functions = (count: number): { functionName: string; ranges: { count: number }[] }[] => [
      { functionName: "f", ranges: [{ count }] },
      { functionName: "__name", ranges: [{ count: 5 }] },
    ];
    const covered = [
      { url: "file:///x/runtime/server/a.ts", functions: functions(2) },
      { url: "file:///x/generated/b.ts?1", functions: functions(3) },
      { url: "file:///x/runtime/c.ts", functions: functions(0) },
      { url: "file:///x/test/d.ts", functions: functions(9) },
    ];
    expect(countCovered(covered)).toEqual({ calls: 5, files: 2 });
  });

  it("selections are possible and follow from the seed", () => {
    expect(drawSelections(20, 3)).toEqual(drawSelections(20, 3));
    expect(new Set(drawSelections(20, 3).map((selection) => JSON.stringify(selection))).size).toBe(20);
    expect(drawSelections(20, 4)).not.toEqual(drawSelections(20, 3));
  });

  it("hashes depend on each path and text, not on the order or on the runtime", () => {
    const hash = hashTree([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(
      hashTree([
        ["b", "2"],
        ["vendor/c", "3"],
        ["a", "1"],
      ]),
    ).toBe(hash);
    for (const other of [
      [
        ["a", "1"],
        ["b", "3"],
      ],
      [
        ["a", "1"],
        ["c", "2"],
      ],
      [["a", "1b2"]],
    ] as const)
      expect(hashTree(other)).not.toBe(hash);
  });

  it("a table shows whether goals are met", () => {
    const table = toTable([atMost("circles", 2, 0), partOf("largest", 3), atMost("share", 24.96, 25)]);
    expect(table.split("\n").map((line) => line.split(/\s{2,}/))).toEqual([
      ["circles", "2", "0", "not met"],
      ["", "largest", "3"],
      ["share", "25", "≤ 25", "met"],
    ]);
  });
});
