import { isObject } from "../../../generated/support.ts";
import { valueAtFragment } from "../../internal/json-pointer.ts";
import type { SchemaIssue } from "../../protocol/methods/schema-issue.ts";

type Path = readonly (string | number)[];
type Node = Readonly<Record<string, unknown>>;

/**
 * Returns the first argument whose schema says integer and whose value is not a safe integer. Reading the message has rounded it, so the tool would
 * act on another value than the one sent.
 */
export function findRoundedInteger(args: unknown, readSchema: () => Node): readonly SchemaIssue[] {
  if (!hasRounded(args)) return [];
  const root = readSchema();
  const path = findPath(args, [root], root);
  if (!path) return [];
  return [{ path, message: `is beyond ${Number.MAX_SAFE_INTEGER}, where integers are rounded; ${advice}` }];
}

const advice = "send it as a string, if the schema permits one";

function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function hasRounded(value: unknown): boolean {
  if (typeof value === "number") return isRounded(value);
  if (Array.isArray(value)) return value.some(hasRounded);
  if (!isObject(value)) return false;
  // Listing the members of a large object takes longer than reading them one after the other.
  for (const name in value) if (hasRounded(value[name])) return true;
  return false;
}

function findPath(value: unknown, schemas: readonly unknown[], root: Node): Path | undefined {
  if (typeof value === "number") return isRounded(value) && isInteger(expand(schemas, root)) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const applied = expand(schemas, root);
  if (applied.length === 0) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    const inner = applied.map((schema) => (typeof key === "number" ? itemOf(schema, key) : memberOf(schema, key)));
    const found = findPath(member, inner, root);
    if (found) return [key, ...found];
  }
  return undefined;
}

/** True if schemas name integers, and none of them any number. */
function isInteger(schemas: readonly Node[]): boolean {
  const types = schemas.flatMap(({ type }) => type);
  return types.includes("integer") && !types.includes("number");
}

/** Returns the schemas, and the schemas they refer to and combine. */
function expand(schemas: readonly unknown[], root: Node): readonly Node[] {
  const found = new Set<Node>();
  const pending = [...schemas];
  // The list grows during the loop.
  for (const schema of pending) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema;
    pending.push(valueAtFragment(root, $ref), then, otherwise, ...[allOf, anyOf, oneOf].flat());
  }
  return [...found];
}

function ownValue(node: unknown, key: string | number): unknown {
  return typeof node === "object" && node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
}

function itemOf({ prefixItems, items, additionalItems }: Node, at: number): unknown {
  const first = Array.isArray(items) ? items : prefixItems;
  return ownValue(first, at) ?? (Array.isArray(items) ? additionalItems : items);
}

function memberOf({ properties, additionalProperties }: Node, name: string): unknown {
  return ownValue(properties, name) ?? additionalProperties;
}
