import type { Method, ObjectShape, Property, RevisionModel, Shape } from "./model.ts";
import { compareUnions, isUnion } from "./diff-union.ts";
import { memberNames, namesOf } from "./diff-names.ts";
import { resolveAlias, resolveObject } from "./resolve.ts";

/** Something that a newer revision can say and an older one cannot, or must say and a newer one need not. */
export interface Change {
  /**
   * `member`: an object has a property that is not known. `missing`: a property is required here and may be absent there.
   * `open`: any key is allowed there and only listed ones here. `option`: a union has a member that is not known.
   * `shape`: a value may be of another kind than here.
   */
  readonly kind: "member" | "missing" | "open" | "option" | "shape";
  /** Names by which a rule may call it, the most specific first. All are those of the newer revisions. */
  readonly names: readonly string[];
  /** Type or place that it concerns. */
  readonly type: string;
  /** Property of that type, or the alternative. */
  readonly member?: string;
  /** The oldest of the newer revisions that has it. */
  readonly since: string;
}

/** How values of newer revisions differ from a shape of this one; nothing where they do not. */
export type Difference = ObjectDifference | ArrayDifference | UnionDifference | ShapeDifference;

/** Properties differ, or their values do. */
export interface ObjectDifference {
  readonly kind: "object";
  /** Declaration, or place of an object that is written inline. */
  readonly type: string;
  /** `type` is a declaration of this revision. */
  readonly declared: boolean;
  /** Names of all properties that this revision declares. */
  readonly known: readonly string[];
  /** Further keys are allowed. */
  readonly open: boolean;
  readonly changes: readonly Change[];
  readonly members: readonly { readonly name: string; readonly difference: Difference }[];
  /** Difference of the values under keys without a name. */
  readonly index?: Difference;
}

/** Items differ. */
export interface ArrayDifference {
  readonly kind: "array";
  readonly items: Difference;
}

/** Alternatives differ, or there are more of them. */
export interface UnionDifference {
  readonly kind: "union";
  readonly type: string;
  readonly declared: boolean;
  readonly options: readonly OptionDifference[];
}

/** One alternative: with a change when it is unknown here, with a difference when it is known and differs. */
export interface OptionDifference {
  /** What tells its values from those of others. */
  readonly outline: Outline;
  readonly change?: Change;
  readonly difference?: Difference;
}

/** What can be seen of an alternative without looking into it. */
export interface Outline {
  readonly kind: "object" | "array" | "other";
  /** Keys of an object. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Properties of an object that have one of a few values; `undefined` among them where the property is optional. */
  readonly literals: ReadonlyMap<string, readonly (string | number | boolean | undefined)[]>;
}

/** The value as a whole may be of another kind. */
export interface ShapeDifference {
  readonly kind: "shape";
  readonly change: Change;
}

/** A shape of a newer revision at the place that is being compared. */
export interface Newer {
  readonly model: RevisionModel;
  readonly shape: Shape;
  /** Names of the place or type, the most specific first. */
  readonly names: readonly string[];
}

/** What comparing has at hand. */
export interface Comparison {
  readonly model: RevisionModel;
  /** Oldest first, all newer than `model`. */
  readonly newer: readonly RevisionModel[];
  readonly known: Map<string, Difference | undefined>;
  readonly open: Set<string>;
}

/** What a method carries, compared with the same method of newer revisions. */
export interface MethodDifference {
  readonly method: Method;
  readonly params?: Difference;
  readonly result?: Difference;
}

/**
 * Compares everything that travels at a revision with what newer ones may put there: at the same place of the same method, and
 * in declarations of the same name, wherever they are. `newer` is in any order.
 */
export function compareRevisions(model: RevisionModel, newer: readonly RevisionModel[]): MethodDifference[] {
  const sorted = [...newer].sort((a, b) => (a.id < b.id ? -1 : 1));
  const comparison: Comparison = { model, newer: sorted, known: new Map(), open: new Set() };
  return model.methods.map((method) => {
    const params = method.params && compareParts(method, (other) => other.params?.shape, "Params", comparison);
    const result = method.result && compareParts(method, resultOf, "Result", comparison);
    return { method, ...(params && { params }), ...(result && { result }) };
  });
}

/** Compares a shape of this revision with those at the same place of newer ones. `type` names the place. */
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
  const all = withNamesakes(shape.name, newer, comparison);
  const key = JSON.stringify([shape.name, all.map((other) => [other.model.id, keyOf(other)])]);
  if (comparison.known.has(key)) return comparison.known.get(key);
  if (comparison.open.has(key)) return undefined;
  comparison.open.add(key);
  const found = compareResolved(shape, all, placeOf(shape.name, all, comparison), comparison);
  comparison.open.delete(key);
  comparison.known.set(key, found);
  return found;
}

/** Where two shapes meet: the declaration of this revision, or the place of something written inline. */
export interface Place {
  readonly type: string;
  readonly declared: boolean;
}

/** A single declaration that newer revisions have made one of several is only an alternative of that place. */
function placeOf(name: string, newer: readonly Newer[], { model }: Comparison): Place {
  const widened = newer.findLast((other) => other.shape.kind === "union");
  const isOwn = isUnion(resolveAlias({ kind: "reference", name }, model));
  return widened && !isOwn ? { type: widened.names.at(-1) ?? name, declared: false } : { type: name, declared: true };
}

/** Something written inline here may have a name in the newest revision, or at least a place that is declared once. */
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

/** Every result that a request may have, the alternatives included. */
function resultOf({ result, alternatives }: Method): Shape | undefined {
  if (!result || alternatives.length === 0) return result;
  const others = alternatives.map(({ type }): Shape => ({ kind: "reference", name: type }));
  return { kind: "union", of: [result, ...others] };
}

/** Parts of a message may be written in the shapes of any newer revision, so declarations of the same name count as well. */
function withNamesakes(name: string, newer: readonly Newer[], comparison: Comparison): Newer[] {
  const shape: Shape = { kind: "reference", name };
  const own = resolveAlias(shape, comparison.model);
  return comparison.newer.flatMap((model) => {
    const placed = newer.filter((other) => other.model === model);
    const isDeclared = model.declarations.some((declaration) => declaration.name === name);
    const isPlaced = placed.some((other) => other.shape.kind === "reference" && other.shape.name === name);
    if (!isDeclared || isPlaced || placed.some((other) => other.shape.kind === "union")) return placed;
    return isSameKind(own, resolveAlias(shape, model)) ? [...placed, { model, shape, names: [name] }] : placed;
  });
}

function keyOf({ shape, names }: Newer): unknown {
  return shape.kind === "reference" ? shape.name : names[0];
}

function compareResolved(
  shape: Shape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): Difference | undefined {
  const own = resolveAlias(shape, comparison.model);
  if (own.kind === "unknown") return undefined;
  const anything = newer.find((other) => resolveAlias(other.shape, other.model).kind === "unknown");
  if (anything) return { kind: "shape", change: changeOf("shape", anything, place) };
  if (isUnion(own) || newer.some((other) => isUnion(resolveAlias(other.shape, other.model))))
    return compareUnions(shape, newer, place, comparison);
  const misfit = newer.find((other) => !isSameKind(own, resolveAlias(other.shape, other.model)));
  if (misfit) return { kind: "shape", change: changeOf("shape", misfit, place) };
  if (own.kind === "array") return compareItems(own.items, newer, place, comparison);
  const object = own.kind === "anyObject" ? undefined : resolveObject(own, comparison.model);
  return object && compareObjects(object, newer, place, comparison);
}

/** Whether every value of the newer shape is of the kind that is expected here; what it contains is compared later. */
export function isSameKind(shape: Shape, newer: Shape): boolean {
  if (shape.kind === "unknown") return true;
  if (newer.kind === "literal")
    return shape.kind === "literal" ? shape.value === newer.value : shape.kind === typeof newer.value;
  if (shape.kind === "number" && newer.kind === "number") return !shape.integer || newer.integer === true;
  if (isObjectShape(shape)) return isObjectShape(newer);
  return shape.kind === newer.kind || (shape.kind === "string" && newer.kind === "union" && newer.open === true);
}

function isObjectShape({ kind }: Shape): boolean {
  return kind === "object" || kind === "anyObject" || kind === "intersection" || kind === "omit";
}

function compareItems(
  items: Shape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): Difference | undefined {
  const inner = newer.flatMap((other): Newer[] => {
    const shape = resolveAlias(other.shape, other.model);
    return shape.kind === "array" ? [{ ...other, shape: shape.items, names: namesOf(shape.items, other.names) }] : [];
  });
  const found = compareShapes(items, inner, place.type, comparison);
  return found && { kind: "array", items: found };
}

function compareObjects(
  object: ObjectShape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): Difference | undefined {
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
    const difference = compareShapes(property.shape, inner, `${place.type}.${property.name}`, comparison);
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
      .map(({ name }) => change("missing", name)),
    ...(isAnyKey ? [changeOf("open", { ...other, names: other.names.map((name) => `${name}.*`) }, place)] : []),
  ];
}

/** Whether a newer object may lack a property that is required here. */
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

/** Describes a change at a place. */
export function changeOf(kind: Change["kind"], { model, names }: Newer, { type }: Place): Change {
  return { kind, names, type, since: model.id };
}

/** The same change in several newer revisions is one, since the oldest of them. */
export function mergeChanges(changes: readonly Change[]): Change[] {
  const merged = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.kind, change.type, change.member]);
    const known = merged.get(key);
    const names = [...new Set([...(known?.names ?? []), ...change.names])];
    merged.set(key, { ...change, ...known, names });
  }
  return [...merged.values()];
}
