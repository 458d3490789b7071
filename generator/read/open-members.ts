import type { Property, Shape } from "../model.ts";
import { resolveObjectIn } from "../model/resolve.ts";
import { SpecError } from "../internal/spec-error.ts";
import { readName, readProperty } from "./members.ts";
import { locationOf, ts } from "./syntax.ts";
import type { NamedStatements, TypeContext } from "./type-context.ts";
import { readBases } from "./type-reference.ts";

/** Members of types while they are read. */
export interface OpenMembers {
  /** Members by type and name, once they are read. */
  readonly known: Map<string, Property>;
  /** Members while they are read. */
  readonly open: Set<string>;
}

/** Maximum number of members waiting for each other while they are read. Each takes a part of the call stack. */
const openLimit = 10;

/** True while the declaration of a type, or of one of its parts, is read. Such a type cannot be resolved yet. */
export function isOpen(context: TypeContext, shape: Shape, seen: readonly string[] = []): boolean {
  const { file } = context;
  if (shape.kind === "omit") return isOpen(context, shape.base, seen);
  if (shape.kind !== "reference" || seen.includes(shape.name)) return false;
  if (file.findOpen(shape.name)) return true;
  const declaration = file.declarations.get(shape.name);
  const parts = declaration?.kind === "interface" ? declaration.extends : declaration ? [declaration.shape] : [];
  return parts.some((part) => isOpen(context, part, [...seen, shape.name]));
}

/**
 * Finds one member of such a type, and reads nothing else: `interface A { id: string; next: A["id"] }`. Returns `undefined` where only the whole type
 * shows the member: a member of several bases, or an index.
 *
 * @throws {SpecError} when the member is defined by itself
 */
export function findOpenMember(context: TypeContext, shape: Shape, name: string): Property | undefined {
  const { file } = context;
  if (shape.kind === "omit") return shape.keys.includes(name) ? undefined : findOpenMember(context, shape.base, name);
  const inside = shape.kind === "reference" ? file.findOpen(shape.name) : undefined;
  if (inside && shape.kind === "reference") return readOnce(inside, shape.name, name);
  const declaration = shape.kind === "reference" ? file.declarations.get(shape.name) : undefined;
  if (declaration?.kind === "alias") return findOpenMember(context, declaration.shape, name);
  const own = declaration ? declaration.shape : resolveObjectIn(shape, file.declarations);
  const found = own?.kind === "object" ? own.properties.find((property) => property.name === name) : undefined;
  return found ?? findInherited(context, declaration?.extends ?? [], name);
}

/** A declaration while it is read, with the place to read its members in. */
export interface OpenDeclaration {
  readonly context: TypeContext;
  readonly statements: NamedStatements["statements"];
}

function readOnce({ context, statements }: OpenDeclaration, type: string, name: string): Property | undefined {
  const { known, open } = context.file.openMembers;
  const key = `${type}.${name}`;
  const before = known.get(key);
  if (before) return before;
  const interfaces = statements.filter(ts.isInterfaceDeclaration);
  const own = interfaces
    .flatMap(({ members }) => members.filter(ts.isPropertySignature))
    .find((member) => readName(context, member.name) === name);
  if (open.has(key) || open.size >= openLimit) {
    const problem = open.has(key) ? "is defined by itself" : `needs more than ${openLimit} other members`;
    throw new SpecError({ file: context.path, ...locationOf(own ?? statements[0]), text: `\`${key}\` ${problem}` });
  }
  open.add(key);
  const bases = own ? [] : interfaces.flatMap((statement) => readBases(context, statement).map(({ shape }) => shape));
  const found = own ? readProperty(context, own) : findInherited(context, bases, name);
  open.delete(key);
  if (found) known.set(key, found);
  return found;
}

function findInherited(context: TypeContext, bases: readonly Shape[], name: string): Property | undefined {
  const [found, ...others] = bases.flatMap((base) => findOpenMember(context, base, name) ?? []);
  return others.length > 0 ? undefined : found;
}
