import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { isolated, otherScripts } from "../vitest.config.ts";
import { rooms } from "./architecture/rooms.ts";
import { isolatedPrograms } from "../vitest.programs.config.ts";

/*
 * `npm test` runs the unit tests: they start no program, and no compiler checks what they emit. Files with such tests end with `.program.test.ts`.
 */

/** Modules that start programs, bundle them, or check types. The syntax trees of ts-morph are not meant: the generator reads schemas with them. */
const programModules: readonly string[] = [
  "node:child_process",
  "node:worker_threads",
  "esbuild",
  "playwright-core",
  "typescript",
];

/** What starts another program like this one, and what checks types. Put together, so that this file has none of them. */
const programWords: readonly string[] = [`process.${"execPath"}`, `get${"PreEmitDiagnostics"}`];

/** Code that is tested. It starts programs that tests give to it. */
const productFolders: readonly string[] = ["generated", "templates", ...rooms];

const root = join(import.meta.dirname, "../..");

const isElsewhere = (path: string): boolean =>
  otherScripts.some((pattern) => path.startsWith(pattern.replace("**", "")));

const testFiles = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && !path.includes("/node_modules/") && !isElsewhere(path));

const read = new Map<string, FileFacts>();

interface FileFacts {
  /** Modules that a file loads. Types are erased. */
  readonly loads: readonly string[];
  /** Words of it that start a program or check types. */
  readonly words: readonly string[];
}

function factsOf(path: string): FileFacts {
  const known = read.get(path);
  if (known) return known;
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext);
  const loads = source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    const isType = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) && !isType ? [moduleSpecifier.text] : [];
  });
  const facts = { loads, words: programWords.filter((word) => text.includes(word)) };
  read.set(path, facts);
  return facts;
}

/** Returns why a test file belongs to the programs: the chain of files of `test/` that leads to a program. */
function whyProgram(path: string, seen: Set<string> = new Set()): string | undefined {
  if (seen.has(path)) return undefined;
  seen.add(path);
  const { loads, words } = factsOf(path);
  if (words.length > 0) return `${path} uses ${words.join(", ")}`;
  for (const specifier of loads) {
    if (programModules.includes(specifier)) return `${path} imports ${specifier}`;
    const next = specifier.startsWith(".") ? new URL(specifier, `file:///${path}`).pathname.slice(1) : "";
    const isProduct = productFolders.includes(next.split("/")[0] ?? "");
    const reason = next !== "" && !isProduct ? whyProgram(next, seen) : undefined;
    if (reason !== undefined) return `${path} > ${reason}`;
  }
  return undefined;
}

describe("files of tests", () => {
  it("files of tests that start programs end with `.program.test.ts`", () => {
    const unit = testFiles.filter((path) => !path.endsWith(".program.test.ts"));
    expect(unit.length).toBeGreaterThan(300);
    expect(unit.flatMap((path) => whyProgram(path) ?? [])).toEqual([]);
  });

  it("files of tests have no tests that are left out, and none that is the only one to run", () => {
    const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => name.endsWith(".ts") && !/(^|[\\/])node_modules[\\/]/.test(name));
    const isMarked = (name: string): boolean =>
      /^\s*(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo)\b/m.test(readFileSync(join(root, "test", name), "utf8"));
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter(isMarked)).toEqual([]);
  });

  it("files of tests that replace modules have modules of their own", () => {
    const replacing = testFiles.filter((path) => /^vi\.mock\(/m.test(readFileSync(join(root, path), "utf8")));
    const known = [...isolated, ...isolatedPrograms];
    expect(replacing.filter((path) => !known.includes(path))).toEqual([]);
  });

  it("files of tests that end with `.program.test.ts` start programs, or say why they are no unit tests", () => {
    const programs = testFiles.filter((path) => path.endsWith(".program.test.ts"));
    const isUnit = (path: string): boolean => !readFileSync(join(root, path), "utf8").includes("Not a unit test:");
    expect(programs.length).toBeGreaterThan(80);
    expect(programs.filter((path) => whyProgram(path) === undefined && isUnit(path))).toEqual([]);
  });
});
