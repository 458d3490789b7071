import { dirname } from "node:path";
import { Project, ts } from "ts-morph";
import { describe, expect, it, test } from "vitest";
import { findCircles } from "./architecture/circles.ts";
import { codeRules } from "./architecture/code-rules.ts";
import { fileRules } from "./architecture/file-rules.ts";
import { singleImporters } from "./architecture/command-folders.ts";
import { importRules } from "./architecture/imports.ts";
import { isOfRuntime } from "./architecture/rooms.ts";
import { describeRules } from "./architecture/rule.ts";
import { files, packageOf, pathOf, readSpecifier, specifiersOf } from "./architecture/sources.ts";

/*
 * Rules of the sources. Rule 4 (nothing unknown is read) is tested in test/generator/read, rule 5 (same input, same bytes) in
 * test/repository/drift.program.test.ts, rule 8 (stdout belongs to the protocol) also in test/runtime/transport; the others are tested here.
 */

describeRules([...importRules, ...codeRules, ...fileRules]);

describe("imports of the runtime", () => {
  const runtime = files.filter((file) => isOfRuntime(pathOf(file)));

  it("modules of the runtime import no circles, neither of values nor of types", () => {
    expect(findCircles(runtime)).toEqual([]);
  });

  const broken: Readonly<Record<string, string>> = {
    "runtime/jsonrpc/a.ts":
      'import { b } from "./b.ts";\nexport type { D } from "./d.ts";\nexport const a: unknown = b;',
    "runtime/jsonrpc/b.ts": 'import { c } from "./c.ts";\nexport const b: unknown = c;',
    "runtime/jsonrpc/c.ts": 'export { a as c } from "./a.ts";',
    "runtime/jsonrpc/d.ts": 'import { type A } from "./e.ts";\nexport type D = A;',
    "runtime/jsonrpc/e.ts": 'import type { D } from "./d.ts";\nexport type A = D;',
  };

  it("circles of imports are found in samples", () => {
    const samples = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
    const sources = Object.entries(broken).map(([path, text]) =>
      samples.createSourceFile(`${process.cwd()}/${path}`, text),
    );
    const values = ["runtime/jsonrpc/a.ts", "runtime/jsonrpc/b.ts", "runtime/jsonrpc/c.ts"];
    const types = ["runtime/jsonrpc/d.ts", "runtime/jsonrpc/e.ts"];
    expect(findCircles(sources)).toEqual([values, types]);
  });
});

describe("3. each library is spoken to by one file", () => {
  it.each([...singleImporters, "oauth4webapi", "re2js", "esbuild"])("one file imports %s", (library) => {
    const importers = files.filter((file) => specifiersOf(file).some((specifier) => packageOf(specifier) === library));
    const [published, others] = [true, false].map((is) =>
      importers.map(pathOf).filter((path) => isOfRuntime(path) === is),
    );
    expect(published?.length).toBeLessThanOrEqual(1);
    expect(others?.filter((path) => !path.startsWith(".build/")).length).toBeLessThanOrEqual(1);
  });
});

describe("the command line", () => {
  it("the command line loads no command before it runs", () => {
    const imports = files
      .filter((file) => ["cli/program.ts", "cli/commands/commands.ts"].includes(pathOf(file)))
      .flatMap(({ compilerNode }) => compilerNode.statements.filter(ts.isImportDeclaration))
      .flatMap(({ moduleSpecifier }) => readSpecifier(moduleSpecifier));
    // Definitions of commands, which import types only.
    expect(imports.sort()).toEqual([
      "../generator/internal/package-info.ts",
      "../generator/internal/user-error.ts",
      "./commands/commands.ts",
      "./commands/define-command.ts",
      "./commands/usage.ts",
      "./create-command.ts",
      "./define-command.ts",
      "./project-commands.ts",
      "./server-commands.ts",
      "./spec-commands.ts",
      "yargs",
      "yargs/helpers",
    ]);
  });
});

test("no folder of the runtime has more than 25 files", () => {
  const sizes = new Map<string, number>();
  for (const file of files.filter((candidate) => isOfRuntime(pathOf(candidate)))) {
    const folder = dirname(pathOf(file));
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  expect([...sizes].filter(([, size]) => size > 25)).toEqual([]);
});

describe("the files that the rules check", () => {
  it("the checked files include every folder", () => {
    const rooms = new Set(files.map((file) => pathOf(file).split("/").slice(0, 2).join("/")));
    for (const room of [
      "generator/read",
      "generator/emit",
      "generator/pin",
      "cli/commands",
      "cluster/engine",
      "tools/check",
      "templates/support.ts",
      "generated/support.ts",
    ])
      expect(rooms).toContain(room);
    expect([...rooms].filter((room) => room.startsWith("runtime/")).length).toBeGreaterThan(6);
  });
});
