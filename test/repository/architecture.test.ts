import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Project, ts, type SourceFile } from "ts-morph";
import { describe, expect, it, test } from "vitest";
import { readRuntimeExports } from "../../.build/runtime-exports.ts";

/*
 * The rules of the house. Rule 4 (nothing unknown is read) is proven in test/generator/read, rule 5 (same input, same bytes) in
 * test/repository/drift.test.ts, rule 8 (stdout belongs to the protocol) also in test/runtime/transport; the others are proven here.
 */

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
const files = project.addSourceFilesAtPaths([
  ".build/*.ts",
  "generator/**/*.ts",
  "runtime/**/*.ts",
  "generated/**/*.ts",
  "templates/**/*.ts",
]);

/** Which rooms of the runtime a room may use. `generated/support.ts` is open to all of them. */
const runtimeRooms: Readonly<Record<string, readonly string[]>> = {
  // Helpers that know no protocol.
  internal: [],
  // Messages, errors and limits of JSON-RPC; no revision.
  jsonrpc: ["internal"],
  // Rules of MCP that both roles share.
  protocol: ["internal", "jsonrpc"],
  framing: ["internal", "jsonrpc"],
  stores: ["internal", "jsonrpc", "protocol"],
  lifecycle: ["internal", "jsonrpc", "protocol"],
  transport: ["internal", "jsonrpc", "protocol", "framing", "stores"],
  // Conventions of a community, for either role.
  compatibility: ["internal", "jsonrpc", "protocol"],
  // Both roles may run tasks.
  tasks: ["internal", "jsonrpc", "protocol", "stores"],
  // Folders of text for models: reading and checking.
  skills: ["internal", "jsonrpc", "protocol", "framing"],
  server: ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "transport", "tasks", "skills"],
  client: ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "transport", "tasks", "skills"],
  // Reached by entry points of its own only: a server or a client without authorization never loads it.
  auth: ["internal", "jsonrpc", "protocol", "framing", "stores", "transport", "server"],
  // For the tests of users: both roles at once, and reached by its own entry point only.
  testing: ["internal", "jsonrpc", "protocol", "framing", "lifecycle", "transport", "server", "client"],
  // A client of one server that is a server to others; it has an entry point of its own.
  gateway: ["internal", "jsonrpc", "protocol", "framing", "lifecycle", "transport", "server", "client", "tasks"],
  // What the nodes of a cluster share; it has an entry point of its own.
  scale: ["internal", "jsonrpc", "protocol", "framing", "stores", "transport"],
  // Bindings to libraries that a user may have: nothing but their own entry points reaches them.
  adapters: ["internal", "jsonrpc", "protocol", "server", "client", "auth", "stores", "scale"],
};

/** Rooms of the generator: each uses only those before it. */
const generatorRooms = [
  // Helpers that know no protocol.
  "internal",
  "model-rules.ts",
  "model.ts",
  // Questions to the model.
  "model",
  "read",
  "conversions",
  "emit",
  "pin",
  // Schemas and contracts of servers, and clients of them.
  "typed-client",
  "openapi",
  "live",
  "check",
  "diff",
  "explain",
  "generate.ts",
  "index.ts",
  "scaffold",
  "commands",
  "cli.ts",
];

const withoutNode = ["internal", "jsonrpc", "protocol", "framing", "stores", "lifecycle", "compatibility"];

/** Libraries that one file of a room speaks to, so that they can be exchanged. */
const singleImporters = ["ts-morph", "handlebars", "prettier", "json-schema-to-typescript", "ajv", "yaml"];

/** Files outside the adapters that speak to a library. */
const speakers: readonly string[] = [
  "runtime/transport/websocket/ws-package.ts",
  "runtime/auth/client/identity/keys.ts",
  "runtime/auth/client/tokens/oauth.ts",
];

/** Entries of the package `mcp-server-runtime`. */
const entries = Object.values(readRuntimeExports("."));

/** What commands that speak to servers may use of the runtime. */
const runtimeEntries = [
  "runtime/index.ts",
  "runtime/client/index.ts",
  "runtime/gateway/index.ts",
  "generated/revisions.ts",
];

/** Rooms that only their own entries reach. */
const isolatedRooms = ["adapters", "testing", "auth", "gateway", "scale"];

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
      "generated/2000-01-01/a.ts": 'import "../../runtime/protocol/peer.ts";',
      "generated/2000-01-01/b.ts": 'import "../2000-01-02/types.ts";',
      "generated/2000-01-01/c.ts": 'import "ajv";',
      "generated/2000-01-01/d.ts": 'import "../extensions/a/types.ts";',
      "generated/extensions/a/a.ts": 'import "../b/types.ts";',
      "generated/extensions/a/b.ts": 'import "../../2000-01-01/methods.ts";',
      "runtime/server/e.ts": 'import "../../generated/extensions/a/methods.ts";',
      "generator/a.ts": 'import "../runtime/protocol/peer/peer.ts";',
      "generator/b.ts": 'import "../generated/support.ts";',
      "generator/emit/a.ts": 'import "../../runtime/index.ts";',
      "generator/emit/b.ts": 'import "../scaffold/create/run.ts";',
      "generator/internal/a.ts": 'import type { Shape } from "../model.ts";',
      "generator/new-room/a.ts": 'import "../internal/text.ts";',
      "generator/commands/a.ts": 'import "../../runtime/protocol/peer.ts";',
      "generator/commands/b.ts": 'import "../../generated/support.ts";',
      "generator/c.ts": 'export * from "../spec/2000-01-01/schema.ts";',
      "generator/d.ts": 'import "zod";',
      "runtime/jsonrpc/a.ts": 'import "../framing/ndjson.ts";',
      "runtime/jsonrpc/b.ts": 'import "../../generated/revisions.ts";',
      "runtime/framing/a.ts": 'export const a = await import("../transport/stdio/stdio-server.ts");',
      "runtime/server/a.ts": 'import "../client/client.ts";',
      "runtime/server/b.ts": 'import "zod";',
      "runtime/server/c.ts": 'import "../adapters/ajv.ts";',
      "runtime/transport/a.ts": 'import "../auth/client/index.ts";',
      "runtime/index.ts": 'export * from "./auth/client/index.ts";',
      "runtime/tasks/index.ts": 'export * from "../gateway/gateway.ts";',
      "runtime/server/f.ts": 'import "../tasks/index.ts";',
      "runtime/protocol/index.ts": 'export * from "../../generated/revisions.ts";',
      "runtime/auth/client/a.ts": 'import "jose";',
      "runtime/client/a.ts": 'import "../server/server.ts";',
      "runtime/lifecycle/a.ts": 'import "node:fs";',
      "runtime/server/d.ts": "export const d = await import(String(1));",
      "runtime/new-room/a.ts": 'import "../jsonrpc/message.ts";',
      "templates/support.ts": 'import "node:fs";',
    },
  },
  {
    name: "2. no revision date outside the data",
    check: (file) => (isIn(file, "generated") ? [] : dateLiterals(file)),
    broken: {
      "runtime/jsonrpc/a.ts": 'export const a = "2025-11-25";',
      "generator/a.ts": "export const a = `id ${1} 2026-07-28`;",
      "generator/b.ts": "// Only for 2024-11-05.\nexport const a = 1;",
    },
  },
  {
    name: "6. no code from text",
    check: (file) => nodesOf(file).filter(makesCode).map(quote),
    broken: {
      "runtime/jsonrpc/a.ts": 'eval("1");',
      "runtime/jsonrpc/b.ts": 'export const f = new Function("return 1");',
      "runtime/jsonrpc/c.ts": 'export const f = globalThis.Function("return 1");',
      "runtime/jsonrpc/d.ts": 'setTimeout("alert(1)", 1);',
      "generator/a.ts": 'import { runInThisContext } from "node:vm";\nrunInThisContext("1");',
    },
  },
  {
    name: "8. nothing but protocol on stdout",
    check: (file) => (isIn(file, "runtime") ? nodesOf(file).filter(printsToStdout).map(quote) : []),
    broken: { "runtime/jsonrpc/a.ts": "console.log(1);", "runtime/jsonrpc/b.ts": "console.info(1);" },
  },
  {
    name: "9. no mutable state in modules",
    check: (file) => variablesOf(file).filter(isMutable).map(quote),
    broken: {
      "runtime/jsonrpc/a.ts": "let count = 0;\nexport const next = (): number => (count += 1);",
      "runtime/jsonrpc/b.ts": "export const seen = new Map<string, string>();",
      "runtime/jsonrpc/c.ts": "export const seen: string[] = [];",
      "generator/a.ts": "export const seen: Set<string> = new Set();",
    },
  },
  {
    name: "the type checker is not overruled: no any, as, !, or comment for the compiler",
    check: (file) => [...nodesOf(file).filter(overrulesTypes).map(quote), ...compilerComments(file)],
    broken: {
      "runtime/jsonrpc/a.ts": "export const a = (v: any): unknown => v;",
      "runtime/jsonrpc/b.ts": "export const a = (v: unknown): string => v as string;",
      "runtime/jsonrpc/c.ts": "export const a = (v?: string): string => v!;",
      "runtime/jsonrpc/d.ts": "export const a = (v: unknown): string => <string>v;",
      "runtime/jsonrpc/e.ts": "// @ts-expect-error\nexport const a: string = 1;",
      "runtime/jsonrpc/f.ts": "class A { a!: string }\nexport const a: A = new A();",
      "generated/2000-01-01/a.ts": "// eslint-disable-next-line\nexport const a = 1;",
    },
  },
  {
    name: "only syntax that can be erased: no enum, namespace, default export, decorator or parameter property",
    check: (file) => nodesOf(file).filter(isBanned).map(quote),
    broken: {
      "runtime/jsonrpc/a.ts": "export enum A { B }",
      "runtime/jsonrpc/b.ts": "export namespace A { export const b = 1; }",
      "runtime/jsonrpc/c.ts": "export default 1;",
      "runtime/jsonrpc/d.ts": "const a = 1;\nexport { a as default };",
      "runtime/jsonrpc/e.ts": "export class A { constructor(readonly b: string) {} }",
      "runtime/jsonrpc/f.ts": "@sealed export class A {}",
      "runtime/jsonrpc/g.ts": "export default function f(): void {}",
    },
  },
  {
    name: "members of tools that not every revision has are read together with the revision",
    check: (file) => (readsPeers(file) ? nodesOf(file).filter(readsConditionalMember).map(quote) : []),
    broken: {
      "runtime/client/a.ts": "export const a = (tool: { outputSchema?: object }) => tool.outputSchema;",
      "runtime/client/b.ts": 'export const a = (tool: object): unknown => Reflect.get(tool, "annotations");',
      "runtime/gateway/c.ts": "export const a = ({ execution }: { execution?: object }) => execution;",
    },
  },
  {
    name: "no file of more than 400 lines",
    check: (file) => {
      const lines = file.getFullText().split("\n").length - 1;
      return isIn(file, "generated") || lines <= 400 ? [] : [`${lines} lines`];
    },
    broken: { "runtime/jsonrpc/a.ts": "export const a = 1;\n".repeat(401) },
  },
  {
    name: "files are named in kebab-case, and imported with their extension",
    check: (file) => [
      ...(/^[a-z\d]+(-[a-z\d]+)*\.ts$/.test(file.getBaseName()) ? [] : [file.getBaseName()]),
      ...specifiersOf(file).filter((specifier) => specifier.startsWith(".") && !specifier.endsWith(".ts")),
    ],
    broken: { "runtime/jsonrpc/aB.ts": "export const a = 1;", "runtime/jsonrpc/b.ts": 'import "./a.js";' },
  },
  {
    name: "every export of hand-written code says what it is",
    check: (file) => (isIn(file, "generated") ? [] : undocumented(file)),
    broken: {
      "runtime/jsonrpc/a.ts": "export interface A {}",
      "runtime/jsonrpc/b.ts": "const b = 1;\nexport { b };",
      "generator/a.ts": "export const a = 1;",
    },
  },
];

describe.each(rules)("$name", ({ check, broken }) => {
  it("the rule holds in every file", () => {
    expect(files.flatMap((file) => check(file).map((problem) => `${pathOf(file)}: ${problem}`))).toEqual([]);
  });

  it.each(Object.entries(broken))("the rule does not hold in %s", (path, text) => {
    const file = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true }).createSourceFile(
      `${process.cwd()}/${path}`,
      text,
    );
    expect(check(file)).not.toEqual([]);
  });
});

describe("imports of the runtime", () => {
  const runtime = files.filter((file) => isIn(file, "runtime"));

  it("modules of the runtime import values without circles", () => {
    expect(findCircles(runtime, readValues)).toEqual([]);
  });

  it("modules of the runtime have at most five circles of types, none of them in the layers below the roles", () => {
    const circles = findCircles(runtime, specifiersOf);
    expect(circles.length).toBeLessThanOrEqual(5);
    expect(circles.flat().filter((path) => !/^runtime\/(server|client)\//.test(path))).toEqual([]);
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
    expect(findCircles(sources, readValues)).toEqual([values]);
    expect(findCircles(sources, specifiersOf)).toEqual([values, types]);
  });
});

describe("3. each library is spoken to by one file", () => {
  it.each([...singleImporters, "oauth4webapi", "re2js"])("one file imports %s", (library) => {
    const importers = files.filter((file) => specifiersOf(file).some((specifier) => packageOf(specifier) === library));
    expect(importers.filter((file) => isIn(file, "generator")).map(pathOf).length).toBeLessThanOrEqual(1);
    expect(importers.filter((file) => isIn(file, "runtime")).map(pathOf).length).toBeLessThanOrEqual(1);
  });
});

describe("the command line", () => {
  it("the command line loads no command before it runs", () => {
    const cli = files.find((file) => pathOf(file) === "generator/cli.ts");
    const imports = cli?.compilerNode.statements
      .filter(ts.isImportDeclaration)
      .flatMap(({ moduleSpecifier }) => readSpecifier(moduleSpecifier));
    // Definitions of commands, which import types only.
    expect(imports?.sort()).toEqual([
      "./commands/create-command.ts",
      "./commands/project-commands.ts",
      "./commands/server-commands.ts",
      "./commands/spec-commands.ts",
      "./commands/usage.ts",
      "./internal/package-info.ts",
      "./internal/user-error.ts",
      "yargs",
      "yargs/helpers",
    ]);
  });
});

test("no folder of the runtime has more than 25 files", () => {
  const sizes = new Map<string, number>();
  for (const file of files.filter((candidate) => isIn(candidate, "runtime"))) {
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
      "templates/support.ts",
      "generated/support.ts",
    ])
      expect(rooms).toContain(room);
    expect([...rooms].filter((room) => room.startsWith("runtime/")).length).toBeGreaterThan(6);
  });
});

/** True if a file has to do with what a server sent. */
function readsPeers(file: SourceFile): boolean {
  return ["client", "gateway", "tasks", "rpc"].some((room) => isIn(file, `runtime/${room}`));
}

const conditionalMembers: ReadonlySet<string> = new Set(["annotations", "execution", "outputSchema"]);

/** Skips names with a leading underscore: they are taken out of an object only to be dropped. */
function readsConditionalMember(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return conditionalMembers.has(node.name.text);
  if (ts.isBindingElement(node)) {
    const isLeftOut = ts.isIdentifier(node.name) && node.name.text.startsWith("_");
    return !isLeftOut && conditionalMembers.has((node.propertyName ?? node.name).getText());
  }
  return (
    ts.isCallExpression(node) && node.arguments.some((a) => ts.isStringLiteral(a) && conditionalMembers.has(a.text))
  );
}

function pathOf(file: SourceFile): string {
  return relative(process.cwd(), file.getFilePath());
}

function isIn(file: SourceFile, room: string): boolean {
  return pathOf(file).startsWith(`${room}/`);
}

function quote(node: ts.Node): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `line ${line + 1}: ${node.getText().split("\n", 1)[0]?.slice(0, 100)}`;
}

/** Every rule walks every file: once is enough to take it apart. The compiler's own nodes are much cheaper than wrapped ones. */
const nodes = new WeakMap<SourceFile, readonly ts.Node[]>();

function nodesOf(file: SourceFile): readonly ts.Node[] {
  const known = nodes.get(file);
  if (known) return known;
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file.compilerNode, visit);
  nodes.set(file, found);
  return found;
}

const specifiers = new WeakMap<SourceFile, readonly string[]>();

/** Everything that a file imports, re-exports, or loads while it runs. */
function specifiersOf(file: SourceFile): readonly string[] {
  const found = specifiers.get(file) ?? readSpecifiers(file);
  specifiers.set(file, found);
  return found;
}

function readSpecifiers(file: SourceFile): string[] {
  return nodesOf(file).flatMap((node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return readSpecifier(node.moduleSpecifier);
    if (ts.isImportTypeNode(node)) return readSpecifier(ts.isLiteralTypeNode(node.argument) && node.argument.literal);
    const isLoading = ts.isCallExpression(node) && /^(import|createRequire\(.*\))$/.test(node.expression.getText());
    return isLoading ? [readSpecifier(node.arguments[0])[0] ?? "(computed)"] : [];
  });
}

/** Everything that a file loads when it starts: imports and re-exports of more than types. */
function readValues(file: SourceFile): readonly string[] {
  return nodesOf(file).flatMap((node) => {
    if (ts.isImportDeclaration(node)) return isOfTypes(node.importClause) ? [] : readSpecifier(node.moduleSpecifier);
    if (!ts.isExportDeclaration(node)) return [];
    const { exportClause: names } = node;
    const isOnlyTypes = names && ts.isNamedExports(names) && names.elements.every(({ isTypeOnly }) => isTypeOnly);
    return node.isTypeOnly || isOnlyTypes ? [] : readSpecifier(node.moduleSpecifier);
  });
}

function isOfTypes(clause: ts.ImportClause | undefined): boolean {
  if (!clause || clause.isTypeOnly) return clause !== undefined;
  const { name, namedBindings } = clause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

/** Returns the circles of files: each file of a circle leads to all others. Paths are sorted, and so are circles, by their first path. */
function findCircles(sources: readonly SourceFile[], read: (file: SourceFile) => readonly string[]): string[][] {
  const edges = new Map(sources.map((file) => [pathOf(file), read(file).map((target) => resolveFrom(file, target))]));
  const reached = new Map([...edges.keys()].map((path) => [path, reach(path, edges)]));
  const circles = [...edges.keys()].flatMap((path) => {
    const members = [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path));
    return members.includes(path) ? [members.sort()] : [];
  });
  return [...new Map(circles.map((members) => [members.join(), members])).values()].sort((one, other) =>
    (one[0] ?? "").localeCompare(other[0] ?? ""),
  );
}

/** Returns the files to which imports lead from a file; the file itself only if it is in a circle. */
function reach(path: string, edges: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const target of edges.get(next) ?? [])
      if (edges.has(target) && !found.has(target)) {
        found.add(target);
        open.push(target);
      }
  return found;
}

function resolveFrom(file: SourceFile, specifier: string): string {
  return specifier.startsWith(".") ? new URL(specifier, `file:///${pathOf(file)}`).pathname.slice(1) : specifier;
}

function readSpecifier(node: ts.Node | false | undefined): string[] {
  return node && ts.isStringLiteralLike(node) ? [node.text] : [];
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
      if (room === "extensions") return isAllowedInExtension(path, target);
      return (
        isSharedByGenerated(target) ||
        (room === "revisions.ts" ? target.startsWith("generated/") : target.startsWith(`generated/${room}/`))
      );
    case "generator":
      if (speaksToServers(path) && /^(runtime|generated)\//.test(target)) return true;
      // How a program is started safely on every platform, and ended, is written once.
      if (
        path === "generator/scaffold/create/run.ts" &&
        /^runtime\/transport\/stdio\/(command|process-tree)\.ts$/.test(target)
      )
        return true;
      // How long a pattern may take is judged by one piece of code, when a schema is read and when it is enforced.
      if (
        /^generator\/typed-client\/(tool-schema|contract)\//.test(path) &&
        /^runtime\/adapters\/(linear-pattern|pattern-syntax|re2-syntax|schema-patterns)\.ts$/.test(target)
      )
        return true;
      return (
        (target.startsWith("generator/") && isBelow(target.split("/")[1] ?? "", room)) ||
        target.startsWith("node:") ||
        generatorPackages.includes(packageOf(target)) ||
        (room === "commands" && runtimeEntries.includes(target))
      );
    case "runtime":
      return isAllowedInRuntime(path, room, target);
    default:
      return true;
  }
}

function isBelow(other: string, room: string): boolean {
  const [at, own] = [generatorRooms.indexOf(other), generatorRooms.indexOf(room)];
  return at >= 0 && at <= own;
}

/** Commands that speak to servers are clients: they stand on the runtime. What generates it never does. */
function speaksToServers(path: string): boolean {
  return /^generator\/(live|typed-client\/client|check)\/|^generator\/commands\/(client|check|diff)\.ts$/.test(path);
}

/** An extension uses types and checks of the core, and those of no other extension. */
function isAllowedInExtension(path: string, target: string): boolean {
  const own = path.split("/").slice(0, 3).join("/");
  return (
    target.startsWith(`${own}/`) ||
    target === "generated/support.ts" ||
    /^generated\/\d[^/]*\/(types|validate)\.ts$/.test(target)
  );
}

function isSharedByGenerated(target: string): boolean {
  return target === "generated/support.ts" || target === "generated/convert-support.ts";
}

function isAllowedInRuntime(path: string, room: string, target: string): boolean {
  if (isSharedByGenerated(target)) return true;
  // Entries of the package collect what belongs together for its users; no other file imports them.
  const isEntry = entries.includes(path) && !isolatedRooms.includes(room);
  if (/^runtime\/(.*\/)?index\.ts$/.test(target)) return false;
  // What serves an extension knows which: its methods are not those of every revision.
  if (target.startsWith("generated/extensions/"))
    return /^runtime\/server\/\w+\/[\w-]*feature\.ts$/.test(path) || path === "runtime/gateway/extensions.ts";
  if (target.startsWith("node:")) return !withoutNode.includes(room);
  // One program loads the module that a user names.
  if (target === "(computed)") return path === "runtime/gateway/serve-module.ts";
  const targetRoom = /^runtime\/([^/]+)\//.exec(target)?.[1];
  if (targetRoom === undefined)
    return isAdapter(path) && !target.startsWith("generated/") && !target.startsWith("generator/");
  if (isEntry) return !isolatedRooms.includes(targetRoom);
  return targetRoom === room || (runtimeRooms[room]?.includes(targetRoom) ?? false);
}

/** Adapters speak to a library that a user installs; the WebSocket server and authorization need some too. */
function isAdapter(path: string): boolean {
  return path.startsWith("runtime/adapters/") || speakers.includes(path);
}

/** Dates in code, and in comments unless they are part of a link to the clause. */
function dateLiterals(file: SourceFile): string[] {
  const date = /20\d\d-\d\d-\d\d/;
  const lines = file.getFullText().split("\n");
  return lines.filter((line) =>
    date.test(line.replace(/(@see|\() ?https:\/\/\S+|https:\/\/modelcontextprotocol\.io\/specification\/\S+/g, "")),
  );
}

function makesCode(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return readSpecifier(node.moduleSpecifier)[0] === "node:vm";
  if (ts.isNewExpression(node)) return isCodeMaker(node.expression);
  if (!ts.isCallExpression(node)) return false;
  const [first] = node.arguments;
  const isText = first !== undefined && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first));
  const isTimer = /^(globalThis\.)?set(Timeout|Interval)$/.test(node.expression.getText());
  return isCodeMaker(node.expression) || (isTimer && isText);
}

function isCodeMaker(expression: ts.Node): boolean {
  return /^((globalThis|window|self)\.)?(eval|Function)$/.test(expression.getText());
}

function printsToStdout(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /^console\.(log|info|debug|table|dir|group)$/.test(node.expression.getText());
}

/** Variables of a module. */
function variablesOf({ compilerNode }: SourceFile): ts.VariableDeclaration[] {
  return compilerNode.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
}

/** What is no constant, and collections that could grow: maps, sets and empty or exported lists that are not declared read only. A WeakMap is a cache. */
function isMutable({ parent, initializer, type }: ts.VariableDeclaration): boolean {
  if ((parent.flags & ts.NodeFlags.Const) === 0) return true;
  const isList =
    initializer !== undefined &&
    ts.isArrayLiteralExpression(initializer) &&
    (initializer.elements.length === 0 || isMarkedExported(parent.parent));
  const isCollection =
    initializer !== undefined &&
    ts.isNewExpression(initializer) &&
    /^(Map|Set|Array)$/.test(initializer.expression.getText());
  return (isList || isCollection) && !/readonly/i.test(type?.getText() ?? "");
}

function overrulesTypes(node: ts.Node): boolean {
  if (ts.isAsExpression(node)) return !isConst(node) && !isTheOneCast(node);
  if (node.kind === ts.SyntaxKind.AnyKeyword) return !isAnyOfSchema(node);
  if (ts.isPropertyDeclaration(node)) return node.exclamationToken !== undefined;
  return ts.isNonNullExpression(node) || ts.isTypeAssertionExpression(node);
}

function isConst(node: ts.AsExpression): boolean {
  return node.type.getText() === "const";
}

/** Behind the check of a row its type is known to people, not to the compiler: one commented place. */
function isTheOneCast(node: ts.Node): boolean {
  const file = files.find((candidate) => pathOf(candidate) === "runtime/protocol/peer/routes.ts");
  if (file?.compilerNode !== node.getSourceFile()) return false;
  const casts = nodesOf(file).filter((cast) => ts.isAsExpression(cast) && !isConst(cast));
  const { line } = file.compilerNode.getLineAndCharacterOfPosition(node.getStart());
  const before = file.getFullText().split("\n").slice(0, line).slice(-3).join("\n");
  return casts.length === 1 && /(\/\/|\*)/.test(before);
}

/** Types say `any` where the schema of the revision does, and nowhere else. */
function isAnyOfSchema(node: ts.Node): boolean {
  const { fileName, text } = node.getSourceFile();
  const revision = /^generated\/([^/]+)\/types\.ts$/.exec(relative(process.cwd(), fileName))?.[1];
  if (revision === undefined) return false;
  const count = (source: string): number =>
    source.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "").match(/\bany\b/g)?.length ?? 0;
  return count(text) === count(readFileSync(`spec/${revision}/schema.ts`, "utf8"));
}

function compilerComments(file: SourceFile): string[] {
  return file.getFullText().match(/(\/\/|\/\*)\s*(@ts-|eslint-|prettier-ignore|oxlint-|biome-).*/g) ?? [];
}

function isBanned(node: ts.Node): boolean {
  if (
    ts.isEnumDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isDecorator(node) ||
    ts.isExportAssignment(node) ||
    node.kind === ts.SyntaxKind.DefaultKeyword
  )
    return true;
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent);
  return ts.isExportSpecifier(node) && node.name.text === "default";
}

function undocumented({ compilerNode }: SourceFile): string[] {
  const later = new Set(
    compilerNode.statements.flatMap((statement) =>
      ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
        : [],
    ),
  );
  // Overloads of a function are documented at the first.
  const seen = new Set<string>();
  return compilerNode.statements.flatMap((statement) => {
    const names = namesOf(statement);
    const isRepeated = names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    const isExported = isMarkedExported(statement) || names.some((name) => later.has(name));
    const isDocumented = ts.getJSDocCommentsAndTags(statement).length > 0;
    return isExported && !isRepeated && !isDocumented ? [quote(statement)] : [];
  });
}

function isMarkedExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

/** What a statement declares. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isDeclaration =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isDeclaration && statement.name ? [statement.name.text] : [];
}
