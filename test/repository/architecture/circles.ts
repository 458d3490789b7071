import { ts, type SourceFile } from "ts-morph";
import { nodesOf } from "./nodes.ts";
import { pathOf, readSpecifier, resolveFrom } from "./sources.ts";

/** Returns the specifiers of everything that a file loads when it starts: imports and re-exports of more than types. */
export function readValues(file: SourceFile): readonly string[] {
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
export function findCircles(sources: readonly SourceFile[], read: (file: SourceFile) => readonly string[]): string[][] {
  const edges = new Map(
    sources.map((file) => [pathOf(file), read(file).map((target) => resolveFrom(pathOf(file), target))]),
  );
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
