import { isObject } from "../../generated/support.ts";

/**
 * Finds an object in a checked value that JSON turns into another value, which was not checked: a date becomes text, a map loses its
 * entries. Returns its class and path. Cycles are left to the encoder.
 */
export function findForeign(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value !== "object" || value === null || path.length > deepest) return undefined;
  if (isForeign(value)) return `${value.constructor.name}${path.length === 0 ? "" : ` at ${path.join("/")}`}`;
  for (const [key, member] of Object.entries(value)) {
    const found = findForeign(member, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isForeign(value: object): boolean {
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return false;
  if (value instanceof Map || value instanceof Set) return true;
  return isObject(value) && typeof value.toJSON === "function";
}

const deepest = 512;
