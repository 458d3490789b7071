import type { Declaration, ReferenceShape, Shape } from "../model.ts";
import { shapeKey } from "../model/shapes.ts";
import { readComment } from "./doc-comment.ts";
import { locationOf, reject, ts } from "./syntax.ts";
import type { OpenDeclaration } from "./open-members.ts";
import type { DeclarationStatement, TypeContext } from "./type-context.ts";
import { includesUndefined } from "./unions.ts";
import { capitalize } from "../internal/text.ts";
import { uniqueName } from "../internal/unique-name.ts";

/** A generic type with types for its parameters. */
export interface Instance {
  readonly name: string;
  readonly statement: DeclarationStatement;
  readonly types: readonly Shape[];
  /** Place inside of the generic type, where its parameters have these types. */
  readonly context: TypeContext;
  /** Reads its shape. */
  readonly read: () => Shape;
}

/** Instances of generic types. */
export interface Instances {
  /**
   * Returns the shape of an instance. An instance that contains itself becomes a declaration, once for the same types.
   *
   * @throws {SpecError} when it contains ever larger types
   */
  readonly instantiate: (node: ts.Node, instance: Instance) => Shape;
  /** Returns the names of the declarations made of a generic type. */
  readonly namesOf: (generic: string) => readonly string[];
}

/** Names in the file, where the new declarations are added. */
export interface NewNames {
  readonly isTaken: (name: string) => boolean;
  /** Adds the name of a declaration while it is read. Until it is finished, nothing can be looked up in it. */
  readonly begin: (name: string, declaration: OpenDeclaration) => void;
  readonly finish: (declaration: Declaration) => void;
}

/** An instance while it is read. It gets a name when it contains itself. */
interface OpenInstance {
  readonly generic: string;
  readonly key: string;
  name?: string;
}

/** As many larger types inside each other are a series without an end. */
const growthLimit = 5;

/** Creates the instances of the generic types of a file. */
export function createInstances(path: string, names: NewNames): Instances {
  const open: OpenInstance[] = [];
  const known = new Map<string, string>();
  const byGeneric = new Map<string, readonly string[]>();
  const nameOpen = (instance: OpenInstance, { name, statement, types, context }: Instance): ReferenceShape => {
    if (instance.name === undefined) {
      // The name of the generic type itself is always taken.
      instance.name = uniqueName(nameFor(name, types), names.isTaken);
      names.begin(instance.name, { context, statements: [statement] });
      byGeneric.set(name, [...(byGeneric.get(name) ?? []), instance.name]);
    }
    return { kind: "reference", name: instance.name };
  };
  const instantiate: Instances["instantiate"] = (node, instance) => {
    const { name, statement, types } = instance;
    const key = `${name} ${types.map(keyOf).join()}`;
    const done = known.get(key);
    if (done !== undefined) return { kind: "reference", name: done };
    const itself = open.find((other) => other.key === key);
    if (itself) return nameOpen(itself, instance);
    if (isGrowing([...open.filter(({ generic }) => generic === name).map((other) => other.key), key]))
      throw reject(path, node, `\`${name}\` contains itself with ever larger types; write its own type parameters`);
    const own: OpenInstance = { generic: name, key };
    open.push(own);
    const shape = instance.read();
    open.pop();
    if (own.name === undefined) return shape;
    known.set(key, own.name);
    const { doc } = readComment(path, statement);
    const kind = ts.isInterfaceDeclaration(statement) ? "interface" : "alias";
    names.finish({
      name: own.name,
      kind,
      extends: [],
      shape,
      ...(doc && { doc }),
      location: locationOf(statement),
    });
    return { kind: "reference", name: own.name };
  };
  return { instantiate, namesOf: (generic) => byGeneric.get(generic) ?? [] };
}

/** `undefined` and `never` are different types of one shape. */
function keyOf(shape: Shape): string {
  return `${includesUndefined(shape) ? "undefined|" : ""}${shapeKey(shape)}`;
}

function isGrowing(keys: readonly string[]): boolean {
  const last = keys.slice(-growthLimit);
  return last.length === growthLimit && last.every((key, at) => at === 0 || key.length > (last[at - 1]?.length ?? 0));
}

/** Returns `TreeOfString` for `Tree<string>`. Types without a short name leave the name of the generic type. */
function nameFor(name: string, types: readonly Shape[]): string {
  const parts = types.map(shortName);
  return parts.includes(undefined) ? name : `${name}Of${parts.join("And")}`;
}

function shortName(shape: Shape): string | undefined {
  if (shape.kind === "reference") return shape.name;
  if (shape.kind === "array" && !shape.prefix) {
    const items = shortName(shape.items);
    return items === undefined ? undefined : `${items}List`;
  }
  if (shape.kind === "literal")
    return /^[A-Za-z]\w*$/.test(String(shape.value)) ? capitalize(String(shape.value)) : undefined;
  return Object.keys(shape).length === 1 ? capitalize(shape.kind) : undefined;
}
