import type { Declaration, ObjectShape, Property, Shape, Tag, UnionShape } from "../model.ts";
import type { DeclarationOverlay, ExtensionOverlay, Overlay, TagOverlay } from "../model/overlay.ts";
import { resolveObject } from "../model/resolve.ts";
import { mapDeclaration, mapShape, minimumOf, shapeKey } from "../model/shapes.ts";
import { SpecError } from "../internal/spec-error.ts";
import { isNotification } from "./methods.ts";

/** Entries of an overlay that change declarations. */
export type AppliedOverlay = DeclarationOverlay &
  Pick<ExtensionOverlay, "unchecked"> &
  Pick<Overlay, "nulls" | "minimums">;

/**
 * Returns the declarations with all type rules of the overlay applied. Every name in the rules must resolve.
 *
 * @throws {SpecError} when a name does not resolve.
 */
export function applyOverlay(
  declarations: readonly Declaration[],
  overlay: AppliedOverlay,
  path: string,
): Declaration[] {
  const editor = createEditor(declarations, path);
  for (const method of overlay.mergeMeta?.methods ?? []) mergeMeta(editor, method);
  for (const { at } of overlay.integers ?? []) editor.edit(at, toInteger);
  for (const { at } of overlay.openObjects ?? []) editor.edit(at, toOpen);
  for (const { at } of overlay.unchecked ?? []) editor.edit(at, toUnchecked);
  for (const { at, absentMeans } of overlay.tolerances ?? [])
    editor.editProperty(at, (property) => ({ ...property, absentMeans }));
  for (const { at } of overlay.nulls ?? [])
    editor.editProperty(at, (property) => ({ ...property, nullMeansAbsent: true }));
  for (const { at } of overlay.minimums ?? [])
    editor.editProperty(at, (property) => {
      if (minimumOf(property) === undefined) throw editor.reject(`\`${at}\` has no minimum`);
      return { ...property, lowMeansMinimum: true };
    });
  for (const rule of overlay.constraints ?? []) {
    editor.replace(rule.type, (declaration) => ({
      ...declaration,
      constraints: [...(declaration.constraints ?? []), { rule: rule.rule, properties: rule.properties }],
    }));
  }
  return (overlay.tags ?? []).reduce((result, rule) => applyTag(result, rule, path), editor.declarations());
}

/** Editor of declarations by path. A path without a target is an error of the overlay. */
interface Editor {
  declarations(): Declaration[];
  replace(name: string, change: (declaration: Declaration) => Declaration): void;
  /** Changes the shape at `"Alias"` or `"Type.property"`. Longer paths lead through inline objects. */
  edit(at: string, change: (shape: Shape) => Shape): void;
  editProperty(at: string, change: (property: Property) => Property): void;
  reject(text: string): SpecError;
}

function createEditor(declarations: readonly Declaration[], path: string): Editor {
  const byName = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  const reject = (text: string): SpecError => new SpecError({ file: path, text });
  const replace: Editor["replace"] = (name, change) => {
    const declaration = byName.get(name);
    if (!declaration) throw reject(`\`${name}\` is not declared in this revision`);
    byName.set(name, change(declaration));
  };
  const copies = findCopies(declarations);
  const editProperty: Editor["editProperty"] = (at, change) => {
    const [name = "", ...keys] = at.split(".");
    let found: Property | undefined;
    const edit = (property: Property): Property => change((found = property));
    replace(name, (declaration) => ({
      ...declaration,
      shape: editAt(declaration.shape, keys, edit, () => reject(`\`${at}\` does not exist`)),
    }));
    const original = found;
    if (!original) return;
    for (const other of copies.get(placeOf(original)) ?? [])
      replace(other, (declaration) => editCopies(declaration, original, change));
  };
  return {
    declarations: () => [...byName.values()],
    replace,
    editProperty,
    edit(at, change) {
      if (at.includes(".")) return editProperty(at, (property) => ({ ...property, shape: change(property.shape) }));
      return replace(at, (declaration) => ({ ...declaration, shape: change(declaration.shape) }));
    },
    reject,
  };
}

/** Returns the declarations with a property of several types, such as the one of `Pick<Base, "name">`, by the place of the property. */
function findCopies(declarations: readonly Declaration[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const declaration of declarations) {
    mapDeclaration(declaration, (shape) => {
      for (const property of shape.kind === "object" ? shape.properties : []) {
        const place = placeOf(property);
        names.set(place, (names.get(place) ?? new Set()).add(declaration.name));
      }
      return shape;
    });
  }
  return new Map([...names].filter(([, { size }]) => size > 1));
}

function placeOf({ name, location: { line, column } }: Property): string {
  return `${line}:${column}:${name}`;
}

/** Changes the copies of a property. If it is optional, or has another type, it is another property. */
function editCopies(
  declaration: Declaration,
  original: Property,
  change: (property: Property) => Property,
): Declaration {
  const isCopy = (property: Property): boolean =>
    placeOf(property) === placeOf(original) &&
    property.optional === original.optional &&
    shapeKey(property.shape) === shapeKey(original.shape);
  return mapDeclaration(declaration, (shape) =>
    shape.kind === "object"
      ? { ...shape, properties: shape.properties.map((property) => (isCopy(property) ? change(property) : property)) }
      : shape,
  );
}

function editAt(
  shape: Shape,
  keys: readonly string[],
  change: (property: Property) => Property,
  missing: () => SpecError,
): ObjectShape {
  const [key, ...rest] = keys;
  if (shape.kind !== "object" || !shape.properties.some(({ name }) => name === key)) throw missing();
  const edit = (property: Property): Property => {
    if (property.name !== key) return property;
    return rest.length === 0 ? change(property) : { ...property, shape: editAt(property.shape, rest, change, missing) };
  };
  return { ...shape, properties: shape.properties.map(edit) };
}

function toInteger(shape: Shape): Shape {
  return mapShape(shape, (part) => (part.kind === "number" ? { ...part, integer: true } : part));
}

function toOpen(shape: Shape): Shape {
  return shape.kind === "object" ? { ...shape, index: { kind: "unknown" } } : shape;
}

function toUnchecked(): Shape {
  return { kind: "object", properties: [], index: { kind: "unknown" } };
}

/** Adds the base `_meta` to params declared again without it, by a derived type or a base in between. */
function mergeMeta(editor: Editor, method: string): void {
  const declarations = editor.declarations();
  const target = declarations.find((declaration) => methodOf(declaration) === method);
  if (!target) throw editor.reject(`no declaration has the method \`${method}\``);
  const owner = paramsOwner(declarations, target);
  const meta = baseMeta(declarations, isNotification(target.name) ? "Notification" : "Request");
  if (!owner || !meta) throw editor.reject(`the params of \`${method}\` have no base \`_meta\` to merge`);
  editor.editProperty(`${owner.name}.params`, (params) => {
    if (params.shape.kind !== "object") throw editor.reject(`the params of \`${method}\` are not written inline`);
    const present = params.shape.properties.find(({ name }) => name === "_meta");
    if (present?.merged) return params;
    if (present)
      throw editor.reject(`the params of \`${method}\` have a \`_meta\` of their own; remove it from mergeMeta`);
    return { ...params, shape: { ...params.shape, properties: [meta, ...params.shape.properties] } };
  });
}

/** Returns the declaration with the `params` of a type: the type itself or the nearest base. */
function paramsOwner(declarations: readonly Declaration[], target: Declaration): Declaration | undefined {
  if (target.shape.kind === "object" && target.shape.properties.some(({ name }) => name === "params")) return target;
  for (const base of target.extends) {
    const name = base.kind === "omit" ? base.base.name : base.name;
    const declaration = declarations.find((candidate) => candidate.name === name);
    const owner = declaration && paramsOwner(declarations, declaration);
    if (owner) return owner;
  }
  return undefined;
}

function methodOf(declaration: Declaration): unknown {
  if (declaration.shape.kind !== "object") return undefined;
  const method = declaration.shape.properties.find(({ name }) => name === "method");
  return method?.shape.kind === "literal" ? method.shape.value : undefined;
}

/** Returns `_meta` of `RequestParams`, or of the inline params of `Request` in revisions without named params. */
function baseMeta(declarations: readonly Declaration[], base: "Request" | "Notification"): Property | undefined {
  const model = { declarations };
  const named = declarations.some(({ name }) => name === `${base}Params`);
  const params: Shape | undefined = named
    ? { kind: "reference", name: `${base}Params` }
    : resolveObject({ kind: "reference", name: base }, model)?.properties.find(({ name }) => name === "params")?.shape;
  const meta = params && resolveObject(params, model)?.properties.find(({ name }) => name === "_meta");
  return meta && { ...meta, merged: true };
}

function applyTag(declarations: readonly Declaration[], rule: TagOverlay, path: string): Declaration[] {
  let used = 0;
  const addTag = (shape: Shape): Shape => {
    if (shape.kind !== "union" || !isUnionOf(shape, rule.of)) return shape;
    used += 1;
    return { ...shape, tag: toTag(shape, rule, path) };
  };
  const result = declarations.map((declaration) => mapDeclaration(declaration, addTag));
  if (used === 0) throw new SpecError({ file: path, text: `no union has exactly the members ${rule.of.join(", ")}` });
  return result;
}

function isUnionOf(union: UnionShape, names: readonly string[]): boolean {
  const members = union.of.map((member) => (member.kind === "reference" ? member.name : ""));
  return members.length === names.length && names.every((name) => members.includes(name));
}

function toTag(union: UnionShape, rule: TagOverlay, path: string): Tag {
  const indexOf = (type: string): number => {
    const index = union.of.findIndex((member) => member.kind === "reference" && member.name === type);
    if (index < 0)
      throw new SpecError({ file: path, text: `\`${type}\` is not a member of the union of ${rule.of.join(", ")}` });
    return index;
  };
  if (rule.presence)
    return { kind: "presence", cases: rule.presence.map(({ type, keys }) => ({ keys, member: indexOf(type) })) };
  const cases = Object.entries(rule.cases ?? {}).map(([value, type]) => ({ value, members: [indexOf(type)] }));
  const otherwise = rule.otherwise === undefined ? {} : { otherwise: indexOf(rule.otherwise) };
  return { kind: "literal", property: rule.property ?? "", cases, ...otherwise };
}
