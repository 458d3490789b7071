import { ts } from "../../read/syntax.ts";

/** Returns both sides of `a.b`, as a type or as an expression; none for other nodes. */
export function sidesOf(name: ts.Node): { readonly left?: ts.Node; readonly right?: ts.Identifier } {
  if (ts.isQualifiedName(name)) return { left: name.left, right: name.right };
  if (!ts.isPropertyAccessExpression(name) || !ts.isIdentifier(name.name)) return {};
  return { left: name.expression, right: name.name };
}

/** True if a clause lists interfaces, whose names are parsed as expressions: those of an interface or a class. The base of a class is a value. */
export function hasInterfaces({ token, parent }: ts.HeritageClause): boolean {
  return token === ts.SyntaxKind.ImplementsKeyword || ts.isInterfaceDeclaration(parent);
}
