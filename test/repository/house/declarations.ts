import { ts, type SourceFile } from "ts-morph";
import { isMarkedExported, nodesOf } from "../architecture/nodes.ts";
import { isIn } from "../architecture/sources.ts";
import { atMost, partOf, type Figure } from "./figure.ts";
import { linesOf } from "./lines.ts";

/** Returns the figures of interfaces and functions of a folder. */
export function measureDeclarations(files: readonly SourceFile[], folder: string): Figure[] {
  const own = files.filter((file) => isIn(file, folder));
  const lines = own.reduce((sum, file) => sum + linesOf(file.getFullText()), 0);
  const { all, usedOnce, withOneClass, hosts } = readInterfaces(own);
  const functions = readFunctions(own);
  return [
    atMost(`${folder}: interfaces per 1,000 lines`, (all.length / lines) * 1_000, 8),
    partOf("interfaces", all.length),
    partOf("used once, in their own file", usedOnce.length),
    partOf("implemented by one class", withOneClass.length),
    partOf("called *Host", hosts.length),
    atMost(`${folder}: local functions called once, % of all`, (functions.calledOnce / functions.count) * 100, 25),
  ];
}

/** Reads the interfaces of files. Uses are found by name. */
export function readInterfaces(
  files: readonly SourceFile[],
): Readonly<Record<"all" | "usedOnce" | "withOneClass" | "hosts", readonly string[]>> {
  const uses = new Map<string, SourceFile[]>();
  const classes = new Map<string, number>();
  const declared: { readonly name: string; readonly file: SourceFile }[] = [];
  for (const file of files) {
    for (const node of nodesOf(file)) {
      if (ts.isInterfaceDeclaration(node)) declared.push({ name: node.name.text, file });
      if (ts.isIdentifier(node) && !isDeclared(node)) uses.set(node.text, [...(uses.get(node.text) ?? []), file]);
      for (const name of implementedBy(node)) classes.set(name, (classes.get(name) ?? 0) + 1);
    }
  }
  const isUsedOnce = ({ name, file }: (typeof declared)[number]): boolean => {
    const users = uses.get(name) ?? [];
    return users.length === 1 && users[0] === file;
  };
  const all = declared.map(({ name }) => name);
  return {
    all,
    usedOnce: declared.filter(isUsedOnce).map(({ name }) => name),
    withOneClass: all.filter((name) => classes.get(name) === 1),
    hosts: all.filter((name) => name.endsWith("Host")),
  };
}

/** Counts the functions of files, and the local ones with a single call. */
export function readFunctions(files: readonly SourceFile[]): { readonly count: number; readonly calledOnce: number } {
  const found = files.map((file) => {
    const nodes = nodesOf(file);
    const functions = nodes.filter(ts.isFunctionDeclaration);
    const uses = nodes.filter(ts.isIdentifier).filter((node) => !isDeclared(node));
    const once = functions
      .filter((node) => !isMarkedExported(node))
      .filter(({ name }) => uses.filter(({ text }) => text === name?.text).length === 1);
    return { count: functions.length, calledOnce: once.length };
  });
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    calledOnce: found.reduce((sum, { calledOnce }) => sum + calledOnce, 0),
  };
}

/** True for the name in a declaration. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isInterfaceDeclaration(parent) || ts.isFunctionDeclaration(parent)) && parent.name === node;
}

function implementedBy(node: ts.Node): string[] {
  if (!ts.isClassDeclaration(node)) return [];
  const clauses = node.heritageClauses?.filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword) ?? [];
  return clauses.flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
}
