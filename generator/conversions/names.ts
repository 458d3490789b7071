import type { Declaration, Shape } from "../model.ts";
import type { Newer } from "./difference.ts";
import { declarationsByName } from "../model/resolve.ts";

/** Returns the names of a shape: its own name if it is declared, otherwise the names of the place where it is written. */
export function namesOf(shape: Shape, place: readonly string[]): readonly string[] {
  return shape.kind === "reference" ? [shape.name] : place;
}

/** Returns the names of a member: qualified by its type first, then by each base that declares it as well. */
export function memberNames({ model, names }: Newer, member: string): string[] {
  const declared = declarationsByName(model);
  const types = names.flatMap((name) =>
    lineage(name, declared).filter((type) => type === name || declares(type, member, declared)),
  );
  return [...new Set(types)].map((type) => `${type}.${member}`);
}

/** Returns a type followed by everything it extends or is an alias of, the nearest first. */
function lineage(name: string, declared: ReadonlyMap<string, Declaration>): string[] {
  const declaration = declared.get(name);
  if (!declaration) return [name];
  const alias = declaration.kind === "alias" ? partsOf(declaration.shape) : [];
  const bases = declaration.extends.map((base) => (base.kind === "omit" ? base.base.name : base.name));
  return [name, ...[...bases, ...alias].flatMap((base) => lineage(base, declared))];
}

/** Returns the names of the declarations of which an alias is composed. */
function partsOf(shape: Shape): string[] {
  if (shape.kind === "reference") return [shape.name];
  return shape.kind === "intersection" ? shape.of.flatMap(partsOf) : [];
}

function declares(type: string, member: string, declared: ReadonlyMap<string, Declaration>): boolean {
  const shape = declared.get(type)?.shape;
  return shape?.kind === "object" && shape.properties.some(({ name }) => name === member);
}
