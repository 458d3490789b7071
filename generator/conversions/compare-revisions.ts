import { memberNames, namesOf } from "./names.ts";
import { compareUnions, isSameKind, isUnion, outlinesOf } from "./compare-unions.ts";
import {
  changeOf,
  mergeChanges,
  type Change,
  type Comparison,
  type Difference,
  type Newer,
  type Place,
  type ShapeDifference,
  type WholeDifference,
} from "./difference.ts";
import type { Method, ObjectShape, Property, RevisionModel, Shape } from "../model.ts";
import { declarationsByName, resolveAlias, resolveObject } from "../model/resolve.ts";
import { shapeKey } from "../model/shapes.ts";

/** Differences in the parameters and the result of a method between this revision and newer ones. */
export interface MethodDifference {
  readonly method: Method;
  readonly params?: Difference;
  readonly result?: Difference;
}

/**
 * Compares everything a revision sends with what newer revisions may send instead: at the same place of the same method, and in declarations of the
 * same name, wherever they occur. `newer` may be in any order.
 */
export function compareRevisions(model: RevisionModel, newer: readonly RevisionModel[]): MethodDifference[] {
  const sorted = [...newer].sort((a, b) => (a.id < b.id ? -1 : 1));
  const comparison: Comparison = { model, newer: sorted, known: new Map(), open: new Set(), compare: compareShapes };
  return model.methods.map((method) => {
    const params = method.params && compareParts(method, (other) => other.params?.shape, "Params", comparison);
    const result = method.result && compareParts(method, resultOf, "Result", comparison);
    return { method, ...(params && { params }), ...(result && { result }) };
  });
}

/** Compares a shape of this revision with the shapes at the same place of newer ones. `type` names the place. */
export function compareShapes(
  shape: Shape,
  newer: readonly Newer[],
  type: string,
  comparison: Comparison,
): Difference | undefined {
  if (shape.kind !== "reference") {
    const place = { type: placeType(newer) ?? type, declared: false };
    return compareResolved(shape, newer, place, comparison);
  }
  const keyed = withNamesakes(shape.name, newer, comparison).map((other) => [keyOf(other), other] as const);
  // Two places of a type that contains itself lead to the same type: without this, the list would grow at each level.
  const distinct = new Map(keyed);
  const all = [...distinct.values()];
  const key = JSON.stringify([shape.name, ...distinct.keys()]);
  if (comparison.known.has(key)) return comparison.known.get(key);
  if (comparison.open.has(key)) return { kind: "recursive", whole: () => comparison.known.get(key) };
  comparison.open.add(key);
  const found = compareResolved(shape, all, placeOf(shape.name, all, comparison), comparison);
  comparison.open.delete(key);
  comparison.known.set(key, found);
  return found;
}

/** If newer revisions have turned a single declaration into a union, the declaration is only one alternative of this place. */
function placeOf(name: string, newer: readonly Newer[], { model }: Comparison): Place {
  const widened = newer.findLast((other) => other.shape.kind === "union");
  const isOwn = isUnion(resolveAlias({ kind: "reference", name }, model));
  return widened && !isOwn ? { type: widened.names.at(-1) ?? name, declared: false } : { type: name, declared: true };
}

/** A shape written inline here may have a name in the newest revision, or at least a place declared once. */
function placeType(newer: readonly Newer[]): string | undefined {
  const newest = newer.at(-1);
  return newest?.shape.kind === "reference" ? newest.shape.name : newest?.names.at(-1);
}

function compareParts(
  method: Method,
  part: (method: Method) => Shape | undefined,
  suffix: string,
  comparison: Comparison,
): Difference | undefined {
  const own = part(method);
  const type = `${method.type.replace(/(Request|Notification)$/, suffix === "Result" ? "" : "$1")}${suffix}`;
  const newer = comparison.newer.flatMap((model): Newer[] => {
    const found = model.methods.find(({ name }) => name === method.name);
    const shape = found && part(found);
    return shape ? [{ model, shape, names: namesOf(shape, [`${found.type}.${suffix.toLowerCase()}`]) }] : [];
  });
  return own && compareShapes(own, newer, type, comparison);
}

/** Returns a shape of every possible result of a request, including the alternatives. */
function resultOf({ result, alternatives }: Method): Shape | undefined {
  if (!result || alternatives.length === 0) return result;
  const others = alternatives.map(({ type }): Shape => ({ kind: "reference", name: type }));
  return { kind: "union", of: [result, ...others] };
}

/** Parts of a message may have the shapes of any newer revision, so declarations of the same name count as well. */
function withNamesakes(name: string, newer: readonly Newer[], comparison: Comparison): Newer[] {
  const shape: Shape = { kind: "reference", name };
  const own = resolveAlias(shape, comparison.model);
  return comparison.newer.flatMap((model) => {
    const placed = newer.filter((other) => other.model === model);
    const isDeclared = declarationsByName(model).has(name);
    const isPlaced = placed.some((other) => other.shape.kind === "reference" && other.shape.name === name);
    if (!isDeclared || isPlaced || placed.some((other) => other.shape.kind === "union")) return placed;
    return isSameKind(own, resolveAlias(shape, model)) ? [...placed, { model, shape, names: [name] }] : placed;
  });
}

/** A shape written inline may differ from others at the same place: an alternative of a union has the name of the union. */
function keyOf({ model, shape, names }: Newer): string {
  return JSON.stringify([model.id, shape.kind === "reference" ? shape.name : [names[0], shapeKey(shape)]]);
}

function compareResolved(
  shape: Shape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): WholeDifference | undefined {
  const own = resolveAlias(shape, comparison.model);
  if (own.kind === "unknown") return undefined;
  const targetOf = (other: Newer): Shape => resolveAlias(other.shape, other.model);
  const differ = (isFit: (other: Newer) => boolean): ShapeDifference | undefined => {
    const misfit = newer.find((other) => !isFit(other));
    if (!misfit) return undefined;
    const inner = compareResolved(shape, newer.filter(isFit), place, comparison);
    const outlines = outlinesOf({ model: comparison.model, shape, names: [place.type] });
    return { kind: "shape", change: changeOf("shape", misfit, place), own: outlines, ...(inner && { inner }) };
  };
  const wider = differ((other) => targetOf(other).kind !== "unknown");
  if (wider) return wider;
  if (isUnion(own) || newer.some((other) => isUnion(targetOf(other)) || isOtherLiteral(own, targetOf(other))))
    return compareUnions(shape, newer, place, comparison);
  const other = differ((one) => isSameKind(own, targetOf(one)) && isSameForm(own, targetOf(one)));
  if (other) return other;
  if (own.kind === "array") {
    const { items, prefix = [] } = own;
    const isChanged = prefix.some((item, at) => compareItems({ item, at }, newer, place, comparison));
    return isChanged ? differ(() => false) : compareItems({ item: items }, newer, place, comparison);
  }
  const object = own.kind === "anyObject" ? undefined : resolveObject(own, comparison.model);
  return object && compareObjects(object, newer, place, comparison);
}

/** A constant with another value is an unknown alternative. */
function isOtherLiteral(own: Shape, other: Shape): boolean {
  return own.kind === "literal" && other.kind === "literal" && own.value !== other.value;
}

/** Items of a tuple and texts of a template are not converted one by one: a changed one is another type. */
function isSameForm(own: Shape, other: Shape): boolean {
  const hasForm = (shape: Shape): boolean =>
    (shape.kind === "array" && shape.prefix !== undefined) || (shape.kind === "string" && shape.template !== undefined);
  return (!hasForm(own) && !(own.kind === "array" && hasForm(other))) || shapeKey(own) === shapeKey(other);
}

/** Compares the items of arrays, or the items at one place of tuples. */
function compareItems(
  { item, at }: { readonly item: Shape; readonly at?: number },
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): WholeDifference | undefined {
  const inner = newer.flatMap((other): Newer[] => {
    const shape = resolveAlias(other.shape, other.model);
    if (shape.kind !== "array") return [];
    const newest = (at === undefined ? undefined : shape.prefix?.[at]) ?? shape.items;
    return [{ ...other, shape: newest, names: namesOf(newest, other.names) }];
  });
  const found = compareShapes(item, inner, place.type, comparison);
  return found && { kind: "array", items: found };
}

function compareObjects(
  object: ObjectShape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): WholeDifference | undefined {
  const resolved = newer.flatMap((other) => {
    const found = resolveObject(other.shape, other.model);
    return found ? [{ ...other, object: found }] : [];
  });
  const changes = resolved.flatMap((other) => objectChanges(object, other, place));
  const members = object.properties.flatMap((property) => {
    const inner = resolved.flatMap((other): Newer[] => {
      const found = other.object.properties.find(({ name }) => name === property.name)?.shape ?? other.object.index;
      const names = memberNames(other, property.name);
      return found ? [{ ...other, shape: found, names: namesOf(found, names) }] : [];
    });
    const found = compareShapes(property.shape, inner, `${place.type}.${property.name}`, comparison);
    const difference = property.name === "_meta" ? withReservedKeys(found, property, place, comparison) : found;
    return difference ? [{ name: property.name, difference }] : [];
  });
  const index = compareIndexes(object, resolved, place, comparison);
  if (changes.length === 0 && members.length === 0 && !index) return undefined;
  return {
    kind: "object",
    ...place,
    known: object.properties.map(({ name }) => name),
    open: object.index !== undefined,
    changes: mergeChanges(changes),
    members,
    ...(index && { index }),
  };
}

/** Adds the reserved keys of the older revision whose values differ, and which the type of the metadata does not declare. */
function withReservedKeys(
  found: Difference | undefined,
  { shape }: Property,
  { type }: Place,
  comparison: Comparison,
): Difference | undefined {
  const { model, newer } = comparison;
  const declared = resolveObject(shape, model)?.properties ?? [];
  const older = newer.find(({ id }) => id < model.id) ?? model;
  const reserved = new Map(older.rules.reservedMeta.map((entry) => [entry.key, entry.type]));
  const members = [...reserved].flatMap(([name, valueType]) => {
    const isKnown = declarationsByName(model).has(valueType) && !declared.some((property) => property.name === name);
    const value: Shape = { kind: "reference", name: valueType };
    const difference = isKnown ? compareShapes(value, [], valueType, comparison) : undefined;
    return difference ? [{ name, difference }] : [];
  });
  if (members.length === 0 || (found && found.kind !== "object")) return found;
  const unchanged = {
    kind: "object",
    type: `${type}._meta`,
    declared: false,
    known: [],
    open: true,
    changes: [],
  } as const;
  return { ...(found ?? unchanged), members: [...(found?.members ?? []), ...members] };
}

function objectChanges(object: ObjectShape, other: Newer & { readonly object: ObjectShape }, place: Place): Change[] {
  const known = new Set(object.properties.map(({ name }) => name));
  const change = (kind: Change["kind"], member: string): Change => ({
    ...changeOf(kind, { ...other, names: memberNames(other, member) }, place),
    member,
  });
  const unknown = other.object.properties.filter(({ name }) => !known.has(name));
  const isAnyKey = other.object.index !== undefined && object.index === undefined;
  return [
    ...unknown.map(({ name }) => change("member", name)),
    ...object.properties
      .filter((property) => mayLack(other.object, property))
      .map(({ name, shape }) => ({ ...change("missing", name), shape })),
    ...(isAnyKey ? [changeOf("open", { ...other, names: other.names.map((name) => `${name}.*`) }, place)] : []),
  ];
}

/** True if a newer object may omit a property required here. */
function mayLack(object: ObjectShape, { name, optional }: Property): boolean {
  return !optional && object.properties.find((property) => property.name === name)?.optional !== false;
}

function compareIndexes(
  object: ObjectShape,
  newer: readonly (Newer & { readonly object: ObjectShape })[],
  place: Place,
  comparison: Comparison,
): Difference | undefined {
  if (!object.index) return undefined;
  const inner = newer.flatMap((other): Newer[] => {
    const { index } = other.object;
    return index ? [{ ...other, shape: index, names: namesOf(index, other.names) }] : [];
  });
  return compareShapes(object.index, inner, place.type, comparison);
}
