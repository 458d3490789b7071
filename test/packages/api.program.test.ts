import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Project, ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { readRuntimeExports } from "../../.build/runtime-exports.ts";

/*
 * The names that each entry point of the published packages exports, as `test/packages/api.json` lists them. A change of that file is a change of the API:
 * `API_UPDATE=1 npm run test:programs -- test/packages/api` writes it, and the changelog says how to follow it.
 */

const root = join(import.meta.dirname, "../..");
const snapshot = join(root, "test/packages/api.json");

interface Exported {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

interface Entry {
  /** Specifier that users import. */
  readonly specifier: string;
  readonly source: string;
}

const entries: readonly Entry[] = [
  { specifier: "create-mcp-server", source: join(root, "generator/index.ts") },
  ...Object.entries(readRuntimeExports(root)).map(([path, source]) => ({
    specifier: `mcp-server-runtime${path.slice(1)}`,
    source: join(root, source),
  })),
];
const project = new Project({
  tsConfigFilePath: join(root, "tsconfig.json"),
  skipAddingFilesFromTsConfig: true,
});
for (const { source } of entries) project.addSourceFileAtPath(source);
project.resolveSourceFileDependencies();
const exported = Object.fromEntries(entries.map(({ specifier, source }) => [specifier, exportsOf(source)]));

if (process.env["API_UPDATE"]) writeFileSync(snapshot, toText(exported));
const recorded: Readonly<Record<string, Exported>> = JSON.parse(readFileSync(snapshot, "utf8"));

describe("the public API", () => {
  it("the public API has the entry points in test/packages/api.json", () => {
    expect(entries.map(({ specifier }) => specifier).sort()).toEqual(Object.keys(recorded).sort());
  });

  it.each(entries)("the entry $specifier exports what test/packages/api.json lists", ({ specifier }) => {
    expect(exported[specifier]).toEqual(recorded[specifier]);
  });

  it("the built entries of the runtime export the values in test/packages/api.json", () => {
    const modules = Object.entries(readRuntimeExports(root)).map(([path, source]) => [
      `mcp-server-runtime${path.slice(1)}`,
      `./dist/runtime-package/${source.replace(/\.ts$/, ".js")}`,
    ]);
    const program = `
      import { writeFileSync } from "node:fs";
      const read = async ([specifier, file]) => [specifier, Object.keys(await import(file))];
      const built = await Promise.all(${JSON.stringify(modules)}.map(read));
      // One of the entries redirects what is printed.
      writeFileSync(1, JSON.stringify(built));
    `;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
    const built: readonly [specifier: string, values: readonly string[]][] = JSON.parse(output.toString());
    expect(built.length).toBe(modules.length);
    for (const [specifier, values] of built) expect(values, specifier).toEqual(recorded[specifier]?.values);
  });

  it("the public API has at most 150 names in the main entry of the runtime", () => {
    const { values = [], types = [] } = exported["mcp-server-runtime"] ?? {};
    expect(values.length + types.length).toBeLessThanOrEqual(150);
  });

  it("the public API exports something from each entry point", () => {
    const empty = Object.entries(exported).filter(([, { values, types }]) => values.length + types.length === 0);
    expect(empty).toEqual([]);
  });

  it("the public API is read with types apart from values, also behind re-exports", () => {
    const folder = join(root, "runtime/sample");
    const file = (name: string, text: string): string =>
      project.createSourceFile(join(folder, name), text).getFilePath();
    file("a.ts", "export class A {}\nexport interface B {}\nexport const c = 1;\nexport class D {}");
    file("b.ts", 'export type { A } from "./a.ts";\nexport * from "./c.ts";');
    file("c.ts", 'export { type B, c } from "./a.ts";\nexport type E = string;');
    const entry = file("d.ts", 'export * from "./b.ts";\nexport { D as F } from "./a.ts";');
    expect(exportsOf(entry)).toEqual({ values: ["F", "c"], types: ["A", "B", "E"] });
  });
});

function exportsOf(source: string): Exported {
  const checker = project.getTypeChecker().compilerObject;
  const { compilerNode } = project.getSourceFileOrThrow(source);
  const module = checker.getSymbolAtLocation(compilerNode);
  const symbols = module ? checker.getExportsOfModule(module) : [];
  const names = (ofValues: boolean): string[] =>
    symbols
      .filter((symbol) => isValue(symbol, checker) === ofValues)
      .map(({ name }) => name)
      .sort();
  return { values: names(true), types: names(false) };
}

function isValue(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  if (symbol.declarations?.some(ts.isTypeOnlyExportDeclaration)) return false;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (target.flags & ts.SymbolFlags.Value) !== 0;
}

/** One name per line, so that changes can be read; Prettier leaves the file alone. */
function toText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
