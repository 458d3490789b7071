import type { Declaration, Shape, Tag, UnionShape } from "../model.ts";
import { resolveAlias, resolveObject, type Declared } from "../model/resolve.ts";
import { mapDeclaration } from "../model/shapes.ts";

type Value = string | number | boolean;

/** Possible values of a property in one member of a union. */
interface Values {
  readonly listed: readonly Value[];
  /** True if the property may be missing. */
  readonly optional: boolean;
}

/** Adds, to every union of objects, the literal property by which its members differ, if there is one. */
export function withTags(declarations: readonly Declaration[], model: Declared = { declarations }): Declaration[] {
  const addTag = (shape: Shape): Shape => {
    if (shape.kind !== "union") return shape;
    const tag = findTag(shape, model);
    return tag ? { ...shape, tag } : shape;
  };
  return declarations.map((declaration) => mapDeclaration(declaration, addTag));
}

function findTag(union: UnionShape, model: Declared): Tag | undefined {
  const [first] = union.of;
  const candidates = first ? literalProperties(first, model) : [];
  for (const property of candidates) {
    const values = union.of.map((member) => valuesOf(member, property, model));
    const known = values.filter((value) => value !== undefined);
    if (known.length !== values.length) continue;
    const tag = toTag(property, known);
    if (tag.cases.length > 1) return tag;
  }
  return undefined;
}

function literalProperties(shape: Shape, model: Declared): string[] {
  const target = resolveAlias(shape, model);
  if (target.kind === "union") return target.of[0] ? literalProperties(target.of[0], model) : [];
  const object = resolveObject(target, model);
  return object?.properties.map(({ name }) => name).filter((name) => valuesOf(target, name, model)) ?? [];
}

function valuesOf(shape: Shape, property: string, model: Declared): Values | undefined {
  const target = resolveAlias(shape, model);
  if (target.kind === "union") {
    const members = target.of.map((member) => valuesOf(member, property, model));
    const known = members.filter((member) => member !== undefined);
    if (known.length !== members.length) return undefined;
    return { listed: known.flatMap(({ listed }) => listed), optional: known.some(({ optional }) => optional) };
  }
  const found = resolveObject(target, model)?.properties.find(({ name }) => name === property);
  if (!found) return undefined;
  const literals = found.shape.kind === "union" && !found.shape.open ? found.shape.of : [found.shape];
  const listed = literals.flatMap((literal) => (literal.kind === "literal" ? [literal.value] : []));
  return listed.length === literals.length ? { listed, optional: found.optional } : undefined;
}

function toTag(property: string, values: readonly Values[]): Tag & { readonly kind: "literal" } {
  const members = new Map<Value, number[]>();
  const absent: number[] = [];
  values.forEach(({ listed, optional }, member) => {
    for (const value of new Set(listed)) members.set(value, [...(members.get(value) ?? []), member]);
    if (optional) absent.push(member);
  });
  const cases = [...members].map(([value, indexes]) => ({ value, members: indexes }));
  return { kind: "literal", property, cases, ...(absent.length > 0 && { absent }) };
}
