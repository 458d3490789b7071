import type { ObjectShape, Property, Shape } from "../model.ts";
import { SpecError } from "../internal/spec-error.ts";
import { constrain } from "./constrain.ts";
import { readComment } from "./doc-comment.ts";
import { locationOf, plainName, reject, ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { includesUndefined, withoutUndefined } from "./unions.ts";

/** Reads the members of an interface or of an inline object type. */
export function readMembers(context: TypeContext, members: ts.NodeArray<ts.TypeElement>): ObjectShape {
  const properties: Property[] = [];
  let index: Shape | undefined;
  for (const member of members) {
    if (ts.isPropertySignature(member)) {
      properties.push(readProperty(context, member));
      continue;
    }
    if (index !== undefined || !ts.isIndexSignatureDeclaration(member))
      throw reject(context.path, member, "unexpected member");
    index = readIndex(context, member);
  }
  rejectDuplicates(context.path, properties);
  return { kind: "object", properties, ...(index && { index }) };
}

/** Reads one member. */
export function readProperty(context: TypeContext, member: ts.PropertySignature): Property {
  const { path } = context;
  rejectModifiers(path, member);
  const name = readName(context, member.name);
  if (name === undefined) throw reject(path, member, "expected a plain property name, or a constant in brackets");
  // Reading a property of this name yields the prototype even if the property is absent.
  if (name === "__proto__") throw reject(path, member, "a property of this name cannot be checked");
  // The parser accepts a value here, although it is not valid TypeScript.
  if ("initializer" in member && member.initializer) throw reject(path, member, "a property of a type has no value");
  if (!member.type) throw reject(path, member, "expected a type after the property name");
  const { doc, tags } = readComment(path, member);
  const type = context.read(context, member.type);
  const shape = constrain(context, member.type, { shape: withoutUndefined(type), tags });
  // No message has a value of the type `never`, even if the property is not marked as optional.
  const optional = member.questionToken !== undefined || includesUndefined(type) || shape.kind === "never";
  return { name, optional, shape, ...(doc && { doc }), location: locationOf(member) };
}

/** Returns the name of a member, also one of a constant. */
export function readName({ file }: TypeContext, name: ts.PropertyName): string | undefined {
  if (!ts.isComputedPropertyName(name)) return plainName(name);
  const value = file.constants.get(name.expression.getText())?.value;
  return typeof value === "string" ? value : undefined;
}

function readIndex(context: TypeContext, member: ts.IndexSignatureDeclaration): Shape {
  const [key, ...others] = member.parameters;
  const type: ts.TypeNode | undefined = member.type;
  if (key?.type?.kind !== ts.SyntaxKind.StringKeyword || others.length > 0 || !type)
    throw reject(context.path, member, "expected an index signature with string keys and a type");
  rejectModifiers(context.path, member);
  return withoutUndefined(context.read(context, type));
}

/** `readonly` says nothing about a message. */
function rejectModifiers(path: string, member: ts.PropertySignature | ts.IndexSignatureDeclaration): void {
  const other = member.modifiers?.find(({ kind }) => kind !== ts.SyntaxKind.ReadonlyKeyword);
  if (other) throw reject(path, member, "expected no modifier but `readonly`");
}

/** @throws {SpecError} when two have the same name. */
export function rejectDuplicates(path: string, named: readonly Pick<Property, "name" | "location">[]): void {
  const seen = new Set<string>();
  for (const { name, location } of named) {
    if (seen.has(name)) throw new SpecError({ file: path, ...location, text: `\`${name}\` is declared twice` });
    seen.add(name);
  }
}
