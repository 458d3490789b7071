import { isMultiple } from "../../../runtime/adapters/is-multiple.ts";
import type { SafeSchema } from "../tool-schema/safe-schema.ts";

/** Change of the values accepted by a schema. `other`: it rejects some of them, and accepts others instead. */
export type ValueChange = "narrower" | "wider" | "other";

/** A changed limit of values. */
export interface LimitChange {
  readonly detail: string;
  readonly change: ValueChange;
}

/** Lists the changes of limits that types do not show. */
export function compareLimits(older: SafeSchema, newer: SafeSchema): LimitChange[] {
  return [
    ...limitRules.flatMap(({ name, sign, read }) => compareLimit(name, sign, [read(older), read(newer)])),
    ...compareRule("pattern", [older.pattern, newer.pattern], () => false),
    ...compareRule("format", [older.format, newer.format], includesFormat),
    ...compareRule("multipleOf", [stepOf(older), stepOf(newer)], (wide, narrow) => isMultiple(narrow, wide)),
    ...compareRule("uniqueItems", [older.uniqueItems, newer.uniqueItems], () => false),
  ];
}

/** A lower or an upper limit. */
interface Limit {
  readonly value: number | undefined;
  readonly isExclusive?: boolean;
}

/**
 * Limits with the sign of their direction: a lower limit is tighter if it is greater, an upper one if its negative is. A length of at least 0 is no
 * limit.
 */
const limitRules: readonly {
  readonly name: string;
  readonly sign: 1 | -1;
  readonly read: (schema: SafeSchema) => Limit;
}[] = [
  { name: "minimum", sign: 1, read: (schema) => limitOf(1, schema, [schema.minimum, schema.exclusiveMinimum]) },
  { name: "minLength", sign: 1, read: ({ minLength }) => ({ value: minLength || undefined }) },
  { name: "minItems", sign: 1, read: ({ minItems }) => ({ value: minItems || undefined }) },
  { name: "minProperties", sign: 1, read: ({ minProperties }) => ({ value: minProperties || undefined }) },
  { name: "maximum", sign: -1, read: (schema) => limitOf(-1, schema, [schema.maximum, schema.exclusiveMaximum]) },
  { name: "maxLength", sign: -1, read: ({ maxLength }) => ({ value: maxLength }) },
  { name: "maxItems", sign: -1, read: ({ maxItems }) => ({ value: maxItems }) },
  { name: "maxProperties", sign: -1, read: ({ maxProperties }) => ({ value: maxProperties }) },
];

/** Returns the effective limit if a schema has an inclusive and an exclusive one. For integers, it is always inclusive. */
function limitOf(sign: 1 | -1, schema: SafeSchema, [inclusive, exclusive]: readonly (number | undefined)[]): Limit {
  const own = { value: inclusive };
  const isWhole = isIntegral(schema) && Number.isInteger(exclusive);
  const other = isWhole
    ? { value: (exclusive ?? 0) + sign }
    : { value: exclusive, isExclusive: exclusive !== undefined };
  return isTighter(sign, own, other) ? other : own;
}

/** Returns the number of which a value is a multiple; `undefined` if it is no limit. */
function stepOf(schema: SafeSchema): number | undefined {
  return isIntegral(schema) && schema.multipleOf === 1 ? undefined : schema.multipleOf;
}

/** True if all numbers that a schema accepts are integers. */
function isIntegral({ types }: SafeSchema): boolean {
  return types?.includes("number") === false;
}

function isTighter(sign: 1 | -1, limit: Limit, other: Limit): boolean {
  const [before = -Infinity, after = -Infinity] = [limit, other].map(({ value }) => value && sign * value);
  return after > before || (after === before && other.isExclusive === true && limit.isExclusive !== true);
}

function compareLimit(name: string, sign: 1 | -1, [before, after]: readonly [Limit, Limit]): LimitChange[] {
  const detail = `${name} changed from ${limitText(before)} to ${limitText(after)}`;
  if (isTighter(sign, before, after)) return [{ detail, change: "narrower" }];
  return isTighter(sign, after, before) ? [{ detail, change: "wider" }] : [];
}

function limitText({ value, isExclusive }: Limit): string {
  return `${value ?? "unset"}${isExclusive === true ? " (exclusive)" : ""}`;
}

/** Compares a rule without an order. `includes` is true if every value that fits the second rule fits the first one as well. */
function compareRule<Rule>(
  name: string,
  [before, after]: readonly [Rule | undefined, Rule | undefined],
  includes: (wide: Rule, narrow: Rule) => boolean,
): LimitChange[] {
  if (before === after) return [];
  const detail = `${name} changed from ${String(before ?? "unset")} to ${String(after ?? "unset")}`;
  if (before === undefined) return [{ detail, change: "narrower" }];
  if (after === undefined || includes(after, before)) return [{ detail, change: "wider" }];
  return [{ detail, change: includes(before, after) ? "narrower" : "other" }];
}

/** Formats, each with the formats that include it. */
const widerFormats: Readonly<Record<string, readonly string[]>> = {
  int32: ["int64"],
  float: ["double"],
  email: ["idn-email"],
  hostname: ["idn-hostname"],
  uri: ["uri-reference", "iri", "iri-reference"],
  "uri-reference": ["iri-reference"],
  iri: ["iri-reference"],
};

function includesFormat(wide: string, narrow: string): boolean {
  return Object.hasOwn(widerFormats, narrow) && widerFormats[narrow]?.includes(wide) === true;
}
