import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Project, ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { readRuntimeExports } from "../../.build/runtime-exports.ts";
import { runtimeFolders } from "../repository/architecture/rooms.ts";
import { examplesOf, sourcesIn } from "./doc-comments.ts";

/* Examples in doc comments compile against the sources. `example-context.d.ts` declares the names that they do not import. */

const root = join(import.meta.dirname, "../..");
const context = join(import.meta.dirname, "example-context.d.ts");

/** Entries whose functions other code calls, not programs: their examples would be implementations. */
const withoutExamples = /^\.\/(dev\/server|features|protocol|support|convert-support|revisions|extensions\/.*|\d.*)$/;

const entries = Object.entries(readRuntimeExports(root)).filter(([path]) => !withoutExamples.test(path));
const project = new Project({
  tsConfigFilePath: join(root, "tsconfig.json"),
  skipAddingFilesFromTsConfig: true,
  compilerOptions: {
    noUnusedLocals: false,
    isolatedDeclarations: false,
    declaration: false,
    emitDeclarationOnly: false,
    noEmit: true,
    // Files that are not on the disk would be CommonJS, without `import.meta`.
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  },
});
project.addSourceFilesAtPaths([context, ...entries.map(([, source]) => join(root, source))]);
project.resolveSourceFileDependencies();

const examples = runtimeFolders
  .flatMap(sourcesIn)
  .flatMap((file) =>
    examplesOf(readFileSync(join(root, file), "utf8")).map(({ line, code }) => ({ place: `${file}:${line}`, code })),
  );

describe("examples in doc comments", () => {
  it("examples compile", () => {
    expect(examples.length).toBeGreaterThan(50);
    expect(problemsOf(examples)).toEqual([]);
  });

  it("examples with a mistake do not compile", () => {
    expect(problemsOf([{ place: "here", code: "server.close(1, 2);\nserverr.close();" }])).toEqual([
      "here: Expected 0-1 arguments, but got 2.",
      "here: Cannot find name 'serverr'. Did you mean 'server'?",
    ]);
  });

  it("examples have at most twelve lines", () => {
    expect(examples.filter(({ code }) => code.split("\n").length > 12).map(({ place }) => place)).toEqual([]);
  });

  it.each(entries)("examples show each function of %s", (_path, source) => {
    expect(
      functionsOf(source)
        .filter((symbol) => !hasExample(symbol))
        .map(placeOf),
    ).toEqual([]);
  });
});

/** Each example is a module of its own; all of them are compiled together, which takes one program. */
function problemsOf(samples: typeof examples): string[] {
  const files = samples.map(({ place, code }, index) => {
    const file = project.createSourceFile(join(root, `example-${index}.ts`), `${code}\nexport {};\n`);
    return { place, file };
  });
  const problems = files.flatMap(({ place, file }) =>
    file.getPreEmitDiagnostics().map(({ compilerObject: { messageText } }) => {
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    }),
  );
  for (const { file } of files) project.removeSourceFile(file);
  return problems;
}

/** Returns the exported functions of an entry. Guards for errors are left out: their names and types say everything. */
function functionsOf(source: string): ts.Symbol[] {
  const checker = project.getTypeChecker().compilerObject;
  const module = checker.getSymbolAtLocation(project.getSourceFileOrThrow(join(root, source)).compilerNode);
  return (module ? checker.getExportsOfModule(module) : [])
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(({ flags, name }) => flags & ts.SymbolFlags.Function && !/^is[A-Z]\w*Error$/.test(name));
}

function hasExample(symbol: ts.Symbol): boolean {
  return symbol.getJsDocTags().some(({ name }) => name === "example");
}

function placeOf(symbol: ts.Symbol): string {
  const file = symbol.valueDeclaration?.getSourceFile().fileName ?? root;
  return `${relative(root, file)}: ${symbol.name}`;
}
