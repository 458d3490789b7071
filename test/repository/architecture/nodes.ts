import { ts, type SourceFile } from "ts-morph";

/** Nodes of each file, collected once because several rules read them. The compiler's own nodes are much cheaper than wrapped ones. */
const nodes = new WeakMap<SourceFile, readonly ts.Node[]>();

/** Returns all nodes of a file. */
export function nodesOf(file: SourceFile): readonly ts.Node[] {
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

/** True if a statement has the keyword `export`. */
export function isMarkedExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}
