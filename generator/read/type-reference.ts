import type { Shape } from "../model.ts";
import { override } from "../model/resolve.ts";
import { constrain } from "./constrain.ts";
import { readComment } from "./doc-comment.ts";
import { readEnumMember } from "./enum.ts";
import { toObject } from "./keyed-types.ts";
import { reject, ts } from "./syntax.ts";
import type { DeclarationStatement, NamedStatements, TypeContext } from "./type-context.ts";
import { readUtility } from "./utility-types.ts";

/** Type expression with a name: of a type, of a base of an interface, or of a utility type. */
type NamedNode = ts.TypeReferenceNode | ts.ExpressionWithTypeArguments;

/** Reads a name with its type arguments. Names of the file hide the utility types of TypeScript. */
export function readReference(context: TypeContext, node: NamedNode, nameNode: ts.Node): Shape {
  const parts = nameParts(nameNode);
  if (!parts) throw reject(context.path, node, "expected the name of a type");
  const [name = "", ...others] = parts;
  const { file, namespaces } = context;
  const parameter = others.length === 0 ? context.parameters.get(name) : undefined;
  if (parameter) return parameter;
  const declared = file.find(parts, namespaces);
  if (declared) return readDeclared(context, node, declared);
  const imported = others.length === 0 ? file.imports.get(name) : undefined;
  if (imported !== undefined) return { kind: "reference", name: imported };
  const member = others.length > 0 ? readEnumMember(context, parts) : undefined;
  if (member) return member;
  const types = (node.typeArguments ?? []).map((argument) => context.read(context, argument));
  const made = others.length === 0 ? readUtility(context, node, { name, types }) : undefined;
  if (made) return made;
  const isGeneric = node.typeArguments !== undefined;
  const problem = isGeneric
    ? "is neither a generic type of this file nor a utility type of messages"
    : "is not declared by this file";
  throw reject(context.path, node, `\`${parts.join(".")}\` ${problem}`);
}

/** Returns the parts of a name, which may be qualified: `ns.Type`. */
export function nameParts(node: ts.Node): readonly string[] | undefined {
  if (ts.isIdentifier(node)) return [node.text];
  const [left, right] = ts.isQualifiedName(node)
    ? [node.left, node.right]
    : ts.isPropertyAccessExpression(node)
      ? [node.expression, node.name]
      : [];
  const before = left && nameParts(left);
  return before && right && ts.isIdentifier(right) ? [...before, right.text] : undefined;
}

function readDeclared(context: TypeContext, node: NamedNode, { name, namespaces, statements }: NamedStatements): Shape {
  const [statement] = statements;
  const parameters = typeParametersOf(statement);
  if (parameters.length === 0 && !node.typeArguments) return { kind: "reference", name };
  const given = node.typeArguments ?? [];
  if (given.length > parameters.length) throw reject(context.path, node, `\`${name}\` has fewer type parameters`);
  const types = new Map<string, Shape>();
  const inside: TypeContext = { ...context, namespaces, parameters: types, depth: context.depth + 1 };
  for (const [at, parameter] of parameters.entries()) {
    const own = given[at];
    const shape = own ? context.read(context, own) : parameter.default && context.read(inside, parameter.default);
    if (!shape)
      throw reject(context.path, node, `\`${name}\` has a type parameter \`${parameter.name.text}\` without a type`);
    types.set(parameter.name.text, shape);
  }
  return context.file.instantiate(node, {
    name,
    statement,
    types: [...types.values()],
    context: inside,
    read: () => readInstance(inside, statement),
  });
}

/** Returns the type parameters of a declaration. */
export function typeParametersOf(statement: DeclarationStatement): readonly ts.TypeParameterDeclaration[] {
  return ts.isEnumDeclaration(statement) ? [] : (statement.typeParameters ?? []);
}

/** Reads a generic type with the types of its parameters. */
function readInstance(context: TypeContext, statement: DeclarationStatement): Shape {
  const { tags } = readComment(context.path, statement);
  if (ts.isTypeAliasDeclaration(statement))
    return constrain(context, statement.type, { shape: context.read(context, statement.type), tags });
  if (ts.isEnumDeclaration(statement)) throw reject(context.path, statement, "an enum has no type parameters");
  return readBases(context, statement).reduceRight(
    (own, { node, shape }) => override(toObject(context, node, shape), own),
    context.readMembers(context, statement.members),
  );
}

/** Reads the bases of an interface. */
export function readBases(
  context: TypeContext,
  declaration: ts.InterfaceDeclaration,
): readonly { readonly node: ts.ExpressionWithTypeArguments; readonly shape: Shape }[] {
  const clauses = declaration.heritageClauses ?? [];
  const stranger = clauses.find((clause, at) => at > 0 || clause.token !== ts.SyntaxKind.ExtendsKeyword);
  if (stranger) throw reject(context.path, stranger, "an interface has one `extends` and nothing else");
  return clauses.flatMap(({ types }) => types.map((node) => ({ node, shape: context.read(context, node) })));
}
