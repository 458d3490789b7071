import { readFileSync } from "node:fs";
import { relative } from "node:path";
import {
  Node,
  Project,
  SyntaxKind,
  VariableDeclarationKind,
  type SourceFile,
  type VariableDeclaration,
} from "ts-morph";
import { describe, expect, it } from "vitest";

/*
 * The rules of the house. Rule 4 (nothing unknown is read) is proven in test/generator/read, rule 5 (same input, same bytes) in
 * test/drift.test.ts, rule 8 (stdout belongs to the protocol) also in test/runtime/transport; the others are proven here.
 */

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
const files = project.addSourceFilesAtPaths([
  "generator/**/*.ts",
  "runtime/**/*.ts",
  "generated/**/*.ts",
  "templates/*.ts",
]);

/** Which rooms of the runtime a room may use. `generated/support.ts` is open to all of them. */
const runtimeRooms: Readonly<Record<string, readonly string[]>> = {
  rpc: [],
  codec: ["rpc"],
  store: ["rpc"],
  lifecycle: ["rpc"],
  transport: ["rpc", "codec", "store"],
  // What the two roles have in common.
  common: [],
  // Both roles may run tasks.
  tasks: ["rpc", "store", "common"],
  server: ["rpc", "codec", "store", "lifecycle", "transport", "common", "tasks"],
  client: ["rpc", "codec", "store", "lifecycle", "transport", "common", "tasks"],
  // For the tests of users: both roles at once, and reached by its own entry point only.
  testing: ["rpc", "codec", "lifecycle", "transport", "common", "server", "client"],
  // Bindings to libraries that a user may have: nothing but their own entry points reaches them.
  adapters: ["rpc", "common", "server", "client"],
};

const withoutNode = ["rpc", "codec", "store", "lifecycle", "common"];

/** Libraries that one file of a room speaks to, so that they can be exchanged. */
const singleImporters = ["ts-morph", "handlebars", "prettier", "json-schema-to-typescript", "ajv"];

const generatorPackages = [...singleImporters, "yargs", "@clack/prompts", "validate-npm-package-name"];

interface Rule {
  readonly name: string;
  /** What a file does against the rule. */
  readonly check: (file: SourceFile) => string[];
  /** Files that break the rule, by path: the test of the test. */
  readonly broken: Readonly<Record<string, string>>;
}

const rules: readonly Rule[] = [
  {
    name: "1. imports go one way",
    check: (file) => specifiersOf(file).flatMap((specifier) => refuseImport(pathOf(file), specifier)),
    broken: {
      "generated/2000-01-01/a.ts": 'import "../../runtime/rpc/peer.ts";',
      "generated/2000-01-01/b.ts": 'import "../2000-01-02/types.ts";',
      "generated/2000-01-01/c.ts": 'import "ajv";',
      "generator/a.ts": 'import "../runtime/rpc/peer.ts";',
      "generator/b.ts": 'import "../generated/support.ts";',
      "generator/c.ts": 'export * from "../spec/2000-01-01/schema.ts";',
      "generator/d.ts": 'import "zod";',
      "runtime/rpc/a.ts": 'import "../codec/lines.ts";',
      "runtime/rpc/b.ts": 'import "../../generated/revisions.ts";',
      "runtime/codec/a.ts": 'export const a = await import("../transport/stdio.ts");',
      "runtime/server/a.ts": 'import "../client/client.ts";',
      "runtime/server/b.ts": 'import "zod";',
      "runtime/server/c.ts": 'import "../adapters/ajv.ts";',
      "runtime/client/a.ts": 'import "../server/server.ts";',
      "runtime/lifecycle/a.ts": 'import "node:fs";',
      "runtime/new-room/a.ts": 'import "../rpc/peer.ts";',
      "templates/support.ts": 'import "node:fs";',
    },
  },
  {
    name: "2. no revision date outside the data",
    check: (file) => (isIn(file, "generated") ? [] : dateLiterals(file)),
    broken: {
      "runtime/rpc/a.ts": 'export const a = "2025-11-25";',
      "generator/a.ts": "export const a = `id ${1} 2026-07-28`;",
      "generator/b.ts": "// Only for 2024-11-05.\nexport const a = 1;",
    },
  },
  {
    name: "6. no code from text",
    check: (file) => nodesOf(file).filter(makesCode).map(quote),
    broken: {
      "runtime/rpc/a.ts": 'eval("1");',
      "runtime/rpc/b.ts": 'export const f = new Function("return 1");',
      "runtime/rpc/c.ts": 'export const f = globalThis.Function("return 1");',
      "runtime/rpc/d.ts": 'setTimeout("alert(1)", 1);',
      "generator/a.ts": 'import { runInThisContext } from "node:vm";\nrunInThisContext("1");',
    },
  },
  {
    name: "8. nothing but protocol on stdout",
    check: (file) => (isIn(file, "runtime") ? nodesOf(file).filter(printsToStdout).map(quote) : []),
    broken: { "runtime/rpc/a.ts": "console.log(1);", "runtime/rpc/b.ts": "console.info(1);" },
  },
  {
    name: "9. no mutable state in modules",
    check: (file) =>
      [
        ...variablesOf(file, VariableDeclarationKind.Let),
        ...variablesOf(file, VariableDeclarationKind.Var),
        ...mutableConstants(file),
      ].map(quote),
    broken: {
      "runtime/rpc/a.ts": "let count = 0;\nexport const next = (): number => (count += 1);",
      "runtime/rpc/b.ts": "export const seen = new Map<string, string>();",
      "runtime/rpc/c.ts": "export const seen: string[] = [];",
      "generator/a.ts": "export const seen: Set<string> = new Set();",
    },
  },
  {
    name: "the type checker is not overruled: no any, as, !, or comment for the compiler",
    check: (file) => [...nodesOf(file).filter(overrulesTypes).map(quote), ...compilerComments(file)],
    broken: {
      "runtime/rpc/a.ts": "export const a = (v: any): unknown => v;",
      "runtime/rpc/b.ts": "export const a = (v: unknown): string => v as string;",
      "runtime/rpc/c.ts": "export const a = (v?: string): string => v!;",
      "runtime/rpc/d.ts": "export const a = (v: unknown): string => <string>v;",
      "runtime/rpc/e.ts": "// @ts-expect-error\nexport const a: string = 1;",
      "runtime/rpc/f.ts": "class A { a!: string }\nexport const a: A = new A();",
      "generated/2000-01-01/a.ts": "// eslint-disable-next-line\nexport const a = 1;",
    },
  },
  {
    name: "only syntax that can be erased: no enum, namespace, default export, decorator or parameter property",
    check: (file) => nodesOf(file).filter(isBanned).map(quote),
    broken: {
      "runtime/rpc/a.ts": "export enum A { B }",
      "runtime/rpc/b.ts": "export namespace A { export const b = 1; }",
      "runtime/rpc/c.ts": "export default 1;",
      "runtime/rpc/d.ts": "const a = 1;\nexport { a as default };",
      "runtime/rpc/e.ts": "export class A { constructor(readonly b: string) {} }",
      "runtime/rpc/f.ts": "@sealed export class A {}",
      "runtime/rpc/g.ts": "export default function f(): void {}",
    },
  },
  {
    name: "no file of more than 300 lines",
    check: (file) => {
      const lines = file.getFullText().split("\n").length - 1;
      return isIn(file, "generated") || lines <= 300 ? [] : [`${lines} lines`];
    },
    broken: { "runtime/rpc/a.ts": "export const a = 1;\n".repeat(301) },
  },
  {
    name: "files are named in kebab-case, and imported with their extension",
    check: (file) => [
      ...(/^[a-z\d]+(-[a-z\d]+)*\.ts$/.test(file.getBaseName()) ? [] : [file.getBaseName()]),
      ...specifiersOf(file).filter((specifier) => specifier.startsWith(".") && !specifier.endsWith(".ts")),
    ],
    broken: { "runtime/rpc/aB.ts": "export const a = 1;", "runtime/rpc/b.ts": 'import "./a.js";' },
  },
  {
    name: "every export of hand-written code says what it is",
    check: (file) => (isIn(file, "generated") ? [] : undocumented(file)),
    broken: { "runtime/rpc/a.ts": "export interface A {}", "generator/a.ts": "export const a = 1;" },
  },
];

describe.each(rules)("$name", ({ check, broken }) => {
  it("holds in every file", () => {
    expect(files.flatMap((file) => check(file).map((problem) => `${pathOf(file)}: ${problem}`))).toEqual([]);
  });

  it.each(Object.entries(broken))("would not hold in %s", (path, text) => {
    const file = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile(
      `${process.cwd()}/${path}`,
      text,
    );
    expect(check(file)).not.toEqual([]);
  });
});

describe("3. each library is spoken to by one file", () => {
  it.each(singleImporters)("%s", (library) => {
    const importers = files.filter((file) => specifiersOf(file).some((specifier) => packageOf(specifier) === library));
    expect(importers.filter((file) => isIn(file, "generator")).map(pathOf).length).toBeLessThanOrEqual(1);
    expect(importers.filter((file) => isIn(file, "runtime")).map(pathOf).length).toBeLessThanOrEqual(1);
  });
});

describe("the command line", () => {
  it("loads no command before it runs", () => {
    const cli = files.find((file) => pathOf(file) === "generator/cli.ts");
    const imports = cli?.getImportDeclarations().map((declaration) => declaration.getModuleSpecifierValue());
    expect(imports?.sort()).toEqual(["./package-info.ts", "yargs", "yargs/helpers"]);
  });
});

describe("what the rules look at", () => {
  it("is every room, with files in it", () => {
    const rooms = new Set(files.map((file) => pathOf(file).split("/").slice(0, 2).join("/")));
    for (const room of [
      "generator/read",
      "generator/emit",
      "generator/pin",
      "templates/support.ts",
      "generated/support.ts",
    ])
      expect(rooms).toContain(room);
    expect([...rooms].filter((room) => room.startsWith("runtime/")).length).toBeGreaterThan(6);
  });
});

function pathOf(file: SourceFile): string {
  return relative(process.cwd(), file.getFilePath());
}

function isIn(file: SourceFile, room: string): boolean {
  return pathOf(file).startsWith(`${room}/`);
}

function quote(node: Node): string {
  return `line ${node.getStartLineNumber()}: ${node.getText().split("\n", 1)[0]?.slice(0, 100)}`;
}

function nodesOf(file: SourceFile): Node[] {
  return file.getDescendants();
}

/** Everything that a file imports, re-exports, or loads while it runs. */
function specifiersOf(file: SourceFile): string[] {
  const declared = [...file.getImportDeclarations(), ...file.getExportDeclarations()];
  const loaded = file
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .filter((call) => call.getExpression().getKind() === SyntaxKind.ImportKeyword);
  const named = file
    .getDescendantsOfKind(SyntaxKind.ImportType)
    .map((type) => type.getArgument().getText().slice(1, -1));
  return [
    ...declared.flatMap((declaration) => declaration.getModuleSpecifierValue() ?? []),
    ...loaded
      .map((call) => call.getArguments()[0])
      .map((argument) => (Node.isStringLiteral(argument) ? argument.getLiteralValue() : "(computed)")),
    ...named,
  ];
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function refuseImport(path: string, specifier: string): string[] {
  const target = specifier.startsWith(".") ? new URL(specifier, `file:///${path}`).pathname.slice(1) : specifier;
  return isAllowed(path, target) ? [] : [`may not import ${target}`];
}

function isAllowed(path: string, target: string): boolean {
  const [house = "", room = ""] = path.split("/");
  switch (house) {
    case "templates":
      return target.startsWith("templates/");
    case "generated":
      return (
        isSharedByGenerated(target) ||
        (room === "revisions.ts" ? target.startsWith("generated/") : target.startsWith(`generated/${room}/`))
      );
    case "generator":
      return (
        target.startsWith("generator/") || target.startsWith("node:") || generatorPackages.includes(packageOf(target))
      );
    case "runtime":
      return isAllowedInRuntime(path, room, target);
    default:
      return true;
  }
}

function isSharedByGenerated(target: string): boolean {
  return target === "generated/support.ts" || target === "generated/convert-support.ts";
}

function isAllowedInRuntime(path: string, room: string, target: string): boolean {
  if (isSharedByGenerated(target)) return true;
  const isEntry = room.endsWith(".ts");
  if (target === "generated/revisions.ts") return path === "runtime/index.ts";
  if (target.startsWith("node:")) return !withoutNode.includes(room);
  const targetRoom = /^runtime\/([^/]+)\//.exec(target)?.[1];
  if (targetRoom === undefined)
    return isAdapter(path) && !target.startsWith("generated/") && !target.startsWith("generator/");
  if (isEntry) return targetRoom !== "adapters" && targetRoom !== "testing";
  return targetRoom === room || (runtimeRooms[room]?.includes(targetRoom) ?? false);
}

/** Adapters speak to a library that a user installs; the WebSocket server needs one too. */
function isAdapter(path: string): boolean {
  return path.startsWith("runtime/adapters/") || path === "runtime/transport/websocket-ws.ts";
}

/** Dates in code, and in comments unless they are part of a link to the clause. */
function dateLiterals(file: SourceFile): string[] {
  const date = /20\d\d-\d\d-\d\d/;
  const lines = file.getFullText().split("\n");
  return lines.filter((line) => date.test(line.replace(/(@see|\() ?https:\/\/\S+/g, "")));
}

function makesCode(node: Node): boolean {
  if (Node.isImportDeclaration(node)) return node.getModuleSpecifierValue() === "node:vm";
  if (Node.isNewExpression(node)) return isCodeMaker(node.getExpression());
  if (!Node.isCallExpression(node)) return false;
  const [first] = node.getArguments();
  const isTimer = /^(globalThis\.)?set(Timeout|Interval)$/.test(node.getExpression().getText());
  return (
    isCodeMaker(node.getExpression()) || (isTimer && (Node.isStringLiteral(first) || Node.isTemplateExpression(first)))
  );
}

function isCodeMaker(expression: Node): boolean {
  return /^((globalThis|window|self)\.)?(eval|Function)$/.test(expression.getText());
}

function printsToStdout(node: Node): boolean {
  return (
    Node.isCallExpression(node) && /^console\.(log|info|debug|table|dir|group)$/.test(node.getExpression().getText())
  );
}

function variablesOf(file: SourceFile, kind: VariableDeclarationKind): VariableDeclaration[] {
  return file
    .getVariableStatements()
    .filter((statement) => statement.getDeclarationKind() === kind)
    .flatMap((statement) => statement.getDeclarations());
}

/** Collections that could grow: maps, sets and empty or exported lists that are not declared read only. A WeakMap is a cache. */
function mutableConstants(file: SourceFile): VariableDeclaration[] {
  return variablesOf(file, VariableDeclarationKind.Const).filter((declaration) => {
    const value = declaration.getInitializer();
    const isList =
      Node.isArrayLiteralExpression(value) && (value.getElements().length === 0 || declaration.isExported());
    const isCollection = Node.isNewExpression(value) && /^(Map|Set|Array)$/.test(value.getExpression().getText());
    const isReadOnly = /readonly/i.test(declaration.getTypeNode()?.getText() ?? "");
    return (isList || isCollection) && !isReadOnly;
  });
}

function overrulesTypes(node: Node): boolean {
  if (Node.isAsExpression(node)) return node.getTypeNode()?.getText() !== "const" && !isTheOneCast(node);
  if (node.getKind() === SyntaxKind.AnyKeyword) return !isAnyOfSchema(node);
  if (Node.isPropertyDeclaration(node)) return node.hasExclamationToken();
  return Node.isNonNullExpression(node) || Node.isTypeAssertion(node);
}

/** Behind the check of a row its type is known to people, not to the compiler: one commented place. */
function isTheOneCast(node: Node): boolean {
  const file = node.getSourceFile();
  if (pathOf(file) !== "runtime/rpc/dispatch.ts") return false;
  const casts = file
    .getDescendantsOfKind(SyntaxKind.AsExpression)
    .filter((cast) => cast.getTypeNode()?.getText() !== "const");
  const before = file
    .getFullText()
    .split("\n")
    .slice(0, node.getStartLineNumber() - 1)
    .slice(-3)
    .join("\n");
  return casts.length === 1 && /(\/\/|\*)/.test(before);
}

/** Types say `any` where the schema of the revision does, and nowhere else. */
function isAnyOfSchema(node: Node): boolean {
  const revision = /^generated\/([^/]+)\/types\.ts$/.exec(pathOf(node.getSourceFile()))?.[1];
  if (revision === undefined) return false;
  const count = (text: string): number => text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "").match(/\bany\b/g)?.length ?? 0;
  return count(node.getSourceFile().getFullText()) === count(readFileSync(`spec/${revision}/schema.ts`, "utf8"));
}

function compilerComments(file: SourceFile): string[] {
  return file.getFullText().match(/(\/\/|\/\*)\s*(@ts-|eslint-|prettier-ignore|oxlint-|biome-).*/g) ?? [];
}

function isBanned(node: Node): boolean {
  if (
    Node.isEnumDeclaration(node) ||
    Node.isModuleDeclaration(node) ||
    Node.isDecorator(node) ||
    Node.isExportAssignment(node)
  )
    return true;
  if (Node.isParameterDeclaration(node)) return node.isParameterProperty();
  if (node.getKind() === SyntaxKind.DefaultKeyword) return !Node.isDefaultClause(node.getParent());
  return Node.isExportSpecifier(node) && node.getAliasNode()?.getText() === "default";
}

function undocumented(file: SourceFile): string[] {
  const statements = file.getStatements().filter((statement) => Node.isExportable(statement) && statement.isExported());
  // Overloads of a function are documented at the first.
  const names = new Set<string>();
  return statements.flatMap((statement) => {
    const name = Node.hasName(statement) ? statement.getName() : "";
    const isFirst = name === "" || !names.has(name);
    names.add(name);
    const isDocumented = Node.isJSDocable(statement) && statement.getJsDocs().length > 0;
    return isFirst && !isDocumented ? [quote(statement)] : [];
  });
}
