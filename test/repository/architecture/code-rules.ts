import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { ts, type SourceFile } from "ts-morph";
import { isMarkedExported, nodesOf } from "./nodes.ts";
import type { Rule } from "./rule.ts";
import { files, isIn, pathOf, quote, readSpecifier } from "./sources.ts";

/** Rules for statements and expressions. */
export const codeRules: readonly Rule[] = [
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
    name: "timers of the runtime are started in one module, which takes any number of milliseconds",
    check: (file) => (startsTimers(file) ? [] : nodesOf(file).filter(startsTimer).map(quote)),
    broken: {
      "runtime/jsonrpc/a.ts": "export const a = (run: () => void, ms: number): unknown => setTimeout(run, ms);",
      "runtime/jsonrpc/b.ts": "export const b = (run: () => void): unknown => globalThis.setInterval(run, 1);",
      "runtime/jsonrpc/c.ts": "export const c = (ms: number): AbortSignal => AbortSignal.timeout(ms);",
      "runtime/jsonrpc/d.ts": 'import { setTimeout as delay } from "node:timers/promises";\nexport const d = delay;',
    },
  },
  {
    name: "no `URL.canParse`, which is wrong in Node 20 and 22 once it is optimized",
    check: (file) =>
      // The page runs in browsers.
      isIn(file, "generator/inspect/page") ? [] : nodesOf(file).filter(testsUrl).map(quote),
    broken: { "runtime/jsonrpc/a.ts": "export const a = (text: string): boolean => URL.canParse(text);" },
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
];

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

/** True for files outside of the runtime, and for its module of timers. */
function startsTimers(file: SourceFile): boolean {
  return !isIn(file, "runtime") || pathOf(file) === "runtime/internal/timers.ts";
}

function startsTimer(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return /^node:timers/.test(readSpecifier(node.moduleSpecifier)[0] ?? "");
  if (!ts.isCallExpression(node)) return false;
  return /^(globalThis\.)?(set(Timeout|Interval)|AbortSignal\.timeout)$/.test(node.expression.getText());
}

function testsUrl(node: ts.Node): boolean {
  return ts.isCallExpression(node) && node.expression.getText() === "URL.canParse";
}

/** Returns the variables of a module. */
function variablesOf({ compilerNode }: SourceFile): ts.VariableDeclaration[] {
  return compilerNode.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
}

/** True for variables that are not constant, and for collections that could grow: maps, sets and empty or exported lists that are not declared read only. A WeakMap is a cache. */
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

/** True for the only cast of the runtime, which has a comment: the compiler cannot know the type behind the check of a row. */
function isTheOneCast(node: ts.Node): boolean {
  const file = files.find((candidate) => pathOf(candidate) === "runtime/protocol/peer/routes.ts");
  if (file?.compilerNode !== node.getSourceFile()) return false;
  const casts = nodesOf(file).filter((cast) => ts.isAsExpression(cast) && !isConst(cast));
  const { line } = file.compilerNode.getLineAndCharacterOfPosition(node.getStart());
  const before = file.getFullText().split("\n").slice(0, line).slice(-3).join("\n");
  return casts.length === 1 && /(\/\/|\*)/.test(before);
}

/** True for `any` in types of a revision that has as many of them as its schema. */
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

/** True for files that read what a server sent. */
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
