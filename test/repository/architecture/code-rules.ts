import { readFileSync } from "node:fs";
import { ts, type SourceFile } from "ts-morph";
import { isMarkedExported, nodesOf } from "./nodes.ts";
import { isOfRuntime } from "./rooms.ts";
import type { Rule } from "./rule.ts";
import { isIn, pathOf, quote, readSpecifier } from "./sources.ts";

/** Rules for statements and expressions. */
export const codeRules: readonly Rule[] = [
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
    name: "the compiler and the linter are not overruled by a comment",
    check: (file) => file.getFullText().match(/(\/\/|\/\*)\s*(@ts-|eslint-|prettier-ignore|oxlint-|biome-).*/g) ?? [],
    broken: {
      "runtime/jsonrpc/a.ts": "// @ts-expect-error\nexport const a: string = 1;",
      "generated/2000-01-01/a.ts": "// eslint-disable-next-line\nexport const a = 1;",
    },
  },
  {
    name: "the types of a revision have as many `any` as its schema",
    check: (file) => (hasAnyOfSchema(file) ? [] : ["any"]),
    broken: { "generated/2025-11-25/types.ts": "export type A = any;" },
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

/** True for files outside of the runtime, and for its module of timers. */
function startsTimers(file: SourceFile): boolean {
  return !isOfRuntime(pathOf(file)) || pathOf(file) === "runtime/internal/timers.ts";
}

function startsTimer(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return /^node:timers/.test(readSpecifier(node.moduleSpecifier)[0] ?? "");
  if (!ts.isCallExpression(node)) return false;
  return /^(globalThis\.)?(set(Timeout|Interval)|AbortSignal\.timeout)$/.test(node.expression.getText());
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

/** False for types of a revision with more or fewer `any` than its schema. */
function hasAnyOfSchema(file: SourceFile): boolean {
  const revision = /^generated\/(\d[^/]+)\/types\.ts$/.exec(pathOf(file))?.[1];
  if (revision === undefined) return true;
  const count = (source: string): number =>
    source.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "").match(/\bany\b/g)?.length ?? 0;
  return count(file.getFullText()) === count(readFileSync(`spec/${revision}/schema.ts`, "utf8"));
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
