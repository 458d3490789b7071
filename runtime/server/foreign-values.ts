import { isObject } from "../../generated/support.ts";

/**
 * Finds an object in a checked value that JSON turns into another, unchecked value: a date becomes text, a map loses its entries. Returns its class
 * and path. Cycles are left to the encoder.
 */
export function findForeign(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? findBelow(value, [], new Set()) : undefined;
}

function findBelow(value: object, path: string[], seen: Set<object>): string | undefined {
  if (path.length > deepest || seen.has(value)) return undefined;
  if (isForeign(value)) return `${value.constructor.name}${path.length === 0 ? "" : ` at ${path.join("/")}`}`;
  seen.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== "object" || member === null) continue;
    path.push(key);
    const found = findBelow(member, path, seen);
    if (found !== undefined) return found;
    path.pop();
  }
  return undefined;
}

function isForeign(value: object): boolean {
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return false;
  if (value instanceof Map || value instanceof Set) return true;
  return isObject(value) && typeof value.toJSON === "function";
}

const deepest = 512;
