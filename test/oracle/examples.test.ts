import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { readExamples } from "./official.ts";

const revision = "2026-07-28";
const examples = readExamples(revision);
const folder = join(import.meta.dirname, "../../generated", revision);

describe(`official examples of ${revision}`, () => {
  it("official examples are all accepted by the generated checks", async () => {
    const checks: Record<string, unknown> = await import(join(folder, "validate.ts"));
    const issues = examples.map(({ declaration, file, text }) => {
      const check = checks[`check${declaration}`];
      const issue: unknown = typeof check === "function" ? check(JSON.parse(text)) : "no check was generated";
      return { file: `${declaration}/${file}`, issue };
    });
    console.log(`${examples.length} official examples`);
    expect(examples).toHaveLength(129);
    expect(issues.filter(({ issue }) => issue !== undefined)).toEqual([]);
  });

  /**
   * The exception is a slip of the example: roots/list is a payload inside a result in this revision, its declaration has
   * no `id`, and the example still carries one. Checks ignore unknown keys, the compiler reports them in a literal.
   */
  it("official examples are all assignable to the generated types, but for the roots request with an id", () => {
    const lines = examples.map(
      ({ declaration, text }, at) => `export const e${at}: t.${declaration} = ${oneLine(text)};`,
    );
    const text = [`import type * as t from "${folder}/types.ts";`, ...lines].join("\n");
    const failed = diagnose(text).map(({ line, message }) => ({ file: examples[line - 1]?.file, message }));
    const message = expect.stringMatching(/"id".* does not exist in type 'ListRootsRequest'/);
    expect(failed).toEqual([{ file: "list-roots-request.json", message }]);
  });
});

function oneLine(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** Compiles one file that exists only in memory, under the strictest settings, and returns the problems in it. */
function diagnose(text: string): { line: number; message: string }[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  };
  const path = join(import.meta.dirname, "examples.ts");
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? text : readFile(name));
  host.getSourceFile = (name, target) =>
    name === path ? ts.createSourceFile(name, text, target) : getSourceFile(name, target);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ file, start, messageText }) => ({
    line: file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0,
    message: ts.flattenDiagnosticMessageText(messageText, " "),
  }));
}
