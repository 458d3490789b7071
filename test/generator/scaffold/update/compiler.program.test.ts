import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { createCompiler, findLibrary, type Compiler } from "../../../../generator/scaffold/update/compiler.ts";
import { findIncompatibleCode, findPlacesToChange } from "../../../../generator/scaffold/update/incompatible-code.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

/* Not a unit test: it checks the types of small projects. */

const settings = JSON.stringify({
  compilerOptions: { strict: true, module: "nodenext", allowImportingTsExtensions: true, noEmit: true, types: [] },
});

function createProject(files: Readonly<Record<string, string>>): string {
  const project = temporaryFolder();
  for (const [path, text] of Object.entries({ "tsconfig.json": settings, ...files })) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  return project;
}

/** A compiler of these files of a project, and their paths. */
function compile(project: string, names: readonly string[]): Compiler {
  const library = findLibrary(project);
  if (library === undefined) throw new Error("The compiler is not installed");
  const files = names.map((name) => join(project, name));
  return createCompiler({ config: join(project, "tsconfig.json"), library, files });
}

const use = 'import { value } from "./layer/index.ts";\nexport const length: number = value.length;\n';
const wrong = "Property 'length' does not exist on type '1'.";

describe("the compiler of a project", () => {
  test("the compiler knows the declarations of the language", () => {
    const project = createProject({
      "a.ts": 'export const a: string = ["b"].join();\nexport const c: number = "d".at(0);\n',
    });
    expect(compile(project, ["a.ts"]).findErrors()).toEqual([
      { file: join(project, "a.ts"), line: 2, text: expect.stringContaining("is not assignable to type 'number'") },
    ]);
  });

  test("the compiler reports on all files, or on some", () => {
    const project = createProject({ "a.ts": "export const a: number = '';", "b.ts": "\nexport const b: number = '';" });
    const compiler = compile(project, ["a.ts", "b.ts"]);
    const places = (found: ReturnType<Compiler["findErrors"]>): unknown => found.map(({ file, line }) => [file, line]);
    const [a, b] = ["a.ts", "b.ts"].map((name) => join(project, name));
    expect(places(compiler.findErrors())).toEqual([
      [a, 1],
      [b, 2],
    ]);
    expect(places(compiler.findErrors({ among: [b ?? ""] }))).toEqual([[b, 2]]);
  });

  test.each([
    ["a folder", "layer", "index.ts", "./layer/index.ts"],
    ["a module", "layer.ts", "", "./layer.ts"],
  ])("the compiler replaces %s, and only for one compilation", (_what, place, path, from) => {
    const project = createProject({
      "a.ts": use.replace("./layer/index.ts", from),
      [path === "" ? place : `${place}/${path}`]: 'export const value = "text";\n',
      "layer-other.ts": "",
    });
    const compiler = compile(project, ["a.ts"]);
    const replace = (text: string): ReturnType<Compiler["findErrors"]> =>
      compiler.findErrors({ replaced: { place: join(project, place), texts: new Map([[path, text]]) } });
    const error = { file: join(project, "a.ts"), line: 2, text: wrong };
    expect(compiler.findErrors()).toEqual([]);
    expect(replace("export const value = 1;\n")).toEqual([error]);
    expect(compiler.findErrors()).toEqual([]);
    expect(replace("export const other = 1;\n")).toMatchObject([{ line: 1 }]);
    expect(replace("export const value = 1;\n")).toEqual([error]);
  });

  test("the compiler replaces a folder of which nothing is on disk, and finds nothing of it that is only there", () => {
    const project = createProject({
      "a.ts": use,
      "b.ts": 'export * from "./other/old.ts";',
      "other/old.ts": "export {};",
    });
    const compiler = compile(project, ["a.ts", "b.ts"]);
    const replace = (place: string): readonly unknown[] =>
      compiler
        .findErrors({
          replaced: { place: join(project, place), texts: new Map([["index.ts", 'export const value = "";']]) },
        })
        .map(({ file, line }) => [file, line]);
    expect(replace("layer")).toEqual([]);
    expect(replace("other")).toEqual([
      [join(project, "a.ts"), 1],
      [join(project, "b.ts"), 1],
    ]);
  });

  test("the compiler takes other texts of sources, and only for one compilation", () => {
    const project = createProject({ "a.ts": use, "layer/index.ts": 'export const value = "";' });
    const compiler = compile(project, ["a.ts"]);
    const change = (text: string): readonly number[] =>
      compiler.findErrors({ texts: new Map([[join(project, "a.ts"), text]]) }).map(({ line }) => line);
    expect(change(`\n${use}value.none;`)).toEqual([4]);
    expect(change("export const own: number = '';")).toEqual([1]);
    expect(compiler.findErrors()).toEqual([]);
    expect(change("export const own: number = '';")).toEqual([1]);
  });

  test("the compiler of this package serves projects that have none", () => {
    const project = createProject({});
    expect(findLibrary(project)).toBe(findLibrary(packageRoot));
    const own = "node_modules/typescript";
    const installed = createProject({ [`${own}/package.json`]: "{}", [`${own}/lib/lib.es5.d.ts`]: "" });
    expect(findLibrary(installed)).toBe(join(installed, own, "lib"));
  });
});

describe("the places to change in a project", () => {
  const source = `import type { Gone, Kept } from "./mcp/index.ts";

export const a: Kept = { name: 1 };
export const b = (gone: Gone): string => gone.name;
export const c: number = "wrong before";
export const d: Kept = { name: 2 };
`;
  const files = {
    "src/b.ts": source,
    "src/a.ts": source,
    "src/mcp/index.ts": "export interface Gone { name: string }\nexport interface Kept { name: number }\n",
    "node_modules/mcp-server-runtime/package.json": "{}",
  };
  const texts = new Map([
    ["index.ts", "export interface Gone { name: string }\nexport interface Kept { name: string }\n"],
  ]);
  const moved = [{ kind: "removed", what: "type", name: "Gone", advice: "use\n  Kept" }] as const;
  const reason = "Type 'number' is not assignable to type 'string'.";

  test("places are in the order of files and lines, each with its reason", async () => {
    const project = createProject(files);
    const layer = { place: join(project, "src", "mcp"), texts };
    const { places, isCompiled } = await findPlacesToChange(project, { moved, layer });
    expect(isCompiled).toBe(true);
    expect(places).toEqual(
      ["src/a.ts", "src/b.ts"].flatMap((file) => [
        { file, line: 3, reason },
        { file, line: 4, reason: "type Gone is removed: use Kept" },
        { file, line: 6, reason },
      ]),
    );
  });

  test("places of a line are one, and those of a rewritten source are at its new lines", async () => {
    const project = createProject(files);
    const layer = { place: join(project, "src", "mcp"), texts };
    const after = `\n${source}export const e: Kept[] = [{ name: 1 }, { name: 2 }];\n`;
    const rewrites = [{ file: "src/a.ts", before: `\n${source}`, after }];
    const found = await findIncompatibleCode(project, { layer, rewrites });
    expect(found?.filter(({ file }) => file === "src/a.ts").map(({ line }) => line)).toEqual([4, 7, 8]);
  });

  test("places cannot be found without settings of the compiler, or without the runtime", async () => {
    const { "node_modules/mcp-server-runtime/package.json": _runtime, ...others } = files;
    const layer = { place: "none", texts };
    expect(await findIncompatibleCode(createProject(others), { layer })).toBeUndefined();
    const { isCompiled } = await findPlacesToChange(createProject(others), { moved, layer });
    expect(isCompiled).toBe(false);
  });
});
