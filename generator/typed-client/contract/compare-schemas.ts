import { isDeepStrictEqual } from "node:util";
import { isPattern } from "../../../runtime/adapters/pattern-syntax.ts";
import { valueAt } from "../../../runtime/internal/json-pointer.ts";
import { readSchema } from "../tool-schema/read-schema.ts";
import { isOfType } from "../tool-schema/read-types.ts";
import {
  anySchema,
  restrictsNothing,
  SchemaRejection,
  type SafeDocument,
  type SafeSchema,
} from "../tool-schema/safe-schema.ts";
import { compareLimits, type ValueChange } from "./compare-limits.ts";
import type { ToolEntry } from "./contract.ts";
import type { ContractChange, Impact } from "./impact.ts";

/** Lists the differences between the schemas of a tool, from the point of view of a client, which sends the arguments and reads the results. */
export function compareToolSchemas(older: ToolEntry, newer: ToolEntry, subject: string): ContractChange[] {
  const input = compareDocuments(older.inputSchema, newer.inputSchema, {
    subject: `${subject}, arguments`,
    sends: true,
  });
  const place = `${subject}, result`;
  if (older.outputSchema === undefined && newer.outputSchema === undefined) return input;
  if (older.outputSchema === undefined) return [...input, changeOf(place, "added", "output schema added", "additive")];
  if (newer.outputSchema === undefined)
    return [...input, changeOf(place, "removed", "output schema removed", "breaking")];
  return [...input, ...compareDocuments(older.outputSchema, newer.outputSchema, { subject: place, sends: false })];
}

/** Direction of the values. Sent values must still be accepted; received values must still be understood. */
interface Direction {
  readonly subject: string;
  /** True if the client sends these values. */
  readonly sends: boolean;
}

interface Comparison extends Direction {
  readonly older: SafeDocument;
  readonly newer: SafeDocument;
  /** Newer schemas with which each older one has been compared, or is being compared. Only pairs in which one side is a reference. */
  readonly seen: Map<SafeSchema, Set<SafeSchema>>;
}

function compareDocuments(older: unknown, newer: unknown, direction: Direction): ContractChange[] {
  const before = readOrReject(older);
  const after = readOrReject(newer);
  if (before && after) {
    const comparison = { ...direction, older: before, newer: after, seen: new Map<SafeSchema, Set<SafeSchema>>() };
    return [
      ...compareNodes(before.root, after.root, "", comparison),
      ...compareUnmodelled(unmodelledParts(older, before), unmodelledParts(newer, after), direction),
    ];
  }
  if (JSON.stringify(older) === JSON.stringify(newer)) return [];
  return [changeOf(direction.subject, "changed", "schema changed, and one version cannot be read", "risky")];
}

/** Values of the keywords the reader of schemas does not model, by pointer. */
type UnmodelledParts = ReadonlyMap<string, unknown>;

function unmodelledParts(schema: unknown, { losses }: SafeDocument): UnmodelledParts {
  const paths = losses.flatMap(({ kind, path }) => (kind === "widened" ? [path] : []));
  return new Map(paths.map((path) => [path, valueAt(schema, path)]));
}

/** Reports keywords outside the model of the reader when their values differ: the effect is unknown. */
function compareUnmodelled(older: UnmodelledParts, newer: UnmodelledParts, { subject }: Direction): ContractChange[] {
  const paths = [...new Set([...older.keys(), ...newer.keys()])];
  return paths
    .filter((path) => !isDeepStrictEqual(older.get(path), newer.get(path)))
    .map((path) => changeOf(subject, "changed", `${path.slice(1)} changed, and is not compared in detail`, "risky"));
}

function readOrReject(schema: unknown): SafeDocument | undefined {
  try {
    return readSchema(schema, { acceptPattern: isPattern });
  } catch (error) {
    if (error instanceof SchemaRejection) return undefined;
    throw error;
  }
}

function compareNodes(older: SafeSchema, newer: SafeSchema, path: string, comparison: Comparison): ContractChange[] {
  const before = resolve(older, comparison.older);
  const after = resolve(newer, comparison.newer);
  const isReference = older.reference !== undefined || newer.reference !== undefined;
  const pair = [identityOf(older, comparison.older), identityOf(newer, comparison.newer)] as const;
  if (isReference && isSeen(pair, comparison)) return [];
  return [
    ...compareSets(typesOf(before, after), typesOf(after, before), { path, what: "type", comparison }),
    ...compareSets(before.values, after.values, { path, what: "value", comparison }),
    ...compareValues(before, after, path, comparison),
    ...compareMembers(before, after, path, comparison),
    ...compareRest(before.additional, after.additional, `${path}/*`, comparison),
    ...compareRest(before.names, after.names, `${path}/* (the name)`, comparison),
    ...compareRest(before.items, after.items, `${path}[]`, comparison),
    ...compareLists(before.prefix, after.prefix, `${path}[]`, comparison),
    ...(["anyOf", "oneOf", "allOf"] as const).flatMap((list) =>
      compareLists(before[list], after[list], path, comparison),
    ),
  ];
}

/** True if two schemas have been compared before. A recursive schema leads to the same pairs again, also if only one side of them is a reference. */
function isSeen([older, newer]: readonly [SafeSchema, SafeSchema], { seen }: Comparison): boolean {
  const others = seen.get(older) ?? new Set();
  if (others.has(newer)) return true;
  seen.set(older, others.add(newer));
  return false;
}

/** Returns the object for a schema in a pair: its definition, unless keywords beside its reference apply as well. */
function identityOf(schema: SafeSchema, document: SafeDocument): SafeSchema {
  const target = targetOf(schema, document);
  return target && restrictsNothing(withoutReference(schema)) ? identityOf(target, document) : schema;
}

/** Follows the reference of a schema. The keywords beside a reference apply in addition to the keywords of its target. */
function resolve(schema: SafeSchema, document: SafeDocument): SafeSchema {
  const target = targetOf(schema, document);
  return target ? combine(resolve(target, document), withoutReference(schema)) : schema;
}

function targetOf({ reference }: SafeSchema, { definitions }: SafeDocument): SafeSchema | undefined {
  return reference === undefined ? undefined : definitions.get(reference);
}

function withoutReference({ reference: _reference, ...own }: SafeSchema): SafeSchema {
  return own;
}

function combine(target: SafeSchema, own: SafeSchema): SafeSchema {
  const added = [...own.properties].map(([name, member]): [string, SafeSchema] => {
    return [name, combine(target.properties.get(name) ?? anySchema, member)];
  });
  return {
    ...target,
    ...own,
    properties: new Map([...target.properties, ...added]),
    required: [...new Set([...target.required, ...own.required])],
    prefix: own.prefix.length > 0 ? own.prefix : target.prefix,
    anyOf: [...target.anyOf, ...own.anyOf],
    oneOf: [...target.oneOf, ...own.oneOf],
    allOf: [...target.allOf, ...own.allOf],
  };
}

/**
 * Returns the impact of a change. If fewer values are accepted, sent values may be rejected: this is breaking. If more values are possible, received
 * values may be unknown: this is risky. The other directions only add freedom.
 */
function impactOf(change: ValueChange, { sends }: Direction): Impact {
  if (sends) return change === "wider" ? "additive" : "breaking";
  return change === "narrower" ? "additive" : "risky";
}

/** Returns the types of a schema. If it only lists values, and all have types that the other schema allows, it says nothing else about types. */
function typesOf({ types, values }: SafeSchema, other: SafeSchema): SafeSchema["types"] {
  const isImplied = types === undefined && values?.every((value) => other.types?.some((type) => isOfType(value, type)));
  return isImplied ? other.types : types;
}

/** Compares two sets. `undefined` means everything is allowed. */
function compareSets(
  older: readonly unknown[] | undefined,
  newer: readonly unknown[] | undefined,
  { path, what, comparison }: { readonly path: string; readonly what: string; readonly comparison: Comparison },
): ContractChange[] {
  const place = subjectOf(path, comparison);
  if (!older && newer)
    return [changeOf(place, "changed", `now restricted to ${listOf(newer)}`, impactOf("narrower", comparison))];
  if (!older) return [];
  if (!newer) return [changeOf(place, "changed", `any ${what} is now allowed`, widerImpact(what, comparison))];
  const gone = older.filter((one) => !fits(one, newer, what));
  const fresh = newer.filter((one) => !fits(one, older, what));
  return [
    ...(gone.length > 0
      ? [changeOf(place, "changed", `${what} ${listOf(gone)} removed`, impactOf("narrower", comparison))]
      : []),
    ...(fresh.length > 0
      ? [changeOf(place, "changed", `${what} ${listOf(fresh)} added`, widerImpact(what, comparison))]
      : []),
  ];
}

/** True if a list includes a value. The type `number` includes `integer`. */
function fits(one: unknown, list: readonly unknown[], what: string): boolean {
  return list.includes(one) || (what === "type" && one === "integer" && list.includes("number"));
}

/** Returns the impact for additional values. A reader of known values may be prepared for others, but hardly ever for another type. */
function widerImpact(what: string, comparison: Comparison): Impact {
  return what === "type" && !comparison.sends ? "breaking" : impactOf("wider", comparison);
}

function compareValues(older: SafeSchema, newer: SafeSchema, path: string, comparison: Comparison): ContractChange[] {
  const place = subjectOf(path, comparison);
  return compareLimits(older, newer).map(({ detail, change }) =>
    changeOf(place, "changed", detail, impactOf(change, comparison)),
  );
}

function compareMembers(older: SafeSchema, newer: SafeSchema, path: string, comparison: Comparison): ContractChange[] {
  const names = new Set([...older.properties.keys(), ...newer.properties.keys()]);
  return [...names].flatMap((name) => {
    const place = `${path}/${name}`;
    const before = older.properties.get(name);
    const after = newer.properties.get(name);
    const was = older.required.includes(name);
    const is = newer.required.includes(name);
    // A member that is not declared fits the schema of other members.
    const [from, to] = [before ?? restOf(older), after ?? restOf(newer)];
    const inner = from && to ? compareNodes(from, to, place, comparison) : [];
    if (!before) return [addedMember(place, is, { isClosed: older.additional === false, comparison }), ...inner];
    if (!after) return [removedMember(place, was, { isClosed: newer.additional === false, comparison }), ...inner];
    return [...compareRequired(was, is, place, comparison), ...inner];
  });
}

/** Returns the schema of members that are not declared, if it restricts them. */
function restOf({ additional }: SafeSchema): SafeSchema | undefined {
  return additional && !restrictsNothing(additional) ? additional : undefined;
}

/** Compares an added member. A client with a closed schema of results rejects a result with the member. */
function addedMember(
  path: string,
  isRequired: boolean,
  { isClosed, comparison }: { readonly isClosed: boolean; readonly comparison: Comparison },
): ContractChange {
  const mayFail = comparison.sends ? isRequired : isClosed;
  const failure = isRequired ? "breaking" : "risky";
  const detail = isRequired ? "added as required" : "added";
  return changeOf(subjectOf(path, comparison), "added", detail, mayFail ? failure : "additive");
}

/** Compares a removed member. A closed schema rejects the argument, now unknown; an open one silently ignores it. */
function removedMember(
  path: string,
  wasRequired: boolean,
  { isClosed, comparison }: { readonly isClosed: boolean; readonly comparison: Comparison },
): ContractChange {
  const isBreaking = comparison.sends ? isClosed : wasRequired;
  return changeOf(subjectOf(path, comparison), "removed", "removed", isBreaking ? "breaking" : "risky");
}

function compareRequired(was: boolean, is: boolean, path: string, comparison: Comparison): ContractChange[] {
  if (was === is) return [];
  const isBreaking = comparison.sends ? is : was;
  const detail = is ? "now required" : "now optional";
  return [changeOf(subjectOf(path, comparison), "changed", detail, isBreaking ? "breaking" : "additive")];
}

function compareRest(
  older: SafeSchema | false | undefined,
  newer: SafeSchema | false | undefined,
  path: string,
  comparison: Comparison,
): ContractChange[] {
  if (older && newer) return compareNodes(older, newer, path, comparison);
  const [before, after] = [strictnessOf(older), strictnessOf(newer)];
  if (before === after) return [];
  const change = after > before ? "narrower" : "wider";
  const detail =
    change === "narrower"
      ? "additional members or items are now restricted"
      : "any additional members or items are now allowed";
  return [changeOf(subjectOf(path, comparison), "changed", detail, impactOf(change, comparison))];
}

/** Strictness of the schema of other members or items: 0 if it accepts everything, 2 if it accepts nothing. */
function strictnessOf(rest: SafeSchema | false | undefined): number {
  if (rest === false) return 2;
  return rest === undefined || restrictsNothing(rest) ? 0 : 1;
}

/** Compares alternatives by position. If their number differs, there is no way to match them. */
function compareLists(
  older: readonly SafeSchema[],
  newer: readonly SafeSchema[],
  path: string,
  comparison: Comparison,
): ContractChange[] {
  if (older.length !== newer.length) {
    return [changeOf(subjectOf(path, comparison), "changed", "alternatives changed", "risky")];
  }
  return older.flatMap((one, at) => {
    const other = newer[at];
    return other ? compareNodes(one, other, path, comparison) : [];
  });
}

function subjectOf(path: string, { subject }: Direction): string {
  return path === "" ? subject : `${subject} ${path.replace(/^\//, "")}`;
}

function changeOf(subject: string, kind: ContractChange["kind"], detail: string, client: Impact): ContractChange {
  return { kind, subject, detail, client, server: "neutral" };
}

function listOf(list: readonly unknown[]): string {
  const shown = list.map((one) => JSON.stringify(one));
  return shown.length > 5 ? `${shown.slice(0, 5).join(", ")} and ${shown.length - 5} more` : shown.join(", ");
}
