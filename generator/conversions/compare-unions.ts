import { namesOf } from "./names.ts";
import {
  changeOf,
  mergeChanges,
  type Change,
  type Comparison,
  type Newer,
  type OptionDifference,
  type Outline,
  type Place,
  type PlainOutline,
  type UnionDifference,
} from "./difference.ts";
import type { LiteralShape, ObjectShape, Property, RevisionModel, Shape } from "../model.ts";
import { resolveAlias, resolveObject } from "../model/resolve.ts";
import { shapeKey } from "../model/shapes.ts";

/** True if a resolved shape has alternatives to compare one by one. An open union accepts any string, so it is not one. */
export function isUnion(shape: Shape): boolean {
  return shape.kind === "union" && !shape.open;
}

/** True if every value of the newer shape is of the kind expected here. The contents are compared later. */
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

/** Returns the outlines of the values of a shape: one, or one of each alternative of a union. */
export function outlinesOf(newer: Newer): Outline[] {
  return optionsOf(newer).map((option) => outlineOf(option));
}

/** Finds, for every alternative of the newer revisions, the alternative of this revision that accepts its values. */
export function compareUnions(
  shape: Shape,
  newer: readonly Newer[],
  place: Place,
  comparison: Comparison,
): UnionDifference | undefined {
  const own = optionsOf({ model: comparison.model, shape, names: [place.type] });
  const theirs = newer.flatMap(optionsOf);
  const pairs = theirs.map((option) => ({ option, match: findMatch(option, own) }));
  const known = own.map((option): OptionDifference => {
    const inner = pairs.filter(({ match }) => match === option).map(({ option: matched }) => matched);
    const difference = comparison.compare(option.shape, inner, place.type, comparison);
    return { outline: outlineOf(option, inner), ...(difference && { difference }) };
  });
  const unknown = pairs.filter(({ match }) => match === undefined).map(({ option }) => option);
  const replacedBy = (models: readonly RevisionModel[]): Option[] =>
    own.filter((option) => !pairs.some(({ match, option: { model } }) => match === option && models.includes(model)));
  const options = [...known, ...unknownOptions(unknown, place, replacedBy)];
  if (options.every(({ change, difference }) => !change && !difference)) return undefined;
  return { kind: "union", ...place, options };
}

/** An alternative of a union. */
interface Option extends Newer {
  /** Name of the declaration, or a description of an inline shape: `string[]`. */
  readonly option: string;
  /** Names of the union and of the aliases around the alternative. */
  readonly unions: readonly string[];
}

/** Returns the alternatives, with nested unions flattened. */
function optionsOf({ model, shape, names }: Newer): Option[] {
  const target = resolveAlias(shape, model);
  if (target.kind === "union" && target.open)
    return [{ model, shape: { kind: "string" }, names, option: "string", unions: names }];
  if (target.kind !== "union") {
    const option = optionName(shape);
    return [{ model, shape, names: namesOf(shape, names), option, unions: names.filter((name) => name !== option) }];
  }
  return target.of.flatMap((member) =>
    optionsOf({ model, shape: member, names: member.kind === "reference" ? [member.name, ...names] : names }),
  );
}

function optionName(shape: Shape): string {
  if (shape.kind === "reference") return shape.name;
  if (shape.kind === "array") return `${optionName(shape.items)}[]`;
  return shape.kind === "literal" ? JSON.stringify(shape.value) : shape.kind;
}

/** An equal alternative, such as one of the same name, takes precedence over others that accept its values. */
function findMatch(option: Newer, own: readonly Newer[]): Newer | undefined {
  const { shape, model } = option;
  const newer = resolveAlias(shape, model);
  const key = shapeKey(shape);
  const pairs = own.map((other) => ({ other, target: resolveAlias(other.shape, other.model) }));
  const match =
    pairs.find(({ other, target }) => shapeKey(other.shape) === key && isSameKind(target, newer)) ??
    pairs.find(({ other, target }) => takes(target, newer, { own: other.model, newer: model }));
  return match?.other;
}

/** True if this revision's alternative accepts the values of a newer one: all properties required there are known here, and literals agree. */
function takes(
  own: Shape,
  newer: Shape,
  models: { readonly own: RevisionModel; readonly newer: RevisionModel },
): boolean {
  if (!isSameKind(own, newer)) return false;
  const ours = resolveObject(own, models.own);
  const theirs = resolveObject(newer, models.newer);
  if (!ours || !theirs) return true;
  const isKnown = (property: Property): boolean => property.optional || hasProperty(ours, property.name);
  return theirs.properties.every(isKnown) && ours.properties.every((property) => agrees(property, theirs, models));
}

function hasProperty({ properties }: ObjectShape, name: string): boolean {
  return properties.some((property) => property.name === name);
}

function agrees(
  property: Property,
  theirs: ObjectShape,
  models: { readonly own: RevisionModel; readonly newer: RevisionModel },
): boolean {
  const literals = literalsOf(property.shape, models.own);
  const other = theirs.properties.find(({ name }) => name === property.name);
  if (!literals) return true;
  const others = other && literalsOf(other.shape, models.newer);
  if (!others) return property.optional;
  return others.some((value) => literals.includes(value));
}

/** Returns the values of a literal, or of a union of literals only. */
function literalsOf(shape: Shape, model: RevisionModel): (string | number | boolean)[] | undefined {
  const target = resolveAlias(shape, model);
  const parts = isUnion(target) && target.kind === "union" ? target.of : [target];
  const values = parts.flatMap((part) => (part.kind === "literal" ? [part.value] : []));
  return values.length === parts.length ? values : undefined;
}

/** `replacedBy` returns the alternatives of this revision missing from some newer ones at the place. */
function unknownOptions(
  options: readonly Option[],
  place: Place,
  replacedBy: (models: readonly RevisionModel[]) => readonly Option[],
): OptionDifference[] {
  const names = new Set(options.map(({ option }) => option));
  return [...names].flatMap((name): OptionDifference[] => {
    const same = options.filter(({ option }) => option === name);
    const [change] = mergeChanges(same.map((option) => optionChange(option, place)));
    const newest = same.at(-1);
    if (!newest || !change) return [];
    const isValue = literalOf(newest) !== undefined;
    const replaces = isValue ? replacedBy(same.map(({ model }) => model)).flatMap((one) => literalOf(one) ?? []) : [];
    return [{ outline: outlineOf(newest, same), change: { ...change, ...(replaces.length > 0 && { replaces }) } }];
  });
}

/**
 * Tries the names `SamplingMessage.content:AudioContent`, then `AudioContent`, then the union as a whole. An inline value has a name at its place
 * only: `LoggingLevel:emergency`.
 */
function optionChange({ option, unions, ...other }: Option, place: Place): Change {
  const value = literalOf(other);
  const member = value === undefined ? option : String(value);
  const isInline = other.shape.kind === "literal";
  const labels = isInline ? [member] : [...new Set([option, member])];
  const placed = labels.flatMap((label) => unions.map((union) => `${union}:${label}`));
  const names = [...placed, ...(isInline ? [] : [option]), ...unions];
  return { ...changeOf("option", { ...other, names }, place), member };
}

function literalOf({ shape, model }: Newer): LiteralShape["value"] | undefined {
  const target = resolveAlias(shape, model);
  return target.kind === "literal" ? target.value : undefined;
}

/**
 * If newer revisions have added a property to a known alternative, it does not distinguish another alternative from it. If they may omit a property,
 * it is not required.
 */
function outlineOf({ shape, model }: Newer, newer: readonly Newer[] = []): Outline {
  const target = resolveAlias(shape, model);
  const plain = plainOf(target);
  const others = newer.map((other) => resolveObject(other.shape, other.model)?.properties ?? []);
  const object = resolveObject(shape, model);
  const properties = object?.properties ?? [];
  const literals = properties.flatMap((property): [string, (string | number | boolean | undefined)[]][] => {
    const values = literalsOf(property.shape, model);
    if (!values) return [];
    const all = new Set([...values, ...newer.flatMap((other) => literalsIn(other, property.name))]);
    return [[property.name, property.optional ? [...all, undefined] : [...all]]];
  });
  const isRequired = ({ name, optional }: Property): boolean =>
    !optional && others.every((other) => other.some((property) => property.name === name && !property.optional));
  return {
    kind: object ? "object" : target.kind === "array" ? "array" : "other",
    ...(plain && { plain }),
    required: properties.filter(isRequired).map(({ name }) => name),
    optional: [...properties.filter((property) => !isRequired(property)), ...others.flat()].map(({ name }) => name),
    literals: new Map(literals),
  };
}

/** Returns the values of a property with only a few in a newer alternative. */
function literalsIn({ shape, model }: Newer, name: string): readonly LiteralShape["value"][] {
  const property = resolveObject(shape, model)?.properties.find((one) => one.name === name);
  return (property && literalsOf(property.shape, model)) ?? [];
}

function plainOf(shape: Shape): PlainOutline | undefined {
  switch (shape.kind) {
    case "literal":
      return { kind: "value", value: shape.value };
    case "null":
      return { kind: "value", value: null };
    case "string":
    case "boolean":
      return { kind: "type", type: shape.kind };
    case "number":
      return { kind: "type", type: "number", ...(shape.integer && { integer: true }) };
    case "union":
      return shape.open ? { kind: "type", type: "string" } : undefined;
    default:
      return undefined;
  }
}
