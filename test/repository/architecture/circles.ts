import type { SourceFile } from "ts-morph";
import { pathOf, resolveFrom, specifiersOf } from "./sources.ts";

/** Returns the circles of files, by imports of values and of types: each file of a circle leads to all others. Paths are sorted, and so are circles, by their first path. */
export function findCircles(sources: readonly SourceFile[]): string[][] {
  const edges = new Map(
    sources.map((file) => [pathOf(file), specifiersOf(file).map((target) => resolveFrom(pathOf(file), target))]),
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
