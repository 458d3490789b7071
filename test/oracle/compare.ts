import type { JsonSchema } from "./json-schema.ts";
import { isObject } from "../../templates/support.ts";
import { definitionsOf, isOnly, referenceOf, toAlternatives, type Alternative, type Node } from "./alternatives.ts";

/** A place where two schemas say different things. */
export interface Difference {
  /** `Declaration.property`, with `[]` for the items of an array and `*` for the values of a map. */
  readonly at: string;
  readonly official: string;
  readonly ours: string;
}

/**
 * Compares two schemas by meaning, not by text: order, annotations, inlined references, nested unions, type arrays and
 * `enum` against `const` make no difference. Definitions of the same name are taken as equal while others are compared,
 * so that each difference is reported once, where it is. Without `only`, all definitions are compared.
 */
export function compareSchemas(official: JsonSchema, ours: JsonSchema, only?: readonly string[]): Difference[] {
  const theirs = definitionsOf(official);
  const own = definitionsOf(ours);
  const names = only ?? [...new Set([...Object.keys(theirs), ...Object.keys(own)])];
  return names.flatMap((name) => {
    if (!Object.hasOwn(theirs, name)) return [{ at: name, official: "absent", ours: "declared" }];
    if (!Object.hasOwn(own, name)) return [{ at: name, official: "declared", ours: "absent" }];
    return differences(name, { schema: theirs[name], root: official }, { schema: own[name], root: ours });
  });
}

function differences(at: string, official: Node, ours: Node): Difference[] {
  if (isSameReference(official, ours)) return [];
  const theirs = toAlternatives(official);
  const own = toAlternatives(ours);
  const onlyTheirs = theirs.filter((one) => !own.some((other) => isSame(one, other, [])));
  const onlyOurs = own.filter((one) => !theirs.some((other) => isSame(one, other, [])));
  if (onlyTheirs.length === 0 && onlyOurs.length === 0) return [];
  const [a, b] = [onlyTheirs[0], onlyOurs[0]];
  const inside = a && b && onlyTheirs.length === 1 && onlyOurs.length === 1 ? differencesInside(at, a, b) : [];
  return inside.length > 0 ? inside : [{ at, official: describe(theirs), ours: describe(own) }];
}

/** Differences of the members of two alternatives; none when the alternatives differ in more than their members. */
function differencesInside(at: string, official: Alternative, ours: Alternative): Difference[] {
  if (official.facets !== ours.facets) return [];
  const names = new Set([...official.members.keys(), ...ours.members.keys()]);
  return [...names].flatMap((name) => {
    const path = name === "[]" ? `${at}[]` : `${at}.${name}`;
    const theirs = official.members.get(name);
    const own = ours.members.get(name);
    if (!theirs || !own)
      return [{ at: path, official: theirs ? "declared" : "absent", ours: own ? "declared" : "absent" }];
    const presence = { at: path, official: presenceOf(theirs.required), ours: presenceOf(own.required) };
    return [...(theirs.required === own.required ? [] : [presence]), ...differences(path, theirs.node, own.node)];
  });
}

function presenceOf(required: boolean): string {
  return required ? "required" : "optional";
}

/** Pairs of schemas that are being compared further out and are taken as equal inside, so that recursive types end. */
type Assumed = readonly (readonly [unknown, unknown])[];

function isSame(a: Alternative, b: Alternative, assumed: Assumed): boolean {
  if (a.name !== undefined && a.name === b.name) return true;
  if (a.facets !== b.facets || a.members.size !== b.members.size) return false;
  return [...a.members].every(([name, member]) => {
    const other = b.members.get(name);
    return other?.required === member.required && isSameNode(member.node, other.node, assumed);
  });
}

function isSameNode(a: Node, b: Node, assumed: Assumed): boolean {
  if (isSameReference(a, b) || assumed.some(([left, right]) => left === a.schema && right === b.schema)) return true;
  const next: Assumed = [...assumed, [a.schema, b.schema]];
  const left = toAlternatives(a);
  const right = toAlternatives(b);
  return (
    left.every((one) => right.some((other) => isSame(one, other, next))) &&
    right.every((one) => left.some((other) => isSame(one, other, next)))
  );
}

/** True if both only refer to the same definitions, which are compared where they are defined. */
function isSameReference(a: Node, b: Node): boolean {
  const names = referencesOf(a).join();
  return names !== "" && names === referencesOf(b).join();
}

/** The definition, or the definitions of an intersection, that a schema consists of. */
function referencesOf(node: Node): string[] {
  const parts = isObject(node.schema) ? node.schema["allOf"] : undefined;
  const isIntersection = Array.isArray(parts) && isObject(node.schema) && isOnly(node.schema, "allOf");
  const names = (isIntersection ? parts : [node.schema]).map((schema) => referenceOf({ ...node, schema }));
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length ? known.sort() : [];
}

/** Spells out arrays in arrays only to a depth, because a type may contain itself. */
function describe(alternatives: readonly Alternative[], depth = 3): string {
  const texts = alternatives.map((alternative) => describeOne(alternative, depth));
  return depth === 0 ? "..." : texts.sort().join(" | ");
}

function describeOne({ name, facets, members }: Alternative, depth: number): string {
  const items = members.get("[]");
  if (name !== undefined || !items || depth === 0) return name ?? facets;
  return `array of ${referenceOf(items.node) ?? describe(toAlternatives(items.node), depth - 1)}`;
}
