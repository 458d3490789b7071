import type { Problem } from "../rpc/channel.ts";

/**
 * A deep copy of what JSON could carry: members that are `undefined` or functions are left out, `toJSON` is honoured, numbers that JSON lacks
 * become `null`. Throws on what JSON text cannot be made of: cycles and big integers.
 */
export function copyJson(value: unknown): unknown {
  return copyValue(value, "", []);
}

/** The refusal of a value that is nested too deeply; counts only as far as the limit. */
export function findDepthProblem(value: unknown, maxDepth: number): Problem | undefined {
  if (!isDeeper(value, maxDepth)) return undefined;
  return { kind: "depth", message: `The message is nested deeper than ${maxDepth} levels`, value };
}

function copyValue(value: unknown, key: string, above: object[]): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") throw new TypeError("A big integer cannot be written as JSON");
  if (typeof value !== "object") return undefined;
  if ("toJSON" in value && typeof value.toJSON === "function") return copyValue(value.toJSON(key), key, above);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  if (above.includes(value)) throw new TypeError("A cycle cannot be written as JSON");
  above.push(value);
  const copy = Array.isArray(value) ? copyArray(value, above) : copyObject(value, above);
  above.pop();
  return copy;
}

function copyArray(values: readonly unknown[], above: object[]): unknown[] {
  const copies: unknown[] = [];
  for (let index = 0; index < values.length; index += 1) {
    copies.push(copyValue(values[index], String(index), above) ?? null);
  }
  return copies;
}

function copyObject(source: object, above: object[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(source)) {
    const copied: unknown = copyValue(value, key, above);
    if (copied === undefined) continue;
    if (key === "__proto__") Object.defineProperty(copy, key, { value: copied, ...ordinary });
    else copy[key] = copied;
  }
  return copy;
}

const ordinary = { enumerable: true, configurable: true, writable: true } as const;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}
