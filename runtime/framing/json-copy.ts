/** Copy of a JSON value, with its nesting depth and its number of values. */
export interface JsonCopy {
  readonly value: unknown;
  readonly depth: number;
  readonly values: number;
}

/**
 * Returns a deep copy of what JSON can represent: members that are `undefined` or functions are omitted, `toJSON` is honoured, NaN and infinite
 * numbers become `null`.
 *
 * @param key - name of the value in its parent
 * @throws {TypeError} when the value has a cycle or a big integer
 */
export function copyJson(value: unknown, key: string = ""): JsonCopy {
  const walk: Walk = { value: undefined, depth: 0, values: 0 };
  walk.value = copyValue(value, key, 0, walk);
  return walk;
}

/** Copy under construction, with the figures of all its parts. */
interface Walk {
  value: unknown;
  depth: number;
  values: number;
}

/** Depth beyond which a value is a cycle, or too deep for any peer. */
const bottom = 1_000;

function copyValue(value: unknown, key: string, depth: number, walk: Walk): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") throw new TypeError("A BigInt cannot be serialized as JSON");
  if (typeof value !== "object") return undefined;
  if (Array.isArray(value)) return copyArray(value, enter(depth, walk), walk);
  if (isPlain(value)) return copyObject(value, enter(depth, walk), walk);
  if (hasToJson(value)) return copyValue(value.toJSON(key), key, depth, walk);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  return copyObject({ ...value }, enter(depth, walk), walk);
}

function enter(depth: number, walk: Walk): number {
  if (depth === bottom) throw new TypeError("A circular structure cannot be serialized as JSON");
  if (depth >= walk.depth) walk.depth = depth + 1;
  return depth + 1;
}

function copyArray(values: readonly unknown[], depth: number, walk: Walk): unknown[] {
  const copies: unknown[] = [];
  walk.values += values.length;
  for (let index = 0; index < values.length; index += 1) {
    copies.push(copyValue(values[index], String(index), depth, walk) ?? null);
  }
  return copies;
}

function copyObject(source: Record<string, unknown>, depth: number, walk: Walk): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  // Iterating without a list of keys is faster; inherited members are skipped.
  for (const key in source) {
    if (!isOwn.call(source, key)) continue;
    const copied: unknown = copyValue(source[key], key, depth, walk);
    if (copied === undefined) continue;
    walk.values += 1;
    if (key === "__proto__") Object.defineProperty(copy, key, { value: copied, ...ordinary });
    else copy[key] = copied;
  }
  return copy;
}

const isOwn = Object.prototype.hasOwnProperty;

const ordinary = { enumerable: true, configurable: true, writable: true } as const;

/** True for nearly every object: the more expensive checks are then skipped. */
function isPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, "toJSON");
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}
